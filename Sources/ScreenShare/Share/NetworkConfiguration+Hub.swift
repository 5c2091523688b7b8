import Datagrams
import ICE
import NIOCore
import PeerCore
import PeerDriver
import SecureTransport

enum GatheringLimit {
    /// STUN's first retransmission comes after 0.5 s (RFC 8489 § 6.2.1); a server that is silent for longer is not waited
    /// for.
    static let time = Duration.seconds(1)
}

extension NetworkConfiguration {
    /// What the hub needs, with names resolved and addresses checked.
    func hubConfiguration(
        onEvent: @escaping @Sendable (PeerID, LaneKey?, PeerEvent) -> Void
    ) async throws(ShareError) -> HubConfiguration {
        var chosen: [IPAddress] = []
        for text in interfaces {
            guard let address = IPAddress(text) else { throw .network("\"\(text)\" is not an IP address") }
            chosen.append(address)
        }
        let addresses: [IPAddress]
        do { addresses = try LocalAddresses.select(chosen) } catch {
            throw .network("this machine's addresses can't be read: \(error)")
        }
        var servers: [TransportAddress] = []
        for server in stunServers {
            guard let address = await STUNServer.resolve(server) else {
                throw .network("can't resolve the STUN server \"\(server)\" (stun:host[:port])")
            }
            servers.append(address)
        }
        return HubConfiguration(
            addresses: addresses, port: udpPort, stunServers: servers, makeSecurity: { try TransportSecurity() },
            makeAuthenticator: { OpenSSLAuthenticator() }, onEvent: onEvent)
    }
}
