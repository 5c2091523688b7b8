import RTP

/// How a viewer tells a sharer which packets came, and when.
package enum PathFeedback: Sendable {
    /// Not at all: by reports and REMB at best.
    case none
    /// By numbers that packets carry for it (`transport-cc`).
    case transportWide
    /// By each stream's own sequence numbers (`ccfb`, RFC 8888).
    case perStream

    /// What was agreed on comes to this: transport-wide numbers go before `ccfb`.
    init(extensions: ExtensionMap, takesTransportWide: Bool = true, takesPerStream: Bool) {
        if takesTransportWide, extensions.id(of: .transportSequenceNumber) != nil {
            self = .transportWide
        } else {
            self = takesPerStream ? .perStream : .none
        }
    }
}
