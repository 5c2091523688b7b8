import Datagrams
import Glibc
import NIOCore

extension TransportAddress {
    /// Nil for UNIX sockets. An IPv4-mapped IPv6 address becomes the IPv4 address it stands for.
    init?(_ address: SocketAddress) {
        let parsed = address.withSockAddr { pointer, _ in TransportAddress(pointer) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Nil for other families than IP's.
    /// - Parameter pointer: a whole sockaddr_in or sockaddr_in6.
    init?(_ pointer: UnsafePointer<sockaddr>) {
        // Read as bytes, at the offsets of ip(7) and ipv6(7): NIO's own C module, which has the members, is not importable.
        func word<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Value.Type) -> Value {
            Value(bigEndian: UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: offset, as: type))
        }
        switch Int32(UnsafeRawPointer(pointer).load(as: sa_family_t.self)) {
        case AF_INET: self.init(ip: .v4(word(4, UInt32.self)), port: word(2, UInt16.self))
        case AF_INET6:
            let (high, low) = (word(8, UInt64.self), word(16, UInt64.self))
            let mapped = high == 0 && low >> 32 == 0xFFFF
            self.init(
                ip: mapped ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low), port: word(2, UInt16.self))
        default: return nil
        }
    }

    func socketAddress() throws -> SocketAddress {
        try SocketAddress(packedIPAddress: ByteBuffer(bytes: ip.bytes), port: Int(port))
    }
}
