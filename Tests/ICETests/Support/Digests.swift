import ICE

/// SHA-1, SHA-256 and MD5 in their plainest form, so that the suite needs no library.
enum Digests {
    /// FIPS 180-4 § 6.1.
    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in blocks(message, bigEndian: true) {
            var w = words(block, bigEndian: true)
            for t in 16..<80 { w.append(rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1)) }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for t in 0..<80 {
                let (f, k): (UInt32, UInt32) =
                    switch t {
                    case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                (a, b, c, d, e) = (rotl(a, 5) &+ f &+ e &+ k &+ w[t], a, rotl(b, 30), c, d)
            }
            state = zip(state, [a, b, c, d, e]).map { $0 &+ $1 }
        }
        return bytes(state, bigEndian: true)
    }

    /// FIPS 180-4 § 6.2; its constants are the roots of the first primes, computed here.
    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var state = primes(8).map { fraction(Double($0).squareRoot()) }
        let k = primes(64).map { fraction(cubeRoot($0)) }
        for block in blocks(message, bigEndian: true) {
            var w = words(block, bigEndian: true)
            for t in 16..<64 {
                let s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3
                let s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10
                w.append(w[t - 16] &+ s0 &+ w[t - 7] &+ s1)
            }
            var v = state
            for t in 0..<64 {
                let s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)
                let t1 = v[7] &+ s1 &+ (v[4] & v[5] ^ ~v[4] & v[6]) &+ k[t] &+ w[t]
                let s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)
                let t2 = s0 &+ (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2])
                v = [t1 &+ t2, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
            }
            state = zip(state, v).map { $0 &+ $1 }
        }
        return bytes(state, bigEndian: true)
    }

    /// RFC 1321; K[i] = ⌊2³² × |sin(i + 1)|⌋, given as a table because Core and its tests have no sine.
    static func md5(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in blocks(message, bigEndian: false) {
            let m = words(block, bigEndian: false)
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for i in 0..<64 {
                let (f, g): (UInt32, Int) =
                    switch i {
                    case 0..<16: (b & c | ~b & d, i)
                    case 16..<32: (d & b | ~d & c, (5 * i + 1) % 16)
                    case 32..<48: (b ^ c ^ d, (3 * i + 5) % 16)
                    default: (c ^ (b | ~d), 7 * i % 16)
                    }
                let sum = a &+ f &+ sines[i] &+ m[g]
                (a, b, c, d) = (d, b &+ rotl(sum, shifts[i / 16][i % 4]), b, c)
            }
            state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
        }
        return bytes(state, bigEndian: false)
    }

    /// RFC 2104.
    static func hmac(_ digest: ([UInt8]) -> [UInt8], key: [UInt8], message: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? digest(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        return digest(block.map { $0 ^ 0x5C } + digest(block.map { $0 ^ 0x36 } + message))
    }

    // MARK: Parts

    private static func rotl(_ value: UInt32, _ count: UInt32) -> UInt32 { value << count | value >> (32 - count) }
    private static func rotr(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }

    /// 0x80, zeros, the length in bits.
    private static func blocks(_ message: [UInt8], bigEndian: Bool) -> [ArraySlice<UInt8>] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        padded += bigEndian ? length.reversed() : length
        return stride(from: 0, to: padded.count, by: 64).map { padded[$0..<($0 + 64)] }
    }

    private static func words(_ block: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt32] {
        stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            let four = block[start..<(start + 4)]
            return (bigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    private static func bytes(_ words: [UInt32], bigEndian: Bool) -> [UInt8] {
        words.flatMap { word in
            let four = (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            return bigEndian ? four.reversed() : four
        }
    }

    private static func primes(_ count: Int) -> [Int] {
        var (primes, number) = ([Int](), 2)
        while primes.count < count {
            if !primes.contains(where: { number % $0 == 0 }) { primes.append(number) }
            number += 1
        }
        return primes
    }

    /// The first 32 bits after the point.
    private static func fraction(_ value: Double) -> UInt32 {
        UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }

    /// Newton's method, exact enough for 32 bits of fraction.
    private static func cubeRoot(_ number: Int) -> Double {
        (0..<60).reduce(Double(number)) { guess, _ in
            guess - (guess * guess * guess - Double(number)) / (3 * guess * guess)
        }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    private static let sines: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
        0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
        0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
        0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
        0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
        0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
        0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
    ]
}

/// The port's implementation for the tests.
final class TestAuthenticator: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] { Digests.hmac(Digests.sha1, key: key, message: message) }
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        Digests.hmac(Digests.sha256, key: key, message: message)
    }
    func md5(_ message: [UInt8]) -> [UInt8] { Digests.md5(message) }
}
