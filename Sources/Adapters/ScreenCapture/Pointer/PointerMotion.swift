import CXCB
import Glibc

/// The two requests of XInput 2 by which motion of the pointer is told, so that a still one costs next to nothing.
///
/// They are written by hand (XI2proto.txt § XIQueryVersion, XISelectEvents), which saves a library for 28 bytes. Raw
/// motion comes from every device, also while the pointer is grabbed. Cooked motion (XI_Motion) would come from
/// programs that move the pointer too, but who selects it on the root takes it away from programs that watch the core
/// protocol's motion there.
enum PointerMotion {
    /// XI_RawMotion.
    static let event: UInt16 = 17

    private static let selectEvents: UInt8 = 46
    private static let queryVersion: UInt8 = 47
    private static let allMasterDevices: UInt16 = 1

    /// Tells the server that 2.2 is spoken here; false if it is too old. Blocks.
    static func agree(_ connection: OpaquePointer, majorOpcode: UInt8) -> Bool {
        var request = [0, queryVersion, 0, 0]
        request.append(littleEndian: UInt16(2))
        request.append(littleEndian: UInt16(2))
        let sequence = send(request, connection, majorOpcode: majorOpcode, hasReply: true)
        guard let reply = xcb_wait_for_reply(connection, sequence, nil) else { return false }
        defer { free(reply) }
        // Bytes 8…11 of the 32 that every reply has at least: major and minor version.
        let version = (
            reply.loadUnaligned(fromByteOffset: 8, as: UInt16.self),
            reply.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
        )
        return version >= (2, 2)
    }

    /// Starts or stops the motion events of the whole screen.
    static func select(_ isOn: Bool, root: xcb_window_t, _ connection: OpaquePointer, majorOpcode: UInt8) {
        var request = [0, selectEvents, 0, 0]
        request.append(littleEndian: root)
        request.append(littleEndian: UInt16(1))
        request.append(littleEndian: UInt16(0))
        request.append(littleEndian: allMasterDevices)
        request.append(littleEndian: UInt16(1))
        request.append(littleEndian: isOn ? UInt32(1) << event : 0)
        _ = send(request, connection, majorOpcode: majorOpcode, hasReply: false)
    }

    private static func send(
        _ request: [UInt8], _ connection: OpaquePointer, majorOpcode: UInt8, hasReply: Bool
    ) -> UInt32 {
        var bytes = request
        return bytes.withUnsafeMutableBytes { bytes in
            // xcb_send_request(3): the two elements before the first belong to libxcb.
            var parts = [iovec](repeating: iovec(), count: 3)
            parts[2] = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            var description = xcb_protocol_request_t(
                count: 1, ext: nil, opcode: majorOpcode, isvoid: hasReply ? 0 : 1)
            return parts.withUnsafeMutableBufferPointer { parts in
                guard let start = parts.baseAddress else { return 0 }
                return xcb_send_request(
                    connection, hasReply ? Int32(XCB_REQUEST_CHECKED.rawValue) : 0, start + 2, &description)
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
