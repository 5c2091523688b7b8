// swift-tools-version: 6.3

import PackageDescription

/// Every target of ours: Swift 6 language mode, and no warning gets through.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func core(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Core/\(name)", swiftSettings: strict)
}

func adapter(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Adapters/\(name)", swiftSettings: strict)
}

func library(_ name: String, _ pkgConfig: String, _ packages: String...) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt(packages)])
}

/// - Parameter computes: what makes its own pictures, sound or weather is optimised like what it tests.
func suite(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], computes: Bool = false
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)Tests",
        exclude: exclude, swiftSettings: computes ? strict : strict + plain)
}

/// The flags below are for the root package only: as a dependency of another package this one is built without.
let isRoot = !Context.packageDirectory.contains("/checkouts/")

/// Pixel kernels are optimised in debug builds too.
let kernels: [CSetting] = isRoot ? [.unsafeFlags(["-O3"])] : []

/// What is tested is optimised, what tests it mostly not: to optimise every `#expect` takes longer than to run them all.
let plain: [SwiftSetting] = isRoot ? [.unsafeFlags(["-Onone"])] : []

let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let locks: Target.Dependency = .product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTesting: Target.Dependency = .product(name: "HummingbirdTesting", package: "hummingbird")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// The browser viewer's files: compiled in, so that a server needs none at run time.
let viewerPage = [
    "viewer.html", "viewer.css", "controls.css", "panels.css", "card.css", "icon.svg", "main.js", "viewer.js",
    "states.js", "connection.js", "peer.js", "whep.js", "room.js", "retry.js", "link.js", "limits.js", "stats.js", "card.js",
    "signs.js", "sound.js", "stage.js", "controls.js", "wake.js",
]

