import Datagrams

/// Generic NACK (RFC 4585 § 6.2.1): the sequence numbers a receiver lacks.
package struct GenericNACK: Hashable, Sendable {
    /// A packet, and in the bits of `following` (bit i for `packetID` + i + 1) those of the 16 after it.
    package struct Entry: Hashable, Sendable {
        package var packetID: UInt16
        package var following: UInt16

        package init(packetID: UInt16, following: UInt16) {
            self.packetID = packetID
            self.following = following
        }
    }

    package var senderSSRC: UInt32
    package var mediaSSRC: UInt32
    package var entries: [Entry]

    /// Packs the numbers, which are best given in ascending order (as they wrap): every other order is right as well,
    /// but takes more entries. Numbers beyond `Limits.nackEntries` entries are left out.
    package init(senderSSRC: UInt32, mediaSSRC: UInt32, missing: some Sequence<UInt16>) {
        self.senderSSRC = senderSSRC
        self.mediaSSRC = mediaSSRC
        entries = []
        for number in missing { add(number) }
    }

    private mutating func add(_ number: UInt16) {
        if let last = entries.last {
            let distance = number &- last.packetID
            if distance == 0 { return }
            if distance <= 16 {
                entries[entries.count - 1].following |= 1 << (distance - 1)
                return
            }
        }
        guard entries.count < Limits.nackEntries else { return }
        entries.append(Entry(packetID: number, following: 0))
    }

    init?(_ span: RawSpan, _ header: RTCPHeader) throws(RTCPError) {
        var cursor = Cursor(header.body)
        guard let sources = FeedbackSources(span, &cursor), cursor.remaining >= 4, cursor.remaining % 4 == 0 else {
            return nil
        }
        guard cursor.remaining / 4 <= Limits.nackEntries else { throw .tooMany }
        senderSSRC = sources.sender
        mediaSSRC = sources.media
        entries = []
        while let packetID = cursor.u16(span), let following = cursor.u16(span) {
            entries.append(Entry(packetID: packetID, following: following))
        }
    }

    /// How many numbers are asked for.
    package var count: Int { entries.reduce(0) { $0 + 1 + $1.following.nonzeroBitCount } }

    /// All the numbers asked for, in the order of the entries.
    package var missing: [UInt16] {
        var numbers: [UInt16] = []
        for entry in entries {
            numbers.append(entry.packetID)
            for bit in 0..<UInt16(16) where entry.following >> bit & 1 == 1 {
                numbers.append(entry.packetID &+ bit &+ 1)
            }
        }
        return numbers
    }

    package func append(to bytes: inout [UInt8]) {
        RTCPHeader.append(to: &bytes, type: .transportFeedback, count: FeedbackFormat.genericNACK) { bytes in
            bytes.append(u32: senderSSRC)
            bytes.append(u32: mediaSSRC)
            for entry in entries {
                bytes.append(u16: entry.packetID)
                bytes.append(u16: entry.following)
            }
        }
    }
}
