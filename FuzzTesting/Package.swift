// swift-tools-version: 6.3

import PackageDescription

// A package of its own, because libFuzzer brings its own main. The targets under test are the project's sources by link,
// so that their package-level doors are open here.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

func linked(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["FuzzDriver"], path: "Fuzzers/\(name)", swiftSettings: settings,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}

let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "screenshare-fuzzing",
    dependencies: [.package(url: "https://github.com/apple/swift-collections.git", from: "1.1.0")],
    targets: [
        linked("Timebase"),
        linked("Datagrams", [deque]),
        linked("ICE", ["Timebase", "Datagrams"]),
        linked("RTP", ["Timebase", "Datagrams", deque]),
        linked("SDP"),
        linked("Congestion", ["Timebase", deque]),
        linked("PeerCore", ["Timebase", "Datagrams", "ICE", "RTP", "Congestion", deque]),
        linked("SignalingProtocol"),
        .target(name: "FuzzDriver", path: "Fuzzers/FuzzDriver", swiftSettings: settings),
        fuzzer("FuzzSTUN", ["ICE", "Datagrams"]),
        fuzzer("FuzzTURN", ["ICE", "Datagrams", "Timebase"]),
        fuzzer("FuzzRTP", ["RTP", "Datagrams"]),
        fuzzer("FuzzRTCP", ["RTP", "Datagrams"]),
        fuzzer("FuzzFlexFEC", ["RTP", "Datagrams"]),
        fuzzer("FuzzH264", ["RTP", "Datagrams", "Timebase"]),
        fuzzer("FuzzSound", ["RTP", "Datagrams", "Timebase"]),
        fuzzer("FuzzPeer", ["PeerCore", "ICE", "RTP", "Datagrams", "Timebase"]),
        fuzzer("FuzzSDP", ["SDP"]),
        fuzzer("FuzzSignaling", ["SignalingProtocol"]),
    ]
)
