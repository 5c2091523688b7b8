import Datagrams
import Timebase

extension HeaderExtensions {
    /// RFC 8285 § 4.2: the one-byte form.
    static let oneByteProfile: UInt16 = 0xbede
    /// RFC 8285 § 4.3: the two-byte form, with four bits for the application.
    private static let twoByteProfile: UInt16 = 0x1000

    /// The known elements of a packet's extension block. Ids that are not mapped and values of a wrong length are
    /// passed over; so is a block of another profile.
    package init(_ span: RawSpan, _ block: HeaderExtensionBlock, map: ExtensionMap) throws(RTPError) {
        self.init()
        guard block.data.upperBound <= span.byteCount else { throw .truncated }
        if block.profile == Self.oneByteProfile {
            try readOneByteForm(span, block.data, map)
        } else if block.profile & 0xfff0 == Self.twoByteProfile {
            try readTwoByteForm(span, block.data, map)
        }
    }

    private mutating func readOneByteForm(_ span: RawSpan, _ data: Range<Int>, _ map: ExtensionMap) throws(RTPError) {
        var cursor = Cursor(data)
        while let byte = cursor.u8(span) {
            if byte == 0 { continue }
            let id = byte >> 4
            // § 4.2: "If the ID value 15 is encountered … processing of the entire extension MUST terminate"; § 4.1.2 likewise
            // of padding that has a length.
            if id == 15 || id == 0 { return }
            guard let value = cursor.take(Int(byte & 0x0f) + 1) else { throw .extensionElement }
            if let known = map[id] { set(known, span, value) }
        }
    }

    private mutating func readTwoByteForm(_ span: RawSpan, _ data: Range<Int>, _ map: ExtensionMap) throws(RTPError) {
        var cursor = Cursor(data)
        while let id = cursor.u8(span) {
            if id == 0 { continue }
            guard let length = cursor.u8(span), let value = cursor.take(Int(length)) else { throw .extensionElement }
            if let known = map[id] { set(known, span, value) }
        }
    }

    private mutating func set(_ known: HeaderExtension, _ span: RawSpan, _ value: Range<Int>) {
        var cursor = Cursor(value)
        switch known {
        case .mid: mid = Self.text(span, value)
        case .rtpStreamID: rtpStreamID = Self.text(span, value)
        case .repairedRTPStreamID: repairedRTPStreamID = Self.text(span, value)
        case .absoluteSendTime where value.count == 3:
            absoluteSendTime = cursor.u24(span).map { AbsoluteSendTime(bits: $0) }
        // The second version of the extension adds a 16-bit feedback request, which is passed over.
        case .transportSequenceNumber where value.count == 2 || value.count == 4:
            transportSequenceNumber = cursor.u16(span)
        case .playoutDelay where value.count == 3:
            playoutDelay = cursor.u24(span).map { PlayoutDelay(bits: $0) }
        case .videoContentType where value.count == 1:
            videoContentType = cursor.u8(span).map { VideoContentType(rawValue: $0) }
        case .absoluteCaptureTime where value.count == 8 || value.count == 16:
            guard let captured = cursor.u64(span) else { return }
            absoluteCaptureTime = AbsoluteCaptureTime(
                captured: NTPTimestamp(bits: captured),
                estimatedClockOffset: cursor.u64(span).map { Int64(bitPattern: $0) })
        case .videoOrientation where value.count == 1:
            videoOrientation = cursor.u8(span).map { VideoOrientation(byte: $0) }
        case .transmissionOffset where value.count == 3:
            transmissionOffset = cursor.u24(span).map { Int32(bitPattern: $0 << 8) >> 8 }
        case .audioLevel where value.count == 1:
            audioLevel = cursor.u8(span).map { AudioLevel(byte: $0) }
        case .absoluteSendTime, .transportSequenceNumber, .playoutDelay, .videoContentType, .absoluteCaptureTime,
            .videoOrientation, .transmissionOffset, .audioLevel:
            return  // A length of another version.
        }
    }

    /// Identifiers are UTF-8 (RFC 7941 § 4.1); anything else counts as absent.
    private static func text(_ span: RawSpan, _ range: Range<Int>) -> String? {
        guard !range.isEmpty, let bytes = span.copy(range) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
