/// How a viewer tells a sharer which packets came, and when.
package enum PathFeedback: Sendable {
    /// Not at all: by reports and REMB at best.
    case none
    /// By numbers that packets carry for it (`transport-cc`).
    case transportWide
    /// By each stream's own sequence numbers (`ccfb`, RFC 8888).
    case perStream
}
