/// The `o=` line (RFC 8866 § 5.2).
package struct Origin: Hashable, Sendable {
    var username: String
    /// A number, kept as text: some peers exceed 64 bits.
    var sessionID: String
    var sessionVersion: String
    var networkType: String
    var addressType: String
    var address: String

    /// Ours: no user and no address is told (RFC 8829 § 5.2.1).
    init(sessionID: UInt64) {
        username = "-"
        self.sessionID = String(sessionID)
        sessionVersion = "1"
        networkType = "IN"
        addressType = "IP4"
        address = "127.0.0.1"
    }

    /// Nil unless there are six fields.
    init?(parsing text: String) {
        let fields = text.fields(maxSplits: 6)
        guard fields.count == 6 else { return nil }
        username = fields[0]
        sessionID = fields[1]
        sessionVersion = fields[2]
        networkType = fields[3]
        addressType = fields[4]
        address = fields[5]
    }

    var line: Line {
        Line("o", [username, sessionID, sessionVersion, networkType, addressType, address].joined(separator: " "))
    }
}
