import Datagrams
import PeerCore
import Timebase

/// Security for simulations in virtual time: a handshake of two flights with retransmission, and protection that only
/// adds a tag and refuses replays. The real one has its own suite, because OpenSSL reads the clock itself.
package final class TransparentSecurity: SecurityProvider {
    package let localFingerprint: Fingerprint

    fileprivate static let tag: [UInt8] = [0x5A, 0xA5, 0x5A, 0xA5]

    /// What the other side takes for a packet of this number.
    package static func protected(_ packet: [UInt8], number: UInt32) -> [UInt8] {
        var packet = packet
        packet.append(u32: number)
        return packet + tag
    }

    private let repetition: Duration
    private let confirms: Bool

    /// - Parameters:
    ///   - repetition: after so long a flight that was not answered is sent again.
    ///   - confirms: the passive side has a last flight, as DTLS has, and the active one waits for it.
    package init(name: UInt8, repetition: Duration = .milliseconds(50), confirms: Bool = false) {
        localFingerprint = Fingerprint(sha256: [UInt8](repeating: name, count: 32))
        self.repetition = repetition
        self.confirms = confirms
    }

    package func makeHandshake(
        role: HandshakeRole, remoteFingerprint: Fingerprint
    ) throws(HandshakeError) -> any HandshakeEngine {
        TransparentHandshake(
            role: role, local: localFingerprint, remote: remoteFingerprint, repetition: repetition, confirms: confirms)
    }

    package func makeProtector(keys: SRTPKeys) throws(ProtectionError) -> any PacketProtector { TransparentProtector() }
}

/// hello → hello and fingerprint → finished; every flight is repeated until answered.
private final class TransparentHandshake: HandshakeEngine {
    private enum Message: UInt8 { case hello = 1, reply, finished, close }

    private let role: HandshakeRole
    private let local: Fingerprint
    private let remote: Fingerprint
    private var outgoing: [[UInt8]] = []
    private var flight: Message?
    private(set) var keys: SRTPKeys?
    private let repetition: Duration
    private let confirms: Bool

    init(role: HandshakeRole, local: Fingerprint, remote: Fingerprint, repetition: Duration, confirms: Bool) {
        self.role = role
        self.local = local
        self.remote = remote
        self.repetition = repetition
        self.confirms = confirms
    }

    func start() throws(HandshakeError) {
        if role == .active { send(.hello) }
    }

    func receive(_ datagram: RawSpan) throws(HandshakeError) {
        guard datagram.u8(at: 0) == 22, let type = datagram.u8(at: 1).flatMap(Message.init) else { return }
        if type == .close { throw .closed }
        guard datagram.copy(2..<34) == remote.sha256 else { throw .fingerprintMismatch }
        switch (role, type) {
        case (.passive, .hello): send(.reply)
        case (.active, .reply) where confirms: send(.finished)
        case (.active, .reply):
            finish()
            outgoing.append(message(.finished))
        case (.active, .finished) where confirms: finish()
        case (.passive, .finished):
            finish()
            if confirms { outgoing.append(message(.finished)) }
        default: return
        }
    }

    private func finish() {
        keys = SRTPKeys(profile: .aeadAES128GCM, local: [], remote: [])
        flight = nil
    }

    private func send(_ type: Message) {
        flight = type
        outgoing.append(message(type))
    }

    private func message(_ type: Message) -> [UInt8] { [22, type.rawValue] + local.sha256 }

    func nextDatagram() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }
    var timeout: Duration? { flight == nil ? nil : repetition }

    func handleTimeout() throws(HandshakeError) {
        if let flight { send(flight) }
    }

    func close() { outgoing.append(message(.close)) }
}

/// Adds a tag that is checked and a counter against replays: enough to notice what did not go through it.
private final class TransparentProtector: PacketProtector {
    private var counter: UInt32 = 0
    private var seen: Set<UInt32> = []

    func protectRTP(_ packet: inout [UInt8]) throws(ProtectionError) { protect(&packet) }
    func protectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) { protect(&packet) }
    func unprotectRTP(_ packet: inout [UInt8]) throws(ProtectionError) { try unprotect(&packet) }
    func unprotectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) { try unprotect(&packet) }

    private func protect(_ packet: inout [UInt8]) {
        packet = TransparentSecurity.protected(packet, number: counter)
        counter &+= 1
    }

    private func unprotect(_ packet: inout [UInt8]) throws(ProtectionError) {
        guard packet.count >= 16 else { throw .malformed }
        guard packet.suffix(4).elementsEqual(TransparentSecurity.tag) else { throw .authenticationFailed }
        let number = packet.read { $0.u32(at: $0.byteCount - 8) } ?? 0
        guard seen.insert(number).inserted else { throw .replayed }
        packet.removeLast(8)
    }
}
