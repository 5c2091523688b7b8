import Datagrams
import Timebase

@testable import ICE

/// A TURN server (RFC 8656) in its plainest form, whose answers a test may change.
final class RelayServer: Node {
    static let standardAddress = TransportAddress(ip: .v4(0xC633_6401), port: 3478)  // 198.51.100.1

    struct Allocation {
        let relayed: TransportAddress
        let username: String
        let transaction: TransactionID
        var expiresAt: Instant
        var permissions: [IPAddress: Instant] = [:]
        var channels: [UInt16: (peer: TransportAddress, until: Instant)] = [:]

        func number(of peer: TransportAddress, at now: Instant) -> UInt16? {
            channels.first { $0.value.peer == peer && now < $0.value.until }?.key
        }

        func permits(_ ip: IPAddress, at now: Instant) -> Bool { permissions[ip].map { now < $0 } ?? false }
    }

    let address: TransportAddress
    var users = ["user": "pass"]
    var realm = "example.org"
    var lifetime: UInt32 = 600
    var nonceLifetime = Duration.seconds(36_000)
    private(set) var allocations: [TransportAddress: Allocation] = [:]
    private(set) var requests: [(at: Instant, message: STUNMessage)] = []
    /// Datagrams of clients that no permission covered, or no allocation.
    private(set) var refusedData = 0
    /// An error to answer a request with; it is signed where the request was.
    var refuse: (STUNMessage) -> STUNErrorCode? = { _ in nil }
    /// Changes an answer before it is signed.
    var alter: (inout STUNMessage) -> Void = { _ in }
    /// Whether an allocation in the way is told of even to a request without credentials, as coturn does.
    var isHasty = false
    /// Whether a client without an allocation has an answer to Allocate alone, and 437 is not signed, as at Pion.
    var isTaciturn = false
    private var nextPort: UInt16 = 50_000
    private var restarts = 0

    init(_ address: TransportAddress = standardAddress) {
        self.address = address
    }

    /// As where a NAT has given the client another port.
    func forget() { allocations = [:] }

    /// Everything is forgotten, as after a crash.
    func restart() {
        allocations = [:]
        restarts += 1
    }

    func requests(_ method: STUNMethod) -> [(at: Instant, message: STUNMessage)] {
        requests.filter { $0.message.header.method == method && $0.message.messageClass == .request }
    }

    var due: Instant { .distantFuture }
    func advance(to now: Instant) -> [Packet] { [] }

    func owns(_ address: TransportAddress) -> Bool {
        address == self.address || allocations.values.contains { $0.relayed == address }
    }

    func receive(_ packet: Packet, at now: Instant) -> [Packet] {
        allocations = allocations.filter { now < $0.value.expiresAt }
        if packet.destination != address { return relay(packet, at: now) }
        if let data = ChannelData(packet.bytes.span.bytes) {
            let peer = allocations[packet.source]?.channels[data.number].flatMap { now < $0.until ? $0.peer : nil }
            return forward(Array(packet.bytes[data.payload]), of: packet.source, to: peer, at: now)
        }
        guard let message = try? STUNMessage(packet.bytes) else { return [] }
        requests.append((now, message))
        switch (message.messageClass, message.header.method) {
        case (.indication, .send):
            let payload = message.attributes.compactMap { if case .data(let bytes) = $0 { bytes } else { nil } }.first
            return forward(payload ?? [], of: packet.source, to: message.xorPeerAddress, at: now)
        case (.request, _): return answer(message, packet, at: now)
        default: return []
        }
    }

    // MARK: Data

    private func forward(
        _ payload: [UInt8], of client: TransportAddress, to peer: TransportAddress?, at now: Instant
    ) -> [Packet] {
        guard let allocation = allocations[client], let peer, allocation.permits(peer.ip, at: now) else {
            refusedData += 1
            return []
        }
        return [Packet(bytes: payload, source: allocation.relayed, destination: peer)]
    }

    private func relay(_ packet: Packet, at now: Instant) -> [Packet] {
        guard let (client, allocation) = allocations.first(where: { $0.value.relayed == packet.destination }),
            allocation.permits(packet.source.ip, at: now)
        else { return [] }
        var bytes: [UInt8] = []
        if let number = allocation.number(of: packet.source, at: now) {
            ChannelData.write(packet.bytes, number: number, isPadded: false, to: &bytes)
        } else {
            let header = STUNHeader(.indication, .data, TransactionID(high: 1, low: 2))
            bytes = STUNMessage(header, [.xorPeerAddress(packet.source), .data(packet.bytes)])
                .encoded(fingerprint: false)
        }
        return [Packet(bytes: bytes, source: address, destination: client)]
    }

