import SignalingProtocol

/// Events for a sharer, numbered, and kept until it says it has them: so nothing is lost when its stream breaks.
struct Outbox {
    private(set) var events: [(sessionId: RandomID, event: ServerSentEvent)] = []
    private var bytes = 0
    private(set) var last: UInt64 = 0

    /// Full boxes take no more offers and candidates. That a viewer left always goes in: it is at most one for each
    /// offer that got in.
    var isFull: Bool {
        events.count >= ServerLimits.outboxEvents || bytes >= ServerLimits.outboxBytes
    }

    mutating func append(_ event: ShareEvent) throws -> ServerSentEvent {
        let data = try JSON.text(AnyEncodable(event.payload))
        last += 1
        let numbered = ServerSentEvent(id: last, name: event.name.rawValue, data: data)
        events.append((event.sessionId, numbered))
        bytes += data.utf8.count
        return numbered
    }

    /// Forgets everything up to `number`; a number from the future forgets no more than there is.
    mutating func acknowledge(upTo number: UInt64) {
        let kept = events.firstIndex { ($0.event.id ?? 0) > number } ?? events.endIndex
        bytes -= events[..<kept].reduce(0) { $0 + $1.event.data.utf8.count }
        events.removeSubrange(..<kept)
    }
}

/// `any Encodable` for a generic encoder.
private struct AnyEncodable: Encodable {
    let value: any Encodable

    init(_ value: any Encodable) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}
