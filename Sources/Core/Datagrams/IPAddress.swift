/// An IPv4 or IPv6 address, without a scope: link-local addresses are not used for media.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    package static let loopback = IPAddress.v4(0x7F00_0001)

    package var isIPv6: Bool {
        switch self {
        case .v4: false
        case .v6: true
        }
    }

    /// The address in network byte order: 4 or 16 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .v4(let bits): bytes.append(u32: bits)
        case .v6(let high, let low):
            bytes.append(u64: high)
            bytes.append(u64: low)
        }
        return bytes
    }
}

/// What a port is of.
package enum TransportProtocol: Hashable, Sendable {
    case udp
    case tcp
}

/// "The combination of an IP address and the transport protocol (such as UDP or TCP) port" (RFC 8445 § 4): a port of
/// TCP is another one than UDP's with the same number.
package struct TransportAddress: Hashable, Sendable {
    package var ip: IPAddress
    package var port: UInt16
    package var transport: TransportProtocol

    package init(ip: IPAddress, port: UInt16, transport: TransportProtocol = .udp) {
        self.ip = ip
        self.port = port
        self.transport = transport
    }
}

extension TransportAddress: CustomStringConvertible {
    package var description: String { ip.isIPv6 ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}
