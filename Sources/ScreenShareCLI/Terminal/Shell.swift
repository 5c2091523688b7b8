/// Words of a command that people paste into a shell.
enum Shell {
    /// As it stands, unless a shell would make something else of it.
    static func word(_ text: String) -> String {
        if !text.isEmpty, text.allSatisfy({ $0.isLetter || $0.isNumber || "/._-+:".contains($0) }) { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// A long option and its value, which may begin as an option does.
    static func option(_ name: String, _ value: String) -> String {
        "--\(name)\(value.hasPrefix("-") ? "=" : " ")\(word(value))"
    }
}
