/// The long-term credential mechanism with one server (RFC 8489 § 9.2), once that has named its realm and a nonce.
struct LongTermAuthentication {
    let username: String
    let realm: String
    private(set) var nonce: String
    let key: [UInt8]
    /// What the server listed; goes back to it as it came, so that nobody in between can bid it down.
    private let passwordAlgorithms: [UInt8]?

    /// From a 401.
    init(
        _ challenge: STUNMessage, _ credentials: TURNCredentials, with authenticator: any MessageAuthenticator
    ) throws(TURNFailure) {
        guard let realm = challenge.realm, let nonce = challenge.nonce else { throw .unsupported }
        self.realm = realm
        self.nonce = nonce
        username = credentials.username
        passwordAlgorithms = try Self.passwordAlgorithms(challenge, nonce)
        key = STUNMessage.longTermKey(
            username: credentials.username, realm: realm, password: credentials.password, with: authenticator)
    }

    /// The nonce of a 438. Whatever else it says stays as it was: nobody has vouched for it.
    mutating func renew(_ challenge: STUNMessage) -> Bool {
        guard let fresh = challenge.nonce, fresh != nonce else { return false }
        nonce = fresh
        return true
    }

    /// RFC 8489 § 9.2.5: SHA-256 only, where the server listed algorithms.
    var integrity: IntegrityAlgorithm { passwordAlgorithms == nil ? .sha1 : .sha256 }

    /// What every request carries besides its own (RFC 8489 § 9.2.3.2).
    var attributes: [STUNAttribute] {
        var attributes: [STUNAttribute] = [.username(username), .realm(realm), .nonce(nonce)]
        if let passwordAlgorithms {
            attributes.append(.raw(.passwordAlgorithms, passwordAlgorithms))
            attributes.append(.raw(.passwordAlgorithm, [0, Self.md5, 0, 0]))
        }
        return attributes
    }

    // MARK: What the nonce announces

    /// RFC 8489 § 18.5; SHA-256 would need a hash that the port has not, and no server is known to ask for it alone.
    private static let md5: UInt8 = 1

    /// RFC 8489 § 9.2.5: where the nonce announces a list, there must be one, and our algorithm on it.
    private static func passwordAlgorithms(_ challenge: STUNMessage, _ nonce: String) throws(TURNFailure) -> [UInt8]? {
        let features = securityFeatures(of: nonce)
        // The user name's hash (§ 14.4) would be demanded.
        if features & 0b01_0000 != 0 { throw .unsupported }
        guard features & 0b10_0000 != 0 else { return nil }
        guard let list = challenge.passwordAlgorithms, offersMD5(list) else { throw .unsupported }
        return list
    }

    /// The first six of the 24 bits that follow `obMatJos2` in Base64 (RFC 8489 § 9.2); two have a meaning.
    private static func securityFeatures(of nonce: String) -> UInt8 {
        let cookie = Array("obMatJos2".utf8)
        let text = Array(nonce.utf8.prefix(cookie.count + 1))
        guard text.starts(with: cookie), let character = text.dropFirst(cookie.count).first else { return 0 }
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): return 62
        case UInt8(ascii: "/"): return 63
        default: return 0  // no Base64, so no cookie
        }
    }

    /// RFC 8489 § 14.11: number, length of the parameters, parameters up to a multiple of four, and so on.
    private static func offersMD5(_ list: [UInt8]) -> Bool {
        var rest = list[...]
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            if head[0] == 0, head[1] == md5 { return true }
            let parameters = Int(head[2]) << 8 | Int(head[3])
            rest = rest.dropFirst(4 + (parameters + 3) / 4 * 4)
        }
        return false
    }
}
