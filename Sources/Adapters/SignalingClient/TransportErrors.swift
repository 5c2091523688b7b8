import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix

extension SignalingError {
    /// What the libraries below us throw, without the addresses they put into their words.
    init(transport error: any Error) {
        switch error {
        case let error as SignalingError: self = error
        case is CancellationError: self = .cancelled
        case let error as NIOConnectionError: self = .unreachable(Self.reason(error))
        case let error as IOError: self = .unreachable(Self.reason(error))
        case let error as HTTPClientError: self = .unreachable(Self.reason(error))
        case is NIOTooManyBytesError: self = .unreadable("answer")
        case ChannelError.connectTimeout: self = .unreachable(.timeout)
        default: self = .unreachable(Self.isSecurity(error) ? .insecure : .brokenOff)
        }
    }

    private static func reason(_ error: NIOConnectionError) -> Unreachable {
        if error.connectionErrors.isEmpty { return .unknownHost }
        let reasons = error.connectionErrors.map { ($0.error as? IOError).map(reason) ?? .timeout }
        return reasons.contains(.connectionRefused) ? .connectionRefused : reasons.first ?? .brokenOff
    }

    private static func reason(_ error: IOError) -> Unreachable {
        switch error.errnoCode {
        case ECONNREFUSED: .connectionRefused
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: .timeout
        default: .brokenOff
        }
    }

    private static func reason(_ error: HTTPClientError) -> Unreachable {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: .timeout
        case .tlsHandshakeTimeout: .insecure
        default: .brokenOff
        }
    }

    /// TLS errors come from a module of their own that we otherwise don't need.
    private static func isSecurity(_ error: any Error) -> Bool {
        String(reflecting: type(of: error)).hasPrefix("NIOSSL.")
    }
}
