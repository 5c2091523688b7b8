import Datagrams
import PeerCore

/// The outside of DTLS 1.2 records (RFC 6347 § 4.1), as far as it must be known before OpenSSL sees a datagram.
struct DTLSRecord {
    static let changeCipherSpec: UInt8 = 20
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    /// Type 1, version 2, epoch 2, sequence number 6, length 2.
    static let headerBytes = 13
    static let changeCipherSpecBytes = headerBytes + 1

    let type: UInt8
    /// 0 until keys are agreed on: such a record is authenticated by nothing.
    let epoch: UInt16
    let body: Range<Int>

    /// Reads the record at `offset`; nil where no whole record follows.
    init?(_ span: RawSpan, at offset: Int) {
        guard let type = span.u8(at: offset), let epoch = span.u16(at: offset + 3),
            let length = span.u16(at: offset + 11)
        else { return nil }
        let start = offset + Self.headerBytes
        guard start + Int(length) <= span.byteCount else { return nil }
        self.type = type
        self.epoch = epoch
        body = start..<(start + Int(length))
    }

    /// A handshake record in the clear whose message is a ClientHello, or its first fragment (RFC 6347 § 4.2.2).
    func beginsClientHello(_ span: RawSpan) -> Bool {
        type == Self.handshake && epoch == 0
            && span.u8(at: body.lowerBound) == HandshakeType.clientHello && span.u24(at: body.lowerBound + 6) == 0
    }

    /// Whether a record in the clear may come to this role at all, and a protected one holds at least what its suite
    /// adds. OpenSSL ends the handshake over one in the clear that may not come. Before the mend of CVE-2026-75806 it
    /// also ends the session, with an alert that the peer believes, over a protected one too short to be decrypted,
    /// which anyone can send.
    func isPlausible(for role: HandshakeRole, leastProtectedBytes: Int, _ span: RawSpan) -> Bool {
        guard epoch == 0 else { return body.count >= leastProtectedBytes }
        switch type {
        case Self.changeCipherSpec: return body.count == 1 && span.u8(at: body.lowerBound) == 1
        case Self.handshake: return holdsWholeFragments(for: role, span)
        default: return false
        }
    }

    /// A whole alert in the clear that means the end: fatal, or close_notify (RFC 5246 § 7.2).
    func isPlainFarewell(_ span: RawSpan) -> Bool {
        type == Self.alert && epoch == 0 && body.count == 2
            && (span.u8(at: body.lowerBound) == 2 || span.u8(at: body.lowerBound + 1) == 0)
    }

    /// One or more fragments of messages for this role, with lengths that agree with each other (RFC 6347 § 4.2.2:
    /// type 1, length 3, sequence number 2, fragment offset 3, fragment length 3).
    private func holdsWholeFragments(for role: HandshakeRole, _ span: RawSpan) -> Bool {
        var cursor = Cursor(body)
        repeat {
            guard let type = cursor.u8(span), HandshakeType.comes(type, to: role),
                let length = cursor.u24(span), length <= Limits.handshakeMessageBytes, cursor.u16(span) != nil,
                let offset = cursor.u24(span), let count = cursor.u24(span), offset + count <= length,
                cursor.take(Int(count)) != nil
            else { return false }
        } while cursor.remaining > 0
        return true
    }
}

/// Handshake messages that are sent in the clear (RFC 5246 § 7.4, RFC 6347 § 4.3.2).
private enum HandshakeType {
    static let clientHello: UInt8 = 1

    static func comes(_ type: UInt8, to role: HandshakeRole) -> Bool {
        switch role {
        // ServerHello, HelloVerifyRequest, Certificate, ServerKeyExchange, CertificateRequest, ServerHelloDone.
        case .active: [2, 3, 11, 12, 13, 14].contains(type)
        // ClientHello, Certificate, CertificateVerify, ClientKeyExchange.
        case .passive: [clientHello, 11, 15, 16].contains(type)
        }
    }
}

/// A received datagram, without alerts that anyone could have sent and without what cannot be meant for us.
/// Dropping the latter in silence is what RFC 6347 § 4.1.2.7 asks for.
struct ReceivedDatagram {
    /// What OpenSSL gets; empty where nothing is left.
    private(set) var bytes: [UInt8] = []
    private(set) var hasUnauthenticatedAlert = false
    private(set) var beginsClientHello = false

    init(_ span: RawSpan, for role: HandshakeRole, leastProtectedBytes: Int) {
        var offset = 0
        while let record = DTLSRecord(span, at: offset) {
            if record.isPlausible(for: role, leastProtectedBytes: leastProtectedBytes, span) {
                bytes += span.copy(offset..<record.body.upperBound) ?? []
                if record.beginsClientHello(span) { beginsClientHello = true }
            } else if record.isPlainFarewell(span) {
                hasUnauthenticatedAlert = true
            }
            offset = record.body.upperBound
        }
    }
}
