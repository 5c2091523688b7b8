import Glibc
import NIOCore
import NIOPosix
import SignalingClient
import SignalingProtocol

/// Asks the signaling server, or takes the port that one would listen at for a moment.
struct SignalingCheck: Sendable {
    var findings: [Finding]
    /// Where there is a server to measure the way to.
    var probe: RateProbe?
    var host = ""
    var isOurRoom = true
    var roundTrip = Duration.zero

    // MARK: A server elsewhere

    static func server(_ text: String, room: String?, token: String?) async -> SignalingCheck {
        let name = room.flatMap(RoomName.init) ?? RoomName("doctor")
        guard let address = try? ServerAddress(text), let name else {
            return SignalingCheck(findings: [
                Finding(.signaling, .failure, "\(text) is no server's address", advice: "It is https://host[:port].")
            ])
        }
        do throws(SignalingError) {
            let report = try await address.examine(name)
            let probe = RateProbe(address, room: name, token: token.flatMap { BearerToken(foreign: $0) })
            let facts = SignalingFacts(server: text, host: address.host, isOurRoom: room != nil, report: report)
            return SignalingCheck(
                findings: [facts.finding], probe: probe, host: address.host, isOurRoom: room != nil,
                roundTrip: report.roundTrip)
        } catch {
            return SignalingCheck(findings: [SignalingFacts.finding(error, at: text)])
        }
    }

    // MARK: One of our own

    enum PortOutcome: Sendable {
        case free
        /// A signaling server already listens there; isLocal: it is reached from this machine alone.
        case server(isLocal: Bool)
        /// In the system's words; taken: by a program that could be ended.
        case failure(String, isTaken: Bool = false)
    }

    /// And the one that is there already, where that may be used.
    static func listening(
        _ host: String, _ port: Int, mayUseAnother: Bool, room: String?, token: String?
    ) async -> SignalingCheck {
        let outcome = await bind(host, port)
        let finding = Finding.signalingPort(outcome, host: host, port: port, mayUseAnother: mayUseAnother)
        guard case .server = outcome, mayUseAnother else { return SignalingCheck(findings: [finding]) }
        let there = await server(standing(host, port), room: room, token: token)
        var check = there
        check.findings = [finding] + there.findings
        return check
    }

    private static func standing(_ host: String, _ port: Int) -> String {
        let near = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : host
        return "http://\(LocalNetwork.authority(near, port))"
    }

    private static func bind(_ host: String, _ port: Int) async -> PortOutcome {
        guard UInt16(exactly: port) != nil else { return .failure("ports are 0 to 65535") }
        // SwiftNIO would look the name up on the thread that it is called on, for as long as name servers are silent.
        let found = await blocking("name-lookup", atMost: DoctorLimits.names) {
            Result { try SocketAddress.makeAddressResolvingHost(host, port: port) }
        }
        switch found {
        case .success(let address)?: return await bind(address, at: standing(host, port))
        case .failure(let error)?: return .failure(words(error))
        case nil: return .failure("its name can't be looked up in time")
        }
    }

    private static func bind(_ address: SocketAddress, at place: String) async -> PortOutcome {
        // Those that SwiftNIO shares are as many as the machine has processors, each a thread, and stay.
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let outcome = await bind(address, at: place, on: loops)
        try? await loops.shutdownGracefully()
        return outcome
    }

    private static func bind(
        _ address: SocketAddress, at place: String, on loops: MultiThreadedEventLoopGroup
    ) async -> PortOutcome {
        do {
            let channel = try await ServerBootstrap(group: loops)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(to: address).get()
            try await channel.close()
            return .free
        } catch {
            let port = address.port ?? 0
            if await SignalingProbe.answers(at: place) {
                if LocalListener.isTrusted(port: port) {
                    return .server(isLocal: LocalListener.isOnLoopback(port: port))
                }
                return .failure("another user's signaling server has it", isTaken: true)
            }
            return .failure(words(error), isTaken: (error as? IOError)?.errnoCode == EADDRINUSE)
        }
    }

    private static func words(_ error: any Error) -> String {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: "another program has it"
        case EACCES: "only root may use it"
        case EADDRNOTAVAIL: "this machine has no such address"
        case let code?: String(cString: strerror(code)).lowercased()
        case nil: (error as? SocketAddressError.UnknownHost)?.errorDescription.lowercased() ?? "there is no such address"
        }
    }
}

extension Finding {
    static func signalingPort(
        _ outcome: SignalingCheck.PortOutcome, host: String, port: Int, mayUseAnother: Bool
    ) -> Finding {
        let place = LocalNetwork.authority(host, port)
        let values: [String: Value] = ["host": .text(host), "port": Value(port)]
        switch outcome {
        case .free: return Finding(.signalingPort, .ok, "\(place) is free for the built-in server", values: values)
        case .server(let isLocal) where mayUseAnother:
            let reach = isLocal ? "" : ", and viewers would need a token unless --open is given: others in the network reach it"
            return Finding(
                .signalingPort, .ok,
                "a signaling server listens at \(place) already; it would be used, with its own --allow-host\(reach)",
                values: values.merging(["local": .flag(isLocal)]) { $1 })
        case .server:
            return Finding(
                .signalingPort, .failure, "a signaling server listens at \(place) already",
                advice: "Use it by --signaling http://\(place), or choose another --listen.", values: values)
        case .failure(let words, let isTaken):
            return Finding(
                .signalingPort, .failure, "the built-in server can't listen at \(place): \(words)",
                advice: isTaken ? "Choose another --listen, or end the program that has it." : "Choose another --listen.",
                values: values)
        }
    }
}
