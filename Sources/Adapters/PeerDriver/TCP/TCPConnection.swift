import Datagrams
import ICE
import NIOCore
import PeerCore
import Timebase

/// One TCP connection to a peer, or to somebody who has not yet proved to be one.
final class TCPConnection {
    let pair: AddressPair
    /// Tells it from others before and after it with the same addresses.
    let serial: UInt64
    /// Nil while it is being made.
    private var channel: (any Channel)?
    /// Whose checks were authenticated on it, or who asked for it.
    var owner: PeerID?
    /// A check was authenticated on it.
    var isAuthenticated = false
    var heardAt: Instant
    private var decoder = FrameDecoder()
    /// What waits for the connection.
    private var held: [[UInt8]] = []

    init(_ pair: AddressPair, serial: UInt64, channel: (any Channel)?, owner: PeerID?, at now: Instant) {
        self.pair = pair
        self.serial = serial
        self.channel = channel
        self.owner = owner
        heardAt = now
    }

    /// When it is closed, unless something comes before that.
    var deadline: Instant {
        if !isAuthenticated { return heardAt + Limits.strangerTime }
        return heardAt + (isOutgoing ? Limits.silentTime : Limits.idleTime)
    }

    /// Ours to make.
    var isOutgoing: Bool { pair.local.port == Candidate.discardPort }

    // MARK: In

    func append(_ bytes: [UInt8], at now: Instant) {
        if isAuthenticated { heardAt = now }
        decoder.append(bytes)
    }

    func next() throws(FrameError) -> [UInt8]? { try decoder.next() }

    /// Before a check was authenticated nothing but STUN comes, and nothing else leaves: neither side would take it.
    func allows(_ packet: [UInt8]) -> Bool { isAuthenticated || packet.read(DatagramKind.init) == .stun }

    // MARK: Out

    /// What it has no room for is dropped.
    func send(_ packet: [UInt8]) {
        guard allows(packet) else { return }
        guard let channel else {
            if held.count < Limits.heldFrames { held.append(packet) }
            return
        }
        guard packet.count <= Limits.datagramBytes, channel.hasRoom(for: packet) else { return }
        var frame = channel.allocator.buffer(capacity: packet.count + MemoryLayout<UInt16>.size)
        frame.writeInteger(UInt16(packet.count))
        frame.writeBytes(packet)
        channel.write(frame, promise: nil)
    }

    /// The connection stands.
    func begin(_ channel: any Channel) {
        self.channel = channel
        let packets = held
        held = []
        for packet in packets { send(packet) }
        flush()
    }

    func flush() { channel?.flush() }

    // MARK: The end

    func close() { channel?.close(promise: nil) }

    /// What was sent still leaves.
    func finish() {
        guard let channel else { return }
        channel.flush()
        channel.close(mode: .output, promise: nil)
        channel.eventLoop.scheduleTask(in: Limits.lingerTime) { channel.close(promise: nil) }
    }
}
