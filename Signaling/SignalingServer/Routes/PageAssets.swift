import NIOCore

/// What the web viewer is made of, compiled in, so that the server needs no files at run time.
///
/// Style sheets and scripts are kept apart where they are written, and reach a browser as one of each: it asks for six files at
/// a time, and each six take another round trip before it can ask for the picture.
enum PageAssets {
    /// A file as it leaves: as it is, or compressed.
    struct Form: Sendable {
        let content: ByteBuffer
        let etag: String
        let encoding: String?
    }

    struct Asset: Sendable {
        let mediaType: String
        let plain: Form
        /// For who takes it; nil where there is none.
        let compressed: Form?

        init(_ bytes: [UInt8], _ mediaType: String, compresses: Bool = true) {
            self.mediaType = mediaType
            let fingerprint = String(Self.fingerprint(bytes), radix: 16)
            plain = Form(content: ByteBuffer(bytes: bytes), etag: "\"\(fingerprint)\"", encoding: nil)
            // Another form of it, and so another strong tag (RFC 9110 § 8.8.3.3). Proxies that compress add `-gzip` themselves,
            // and take it away again from what a browser asks, whoever had added it.
            let packed = compresses ? Gzip.compressed(bytes) : nil
            compressed = packed.map {
                Form(content: ByteBuffer(bytes: $0), etag: "\"\(fingerprint).gz\"", encoding: "gzip")
            }
        }

        /// FNV-1a: tells one version of a file from another, and guards nothing.
        private static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
            bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        }
    }

    /// As it is: all of it is sent at once anyway, and what is acknowledged widens the connection's window (RFC 5681 § 3.1), so that
    /// more of the script, which comes by the same, is sent at once.
    static let page = Asset(PackageResources.viewer_html, "text/html; charset=utf-8", compresses: false)

    static let named: [String: Asset] = [
        "icon.svg": Asset(PackageResources.icon_svg, "image/svg+xml"),
        "page.css": Asset(Array(styles.joined()), "text/css; charset=utf-8"),
        "page.js": Asset(Modules.joined(scripts), "text/javascript; charset=utf-8"),
    ]

    private static let styles = [
        PackageResources.viewer_css, PackageResources.controls_css, PackageResources.panels_css, PackageResources.card_css,
    ]

    /// A class stands before those that extend it or make one as they are read; what begins is last.
    private static let scripts = [
        PackageResources.limits_js, PackageResources.link_js, PackageResources.states_js, PackageResources.retry_js,
        PackageResources.whep_js, PackageResources.room_js, PackageResources.peer_js, PackageResources.stats_js,
        PackageResources.connection_js, PackageResources.wake_js, PackageResources.sound_js, PackageResources.stage_js,
        PackageResources.card_js, PackageResources.controls_js, PackageResources.signs_js, PackageResources.viewer_js,
        PackageResources.main_js,
    ]
}

/// JavaScript modules as one.
enum Modules {
    /// They share one scope then: what they import from each other is there, and what they export need not be. For that an
    /// import is one line, and no two modules have a name at their top in common.
    static func joined(_ modules: [[UInt8]]) -> [UInt8] {
        Array(modules.joined().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .filter { !$0.starts(with: "import ".utf8) }
            .map { $0.starts(with: "export ".utf8) ? $0.dropFirst("export ".utf8.count) : $0 }
            .joined(separator: [UInt8(ascii: "\n")]))
    }
}
