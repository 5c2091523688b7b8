import ArgumentParser
import ScreenShare

/// How media finds its way: options of `host`, `view` and `doctor`.
struct NetworkOptions: ParsableArguments {
    @Flag(help: "Do without TCP, which is for networks that let no UDP through.")
    var noTcp = false

    @Flag(help: "Don't ask routers for a call's treatment (DSCP AF41 and EF), nor for marks instead of drops (ECN).")
    var noDscp = false

    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "A local IP address to use, or an interface such as eth0; can be repeated. Default: all but link-local, and "
                + "loopback only where there is nothing else or, for a view, where the signaling server is there."))
    var interfaces: [String] = []

    @OptionGroup var servers: ICEServerOptions

    @Option(
        name: .customLong("turn-ca"),
        help: "A file of certificates (PEM) that sign those of turns: servers, in place of the system's.",
        completion: .file())
    var turnCertificates: String?

    @Flag(help: "Tell and use nothing but the TURN servers' addresses: the other side doesn't learn ours.")
    var relayOnly = false

    func validate() throws {
        try InterfaceArgument.check(interfaces)
        guard let turnCertificates else { return }
        guard ICEServerOptions.areSecure(servers.turnAddresses) else {
            throw ValidationError("--turn-ca is for a TURN server over TLS: name it by --turn turns:…")
        }
        guard TURNServer.areCertificates(in: turnCertificates) else {
            throw ValidationError("--turn-ca: there are no certificates (PEM) to be read in \(turnCertificates).")
        }
    }

    func configuration() throws -> NetworkConfiguration {
        var network = NetworkConfiguration()
        network.usesTCP = !noTcp
        network.marksPackets = !noDscp
        network.interfaces = interfaces
        network.stunServers = servers.stunServers
        network.turnServers = try servers.turnServers()
        for index in network.turnServers.indices { network.turnServers[index].trustedCertificates = turnCertificates }
        network.relayOnly = relayOnly
        return network
    }
}

/// And how viewers find it: options of `host` and `doctor`.
struct HostNetworkOptions: ParsableArguments {
    @Option(
        help: "The UDP port for all viewers, 1…65535 (default: any free one); the same of TCP where it is free.")
    var udpPort: UInt16?

    @OptionGroup var common: NetworkOptions

    func validate() throws {
        // A view may be told of servers by the signaling server.
        if common.relayOnly, common.servers.turnAddresses.isEmpty {
            throw ValidationError("--relay-only needs a --turn server.")
        }
    }

    func configuration() throws -> NetworkConfiguration {
        var network = try common.configuration()
        network.udpPort = udpPort ?? 0
        return network
    }
}

/// `192.168.1.2`, `fd00::2`, `eth0`.
enum InterfaceArgument {
    /// As many as a session takes.
    private static let most = 8

    static func check(_ texts: [String]) throws {
        if texts.count > most { throw ValidationError("At most \(most) addresses or interfaces.") }
        if let text = texts.first(where: { !NetworkConfiguration.isInterface($0) }) {
            throw ValidationError(
                "--interface takes an IP address, without brackets, or an interface that has one (see ip addr): not "
                    + "\"\(text)\".")
        }
    }
}