let package = Package(
    name: "screenshare",
    products: [
        .library(name: "ScreenShare", targets: ["ScreenShare"]),
        .library(name: "SignalingServer", targets: ["SignalingServer"]),
        .executable(name: "screenshare", targets: ["ScreenShareCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.11.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
    ],
    targets: [
        // C libraries: module maps, and shims for what Swift cannot call.
        library("CX264", "x264", "libx264-dev"),
        .systemLibrary(
            name: "CAVFormat", path: "Sources/CLibraries/CAVFormat", providers: [.apt(["libavformat-dev"])]),
        library("COpus", "opus", "libopus-dev"),
        library("COgg", "ogg", "libogg-dev"),
        library("CALSA", "alsa", "libasound2-dev"),
        .systemLibrary(name: "CPulse", path: "Sources/CLibraries/CPulse", providers: [.apt(["libpulse-dev"])]),
        library("CSRTP", "libsrtp2", "libsrtp2-dev"),
        library("COpenSSL", "openssl", "libssl-dev"),
        library("CYUV", "libyuv", "libyuv-dev"),
        library("CZlib", "zlib", "zlib1g-dev"),
        library(
            "CXCB", "xcb", "libxcb1-dev", "libxcb-composite0-dev", "libxcb-damage0-dev", "libxcb-randr0-dev",
            "libxcb-shm0-dev", "libxcb-xfixes0-dev"),
        .target(
            name: "CZitaResampler", path: "Sources/CLibraries/CZitaResampler",
            linkerSettings: [.linkedLibrary("zita-resampler")]),
        .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),
        .target(name: "CSRTPCrypto", dependencies: ["CSRTP", "COpenSSL"], path: "Sources/CLibraries/CSRTPCrypto"),
        .target(name: "CShims", path: "Sources/CLibraries/CShims", cSettings: kernels),

        // Core: pure, sans-I/O, deterministic.
        core("Timebase"),
        core("Datagrams", [deque]),
        core("Media", ["Timebase"]),
        core("ICE", ["Timebase", "Datagrams"]),
        core("RTP", ["Timebase", "Datagrams", deque]),
        core("SDP"),
        core("Congestion", ["Timebase", deque]),
        core("PeerCore", ["Timebase", "Datagrams", "ICE", "RTP", "Congestion", deque]),

        // Adapters: one door each to the world outside.
        adapter("SystemClock", ["Timebase", "CLinux"]),
        adapter("ScreenCapture", ["Timebase", "Media", "SystemClock", "CXCB"]),
        adapter("PixelConversion", ["Timebase", "Media", "CShims", "CYUV"]),
        adapter("VideoCodec", ["Timebase", "Media", "CX264", "CShims", "CYUV"]),
        adapter("AudioCodec", ["Timebase", "Media", "RTP", "COpus"]),
        adapter("AudioConversion", ["Timebase", "Media", "CZitaResampler"]),
        adapter("AudioDevices", ["Timebase", "Media", "SystemClock", "CALSA", "CPulse"]),
        adapter("OggOpus", ["Timebase", "RTP", "COgg"]),
        adapter("Matroska", ["Timebase", "RTP", "CAVFormat"]),
        adapter("SecureTransport", ["Datagrams", "ICE", "PeerCore", "COpenSSL", "CSRTP", "CSRTPCrypto"]),
        adapter("PeerDriver", ["CLinux", "Timebase", "Datagrams", "ICE", "RTP", "PeerCore", "SystemClock", nioCore, nioPosix, nioSSL]),
        adapter("SignalingClient", ["Timebase", "Datagrams", "SignalingProtocol", locks, httpClient, nioCore, nioHTTP1, nioPosix, logging]),

        // Signaling.
        .target(name: "SignalingProtocol", path: "Signaling/SignalingProtocol", swiftSettings: strict),
        .target(
            name: "SignalingServer",
            dependencies: [
                "SignalingProtocol", "CZlib", hummingbird, hummingbirdCore, httpTypes, nioCore, nioPosix, nioHTTP1,
                nioHTTPTypes, serviceLifecycle, logging, locks,
            ],
            path: "Signaling/SignalingServer", resources: viewerPage.map { .embedInCode("Page/\($0)") },
            swiftSettings: strict),

        // The library and the command.
        .target(
            name: "ScreenShare",
            dependencies: [
                "Timebase", "Datagrams", "Media", "ICE", "RTP", "SDP", "PeerCore", "SystemClock", "ScreenCapture",
                "PixelConversion", "VideoCodec", "AudioCodec", "AudioConversion", "AudioDevices", "SecureTransport", "PeerDriver", "SignalingClient",
                "SignalingProtocol", nioCore, nioPosix, logging, deque,
            ],
            path: "Sources/ScreenShare", swiftSettings: strict),
        .executableTarget(
            name: "ScreenShareCLI",
            dependencies: [
                "ScreenShare", "SignalingServer", "OggOpus", "Matroska", "SystemClock", "Timebase", "CLinux", arguments, logging, nioPosix,
            ],
            path: "Sources/ScreenShareCLI", swiftSettings: strict),
        .executableTarget(
            name: "TestPattern", dependencies: ["ScreenShare"], path: "Examples/TestPattern", swiftSettings: strict),
        .executableTarget(
            name: "FlashAndClick", dependencies: ["ScreenShare"], path: "Examples/FlashAndClick", swiftSettings: strict),
        .executableTarget(
            name: "ConferenceBackend", dependencies: ["ScreenShare", hummingbird, logging],
            path: "Examples/ConferenceBackend", swiftSettings: strict),

        // A suite per target.
        .target(
            name: "TestSupport",
            dependencies: ["Timebase", "Datagrams", "ICE", "PeerCore", "SystemClock", "PeerDriver", nioCore, nioPosix],
            path: "Tests/TestSupport", swiftSettings: strict),
        suite("Architecture", []),
        suite("Timebase", ["Timebase"]),
        suite("Datagrams", ["Datagrams"]),
        suite("Congestion", ["Congestion", "Timebase"]),
        suite("Media", ["Media", "Timebase"], computes: true),
        suite("ICE", ["ICE", "Timebase", "Datagrams"]),
        suite("RTP", ["RTP", "Timebase", "Datagrams"]),
        suite("SDP", ["SDP"], exclude: ["Fixtures"]),
        suite("PeerCore", ["PeerCore", "ICE", "RTP", "Congestion", "Timebase", "Datagrams"], computes: true),
        suite("ScreenCapture", ["ScreenCapture", "Media", "SystemClock", "Timebase", "CXCB"]),
        suite("PixelConversion", ["PixelConversion", "Media", "Timebase", "CYUV"]),
        suite("VideoCodec", ["VideoCodec", "PixelConversion", "Media", "Timebase"], computes: true),
        suite("AudioCodec", ["AudioCodec", "Media", "RTP", "Timebase", "COpus"]),
        suite("AudioConversion", ["AudioConversion", "Media", "Timebase"]),
        suite("OggOpus", ["OggOpus", "AudioCodec", "Media", "RTP", "Timebase"]),
        suite("Matroska", ["Matroska", "AudioCodec", "VideoCodec", "Media", "RTP", "Timebase"]),
        .target(name: "TestSoundCard", dependencies: ["CALSA"], path: "Tests/TestSoundCard"),
        suite(
            "AudioDevices", ["AudioDevices", "Media", "SystemClock", "Timebase", "CALSA", "CPulse", "TestSoundCard"]),
        suite("SecureTransport", ["SecureTransport", "PeerCore", "ICE", "Timebase", "Datagrams", "COpenSSL"]),
        suite(
            "PeerDriver",
            ["PeerDriver", "PeerCore", "ICE", "RTP", "SystemClock", "Timebase", "Datagrams", nioCore, nioPosix, nioSSL, locks]),
        suite(
            "ScreenShare",
            [
                "ScreenShare", "SignalingServer", "SignalingClient", "SignalingProtocol", "AudioCodec", "AudioDevices",
                "VideoCodec", "Media", "ICE", "RTP", "SDP", "Datagrams", "PeerCore", "PeerDriver", "ScreenCapture",
                "SystemClock", "Timebase", logging, locks,
            ]),
        suite("ScreenShareCLI", ["ScreenShareCLI", "ScreenShare", "SystemClock", arguments]),
        suite("SignalingProtocol", ["SignalingProtocol"]),
        suite(
            "SignalingServer",
            [
                "SignalingServer", "SignalingProtocol", hummingbird, hummingbirdTesting, httpClient, httpTypes, nioCore,
                nioPosix, nioEmbedded, nioHTTPTypes, logging, locks,
            ]),
        suite(
            "SignalingClient",
            [
                "SignalingClient", "SignalingServer", "SignalingProtocol", "Timebase", hummingbird, httpTypes, nioCore,
                nioHTTP1, logging, locks,
            ]),
    ]
)
