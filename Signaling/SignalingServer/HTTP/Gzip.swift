import CZlib

/// RFC 1952, by zlib.
enum Gzip {
    /// - Returns: nil where there is no memory for it.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 16 more bits of window stand for gzip's head and tail.
        let isReady = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard isReady == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            var isWhole = false
            let output = [UInt8](unsafeUninitializedCapacity: bound) { target, count in
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = target.count - Int(stream.avail_out)
            }
            return isWhole ? output : nil
        }
    }
}
