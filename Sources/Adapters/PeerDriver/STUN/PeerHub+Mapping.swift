import Datagrams
import ICE
import PeerCore
import SystemClock
import Timebase

/// What the NAT before our sockets does, asked through these sockets themselves.
extension PeerHub {
    /// Asks STUN servers, each from the socket that reaches it, until they have answered or for this long.
    /// - Returns: what each socket that was used has found.
    package func probeMapping(
        by servers: [TransportAddress], atMost limit: Duration
    ) async -> [MappingProbe] {
        var bases: [TransportAddress: [TransportAddress]] = [:]
        for server in servers {
            if let base = base(for: server) { bases[base, default: []].append(server) }
        }
        guard !isClosed else { return [] }
        let now = SystemClock.now()
        probes = bases.map { base, servers in
            MappingProbe(base: base, servers: servers, random: SystemRandomNumberGenerator(), at: now)
        }
        drainProbes()
        flush()
        let end = now + limit
        while !probes.allSatisfy(\.isFinished), SystemClock.now() < end {
            guard (try? await Task.sleep(for: Limits.gatheringLook)) != nil else { break }
        }
        defer { probes = [] }
        return probes
    }

    /// - Returns: whether it answered a question.
    func receiveProbe(_ bytes: [UInt8], _ pair: AddressPair, at now: Instant) -> Bool {
        for index in probes.indices where probes[index].base == pair.local {
            if probes[index].receive(bytes.span.bytes, from: pair.remote, at: now) {
                drainProbes()
                return true
            }
        }
        return false
    }

    func advanceProbes(to now: Instant) {
        if probes.isEmpty { return }
        for index in probes.indices { probes[index].advance(to: now) }
        drainProbes()
    }

    private func drainProbes() {
        for index in probes.indices { drainProbe(index) }
    }

    private func drainProbe(_ index: Int) {
        while true {
            switch probes[index].nextOutput() {
            case .transmit(let bytes, let to): enqueue(Transmit(bytes: bytes, from: probes[index].base, to: to))
            case .wait(let until, _): return schedule(until)
            }
        }
    }
}
