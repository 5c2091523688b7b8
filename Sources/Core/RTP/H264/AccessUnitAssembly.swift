import Datagrams

/// The access unit a depacketizer is putting together.
struct AccessUnitAssembly: Sendable {
    let timestamp: UInt32
    /// Packets that went missing right before its first one.
    let packetsLostBefore: Int
    /// What came before its first packet is not known: packets went missing, or the stream was joined here.
    let startIsUncertain: Bool

    private var bytes: [UInt8] = []
    private var nalUnits: [Range<Int>] = []
    /// Where the NAL unit begins whose fragments are coming in, and its type.
    private var openFragment: (start: Int, type: NALUnitType)?
    private var isDamaged = false
    private var isOversized = false
    private(set) var hasParameterSets = false
    private var hasIDR = false
    /// Whether the first slice begins the picture; nil before the first.
    private var beginsPicture: Bool?

    init(timestamp: UInt32, packetsLostBefore: Int, startIsUncertain: Bool) {
        self.timestamp = timestamp
        self.packetsLostBefore = packetsLostBefore
        self.startIsUncertain = startIsUncertain
    }

    /// Something of the unit is missing; a NAL unit whose fragments were coming in is lost with it.
    mutating func damage() {
        isDamaged = true
        abandonFragment()
    }

    /// A whole NAL unit.
    mutating func append(_ span: RawSpan, _ range: Range<Int>) throws(H264DepacketizerError) {
        if openFragment != nil { damage() }
        guard let header = span.u8(at: range.lowerBound) else { throw .malformed }
        guard header & NALUnitHeader.forbiddenBit == 0, NALUnitType(header: header).isSingleNALUnit else {
            throw .malformed
        }
        let start = bytes.count
        guard try extend(span, range) else { return }
        try close(start)
    }

    /// The first fragment of a NAL unit, whose header is `header`.
    mutating func openFragment(header: UInt8, _ span: RawSpan, _ range: Range<Int>) throws(H264DepacketizerError) {
        if openFragment != nil { damage() }
        let type = NALUnitType(header: header)
        guard type.isSingleNALUnit else { throw .malformed }
        if isOversized { return }
        openFragment = (bytes.count, type)
        bytes.append(header)
        _ = try extend(span, range)
    }

    /// A further fragment; without the ones before it, it is dropped.
    mutating func continueFragment(
        type: NALUnitType, _ span: RawSpan, _ range: Range<Int>
    ) throws(H264DepacketizerError) {
        guard let openFragment, openFragment.type == type else { return damage() }
        _ = try extend(span, range)
    }

    /// The last fragment has been taken.
    mutating func closeFragment() throws(H264DepacketizerError) {
        guard let start = openFragment?.start else { return }
        openFragment = nil
        try close(start)
    }

    private mutating func abandonFragment() {
        guard let start = openFragment?.start else { return }
        bytes.removeSubrange(start...)
        openFragment = nil
    }

    /// False where the unit is too large already, and nothing is taken any more.
    private mutating func extend(_ span: RawSpan, _ range: Range<Int>) throws(H264DepacketizerError) -> Bool {
        if isOversized { return false }
        guard bytes.count + range.count <= Limits.accessUnitBytes else { throw overflow() }
        guard bytes.append(span, range) else { throw .malformed }
        return true
    }

    private mutating func close(_ start: Int) throws(H264DepacketizerError) {
        guard nalUnits.count < Limits.nalUnitsPerAccessUnit else { throw overflow() }
        let type = NALUnitType(header: bytes[start])
        if type == .sequenceParameterSet { hasParameterSets = true }
        if type == .idrSlice { hasIDR = true }
        if type.isPicture, beginsPicture == nil {
            // `first_mb_in_slice` is 0, that is a single 1 bit as ue(v).
            beginsPicture = type.hasSliceHeader && start + 1 < bytes.count && bytes[start + 1] & 0x80 != 0
        }
        nalUnits.append(start..<bytes.count)
    }

    private mutating func overflow() -> H264DepacketizerError {
        (bytes, nalUnits, openFragment) = ([], [], nil)
        (isOversized, isDamaged) = (true, true)
        return .unitTooLarge
    }

    /// The unit as it stands.
    ///
    /// After a gap it counts as complete only where its first slice begins the picture, and where, if it is a keyframe
    /// of a stream whose keyframes carry parameter sets, these are there. (Arbitrary slice order would defeat this; no
    /// WebRTC profile has it.)
    func finish(expectsParameterSets: Bool) -> AccessUnit {
        var isComplete = !isDamaged && openFragment == nil
        if startIsUncertain, beginsPicture == false { isComplete = false }
        if packetsLostBefore > 0, hasIDR, expectsParameterSets, !hasParameterSets { isComplete = false }
        let end = openFragment?.start ?? bytes.count
        return AccessUnit(
            bytes: end == bytes.count ? bytes : Array(bytes[..<end]), nalUnits: nalUnits, timestamp: timestamp,
            isKeyframe: hasIDR, isComplete: isComplete, packetsLostBefore: packetsLostBefore)
    }
}

extension [UInt8] {
    /// Appends the bytes of a span's range; false, with nothing changed, where it reaches past the span.
    fileprivate mutating func append(_ span: RawSpan, _ range: Range<Int>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= span.byteCount else { return false }
        span.withUnsafeBytes { append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
        return true
    }
}
