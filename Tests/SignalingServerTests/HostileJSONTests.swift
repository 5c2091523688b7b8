import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SignalingProtocol
import Testing

@testable import SignalingServer

/// Where inputs written by others lie; `SCREENSHARE_CORPORA` names another place.
enum Corpora {
    static let json: [String] = {
        let beside = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let root = ProcessInfo.processInfo.environment["SCREENSHARE_CORPORA"] ?? "/\(beside)/shared/corpora"
        let folder = "\(root)/json"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
    }()
}

@Suite("JSON of all kinds", .timeLimit(.minutes(1)))
struct HostileJSONTests {
    private static func file(_ path: String) throws -> ByteBuffer {
        ByteBuffer(bytes: try Data(contentsOf: URL(filePath: path)))
    }

    // Skipped where the corpora are missing; the test below covers the same ground with cases of our own.
    @Test(
        "All of the JSON corpus: valid or not, the answer is right or a problem, and the room stays as it was",
        .enabled(if: !Corpora.json.isEmpty, "the JSON corpus is missing: set SCREENSHARE_CORPORA"))
    func corpus() async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            for path in Corpora.json {
                let name = String(path.split(separator: "/").last ?? "")
                let body = try Self.file(path)
                for (method, address) in [
                    (HTTPRequest.Method.put, "\(sharer.path)/state"),
                    (.post, "\(sharer.path)/sessions/ffffffffffffffffffffffffffffffff/answer"),
                    (.post, "\(sharer.path)/sessions/ffffffffffffffffffffffffffffffff/fragment"),
                    (.post, "/v1/rooms/demo/share"),
                ] {
                    let response = try await bench.client.execute(
                        uri: address, method: method,
                        headers: [.contentType: "application/json", .authorization: "Bearer \(sharer.secret)"],
                        body: body)
                    let isShare = address.hasSuffix("share")
                    if isShare, response.status == .created {
                        #expect(!name.hasPrefix("n_"), "\(name) is no JSON")
                    } else {
                        let limit = isShare ? Limits.registration : Limits.body
                        response.problem(body.readableBytes > limit ? .contentTooLarge : .malformedJSON)
                    }
                }
            }
            #expect(try await sharer.say().status == .noContent)
        }
    }

    @Test(
        "What isn't the JSON that is expected is a problem that names the field, and never shows its value",
        arguments: [
            ("", nil), ("{", nil), ("nonsense", nil), ("[]", nil), ("{\"viewers\":1}", "state"),
            (#"{"state":["sesame"],"viewers":1}"#, "state"), (#"{"state":"live","viewers":"sesame"}"#, "viewers"),
            (#"{"state":"live","viewers":1e400}"#, nil), (#"{"state":"live","viewers":1,"seen":-1}"#, nil),
            (#"{"state":"live","viewers":99999999999999999999}"#, nil),
        ] as [(String, String?)])
    func malformed(_ body: String, _ field: String?) async throws {
        try await Bench.run { bench in
            let sharer = try await bench.share()
            let response = try await bench.json(.put, "\(sharer.path)/state", token: sharer.secret, body)
            response.problem(.malformedJSON)
            if let field { #expect(try response.decode(Problem.self).detail?.contains(field) == true) }
            #expect(!response.text.contains("sesame"))
        }
    }

    @Test("JSON nested deeper than 32 levels is not even parsed")
    func deep() async throws {
        try await Bench.run { bench in
            for depth in [33, 30_000] {
                let body =
                    "{\"name\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
                    + "}"
                let response = try await bench.json(.post, "/v1/rooms/demo/share", body)
                response.problem(.malformedJSON)
                #expect(try response.decode(Problem.self).detail == "It is nested too deeply.")
            }
        }
    }

    @Test("JSON routes take application/json and nothing else")
    func contentType() async throws {
        try await Bench.run { bench in
            for type in [nil, "text/plain", "application/sdp", "application/x-www-form-urlencoded"] {
                let response = try await bench.send(.post, "/v1/rooms/demo/share", type: type, body: "{}")
                response.problem(.unsupportedMediaType)
            }
        }
    }
}
