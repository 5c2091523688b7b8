import Testing

@testable import ICE

@Suite("CRC-32")
struct CRC32Tests {
    @Test("gives the check value of the algorithm for the digits 1 to 9")
    func checkValue() {
        let digits = Array("123456789".utf8)
        #expect(CRC32.checksum(of: digits, upTo: 9) == 0xCBF4_3926)
    }

    @Test("stops where it is told and at the end")
    func prefix() {
        let digits = Array("123456789rest".utf8)
        #expect(CRC32.checksum(of: digits, upTo: 9) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: digits, upTo: 0) == 0)
        #expect(CRC32.checksum(of: digits, upTo: 99) == CRC32.checksum(of: digits, upTo: 13))
    }
}
