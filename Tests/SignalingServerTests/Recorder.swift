import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import NIOCore
import SignalingProtocol
import NIOConcurrencyHelpers

@testable import SignalingServer

/// Notes what every request met: `METHOD /path/{template}` and a status or a problem type.
final class Recorder: Sendable {
    struct Outcome: Hashable, CustomStringConvertible {
        let method: String
        let path: String
        let result: String

        var description: String { "\(method) \(path): \(result)" }
    }

    private let outcomes = NIOLockedValueBox<Set<Outcome>>([])
    private let paths: [String]

    init(_ routes: [Route]) {
        // Literal segments before parameters, as the router has it.
        paths = Set(routes.map(\.path)).sorted { $0.count { $0 == "{" } < $1.count { $0 == "{" } }
    }

    var all: Set<Outcome> { outcomes.withLockedValue(\.self) }

    func note(_ method: String, _ address: String, status: Int, body: String) {
        guard let path = paths.first(where: { Self.matches(address, $0) }) else { return }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(body.utf8))
        let type = method == "HEAD" ? nil : problem.flatMap { ProblemType(uri: $0.type) }
        let outcome = Outcome(method: method, path: path, result: type?.rawValue ?? String(status))
        outcomes.withLockedValue { _ = $0.insert(outcome) }
    }

    private static func matches(_ address: String, _ template: String) -> Bool {
        let (parts, names) = (address.split(separator: "/"), template.split(separator: "/"))
        return parts.count == names.count && zip(parts, names).allSatisfy { $1.first == "{" || $0 == $1 }
    }

    /// What the routes say can happen.
    static func documented(_ routes: [Route]) -> Set<Outcome> {
        Set(
            routes.flatMap { route in
                let results =
                    route.documentation.successes.map { String($0.status) }
                    + route.problems.map { route.method == .head ? String($0.status) : $0.rawValue }
                return results.map { Outcome(method: route.method.rawValue, path: route.path, result: $0) }
            })
    }
}

struct RecordingClient: TestClientProtocol {
    let client: any TestClientProtocol
    let recorder: Recorder

    var port: Int? { client.port }

    func executeRequest(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> TestResponse {
        let response = try await client.executeRequest(uri: uri, method: method, headers: headers, body: body)
        recorder.note(method.rawValue, uri, status: response.status.code, body: String(buffer: response.body))
        return response
    }
}
