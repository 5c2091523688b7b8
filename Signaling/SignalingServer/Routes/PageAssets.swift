import NIOCore

/// The files of the web viewer, compiled in, so that the server needs none at run time.
enum PageAssets {
    struct Asset: Sendable {
        let content: ByteBuffer
        let mediaType: String
        let etag: String

        init(_ bytes: [UInt8], _ mediaType: String) {
            content = ByteBuffer(bytes: bytes)
            self.mediaType = mediaType
            etag = "\"\(String(Self.fingerprint(bytes), radix: 16))\""
        }

        /// FNV-1a: tells one version of a file from another, and guards nothing.
        private static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
            bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        }
    }

    static let page = Asset(PackageResources.viewer_html, "text/html; charset=utf-8")

    static let named: [String: Asset] = [
        "icon.svg": Asset(PackageResources.icon_svg, "image/svg+xml"),
        "card.css": style(PackageResources.card_css),
        "controls.css": style(PackageResources.controls_css),
        "panels.css": style(PackageResources.panels_css),
        "viewer.css": style(PackageResources.viewer_css),
        "card.js": script(PackageResources.card_js),
        "connection.js": script(PackageResources.connection_js),
        "controls.js": script(PackageResources.controls_js),
        "limits.js": script(PackageResources.limits_js),
        "link.js": script(PackageResources.link_js),
        "main.js": script(PackageResources.main_js),
        "peer.js": script(PackageResources.peer_js),
        "retry.js": script(PackageResources.retry_js),
        "room.js": script(PackageResources.room_js),
        "signs.js": script(PackageResources.signs_js),
        "sound.js": script(PackageResources.sound_js),
        "stage.js": script(PackageResources.stage_js),
        "states.js": script(PackageResources.states_js),
        "stats.js": script(PackageResources.stats_js),
        "viewer.js": script(PackageResources.viewer_js),
        "wake.js": script(PackageResources.wake_js),
        "whep.js": script(PackageResources.whep_js),
    ]

    private static func style(_ bytes: [UInt8]) -> Asset {
        Asset(bytes, "text/css; charset=utf-8")
    }

    private static func script(_ bytes: [UInt8]) -> Asset {
        Asset(bytes, "text/javascript; charset=utf-8")
    }
}
