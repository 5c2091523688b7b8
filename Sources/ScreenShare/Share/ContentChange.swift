/// What pictures are about from now on.
public struct ContentChange: Hashable, Sendable {
    /// Whether something plays.
    public let content: SharedContent
    /// At which rate it plays; nil where that is not known, or nothing does.
    public let cadence: CadenceStatistics?
}
