/// `a=ice-ufrag` and `a=ice-pwd` (RFC 8839 § 5.4).
package struct ICECredentials: Hashable, Sendable {
    package var usernameFragment: String
    package var password: String

    /// For our own, which are well-formed.
    package init(usernameFragment: String, password: String) {
        self.usernameFragment = usernameFragment
        self.password = password
    }

    /// Nil where a length is out of bounds or a character could not be one (`ice-char`).
    package init?(checking usernameFragment: String, password: String) {
        guard Self.isWellFormed(usernameFragment, Limits.usernameFragment),
            Self.isWellFormed(password, Limits.password)
        else { return nil }
        self.init(usernameFragment: usernameFragment, password: password)
    }

    private static func isWellFormed(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy(isICECharacter)
    }

    /// `ice-char` (RFC 8839 § 5.1). libnice and others also send `-`, `_` and `=`, which harm nothing.
    private static func isICECharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
            true
        default:
            false
        }
    }

    var attributes: [Attribute] {
        [Attribute("ice-ufrag", usernameFragment), Attribute("ice-pwd", password)]
    }
}
