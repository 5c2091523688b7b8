import Datagrams
import Timebase

/// What is wrong with a payload; the unit it belongs to is marked incomplete, the stream goes on.
package enum H264DepacketizerError: Error, Hashable, Sendable {
    case malformed
    /// STAP-B, MTAP and FU-B belong to mode 2, which is never negotiated (RFC 6184 § 6.4).
    case unsupportedType(NALUnitType)
    /// More bytes or NAL units than `Limits` allows; what there was of the unit is dropped.
    case unitTooLarge
}

/// Puts access units together from RTP payloads in order (RFC 6184 § 7.1).
///
///     try depacketizer.receive(…)             // each payload, in order of sequence numbers, gaps included
///     while let unit = depacketizer.nextAccessUnit() { … }
package struct H264Depacketizer: Sendable {
    private var assembly: AccessUnitAssembly?
    private var finished = BoundedQueue<AccessUnit>(capacity: Limits.finishedAccessUnits)
    private var lastSequenceNumber: Int64?
    /// Packets missing since the last payload that was not empty.
    private var packetsLost = 0
    private var keyframesCarryParameterSets = false

    package init() {}

    /// Takes one payload. A unit is finished by the marker bit, or by the first payload with another timestamp.
    ///
    /// - Parameter sequenceNumber: unwrapped; what isn't above the last one is dropped.
    package mutating func receive(
        _ span: RawSpan, payload: Range<Int>, sequenceNumber: Int64, timestamp: UInt32, marker: Bool
    ) throws(H264DepacketizerError) {
        let isFirst = lastSequenceNumber == nil
        guard advance(to: sequenceNumber) else { return }
        // Padding alone, as sent for probing.
        if payload.isEmpty { return }
        if let current = assembly, current.timestamp != timestamp { finish() }
        var current =
            assembly
            ?? AccessUnitAssembly(
                timestamp: timestamp, packetsLostBefore: packetsLost, startIsUncertain: isFirst || packetsLost > 0)
        packetsLost = 0
        assembly = nil  // So that `current` alone owns the bytes, and they grow in place.
        defer {
            assembly = current
            if marker { finish() }
        }
        do {
            try Self.read(span, payload, into: &current)
        } catch {
            current.damage()
            throw error
        }
    }

    package mutating func nextAccessUnit() -> AccessUnit? { finished.popFirst() }

    /// Whether a keyframe begins with this payload: parameter sets go before nothing else. In one packet with them a
    /// delimiter may be the first, as x264 writes one.
    package static func beginsKeyframe(_ span: RawSpan, payload: Range<Int>) -> Bool {
        // Behind an empty one its padding follows.
        guard !payload.isEmpty, payload.upperBound <= span.byteCount, let header = span.u8(at: payload.lowerBound) else {
            return false
        }
        guard NALUnitType(header: header) == .stapA else { return NALUnitType(header: header) == .sequenceParameterSet }
        var cursor = Cursor(payload)
        _ = cursor.u8(span)
        while let size = cursor.u16(span), size > 0, let nalUnit = cursor.take(Int(size)),
            let first = span.u8(at: nalUnit.lowerBound)
        {
            let type = NALUnitType(header: first)
            guard type == .accessUnitDelimiter || type == .supplementalInformation else {
                return type == .sequenceParameterSet
            }
        }
        return false
    }

    /// False for a duplicate or late packet. A gap damages the unit that is open.
    private mutating func advance(to sequenceNumber: Int64) -> Bool {
        defer { lastSequenceNumber = max(sequenceNumber, lastSequenceNumber ?? sequenceNumber) }
        guard let last = lastSequenceNumber else { return true }
        guard sequenceNumber > last else { return false }
        let lost = sequenceNumber - last - 1
        if lost > 0 {
            packetsLost = Int(clamping: Int64(packetsLost).addingSaturating(lost))
            assembly?.damage()
        }
        return true
    }

    private mutating func finish() {
        guard let done = assembly else { return }
        assembly = nil
        var unit = done.finish(expectsParameterSets: keyframesCarryParameterSets)
        if unit.isComplete, unit.nalUnits.isEmpty {
            // All of it was to be ignored.
            packetsLost = unit.packetsLostBefore
            return
        }
        if unit.isKeyframe, unit.isComplete { keyframesCarryParameterSets = done.hasParameterSets }
        if finished.isFull {
            // The owner did not take the units: the oldest goes, and the newest tells of it.
            _ = finished.popFirst()
            unit.isComplete = false
        }
        _ = finished.append(unit)
    }

    private static func read(
        _ span: RawSpan, _ payload: Range<Int>, into unit: inout AccessUnitAssembly
    ) throws(H264DepacketizerError) {
        guard let header = span.u8(at: payload.lowerBound), payload.upperBound <= span.byteCount else {
            throw .malformed
        }
        let type = NALUnitType(header: header)
        if type.isSingleNALUnit {
            try unit.append(span, payload)
        } else if type == .stapA {
            try readAggregate(span, payload, into: &unit)
        } else if type == .fuA {
            try readFragment(span, payload, header: header, into: &unit)
        } else if !type.isIgnored {
            throw .unsupportedType(type)
        }
    }

    /// RFC 6184 § 5.7.1.
    private static func readAggregate(
        _ span: RawSpan, _ payload: Range<Int>, into unit: inout AccessUnitAssembly
    ) throws(H264DepacketizerError) {
        var cursor = Cursor(payload)
        _ = cursor.u8(span)
        repeat {
            guard let size = cursor.u16(span), size > 0, let nalUnit = cursor.take(Int(size)) else { throw .malformed }
            if let header = span.u8(at: nalUnit.lowerBound), NALUnitType(header: header).isIgnored { continue }
            try unit.append(span, nalUnit)
        } while cursor.remaining > 0
    }

    /// RFC 6184 § 5.8.
    private static func readFragment(
        _ span: RawSpan, _ payload: Range<Int>, header: UInt8, into unit: inout AccessUnitAssembly
    ) throws(H264DepacketizerError) {
        var cursor = Cursor(payload)
        guard header & NALUnitHeader.forbiddenBit == 0, cursor.u8(span) != nil, let fragment = cursor.u8(span),
            let data = cursor.take(cursor.remaining)
        else { throw .malformed }
        if NALUnitType(header: fragment).isIgnored { return }
        if fragment & FragmentHeader.startBit != 0 {
            let nalHeader = header & NALUnitHeader.referenceBits | fragment & NALUnitHeader.typeBits
            try unit.openFragment(header: nalHeader, span, data)
        } else {
            try unit.continueFragment(type: NALUnitType(header: fragment), span, data)
        }
        if fragment & FragmentHeader.endBit != 0 { try unit.closeFragment() }
    }
}
