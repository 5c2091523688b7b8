/// One side's user name fragment and password (RFC 8839 § 5.4).
package struct ICECredentials: Hashable, Sendable {
    package let ufrag: String
    package let password: String

    /// Nil where a length or a character is not allowed.
    package init?(ufrag: String, password: String) {
        guard Limits.ufragLengths.contains(ufrag.utf8.count), ufrag.utf8.allSatisfy(\.isCredentialCharacter),
            Limits.passwordLengths.contains(password.utf8.count), password.utf8.allSatisfy(\.isCredentialCharacter)
        else { return nil }
        self.init(checked: ufrag, password)
    }

    private init(checked ufrag: String, _ password: String) {
        self.ufrag = ufrag
        self.password = password
    }

    /// 8 characters that tell our peers apart on one port (48 bits; RFC 8839 § 5.4 wants 24), and a password of 24 (144
    /// bits; it wants 128).
    package static func random(using random: inout some RandomNumberGenerator) -> ICECredentials {
        ICECredentials(checked: text(8, &random), text(24, &random))
    }

    /// Six random bits for each of the 64 ICE characters.
    private static func text(_ count: Int, _ random: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = (0..<count).map { _ in alphabet[Int(truncatingIfNeeded: random.next() & 63)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The key of message integrity (RFC 8489 § 9.1.1).
    var key: [UInt8] { Array(password.utf8) }
}

/// The USERNAME of a check: the receiver's fragment, a colon, the sender's (RFC 8445 § 7.2.2).
struct CheckUsername: Hashable {
    let receiver: String
    let sender: String

    init(receiver: String, sender: String) {
        self.receiver = receiver
        self.sender = sender
    }

    /// RFC 8445 § 7.3: "two values separated by a colon".
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ Limits.ufragLengths.contains($0.utf8.count) }) else { return nil }
        self.init(receiver: String(parts[0]), sender: String(parts[1]))
    }

    var text: String { "\(receiver):\(sender)" }
}
