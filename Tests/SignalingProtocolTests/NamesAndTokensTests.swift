import SignalingProtocol
import TestSupport
import Testing

@Suite("Room names, identifiers and tokens")
struct NamesAndTokensTests {
    @Test("A room name has 1 to 64 unreserved characters", arguments: ["demo", "a", "A-1._~", "...", "..a"])
    func goodRoomNames(_ text: String) {
        #expect(RoomName(text)?.description == text)
    }

    @Test(
        "Everything else is no room name",
        arguments: ["", ".", "..", "a b", "a/b", "ä", "a%20b", "a\n", "a?", "🙂", "a:b", "a\0"])
    func badRoomNames(_ text: String) {
        #expect(RoomName(text) == nil)
    }

    @Test("A room name of 64 characters is taken, of 65 it isn't")
    func longRoomNames() {
        #expect(RoomName(String(repeating: "x", count: 64)) != nil)
        #expect(RoomName(String(repeating: "x", count: 65)) == nil)
    }

    @Test("Identifiers have 32 hexadecimal digits, come back from their text, and print only their beginning")
    func identifiers() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<100 {
            let id = RandomID(using: &random)
            #expect(id.text.utf8.count == 32)
            #expect(RandomID(id.text) == id)
            #expect(!"\(id)".contains(id.text))
            #expect("\(id)" == "\(id.text.prefix(6))…")
        }
    }

    @Test("Leading zeros of an identifier are kept")
    func zeros() {
        var zero = Constant(value: 1)
        #expect(RandomID(using: &zero).text == "00000000000000010000000000000001")
    }

    @Test(
        "What isn't 32 lower-case hexadecimal digits is no identifier",
        arguments: [
            "", "0", "0000000000000000000000000000000", "000000000000000000000000000000000",
            "0000000000000000000000000000000G", "0000000000000000000000000000000A", "+000000000000000000000000000000f",
        ])
    func badIdentifiers(_ text: String) {
        #expect(RandomID(text) == nil)
    }

    @Test("A bearer token is a b64token (RFC 6750 § 2.1)")
    func tokens() {
        for text in ["a", "abc==", "A-Z._~+/9", String(repeating: "x", count: 256)] {
            #expect(BearerToken(text)?.secret == text)
        }
        for text in ["", "=", "a=b", "a b", "ä", "a\n", String(repeating: "x", count: 257)] {
            #expect(BearerToken(text) == nil, "\(text.prefix(10))")
        }
    }

    @Test("A token never prints itself")
    func redaction() throws {
        var random = SeededGenerator(seed: 8)
        let token = try #require(BearerToken("hunter2"))
        #expect(!"\(token)".contains("hunter2"))
        #expect(
            !String(describing: ShareCredentials(shareId: .init(using: &random), secret: token)).contains("hunter2"))
    }

    @Test("Tokens are equal only where every byte is")
    func comparison() throws {
        let token = try #require(BearerToken("secret"))
        #expect(token == BearerToken("secret"))
        for other in ["secre", "secrets", "Secret", "terces", "s"] {
            #expect(token != BearerToken(other))
        }
    }

    @Test("An Authorization field gives its token, whatever the case of the scheme")
    func authorization() {
        #expect(BearerToken(authorization: "Bearer abc")?.secret == "abc")
        #expect(BearerToken(authorization: "bearer   abc")?.secret == "abc")
        for field in ["abc", "Basic abc", "Bearer", "Bearer ", "Bearer a b", "Bearer\tabc", ""] {
            #expect(BearerToken(authorization: field) == nil, "\(field)")
        }
    }

    @Test("A display name is one line of 1 to 80 characters")
    func displayNames() {
        #expect(DisplayName("Ada's screen 🖥️") != nil)
        #expect(DisplayName(String(repeating: "ä", count: 80)) != nil)
        for text in ["", "a\nb", "a\u{202E}b", "\u{0}", String(repeating: "a", count: 81)] {
            #expect(DisplayName(text) == nil)
        }
        #expect(DisplayName("a" + String(repeating: "\u{301}", count: 500)) == nil, "one character of 1 kB")
    }

    @Test("If-Match: an asterisk, in quotes too, matches any tag; weak tags match none")
    func conditions() throws {
        let tag = try #require(EntityTag("abc"))
        #expect(MatchCondition(nil) == nil)
        for field in ["*", "\"*\"", "\"abc\"", "\"x\", \"abc\"", " \"abc\" "] {
            #expect(MatchCondition(field)?.matches(tag) == true, "\(field)")
        }
        for field in ["", "abc", "W/\"abc\"", "\"ABC\"", "\"abcd\""] {
            #expect(MatchCondition(field)?.matches(tag) == false, "\(field)")
        }
    }
}

/// The same number again and again.
private struct Constant: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }
}
