import FoundationEssentials

/// Who watches a participant, by random ids. The session's own names for viewers count up: in addresses they would let each
/// viewer send the others away.
actor Viewers {
    private var names: [String: String] = [:]

    /// - Returns: the id, which nobody but this viewer is told.
    func add(_ name: String) -> String {
        let id = UUID().uuidString
        names[id] = name
        return id
    }

    /// The session's name for it.
    func name(of id: String) -> String? { names[id] }

    func remove(_ name: String) {
        names = names.filter { $0.value != name }
    }
}