    // MARK: Requests

    private func nonce(at now: Instant) -> String {
        "nonce-\(restarts)-\(now.nanoseconds / nonceLifetime.nanoseconds)"
    }

    private func answer(_ request: STUNMessage, _ packet: Packet, at now: Instant) -> [Packet] {
        let challenge: [STUNAttribute] = [.realm(realm), .nonce(nonce(at: now))]
        guard let username = request.username, let nonce = request.nonce, let password = users[username] else {
            if isHasty, request.header.method == .allocate, allocations[packet.source] != nil {
                return reply(request, [.errorCode(.allocationMismatch)], key: nil, packet)
            }
            let error = refuse(request) ?? .unauthenticated
            return reply(request, [.errorCode(error)] + challenge, key: nil, packet)
        }
        let key = STUNMessage.longTermKey(
            username: username, realm: realm, password: password, with: TestAuthenticator())
        guard STUNMessage.verify(packet.bytes, key: key) != nil else {
            return reply(request, [.errorCode(.unauthenticated)] + challenge, key: nil, packet)
        }
        guard nonce == self.nonce(at: now) else {
            return reply(request, [.errorCode(.staleNonce)] + challenge, key: nil, packet)
        }
        if let error = refuse(request) { return reply(request, [.errorCode(error)], key: key, packet) }
        if isTaciturn, request.header.method != .allocate, allocations[packet.source] == nil { return [] }
        let result =
            request.header.method == .allocate
            ? allocate(request, packet.source, username, at: now) : change(request, packet.source, at: now)
        let isUnsigned = isTaciturn && result == [.errorCode(.allocationMismatch)]
        return reply(request, result, key: isUnsigned ? nil : key, packet)
    }

    private func allocate(
        _ request: STUNMessage, _ client: TransportAddress, _ username: String, at now: Instant
    ) -> [STUNAttribute] {
        if let old = allocations[client], old.transaction != request.transactionID {
            return [.errorCode(.allocationMismatch)]
        }
        let isIPv6 = request.attributes.contains(.requestedAddressFamily(2))
        let ip = isIPv6 ? IPAddress("2001:db8:9::1") ?? .loopback : address.ip
        let relayed = allocations[client]?.relayed ?? TransportAddress(ip: ip, port: nextPort)
        nextPort += 1
        allocations[client] = Allocation(
            relayed: relayed, username: username, transaction: request.transactionID,
            expiresAt: now + .seconds(Int64(lifetime)))
        return [.xorRelayedAddress(relayed), .xorMappedAddress(client), .lifetime(lifetime)]
    }

    private func change(_ request: STUNMessage, _ client: TransportAddress, at now: Instant) -> [STUNAttribute] {
        guard let allocation = allocations[client] else { return [.errorCode(.allocationMismatch)] }
        if allocation.username != request.username { return [.errorCode(.wrongCredentials)] }
        switch request.header.method {
        case .refresh:
            let wanted = request.lifetime ?? lifetime
            allocations[client]?.expiresAt = now + .seconds(Int64(wanted == 0 ? 0 : lifetime))
            if wanted == 0 { allocations[client] = nil }
            return [.lifetime(wanted == 0 ? 0 : lifetime)]
        case .createPermission:
            guard let peer = request.xorPeerAddress else { return [.errorCode(.badRequest)] }
            allocations[client]?.permissions[peer.ip] = now + .seconds(300)
            return []
        case .channelBind:
            guard let peer = request.xorPeerAddress, let number = request.channelNumber,
                allocation.channels[number].map({ $0.peer == peer || now >= $0.until }) ?? true,
                allocation.number(of: peer, at: now).map({ $0 == number }) ?? true
            else { return [.errorCode(.badRequest)] }
            allocations[client]?.channels[number] = (peer, now + .seconds(600))
            allocations[client]?.permissions[peer.ip] = now + .seconds(300)
            return []
        default: return [.errorCode(.badRequest)]
        }
    }

    private func reply(
        _ request: STUNMessage, _ attributes: [STUNAttribute], key: [UInt8]?, _ packet: Packet
    ) -> [Packet] {
        let isError = attributes.contains { if case .errorCode = $0 { true } else { false } }
        var message = STUNMessage(
            STUNHeader(isError ? .error : .success, request.header.method, request.transactionID), attributes)
        alter(&message)
        let bytes =
            key.map { message.encoded(key: $0, with: TestAuthenticator(), fingerprint: false) }
            ?? message.encoded(fingerprint: false)
        return [Packet(bytes: bytes, source: packet.destination, destination: packet.source)]
    }
}
