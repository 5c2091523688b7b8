/// One scaling list of a parameter set, as the deltas it was coded with, so that it can be written again bit by bit
/// (ITU-T H.264 § 7.3.2.1.1.1).
package enum ScalingList: Hashable, Sendable {
    case notPresent
    case deltas([Int32])

    /// `count` lists: the first six of 16 coefficients, the others of 64.
    static func lists(_ reader: inout BitReader, count: Int) throws(H264SyntaxError) -> [ScalingList] {
        var lists: [ScalingList] = []
        for index in 0..<count {
            lists.append(try reader.flag() ? list(&reader, size: index < 6 ? 16 : 64) : .notPresent)
        }
        return lists
    }

    private static func list(_ reader: inout BitReader, size: Int) throws(H264SyntaxError) -> ScalingList {
        var deltas: [Int32] = []
        var last: Int32 = 8
        for _ in 0..<size {
            let delta = try reader.signed(in: -128...127)
            deltas.append(delta)
            let next = (last + delta + 256) % 256
            // "the same value as the last" for all that follow, or the default list where it is the first.
            if next == 0 { break }
            last = next
        }
        return .deltas(deltas)
    }

    func write(to writer: inout BitWriter) {
        switch self {
        case .notPresent: writer.flag(false)
        case .deltas(let deltas):
            writer.flag(true)
            for delta in deltas { writer.signed(delta) }
        }
    }
}
