/// What a source of sound is to the listener.
package enum AudioKind: Hashable, CaseIterable, Sendable {
    /// What the machine or the shared program plays.
    case system
    case microphone
}
