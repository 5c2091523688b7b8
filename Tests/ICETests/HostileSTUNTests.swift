import Datagrams
import TestSupport
import Testing

@testable import ICE

@Suite("Hostile STUN bytes")
struct HostileSTUNTests {
    private let authenticator = TestAuthenticator()
    private let header = "2112a442 0102030405060708090a0b0c"

    /// A message of attributes in hexadecimal, with the right length.
    private func message(_ attributes: String, type: String = "0001") -> [UInt8] {
        let body = hex(attributes)
        return hex(type) + [UInt8(body.count >> 8), UInt8(body.count & 255)] + hex(header) + body
    }

    private func error(_ bytes: [UInt8]) -> STUNError? {
        do throws(STUNError) {
            _ = try STUNMessage(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("every cut of a message is refused")
    func cuts() {
        for bytes in Vectors.all {
            for count in bytes.indices { #expect(error(Array(bytes[..<count])) != nil) }
        }
    }

    @Test("a header with wrong bits, cookie or length is refused for what it is")
    func headers() {
        #expect(error([]) == .truncated)
        #expect(error(message("", type: "4001")) == .notSTUN)
        #expect(error(message("", type: "8001")) == .notSTUN)
        var bytes = message("")
        bytes[4] ^= 1
        #expect(error(bytes) == .notSTUN)
        #expect(error(message("") + [0, 0, 0, 0]) == .wrongLength)
        #expect(error(message("") + [0]) == .wrongLength)
        bytes = message("00 24 00")
        #expect(error(bytes) == .wrongLength)
    }

    @Test("more than the limit of bytes or attributes is refused")
    func tooMuch() {
        #expect(error(message(String(repeating: "8888 0000", count: Limits.attributes))) == nil)
        #expect(error(message(String(repeating: "8888 0000", count: Limits.attributes + 1))) == .tooManyAttributes)
        let long = String(repeating: "00", count: Limits.messageBytes)
        #expect(error(message("8888 0800" + long)) == .tooLong)
    }

    @Test("an attribute that reaches past the end is refused")
    func overrun() {
        #expect(error(message("0024 0008 00000001")) == .truncatedAttribute(0x24))
        #expect(error(message("0024 ffff 00000001")) == .truncatedAttribute(0x24))
    }

    @Test(
        "an attribute that must be understood and does not fit its type is refused",
        arguments: [
            "0001 0008 0003 1234 01020304", "0001 0008 0002 1234 01020304", "0001 0014 0001 1234 01020304"
                + "000000000000000000000000", "0001 0000", "0020 0004 00011234", "0006 0002 ff fe 0000",
            "0008 0010 00000000000000000000000000000000", "0009 0004 00000200", "0009 0004 00000464",
            "0009 0000", "000a 0003 00010200", "001c 000c 000000000000000000000000",
            "001c 0024" + String(repeating: "00", count: 36), "0024 0000", "0024 0008 0000000000000000",
            "0025 0004 00000000",
        ])
    func malformed(_ attribute: String) {
        let type = hex(attribute)
        #expect(error(message(attribute)) == .malformedAttribute(UInt16(type[0]) << 8 | UInt16(type[1])))
    }

    @Test("an optional attribute that does not fit its type is kept as it came")
    func malformedOptional() throws {
        let bytes = message("8029 0004 00000001 8022 0001 ff000000 8028 0000")
        let read = try STUNMessage(bytes)
        #expect(
            read.attributes == [
                .raw(.iceControlled, [0, 0, 0, 1]), .raw(.software, [0xFF]), .raw(.fingerprint, []),
            ])
        #expect(!read.hasFingerprint)
    }

    @Test("a wrong fingerprint is refused, and so is one that is not last")
    func fingerprints() throws {
        #expect(error(message("8028 0004 00000000")) == .wrongFingerprint)
        let id = TransactionID(high: 1, low: 2)
        let once = try STUNMessage(STUNMessage(.request, id).encoded())
        let twice = STUNMessage(.request, id, once.attributes + [.priority(1)]).encoded(fingerprint: false)
        #expect([.misplacedFingerprint, .wrongFingerprint].contains(error(twice)))
    }

    @Test("200,000 mutations of known messages are read or refused, never more (seed 5769)")
    func mutations() {
        var random = SeededGenerator(seed: 5769)
        var read = 0
        for _ in 0..<200_000 {
            var bytes = Vectors.all[Int.random(in: 0..<Vectors.all.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 20..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = 0xFF
                case 2: bytes[2...3] = [0, UInt8(truncatingIfNeeded: bytes.count - 20)]
                default: if bytes.count > 40 { bytes.removeLast(4) }
                }
            }
            bytes[2...3] = [0, UInt8(truncatingIfNeeded: bytes.count - 20)]
            if (try? STUNMessage(bytes)) != nil { read += 1 }
            _ = ICEAgent.localUfrag(of: bytes)
        }
        // Enough get past the fingerprint (those that lost it) for the attributes to be read.
        #expect(read > 1000)
    }

    @Test("random bytes behind a true header are read or refused (seed 8489)")
    func noise() {
        var random = SeededGenerator(seed: 8489)
        for _ in 0..<20_000 {
            let count = 4 * Int.random(in: 0...60, using: &random)
            let body = (0..<count).map { _ in
                UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 0xFF : 3)
            }
            let bytes = hex("0001") + [0, UInt8(count)] + hex(header) + body
            _ = try? STUNMessage(bytes)
            _ = STUNMessage.verify(bytes, key: [])
        }
    }
}
