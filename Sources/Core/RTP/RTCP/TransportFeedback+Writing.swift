import Datagrams

extension TransportFeedback {
    /// The deltas that can be written: a signed 16-bit number of ticks, ± 8.19 s.
    static let writableDeltas = Int64(Int16.min)...Int64(Int16.max)

    /// Deltas beyond `writableDeltas` are cut to that range; `TransportFeedbackRecorder` makes none.
    package func append(to bytes: inout [UInt8]) {
        let deltas = deltas()
        RTCPHeader.append(to: &bytes, type: .transportFeedback, count: FeedbackFormat.transportWide) { bytes in
            let start = bytes.count
            bytes.append(u32: senderSSRC)
            bytes.append(u32: mediaSSRC)
            bytes.append(u16: baseSequenceNumber)
            bytes.append(u16: statusCount)
            bytes.append(u24: UInt32(bitPattern: referenceTime) & 0xff_ffff)
            bytes.append(u8: feedbackCount)
            Self.appendChunks(of: symbols(deltas), to: &bytes)
            for delta in deltas {
                if Self.isSmall(delta) {
                    bytes.append(u8: UInt8(delta))
                } else {
                    bytes.append(u16: UInt16(bitPattern: Int16(delta)))
                }
            }
            bytes.append(contentsOf: repeatElement(0, count: (start - bytes.count) & 3))
        }
    }

    private static func isSmall(_ delta: Int64) -> Bool { (0...255).contains(delta) }

    /// The time from each arrival to the one before it in the list.
    private func deltas() -> [Int64] {
        var last: Int64 = 0
        return arrivals.map { arrival in
            defer { last = arrival.ticks }
            let delta = arrival.ticks - last
            return max(Self.writableDeltas.lowerBound, min(Self.writableDeltas.upperBound, delta))
        }
    }

    /// One symbol for each number of the range.
    private func symbols(_ deltas: [Int64]) -> [Symbol] {
        var symbols = [Symbol](repeating: .notReceived, count: Int(statusCount))
        for (arrival, delta) in zip(arrivals, deltas) where arrival.offset < statusCount {
            symbols[Int(arrival.offset)] = Self.isSmall(delta) ? .small : .large
        }
        return symbols
    }

    /// Runs where they are longer than a vector chunk would reach, otherwise vectors (§ 3.1.2 to § 3.1.4).
    private static func appendChunks(of symbols: [Symbol], to bytes: inout [UInt8]) {
        var index = 0
        while index < symbols.count {
            let run = run(symbols, from: index)
            if run >= 14 || (run >= 7 && symbols[index] == .large) || index + run == symbols.count {
                bytes.append(u16: UInt16(symbols[index].rawValue) << 13 | UInt16(run))
                index += run
                continue
            }
            let next = symbols[index..<min(index + 14, symbols.count)]
            if next.contains(.large) {
                bytes.append(u16: 0xc000 | vector(next.prefix(7), width: 2, slots: 7))
                index += 7
            } else {
                bytes.append(u16: 0x8000 | vector(next, width: 1, slots: 14))
                index += 14
            }
        }
    }

    /// How many equal symbols follow, up to the 13 bits of a run length.
    private static func run(_ symbols: [Symbol], from start: Int) -> Int {
        var end = start
        while end < symbols.count, symbols[end] == symbols[start], end - start < 0x1fff { end += 1 }
        return end - start
    }

    private static func vector(_ symbols: ArraySlice<Symbol>, width: UInt16, slots: UInt16) -> UInt16 {
        var bits: UInt16 = 0
        for (index, symbol) in symbols.enumerated() {
            bits |= UInt16(symbol.rawValue) << (width * (slots - 1 - UInt16(index)))
        }
        return bits
    }
}
