import NIOHTTP1
import SignalingProtocol

extension ServerAddress {
    /// Whether a signaling server answers here.
    package func answers() async -> Bool {
        guard let url = try? url("healthz") else { return false }
        let reply = try? await HTTPTransport.send(HTTPCall(.GET, url), within: ClientLimits.request)
        return reply?.isSuccess == true
    }
}
