import Datagrams
import Timebase

/// What `MappingProbe.nextOutput()` gives: drained until it says `wait`.
package enum MappingProbeOutput: Hashable, Sendable {
    /// From the probe's socket.
    case transmit(bytes: [UInt8], to: TransportAddress)
    case wait(until: Instant, GathererWaitReason)
}

/// Asks STUN servers once how one socket of ours looks from there, and with that what the NAT before it does.
///
/// A server that has a second address (OTHER-ADDRESS, RFC 5780 § 7.4) is asked there too, at both of its ports. Mutate
/// once, then drain, as `ServerReflexiveGatherer`.
package struct MappingProbe {
    package struct Answer: Hashable, Sendable {
        package let mapped: TransportAddress
        /// The server's other address and port.
        package let other: TransportAddress?
        /// From request to answer; nil where the request was repeated, and nobody knows which of them was answered.
        package let time: Duration?
    }

    private struct Question {
        enum State {
            case waiting
            case asking(TransactionID, Retransmission, since: Instant)
            /// Nil: no answer, or one of no use.
            case done(Answer?)
        }

        let place: TransportAddress
        var state = State.waiting

        var answer: Answer? {
            if case .done(let answer) = state { answer } else { nil }
        }

        var isDone: Bool {
            if case .done = state { true } else { false }
        }

        /// When there is something to do about it, where it is not its turn that is waited for.
        var due: Instant? {
            switch state {
            case .asking(_, let retransmission, let since): min(retransmission.due, since + Limits.mappingTestTime)
            case .waiting, .done: nil
            }
        }
    }

    /// The socket.
    package let base: TransportAddress
    private let servers: [TransportAddress]
    private var random: any RandomNumberGenerator & Sendable
    private var questions: [Question]
    private var hasFoundOther = false
    private var pacing = Pacing()
    private var outputs = BoundedQueue<MappingProbeOutput>(capacity: Limits.outputs)
    private var now: Instant

    package init(
        base: TransportAddress, servers: [TransportAddress], random: any RandomNumberGenerator & Sendable,
        at now: Instant
    ) {
        self.base = base
        self.random = random
        self.now = now
        var seen: Set<TransportAddress> = []
        let usable = servers.filter { AddressFilter.allowsObserved($0) && $0.ip.isIPv6 == base.ip.isIPv6 }
        self.servers = Array(usable.filter { seen.insert($0).inserted }.prefix(Limits.servers))
        questions = self.servers.map { Question(place: $0) }
        run()
    }

    // MARK: What was found

    package var isFinished: Bool { questions.allSatisfy(\.isDone) }
    package var hasAnswer: Bool { questions.contains { $0.answer != nil } }

    /// Nil as long as there is none.
    package func answer(of server: TransportAddress) -> Answer? {
        questions.first { $0.place == server }?.answer
    }

    package var mapping: NATMapping {
        NATMapping(
            base: base,
            questions.compactMap { question in
                question.answer.map { MappingObservation(place: question.place, mapped: $0.mapped) }
            })
    }

    // MARK: In

    /// A datagram that came from `remote` to the socket.
    /// - Returns: whether it answered a question; otherwise it is for somebody else.
    package mutating func receive(_ bytes: RawSpan, from remote: TransportAddress, at now: Instant) -> Bool {
        self.now = max(self.now, now)
        guard let response = try? STUNMessage(bytes), response.messageClass != .request,
            response.messageClass != .indication
        else { return false }
        for index in questions.indices where questions[index].place == remote {
            guard case .asking(let id, let retransmission, let since) = questions[index].state,
                id == response.transactionID
            else { continue }
            let time = retransmission.sent == 1 ? self.now - since : nil
            questions[index].state = .done(Self.answer(in: response, for: base, after: time))
            askElsewhere(index)
            run()
            return true
        }
        return false
    }

    package mutating func advance(to now: Instant) {
        self.now = max(self.now, now)
        run()
    }

    package mutating func nextOutput() -> MappingProbeOutput { outputs.popFirst() ?? wait }

    // MARK: Parts

    private static func answer(
        in response: STUNMessage, for base: TransportAddress, after time: Duration?
    ) -> Answer? {
        guard response.messageClass == .success, let mapped = response.usableMapping(for: base) else { return nil }
        return Answer(mapped: mapped, other: response.otherAddress, time: time)
    }

    /// Tests II and III of RFC 5780 § 4.3, at the first server that can be used for them, where there is a NAT at all.
    private mutating func askElsewhere(_ index: Int) {
        let place = questions[index].place
        guard !hasFoundOther, servers.contains(place), let answer = questions[index].answer, answer.mapped != base,
            let other = answer.other, AddressFilter.allowsObserved(other), other.ip.isIPv6 == base.ip.isIPv6,
            other.ip != place.ip
        else { return }
        hasFoundOther = true
        for port in [place.port, other.port] {
            let next = TransportAddress(ip: other.ip, port: port)
            if !questions.contains(where: { $0.place == next }) { questions.append(Question(place: next)) }
        }
    }

    private mutating func run() {
        for index in questions.indices { step(index) }
    }

    private mutating func step(_ index: Int) {
        switch questions[index].state {
        case .waiting: if now >= pacing.ordinaryDue { ask(index) }
        case .asking(let id, var retransmission, let since):
            if now >= since + Limits.mappingTestTime {
                questions[index].state = .done(nil)
            } else if now >= retransmission.due, retransmission.step(at: now) == .sendAgain {
                questions[index].state = .asking(id, retransmission, since: since)
                transmit(id, to: questions[index].place)
            }
        case .done: break
        }
    }

    private mutating func ask(_ index: Int) {
        let id = TransactionID.random(using: &random)
        let retransmission = Retransmission(timeout: Limits.retransmissionTimeout, at: now)
        questions[index].state = .asking(id, retransmission, since: now)
        transmit(id, to: questions[index].place)
        pacing.sent(at: now)
    }

    private mutating func transmit(_ id: TransactionID, to place: TransportAddress) {
        let bytes = STUNMessage(.request, id).encoded(fingerprint: false)
        _ = outputs.append(.transmit(bytes: bytes, to: place))
    }

    private var wait: MappingProbeOutput {
        let repeated = questions.compactMap(\.due).min() ?? .distantFuture
        let isWaiting = questions.contains { question in
            if case .waiting = question.state { true } else { false }
        }
        let turn = isWaiting ? pacing.ordinaryDue : .distantFuture
        if turn < repeated { return .wait(until: turn, .request) }
        return .wait(until: repeated, repeated == .distantFuture ? .nothing : .retransmission)
    }
}
