import COpenSSL

/// OpenSSL's view of the network: a BIO in which each write is one datagram, and each read takes one, so that datagram
/// boundaries survive, which OpenSSL 3.0's memory BIO does not keep.
///
/// The pipe outlives the connections that use it (`DTLSConnection` holds it), so the BIO may point to it unretained.
final class DatagramPipe {
    /// What OpenSSL wrote, oldest first.
    private var outgoing: [[UInt8]] = []
    /// What OpenSSL reads next.
    private var incoming: [UInt8]?

    func popOutgoing() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }
    func discardOutgoing() { outgoing.removeAll() }
    func deliver(_ datagram: [UInt8]) { incoming = datagram }

    /// True once a record with a part of a handshake went out: alerts alone don't count.
    private(set) var sentHandshake = false

    /// A BIO over this pipe, owned by the caller.
    func makeBIO() -> OpaquePointer? {
        guard let method = Self.method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        sentHandshake = false
        return bio
    }

    /// Bytes written; a full queue drops the datagram, as a network would.
    private func write(_ bytes: UnsafeRawBufferPointer) {
        if isFinished(bytes) {
            outgoing[outgoing.count - 1] += bytes
        } else if outgoing.count < Limits.queuedDatagrams {
            outgoing.append(Array(bytes))
        }
        if bytes.first == DTLSRecord.handshake { sentHandshake = true }
    }

    /// Of a ChangeCipherSpec that still waits. OpenSSL packs a flight, but writes each message of one that it repeats alone: where
    /// these two go separate ways, the loss of either costs the peer another timeout, twice as long as the last.
    private func isFinished(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let last = outgoing.last, last.count == DTLSRecord.changeCipherSpecBytes else { return false }
        return last.first == DTLSRecord.changeCipherSpec && bytes.first == DTLSRecord.handshake
    }

    /// Bytes copied; nil where no datagram waits. What does not fit is cut off, as `recv` does.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let datagram = incoming else { return nil }
        incoming = nil
        let count = min(datagram.count, buffer.count)
        buffer.copyBytes(from: datagram.prefix(count))
        return count
    }
}

extension DatagramPipe {
    /// Made once for the process and never freed; nil where OpenSSL had no memory for it.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = BIO_meth_new(type, "datagrams") else { return nil }
        BIO_meth_set_write(method, onWrite)
        BIO_meth_set_read(method, onRead)
        BIO_meth_set_ctrl(method, onControl)
        return method
    }()

    private static func pipe(of bio: OpaquePointer?) -> DatagramPipe? {
        BIO_get_data(bio).map { Unmanaged<DatagramPipe>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onWrite: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
        bio, bytes, count in
        guard let pipe = pipe(of: bio), let bytes, count > 0 else { return -1 }
        shim_bio_clear_retry(bio)
        pipe.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return count
    }

    private static let onRead: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32 = {
        bio, bytes, count in
        guard let pipe = pipe(of: bio), let bytes, count > 0 else { return -1 }
        shim_bio_clear_retry(bio)
        guard let read = pipe.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))) else {
            shim_bio_retry_read(bio)
            return -1
        }
        return Int32(read)
    }

    /// Flushing succeeds, because nothing is held back; everything else is answered by "no".
    private static let onControl: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
        _, command, _, _ in
        command == BIO_CTRL_FLUSH ? 1 : 0
    }
}
