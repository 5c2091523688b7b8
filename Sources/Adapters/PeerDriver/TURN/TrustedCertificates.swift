import NIOSSL

/// Those that TURN servers' certificates are checked with, where they aren't the system's.
package enum TrustedCertificates {
    /// Whether there are some in a file, or in a folder, as TLS will take them.
    package static func canBeRead(_ path: String) -> Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(path)
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }
}
