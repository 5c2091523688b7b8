import Datagrams
import SignalingClient
import SignalingProtocol

/// What a signaling server's answers mean.
struct SignalingFacts: Sendable {
    let server: String
    let host: String
    /// The room was named by somebody who wants to share there.
    let isOurRoom: Bool
    let report: ServerReport

    var finding: Finding {
        let (first, again) = (Words.milliseconds(report.firstAnswer), Words.milliseconds(report.roundTrip))
        let connection = report.isSecure ? "connection and TLS, whose certificate is good" : "a connection"
        let found = "\(server) answers in \(again), the first time in \(first) with \(connection)"
        let values: [String: Finding.Value] = [
            "server": .text(server), "secure": .flag(report.isSecure), "roundTripMs": Finding.Value(report.roundTrip),
            "firstAnswerMs": Finding.Value(report.firstAnswer),
        ]
        if isOurRoom, report.room.state != .waiting {
            return Finding(
                .signaling, .failure, "\(found); somebody shares in room \"\(report.room.room)\" now",
                advice: "Choose another room, or wait until they have ended.", values: values)
        }
        if !report.isSecure, !IPAddress.isLoopback(host: host) {
            return Finding(
                .signaling, .warning, "\(found); it is plain HTTP, so anyone on the way can read a room's token",
                advice: "Put a TLS proxy before the server, and use its https address.", values: values)
        }
        return Finding(.signaling, .ok, found, values: values)
    }

    /// Why there is no answer that is of use.
    static func finding(_ error: SignalingError, at server: String) -> Finding {
        let values: [String: Finding.Value] = ["server": .text(server)]
        func failure(_ found: String, _ advice: String) -> Finding {
            Finding(.signaling, .failure, found, advice: advice, values: values)
        }
        switch error {
        case .unreachable(.insecure):
            return failure(
                "\(server): no secure connection could be made",
                "Is its certificate for this name, not lapsed, and signed by somebody known here?")
        case .unreachable(let reason):
            return failure(
                "\(server) can't be reached: \(reason.rawValue)", "Does it run there, and does a firewall let us through?")
        case .refused(421, _):
            return failure(
                "\(server) runs, but does not answer to this name",
                "Start it with --allow-host and the name, or have the proxy name it as it is named there.")
        case .elsewhere(let other):
            return failure("\(server) leads to \(other)", "Name that address.")
        case .gone, .unreadable, .stale:
            return failure(
                "\(server): what answers there is no signaling server", "Check the address, and the path in it.")
        case .badAddress, .notThereYet, .roomTaken, .tokenRequired, .forbidden, .refused, .cancelled:
            return failure("\(server): \(error)", "Ask who runs the server.")
        }
    }
}

/// How much the way to the signaling server takes.
struct RateFacts: Sendable {
    enum Outcome: Sendable {
        case measured(Transfer)
        /// Even the first few bytes took longer than there was time for.
        case tooSlow
        case failed(SignalingError)
    }

    let host: String
    /// The room was named by somebody who wants to share there.
    var isOurRoom = true
    let up: Outcome
    let down: Outcome
    /// Of one request: a transfer takes two of it besides, whatever the rate.
    var roundTrip = Duration.zero

    static func measure(_ probe: RateProbe, _ direction: RateProbe.Direction) async -> Outcome {
        do throws(SignalingError) { return .measured(try await probe.measure(direction)) } catch {
            return error == .unreachable(.timeout) ? .tooSlow : .failed(error)
        }
    }

    /// Below this a page of text takes longer than a second to be read.
    private static let narrow = 1e6

    var finding: Finding {
        if case .failed(let error) = up { return unmeasured(error) }
        if case .failed(let error) = down { return unmeasured(error) }
        var values: [String: Finding.Value] = ["host": .text(host)]
        let (upward, upRate) = words(up, "up", &values)
        let (downward, _) = words(down, "down", &values)
        let found = "to \(host) \(upward), \(downward), by one connection; pictures go to viewers by ways of their own, "
            + "of which this is a hint only"
        guard upRate < Self.narrow else { return Finding(.rate, .ok, found, values: values) }
        return Finding(
            .rate, .warning, "\(found): a new page takes more than a second to be read",
            advice: "Lower --size, or share pictures that change less.", values: values)
    }

    private func words(
        _ outcome: Outcome, _ direction: String, _ values: inout [String: Finding.Value]
    ) -> (text: String, rate: Double) {
        guard case .measured(let transfer) = outcome else { return ("less than 100 kbit/s \(direction)", 0) }
        values["\(direction)BitsPerSecond"] = .number(transfer.bitsPerSecond.rounded())
        values["\(direction)Bytes"] = Finding.Value(transfer.bytes)
        let rate = Words.rate(transfer.bitsPerSecond)
        // What it may be at most, which alone can be too little.
        let time = max(.milliseconds(1), transfer.time - roundTrip - roundTrip)
        let most = Transfer(bytes: transfer.bytes, time: time).bitsPerSecond
        return ("at least \(rate) \(direction) (\(Words.bytes(transfer.bytes)))", most)
    }

    private func unmeasured(_ error: SignalingError) -> Finding {
        switch error {
        case .forbidden where !isOurRoom:
            Finding(
                .rate, .warning, "not measured: the server at \(host) lets certain rooms be shared only",
                advice: "Name yours by --room.")
        case .tokenRequired, .forbidden:
            Finding(
                .rate, .failure, "\(host) lets nobody share who brings no token, or not in this room: \(error)",
                advice: "Ask who runs the server.")
        case .gone, .refused(405, _), .refused(501, _):
            Finding(.rate, .warning, "not measured: the server at \(host) has nothing to measure with")
        case .notThereYet:
            Finding(
                .rate, .warning, "not measured: others measure the way to \(host) just now",
                advice: "Try again in a minute.")
        case .badAddress, .unreachable, .roomTaken, .stale, .elsewhere, .refused, .unreadable, .cancelled:
            Finding(.rate, .warning, "not measured: \(error)")
        }
    }
}
