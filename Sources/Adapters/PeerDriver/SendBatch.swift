import Datagrams
import NIOCore
import PeerCore

/// Collects datagrams for one socket and address as long as they have one size (the last may be smaller), to send them
/// with one call.
struct SendBatch {
    private var buffer: ByteBuffer
    private var segmentSize = 0
    private var segments = 0
    private var open = false
    private(set) var from: TransportAddress
    private(set) var to: TransportAddress

    init(_ first: Transmit) {
        from = first.from
        to = first.to
        segmentSize = first.bytes.count
        buffer = ByteBuffer(bytes: first.bytes)
        segments = 1
        open = true
    }

    /// False where `next` does not fit this batch: send it and begin another.
    mutating func append(_ next: Transmit) -> Bool {
        guard open, segments < Limits.segmentsPerSend, next.to == to, next.from == from, next.bytes.count <= segmentSize,
            buffer.readableBytes + next.bytes.count <= Limits.bytesPerSend
        else { return false }
        // Grown once for all: a second datagram means one picture's packets.
        if segments == 1 { buffer.reserveCapacity(Limits.bytesPerBatch) }
        buffer.writeBytes(next.bytes)
        segments += 1
        open = next.bytes.count == segmentSize
        return true
    }

    func envelope(remote: SocketAddress) -> AddressedEnvelope<ByteBuffer> {
        let metadata = AddressedEnvelope<ByteBuffer>.Metadata(
            ecnState: .transportNotCapable, packetInfo: nil, segmentSize: segments > 1 ? segmentSize : nil)
        return AddressedEnvelope(remoteAddress: remote, data: buffer, metadata: segments > 1 ? metadata : nil)
    }
}
