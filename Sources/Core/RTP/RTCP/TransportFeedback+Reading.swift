import Datagrams

extension TransportFeedback {
    /// Packet status symbols (§ 3.1.1).
    enum Symbol: UInt8 {
        case notReceived = 0
        /// An unsigned delta of 8 bits.
        case small = 1
        /// A signed delta of 16 bits.
        case large = 2
    }

    /// A packet that arrived, before its delta is read.
    private struct Received {
        var offset: UInt16
        var isLarge: Bool
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        guard let sources = FeedbackSources(span, &cursor), let base = cursor.u16(span),
            let count = cursor.u16(span), count > 0, let reference = cursor.u24(span),
            let feedbackCount = cursor.u8(span), let received = Self.statuses(span, &cursor, count: count),
            let arrivals = Self.arrivals(span, &cursor, received)
        else { return nil }
        self.init(
            senderSSRC: sources.sender, mediaSSRC: sources.media, baseSequenceNumber: base, statusCount: count,
            referenceTime: Int32(bitPattern: reference << 8) >> 8, feedbackCount: feedbackCount, arrivals: arrivals)
    }

    /// Reads the chunks. Stops where more packets are said to have arrived than deltas can follow.
    private static func statuses(_ span: RawSpan, _ cursor: inout Cursor, count: UInt16) -> [Received]? {
        var received: [Received] = []
        var offset = 0
        while offset < count {
            guard let chunk = cursor.u16(span) else { return nil }
            let symbols: (number: Int, width: UInt16)
            if chunk >> 15 == 0 {
                symbols = (Int(chunk & 0x1fff), 0)
                guard symbols.number > 0 else { return nil }
                // A few bytes may tell of thousands that did not come: those take no time.
                if symbol(chunk, width: 0, 0) == .notReceived {
                    offset += symbols.number
                    continue
                }
            } else {
                symbols = chunk >> 14 & 1 == 0 ? (14, 1) : (7, 2)
            }
            for index in 0..<min(symbols.number, Int(count) - offset) {
                guard let symbol = symbol(chunk, width: symbols.width, index) else { return nil }
                if symbol == .notReceived { continue }
                guard received.count < cursor.remaining else { return nil }
                received.append(Received(offset: UInt16(offset + index), isLarge: symbol == .large))
            }
            offset += symbols.number
        }
        return received
    }

    /// The symbol at `index`: of a run (width 0), or of a vector of one- or two-bit symbols.
    private static func symbol(_ chunk: UInt16, width: UInt16, _ index: Int) -> Symbol? {
        switch width {
        case 0: Symbol(rawValue: UInt8(chunk >> 13 & 3))
        case 1: chunk >> (13 - UInt16(index)) & 1 == 0 ? .notReceived : .small
        default: Symbol(rawValue: UInt8(chunk >> (12 - 2 * UInt16(index)) & 3))
        }
    }

    private static func arrivals(_ span: RawSpan, _ cursor: inout Cursor, _ received: [Received]) -> [Arrival]? {
        var arrivals: [Arrival] = []
        arrivals.reserveCapacity(received.count)
        var ticks: Int64 = 0
        for packet in received {
            if packet.isLarge {
                guard let delta = cursor.u16(span) else { return nil }
                ticks += Int64(Int16(bitPattern: delta))
            } else {
                guard let delta = cursor.u8(span) else { return nil }
                ticks += Int64(delta)
            }
            arrivals.append(Arrival(offset: packet.offset, ticks: ticks))
        }
        return arrivals
    }
}
