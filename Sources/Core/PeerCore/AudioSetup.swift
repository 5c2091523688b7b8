import RTP

/// One outgoing stream of sound, with the numbers the viewer's offer chose.
package struct AudioSendParameters: Sendable {
    /// Of Opus (RFC 7587 § 7).
    package var payloadType: UInt8
    /// Of RED (RFC 2198) over it; nil: the viewer did not offer it.
    package var redundancyPayloadType: UInt8?
    /// In bits per second, copies too (`maxaveragebitrate`, RFC 7587 § 6.1); nil: the viewer leaves it to us.
    package var maximumBitrate: Int?
    package var ssrc: UInt32
    /// The same as that of the pictures, so that both are played in step (RFC 3550 § 6.5.1).
    package var canonicalName: String
    package var mid: String?
    package var extensions: ExtensionMap

    package init(
        payloadType: UInt8, redundancyPayloadType: UInt8?, maximumBitrate: Int? = nil, ssrc: UInt32,
        canonicalName: String, mid: String?, extensions: ExtensionMap
    ) {
        self.payloadType = payloadType
        self.redundancyPayloadType = redundancyPayloadType
        self.maximumBitrate = maximumBitrate
        self.ssrc = ssrc
        self.canonicalName = canonicalName
        self.mid = mid
        self.extensions = extensions
    }
}

/// One incoming stream of sound: its payload types, known from the answer.
package struct AudioReceiveParameters: Sendable {
    package var payloadType: UInt8
    package var redundancyPayloadType: UInt8?

    package init(payloadType: UInt8, redundancyPayloadType: UInt8?) {
        self.payloadType = payloadType
        self.redundancyPayloadType = redundancyPayloadType
    }
}
