/// One event of a `text/event-stream` (WHATWG HTML § 9.2).
package struct ServerSentEvent: Equatable, Sendable {
    package var id: UInt64?
    package var name: String
    package var data: String

    package init(id: UInt64? = nil, name: String, data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The event as it goes on the wire. `data` is JSON and so has no line breaks of its own.
    package var text: String {
        let number = id.map { "id: \($0)\n" } ?? ""
        return "\(number)event: \(name)\ndata: \(data)\n\n"
    }

    /// A comment: keeps the connection busy and means nothing.
    package static let heartbeat = ":\n\n"

    package static let mediaType = "text/event-stream"
}

/// Takes a `text/event-stream` apart as it comes in, in pieces of any size.
package struct ServerSentEventParser: Sendable {
    package enum Failure: Error, Equatable {
        case eventTooLong
    }

    private var line: [UInt8] = []
    private var sawCarriageReturn = false
    private var event = ServerSentEvent(name: "message", data: "")
    private var hasData = false

    package init() {}

    /// The events that `bytes` complete. Comments and unknown fields are passed over (WHATWG HTML § 9.2.6).
    package mutating func receive(_ bytes: some Sequence<UInt8>) throws(Failure) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n"), sawCarriageReturn {
                sawCarriageReturn = false
                continue
            }
            sawCarriageReturn = byte == UInt8(ascii: "\r")
            guard sawCarriageReturn || byte == UInt8(ascii: "\n") else {
                guard line.count + event.data.utf8.count < Limits.event else { throw .eventTooLong }
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    /// An empty line ends an event, any other adds a field to it.
    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard line.isEmpty else {
            addField()
            return nil
        }
        defer {
            event = ServerSentEvent(name: "message", data: "")
            hasData = false
        }
        return hasData ? event : nil
    }

    private mutating func addField() {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let field = parts.first, !field.isEmpty else { return }
        var value = parts.count > 1 ? parts[1] : []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: field, as: UTF8.self) {
        case "id": event.id = UInt64(text)
        case "event": event.name = text
        case "data":
            event.data += hasData ? "\n" + text : text
            hasData = true
        default: break
        }
    }
}
