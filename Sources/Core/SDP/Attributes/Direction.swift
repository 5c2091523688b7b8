/// Who sends, as seen by the description's writer (RFC 8866 § 6.7).
package enum Direction: String, Hashable, Sendable {
    case sendrecv
    case sendonly
    case recvonly
    case inactive

    var sends: Bool {
        switch self {
        case .sendrecv, .sendonly: true
        case .recvonly, .inactive: false
        }
    }

    var receives: Bool {
        switch self {
        case .sendrecv, .recvonly: true
        case .sendonly, .inactive: false
        }
    }

    /// The same, as seen from the other side.
    var reversed: Direction {
        switch self {
        case .sendonly: .recvonly
        case .recvonly: .sendonly
        case .sendrecv, .inactive: self
        }
    }
}

extension SessionDescription {
    /// A section's direction, or the session's, or `sendrecv` (RFC 8866 § 6.7).
    package func direction(of section: MediaDescription) -> Direction {
        Self.direction(in: section.attributes) ?? Self.direction(in: attributes) ?? .sendrecv
    }

    private static func direction(in attributes: [Attribute]) -> Direction? {
        for attribute in attributes where attribute.value == nil {
            if let direction = Direction(rawValue: attribute.name) { return direction }
        }
        return nil
    }
}
