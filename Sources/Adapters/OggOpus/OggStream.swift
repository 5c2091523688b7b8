import COgg

/// One logical Ogg stream (RFC 3533), packets in, pages out: the only owner of its `ogg_stream_state`.
final class OggStream {
    /// At an address of its own, because libogg keeps a pointer to it between calls.
    private let state: UnsafeMutablePointer<ogg_stream_state>
    private var packets: Int64 = 0

    /// - Parameter serial: tells streams of one file apart.
    init(serial: UInt32) {
        state = .allocate(capacity: 1)
        state.initialize(to: ogg_stream_state())
        ogg_stream_init(state, Int32(bitPattern: serial))
    }

    deinit {
        ogg_stream_clear(state)
        state.deallocate()
    }

    /// libogg copies the bytes.
    /// - Parameter granule: where the stream stands after the packet.
    func append(_ bytes: [UInt8], granule: Int64, isLast: Bool = false) {
        var bytes = bytes
        bytes.withUnsafeMutableBufferPointer { buffer in
            var packet = ogg_packet()
            packet.packet = buffer.baseAddress
            packet.bytes = buffer.count
            packet.b_o_s = packets == 0 ? 1 : 0
            packet.e_o_s = isLast ? 1 : 0
            packet.granulepos = granule
            packet.packetno = packets
            ogg_stream_packetin(state, &packet)
        }
        packets += 1
    }

    /// All packets since, in as many pages as it takes.
    func flush() -> [UInt8] {
        var bytes: [UInt8] = []
        var page = ogg_page()
        while ogg_stream_flush(state, &page) != 0 {
            bytes += UnsafeBufferPointer(start: page.header, count: page.header_len)
            bytes += UnsafeBufferPointer(start: page.body, count: page.body_len)
        }
        return bytes
    }
}
