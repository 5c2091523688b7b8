import Datagrams
import NIOCore

extension TransportAddress {
    /// Nil for UNIX sockets. An IPv4-mapped IPv6 address becomes the IPv4 address it stands for.
    init?(_ address: SocketAddress) {
        // Read as bytes, at the offsets of sockaddr_in and sockaddr_in6 (ip(7), ipv6(7)): NIO's own C module, which has
        // the members, is not importable.
        let parsed: TransportAddress? = address.withSockAddr { pointer, size in
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer), count: size)
            func word<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Value.Type) -> Value {
                Value(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
            }
            switch address {
            case .v4: return TransportAddress(ip: .v4(word(4, UInt32.self)), port: word(2, UInt16.self))
            case .v6:
                let (high, low) = (word(8, UInt64.self), word(16, UInt64.self))
                let mapped = high == 0 && low >> 32 == 0xFFFF
                return TransportAddress(
                    ip: mapped ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low),
                    port: word(2, UInt16.self))
            case .unixDomainSocket: return nil
            }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    func socketAddress() throws -> SocketAddress {
        try SocketAddress(packedIPAddress: ByteBuffer(bytes: ip.bytes), port: Int(port))
    }
}
