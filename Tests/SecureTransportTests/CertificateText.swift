import COpenSSL
import Testing

@testable import SecureTransport

/// What a certificate says, for tests.
struct CertificateText {
    let subject: String
    let issuer: String
    let serial: String
    /// From begin to end of validity.
    let days: Int32

    init(_ identity: Identity) throws {
        let certificate = identity.certificate
        subject = Self.text(X509_get_subject_name(certificate))
        issuer = Self.text(X509_get_issuer_name(certificate))
        let number = try #require(ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil))
        defer { BN_free(number) }
        let digits = try #require(BN_bn2hex(number))
        defer { CRYPTO_free(digits, "", 0) }
        serial = String(cString: digits)
        var (days, seconds) = (Int32(0), Int32(0))
        ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate), X509_get0_notAfter(certificate))
        self.days = days
    }

    /// The form "/CN=name".
    private static func text(_ name: OpaquePointer?) -> String {
        var bytes = [CChar](repeating: 0, count: 200)
        X509_NAME_oneline(name, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
