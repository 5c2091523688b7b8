import HTTPTypes
import Hummingbird
import NIOCore
import SignalingProtocol

/// A request that ends in a problem (RFC 9457).
struct ProblemError: Error {
    var type: ProblemType
    /// A sentence about this very case; never an address, a token or SDP.
    var detail: String?
    var headers: HTTPFields = [:]

    init(_ type: ProblemType, detail: String? = nil, retryAfter seconds: Int? = nil) {
        self.type = type
        self.detail = detail
        if let seconds { headers[.retryAfter] = String(seconds) }
    }

    func with(_ name: HTTPField.Name, _ value: String) -> ProblemError {
        var problem = self
        problem.headers[name] = value
        return problem
    }

    var response: Response {
        var headers = headers
        headers[.contentType] = Problem.mediaType
        let body = (try? JSON.encode(Problem(type, detail: detail))) ?? ByteBuffer()
        return Response(
            status: .init(code: type.status), headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// The problem an error of the frameworks below us stands for.
    init(_ error: any Error) {
        switch error {
        case let problem as ProblemError: self = problem
        case is NIOTooManyBytesError: self = ProblemError(.contentTooLarge).with(.connection, "close")
        case is CancellationError: self.init(.serverBusy, retryAfter: 1)
        default: self.init(.internalError)
        }
    }
}

extension ProblemError {
    /// 401 without a token, 403 with a wrong one (RFC 6750 § 3).
    static func unauthorized(presented: BearerToken?) -> ProblemError {
        presented == nil
            ? ProblemError(.tokenRequired).with(.wwwAuthenticate, "Bearer")
            : ProblemError(.tokenRejected).with(.wwwAuthenticate, "Bearer error=\"invalid_token\"")
    }
}
