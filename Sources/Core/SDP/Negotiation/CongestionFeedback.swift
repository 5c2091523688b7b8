extension SessionDescription {
    /// With one of the two ways to tell which packets came, in all sections (RFC 8888 § 6): transport-wide numbers, whose
    /// reports are smaller, where their header extension is there as well; else `ccfb`, for which packets carry nothing, and
    /// which tells of ECN itself (§ 7).
    func withOneCongestionFeedback() -> SessionDescription {
        let sections = media.filter { $0.kind == "video" && !$0.isRejected }
        let isPerStream =
            sections.contains { $0.takes(.ccfb) } && !sections.contains { $0.takes(.transportCC) && $0.isNumbered }
        let unwanted: Feedback = isPerStream ? [.transportCC, .ecn] : .ccfb
        let extensions = isPerStream ? [HeaderExtensionURI.transportWideCC, HeaderExtensionURI.absSendTime] : []
        var description = self
        for index in media.indices {
            description.media[index].attributes.removeAll { attribute in
                attribute.feedback.map { !$0.isEmpty && unwanted.contains($0) } == true || attribute.extensionURI.map(extensions.contains) == true
            }
        }
        return description
    }
}

extension MediaDescription {
    fileprivate func takes(_ feedback: Feedback) -> Bool {
        payloadFormats.contains { $0.isEncoding("H264") && $0.feedback.contains(feedback) }
    }

    fileprivate var isNumbered: Bool { headerExtensions.contains { $0.uri == HeaderExtensionURI.transportWideCC } }
}

extension Attribute {
    /// For whatever payload type.
    fileprivate var feedback: Feedback? {
        guard name == "rtcp-fb", let (_, text) = value?.halves(at: UInt8(ascii: " ")) else { return nil }
        return Feedback(parsing: text)
    }

    fileprivate var extensionURI: String? {
        name == "extmap" ? value.flatMap(HeaderExtension.init(parsing:))?.uri : nil
    }
}
