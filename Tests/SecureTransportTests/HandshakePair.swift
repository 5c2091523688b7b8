import Datagrams
import PeerCore

@testable import SecureTransport

/// Two engines and the datagrams between them. Timers are OpenSSL's own, so waiting is real, and short.
final class HandshakePair {
    enum Side: CaseIterable {
        case active
        case passive
    }

    let active: any HandshakeEngine
    let passive: any HandshakeEngine
    /// Flights so far: everything one side had to send at once.
    private(set) var flights = 0
    private(set) var datagrams: [[UInt8]] = []
    /// Timers that fired.
    private(set) var timeouts = 0

    init(active: any HandshakeEngine, passive: any HandshakeEngine) {
        self.active = active
        self.passive = passive
    }

    /// Two providers of their own, each expecting the other's fingerprint.
    convenience init() throws {
        let (one, other) = (try TransportSecurity(), try TransportSecurity())
        self.init(
            active: try one.makeHandshake(role: .active, remoteFingerprint: other.localFingerprint),
            passive: try other.makeHandshake(role: .passive, remoteFingerprint: one.localFingerprint))
    }

    var isDone: Bool { active.keys != nil && passive.keys != nil }

    static func drain(_ engine: any HandshakeEngine) -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        while let datagram = engine.nextDatagram() { datagrams.append(datagram) }
        return datagrams
    }

    /// Says which datagrams get through, and may do something else to the receiver first.
    typealias Pass = (_ flight: Int, _ datagram: [UInt8], _ receiver: any HandshakeEngine) throws -> Bool

    /// Carries datagrams to and fro until both are silent.
    func exchange(_ pass: Pass = { _, _, _ in true }) throws {
        while true {
            let toPassive = Self.drain(active)
            try deliver(toPassive, to: passive, pass)
            let toActive = Self.drain(passive)
            try deliver(toActive, to: active, pass)
            if toPassive.isEmpty && toActive.isEmpty { return }
        }
    }

    private func deliver(_ flight: [[UInt8]], to engine: any HandshakeEngine, _ pass: Pass) throws {
        if flight.isEmpty { return }
        flights += 1
        datagrams += flight
        for datagram in flight where try pass(flights, datagram, engine) { try engine.receive(datagram) }
    }

    /// Exchanges, waits for the timers and exchanges again, until both are done or enough timers have fired: their
    /// number says more than the time on a busy machine.
    func run(timeouts limit: Int = 8, _ pass: Pass = { _, _, _ in true }) async throws {
        try active.start()
        try passive.start()
        try exchange(pass)
        while !isDone, timeouts < limit {
            guard let wait = [active.timeout, passive.timeout].compactMap({ $0 }).min() else { return }
            try await Task.sleep(for: wait + .milliseconds(1))
            for engine in [active, passive] where engine.timeout == .zero {
                timeouts += 1
                try engine.handleTimeout()
            }
            try exchange(pass)
        }
    }
}

extension HandshakeEngine {
    func receive(_ datagram: [UInt8]) throws(HandshakeError) {
        try datagram.read { span throws(HandshakeError) in try self.receive(span) }
    }
}
