import Testing

@testable import RTP

@Suite("Parameter sets that come without a picture")
struct LeadingParameterSetsTests {
    private static let picture: [UInt8] = [0x65, 0x88, 1]

    private static func unit(_ content: [[UInt8]], timestamp: UInt32 = 0) -> AccessUnit {
        var unit = AccessUnit(bytes: [], nalUnits: [], timestamp: timestamp, isKeyframe: false, isComplete: true)
        for nalUnit in content {
            unit.nalUnits.append(unit.bytes.count..<unit.bytes.count + nalUnit.count)
            unit.bytes += nalUnit
            if nalUnit[0] & 0x1F == 5 { unit.isKeyframe = true }
        }
        return unit
    }

    private static func content(_ unit: AccessUnit?) -> [[UInt8]]? {
        unit.map { unit in unit.nalUnits.map { Array(unit.bytes[$0]) } }
    }

    /// Parameter sets with an id of 0…2, which is coded as 1, 010 or 011, and something that tells versions apart.
    private static let ids: [UInt8] = [0x80, 0x40, 0x60]
    private static func sequenceSet(_ id: Int, version: UInt8) -> [UInt8] { [0x67, 66, 0, 30, ids[id], version] }
    private static func pictureSet(_ id: Int, version: UInt8) -> [UInt8] { [0x68, ids[id], version] }

    @Test("They go in front of the next picture, which keeps its own time")
    func lead() {
        var leading = LeadingParameterSets()
        let sets = [Self.sequenceSet(0, version: 1), Self.pictureSet(0, version: 2)]
        let nothing = [[sets[0]], [sets[1], [0x06, 3]]].map { leading.lead(Self.unit($0)) }
        #expect(nothing == [nil, nil])
        let whole = leading.lead(Self.unit([[0x06, 4], Self.picture], timestamp: 9))
        #expect(Self.content(whole) == sets + [[0x06, 4], Self.picture])
        #expect(whole?.timestamp == 9 && whole?.isKeyframe == true)
        let next = leading.lead(Self.unit([[0x41, 0x9A]]))
        #expect(Self.content(next) == [[0x41, 0x9A]])
    }

    @Test("Those that stand between the slices of a picture go in front of it: it would fall in two")
    func betweenSlices() {
        var leading = LeadingParameterSets()
        let sets = [Self.sequenceSet(0, version: 1), Self.pictureSet(0, version: 2)]
        let (delimiter, slice, message): ([UInt8], [UInt8], [UInt8]) = ([0x09, 0x10], [0x65, 0x04], [0x06, 3])
        let whole = leading.lead(Self.unit([delimiter] + sets + [Self.picture] + sets + [slice, message], timestamp: 9))
        #expect(Self.content(whole) == [delimiter] + sets + sets + [Self.picture, slice, message])
        #expect(whole?.timestamp == 9 && whole?.isKeyframe == true)
    }

    @Test("Of those that are repeated and changed the newest go there, in the order of their ids")
    func repeated() {
        var leading = LeadingParameterSets()
        for version in 0...200 as ClosedRange<UInt8> {
            for id in 0...2 {
                _ = leading.lead(Self.unit([Self.sequenceSet(id, version: version), Self.pictureSet(id, version: version)]))
            }
        }
        _ = leading.lead(Self.unit([Self.sequenceSet(1, version: 7)]))
        let whole = leading.lead(Self.unit([Self.picture]))
        let expected = (0...2).flatMap { id in
            [Self.sequenceSet(id, version: id == 1 ? 7 : 200), Self.pictureSet(id, version: 200)]
        }
        #expect(Self.content(whole) == expected + [Self.picture])
    }

    @Test("However large they are, few bytes are held, the newest among them")
    func bounded() throws {
        var leading = LeadingParameterSets()
        for version in 0...200 as ClosedRange<UInt8> {
            let set = Self.pictureSet(Int(version) % 3, version: version) + [UInt8](repeating: 1, count: 50_000)
            _ = leading.lead(Self.unit([set]))
        }
        _ = leading.lead(Self.unit([[0x68, 0x80] + [UInt8](repeating: 1, count: 1_000_000), [0x68], [0x67, 66, 0, 30]]))
        let unit = leading.lead(Self.unit([Self.picture]))
        let whole = try #require(unit)
        #expect(whole.bytes.count <= 2 * 65_536 + Self.picture.count)
        let versions = whole.nalUnits.dropLast().map { whole.bytes[$0.lowerBound + 2] }
        #expect(versions.contains(200))
    }
}
