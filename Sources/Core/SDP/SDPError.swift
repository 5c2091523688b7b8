/// Why a text is not a session description, and in which line (the first is 1; 0 stands for the whole).
package struct SDPError: Error, Hashable, Sendable {
    enum Reason: Error, Hashable, Sendable {
        case tooLarge
        case tooManyLines
        case lineTooLong
        /// Not `<letter>=<value>`, or with a NUL or a bare carriage return in it (RFC 8866 § 5).
        case malformedLine
        /// A letter RFC 8866 does not know.
        case unknownLine
        /// A line where its kind may not stand.
        case misplacedLine
        /// The text does not begin with `v=0`.
        case unsupportedVersion
        case missingOrigin
        case malformedOrigin
        case missingName
        case malformedMedia
        case tooManyMediaDescriptions
        /// Credentials that cannot be any (RFC 8839 § 5.4).
        case malformedCredentials
    }

    var line: Int
    var reason: Reason

    init(line: Int, _ reason: Reason) {
        self.line = line
        self.reason = reason
    }
}

extension SDPError: CustomStringConvertible {
    package var description: String { "SDP line \(line): \(reason)" }
}
