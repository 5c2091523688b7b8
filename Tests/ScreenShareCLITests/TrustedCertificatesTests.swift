import ArgumentParser
import Foundation
import ScreenShare
import Testing

@testable import ScreenShareCLI

@Suite("The certificates of TURN servers")
struct TrustedCertificatesTests {
    private func parse(_ file: String) throws -> NetworkOptions {
        try NetworkOptions.parse(["--turn", "turns:alice:wonder@example.org", "--turn-ca", file])
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test("a file that isn't there is wrong usage, and so is one without a certificate; both are named", arguments: [
        nil, "", "hello", "-----BEGIN CERTIFICATE-----\nhello\n-----END CERTIFICATE-----\n",
    ])
    func unreadable(text: String?) throws {
        func refuse(_ file: String) {
            let error = #expect(throws: (any Error).self) { _ = try parse(file) }
            #expect(error.map { NetworkOptions.message(for: $0).contains(file) } == true)
            #expect(error.map { NetworkOptions.exitCode(for: $0) } == .validationFailure)
        }
        guard let text else { return refuse("/nonexistent/ca.pem") }
        try withFile(text) { refuse($0) }
    }

    @Test("one without a TURN server over TLS is of no use, and that is said", arguments: [[], ["--turn", "turn:a:b@example.org"]])
    func noServer(servers: [String]) throws {
        try withFile(Self.certificate) { file in
            let words = servers + ["--turn-ca", file]
            let error = #expect(throws: (any Error).self) { _ = try NetworkOptions.parse(words) }
            #expect(error.map { NetworkOptions.message(for: $0).contains("--turn turns:") } == true)
            #expect(error.map { NetworkOptions.exitCode(for: $0) } == .validationFailure)
        }
    }

    @Test("a server that only tells viewers of TURN servers takes none")
    func serve() throws {
        try withFile(Self.certificate) { file in
            let words = ["serve", "--turn", "turns:alice:wonder@example.org"]
            _ = try Screenshare.parseAsRoot(words)
            let error = #expect(throws: (any Error).self) { _ = try Screenshare.parseAsRoot(words + ["--turn-ca", file]) }
            #expect(error.map { Screenshare.exitCode(for: $0) } == .validationFailure)
        }
    }

    @Test("one that can be read is taken")
    func readable() throws {
        try withFile(Self.certificate) { file in
            let server = try parse(file).configuration().turnServers.first
            #expect(server?.trustedCertificates == file)
        }
    }

    /// Its own authority, of P-256.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBdjCCARugAwIBAgIUDB+ven/Lx/UOVZmQ3OaPk6W2hGswCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEVGVzdDAgFw0yNjExMjgyMjI1MTJaGA8yMTI2MTEwNDIyMjUx
        MlowDzENMAsGA1UEAwwEVGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOqq
        Xu1WJ87D8fW1jU7KJieLcZtaWrW03JnkZCtpA1d3k57e1KOTy7OdRYZxWM+k5R0W
        5XUA3RNjyO4GLvvy9vqjUzBRMB0GA1UdDgQWBBQBnDCsP/AfDV7kOHZS17xXaBvc
        PjAfBgNVHSMEGDAWgBQBnDCsP/AfDV7kOHZS17xXaBvcPjAPBgNVHRMBAf8EBTAD
        AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCY1i4QGka5o25KnJ3RVi+NkX6QoD6Hj/Gw
        E8XbF9qlhgIhAPCBGiNunh1+hhhmkvl/pyc8VCq8dJwBzldFtcE6IFVy
        -----END CERTIFICATE-----

        """
}
