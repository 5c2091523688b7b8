/// That there is nothing to capture.
public struct SourceAbsence: Hashable, Sendable {
    /// Why, or what to do about it: a sentence for a person.
    public let text: String
}
