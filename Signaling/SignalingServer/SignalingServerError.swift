import Glibc
import NIOCore

/// Why a signaling server doesn't serve.
@nonexhaustive public enum SignalingServerError: Error, Equatable, CustomStringConvertible {
    /// Another program listens there.
    case addressInUse(host: String, port: Int)
    /// The address is not ours, the system refuses, with its words, or the process may open too few files or start too few
    /// threads, with what to do about it.
    case cannotListen(host: String, port: Int, reason: String)
    /// It was stopped before it listened, or while it did.
    case stopped

    /// A sentence for a person.
    public var description: String {
        switch self {
        case .addressInUse(let host, let port): "Another program listens at \(host), port \(port)."
        case .cannotListen(let host, let port, let reason): "Cannot listen at \(host), port \(port): \(reason)."
        case .stopped: "The signaling server has stopped."
        }
    }

    static func noSuchPort(_ configuration: SignalingConfiguration) -> Self {
        .cannotListen(host: configuration.host, port: configuration.port, reason: "ports are 0 to 65535")
    }

    init(_ error: any Error, _ configuration: SignalingConfiguration) {
        let (host, port) = (configuration.host, configuration.port)
        switch error {
        case let error as SignalingServerError: self = error
        case is CancellationError: self = .stopped
        case let error as IOError where error.errnoCode == EADDRINUSE: self = .addressInUse(host: host, port: port)
        case let error as IOError:
            self = .cannotListen(host: host, port: port, reason: String(cString: strerror(error.errnoCode)))
        case let error as SocketAddressError.UnknownHost:
            self = .cannotListen(host: host, port: port, reason: error.errorDescription)
        case is SocketAddressError:
            self = .cannotListen(host: host, port: port, reason: "there is no such address")
        default: self = .cannotListen(host: host, port: port, reason: "\(error)")
        }
    }
}
