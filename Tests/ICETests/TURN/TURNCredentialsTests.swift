import Testing

@testable import ICE

@Suite("Credentials for a relay")
struct TURNCredentialsTests {
    /// The password by `printf '1700000600:viewer' | openssl dgst -sha1 -hmac north -binary | base64`.
    @Test("from a shared secret: the expiry and a name, and their HMAC in Base64")
    func timeLimited() throws {
        let credentials = try #require(
            TURNCredentials.timeLimited(
                secret: "north", name: "viewer", unixTime: 1_700_000_000, lifetime: 600, with: TestAuthenticator()))
        #expect(credentials.username == "1700000600:viewer")
        #expect(credentials.password == "iQJth82vOMmqyKJB20Q20azp1Cs=")
        let nameless = TURNCredentials.timeLimited(
            secret: "north", name: "", unixTime: 1_700_000_000, lifetime: 600, with: TestAuthenticator())
        #expect(nameless?.username == "1700000600")
        #expect(nameless?.password == "pL3AD+pdSi0Td8xk/uSD7cXdsYc=")
    }

    @Test("no secret, no time, no length that STUN can carry: none")
    func impossible() {
        func make(_ secret: String, _ name: String, _ time: Int64, _ lifetime: Int64) -> TURNCredentials? {
            .timeLimited(secret: secret, name: name, unixTime: time, lifetime: lifetime, with: TestAuthenticator())
        }
        #expect(make("", "a", 1, 1) == nil)
        #expect(make("s", "a", .max, 1) == nil)
        #expect(make("s", "a", 1, -1) == nil)
        #expect(make("s", String(repeating: "a", count: 508), 1, 1) == nil)
        #expect(TURNCredentials(username: "", password: "p") == nil)
        #expect(TURNCredentials(username: "u", password: "") == nil)
        #expect(TURNCredentials(username: "u", password: String(repeating: "a", count: 764)) == nil)
    }

    /// RFC 8489 § 9.2.2.
    @Test("the key is the RFC's for its example")
    func key() throws {
        let challenge = STUNMessage(.error, TransactionID(high: 1, low: 1), [.realm("realm"), .nonce("n")])
        let credentials = try #require(TURNCredentials(username: "user", password: "pass"))
        let authentication = try LongTermAuthentication(challenge, credentials, with: TestAuthenticator())
        #expect(authentication.key == hex("8493fbc53ba582fb4c044c456bdc40eb"))
    }
}
