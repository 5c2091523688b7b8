import Datagrams

/// The two class bits of the message type (RFC 8489 § 5).
package enum STUNClass: UInt16, Hashable, Sendable {
    case request = 0b00
    case indication = 0b01
    case success = 0b10
    case error = 0b11
}

/// The twelve method bits; TURN adds others (RFC 8656 § 17).
package struct STUNMethod: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue & 0xFFF
    }

    package static let binding = STUNMethod(rawValue: 1)
    // RFC 8656 § 17.
    package static let allocate = STUNMethod(rawValue: 3)
    package static let refresh = STUNMethod(rawValue: 4)
    package static let send = STUNMethod(rawValue: 6)
    package static let data = STUNMethod(rawValue: 7)
    package static let createPermission = STUNMethod(rawValue: 8)
    package static let channelBind = STUNMethod(rawValue: 9)
}

/// The 20 bytes every STUN message begins with:
///
///      0 0 | message type (14) | length (16)
///      magic cookie (32)
///      transaction ID (96)
package struct STUNHeader: Hashable, Sendable {
    package static let byteCount = 20
    static let magicCookie: UInt32 = 0x2112_A442

    package var messageClass: STUNClass
    package var method: STUNMethod
    package var transactionID: TransactionID

    package init(_ messageClass: STUNClass, _ method: STUNMethod, _ transactionID: TransactionID) {
        self.messageClass = messageClass
        self.method = method
        self.transactionID = transactionID
    }

    /// The checks of RFC 8489 § 6.3: first bits, cookie, a length that is true and a multiple of four.
    package init(_ bytes: RawSpan) throws(STUNError) {
        var cursor = Cursor(bytes)
        guard let type = cursor.u16(bytes), let length = cursor.u16(bytes), let cookie = cursor.u32(bytes),
            let high = cursor.u64(bytes), let low = cursor.u32(bytes)
        else { throw .truncated }
        guard type >> 14 == 0, cookie == Self.magicCookie else { throw .notSTUN }
        guard length % 4 == 0, Int(length) == cursor.remaining else { throw .wrongLength }
        guard bytes.byteCount <= Limits.messageBytes else { throw .tooLong }
        messageClass = Self.messageClass(of: type)
        method = Self.method(of: type)
        transactionID = TransactionID(high: high, low: low)
    }

    /// C1 is bit 8, C0 bit 4 (RFC 8489 figure 3).
    private static func messageClass(of type: UInt16) -> STUNClass {
        switch (type & 0x100 != 0, type & 0x10 != 0) {
        case (false, false): .request
        case (false, true): .indication
        case (true, false): .success
        case (true, true): .error
        }
    }

    /// The other twelve bits, closed up.
    private static func method(of type: UInt16) -> STUNMethod {
        STUNMethod(rawValue: type & 0xF | (type & 0xE0) >> 1 | (type & 0x3E00) >> 2)
    }

    var type: UInt16 {
        let (bits, method) = (messageClass.rawValue, method.rawValue)
        let spread = method & 0xF | (method & 0x70) << 1 | (method & 0xF80) << 2
        return spread | (bits & 0b10) << 7 | (bits & 0b01) << 4
    }

    /// The header with a length of zero, which the writer sets at the end.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(u16: type)
        bytes.append(u16: 0)
        bytes.append(u32: Self.magicCookie)
        bytes.append(u64: transactionID.high)
        bytes.append(u32: transactionID.low)
        return bytes
    }
}
