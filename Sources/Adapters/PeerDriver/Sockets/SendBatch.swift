import CLinux
import Datagrams
import Glibc
import NIOCore
import PeerCore

/// Collects datagrams for one socket and address as long as they have one size (the last may be smaller), to send them
/// with one call.
struct SendBatch {
    private var buffer: [UInt8]
    private var segmentSize = 0
    private var segments = 0
    private var isOpen = false
    private(set) var from: TransportAddress
    private(set) var to: TransportAddress
    private let dscp: DSCP
    private let ecn: ECN

    /// - Parameter room: an earlier batch's, which is written over.
    init(_ first: Transmit, room: consuming [UInt8] = []) {
        from = first.from
        to = first.to
        dscp = first.dscp
        ecn = first.ecn
        segmentSize = first.bytes.count
        buffer = room
        buffer.removeAll(keepingCapacity: true)
        buffer += first.bytes
        segments = 1
        isOpen = true
    }

    /// False where `next` does not fit this batch: send it and begin another.
    mutating func append(_ next: Transmit) -> Bool {
        guard isOpen, segments < Limits.segmentsPerSend, next.to == to, next.from == from, next.dscp == dscp,
            next.ecn == ecn, next.bytes.count <= segmentSize, buffer.count + next.bytes.count <= Limits.bytesPerSend
        else { return false }
        buffer += next.bytes
        segments += 1
        isOpen = next.bytes.count == segmentSize
        return true
    }

    /// Its room, for the next.
    consuming func released() -> [UInt8] { buffer }

    /// Hands it to the kernel; on the socket's event loop. What the kernel has no room for is lost, as a network loses it:
    /// repair, DTLS and ICE see to that.
    ///
    /// Not by the channel, which writes a type of service of its own.
    ///
    /// - Returns: how many datagrams there was no room for; where they leave one by one, those that had some among them.
    func send(by socket: UDPSocket, to remote: SocketAddress, isMarked: Bool) -> Int {
        guard socket.channel.isActive else { return 0 }
        // Of what was the type of service the upper six bits (RFC 2474 § 3), and the lower two (RFC 3168 § 5).
        let trafficClass = isMarked ? Int32(dscp.rawValue) << 2 | Int32(ecn.rawValue) : 0
        let segment = segments > 1 ? UInt16(clamping: segmentSize) : 0
        let failure = buffer.withUnsafeBytes { bytes in
            remote.withSockAddr { address, size in
                linux_send_datagrams(
                    socket.descriptor, address, UInt32(size), bytes.baseAddress, UInt(bytes.count), segment,
                    trafficClass)
            }
        }
        switch failure {
        case EAGAIN, ENOBUFS, ENOMEM: return segments
        // What goes wrong besides concerns the one address.
        default: return 0
        }
    }
}
