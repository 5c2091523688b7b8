import Datagrams
import ICE
import PeerDriver

// What the facts mean to somebody who wants to share.
extension NetworkFacts {
    // MARK: This machine

    var machineFindings: [Finding] {
        if let addressFailure {
            return [
                Finding(.addresses, .failure, addressFailure, advice: "See ip addr for this machine's addresses.")
            ]
        }
        return [addressFinding, portFinding]
    }

    private var addressFinding: Finding {
        let texts = addresses.map(\.description)
        let values: [String: Finding.Value] = ["addresses": .list(texts)]
        if addresses.isEmpty {
            return Finding(
                .addresses, .failure, "this machine has no address to share from", advice: "Connect it to a network.")
        }
        if !foreignAddresses.isEmpty {
            return Finding(
                .addresses, .warning, "this machine has no \(Self.list(foreignAddresses.map(\.description)))",
                advice: "See ip addr for this machine's addresses.", values: values)
        }
        if addresses.allSatisfy(\.isLoopback) {
            return Finding(
                .addresses, .warning, "\(Self.list(texts)): nobody beyond this machine can watch",
                advice: "Connect it to a network.", values: values)
        }
        return Finding(.addresses, .ok, Self.list(texts), values: values)
    }

    private var portFinding: Finding {
        var values: [String: Finding.Value] = ["port": Finding.Value(Int(port))]
        values["sendBufferBytes"] = sendBuffer.map { Finding.Value($0.granted) }
        if let portFailure {
            return Finding(
                .udpPort, .failure, portFailure,
                advice: lacksSockets
                    ? "Choose another --interface." : "Choose another --udp-port, or end the program that has it.",
                values: values)
        }
        let found = port == 0 ? "the system has a free one" : "\(port) is free"
        guard let sendBuffer, sendBuffer.granted < sendBuffer.asked / Self.muchSmaller else {
            return Finding(.udpPort, .ok, found, values: values)
        }
        // So it is on most machines, and enough for most shares.
        let (granted, asked) = (Words.bytes(sendBuffer.granted), Words.bytes(sendBuffer.asked))
        return Finding(
            .udpPort, .ok, "\(found); \(granted) may wait to leave there, where \(asked) were asked for",
            advice: "Where that is too little for many viewers (datagramsRefused in --stats-json): "
                + "sysctl -w net.core.wmem_max=\(sendBuffer.asked)", values: values)
    }

    private static let muchSmaller = 4

    static func list(_ texts: [String]) -> String {
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return "\(texts.dropLast().joined(separator: ", ")) and \(last)"
    }

    // MARK: The way out

    var serverFindings: [Finding] {
        // Without sockets nobody could be asked.
        if addressFailure != nil || lacksSockets { return [] }
        return stunServers.map(finding) + relayServers.map(finding) + missingRelayFindings + natFindings
    }

    /// A share does not start then.
    private var missingRelayFindings: [Finding] {
        guard relayOnly, relayServers.isEmpty else { return [] }
        return [
            Finding(
                .turn, .failure, "only relays may be used, and no TURN server is named", advice: "Name one by --turn.")
        ]
    }

    private func finding(_ server: STUNServer) -> Finding {
        var values: [String: Finding.Value] = ["server": .text(server.url)]
        switch server.outcome {
        case .unknown:
            let isAddress = (try? ICEServerURI(server.url)).map { $0.kind == .stun && !$0.isSecure } ?? false
            return isAddress
                ? Finding(.stun, .failure, unknownName(server.url), advice: Self.nameAdvice, values: values)
                : Finding(
                    .stun, .failure, "\(server.url) is no STUN server's address", advice: "It is stun:host[:port].",
                    values: values)
        case .silent:
            let isNeeded = !hasRelay && !hasReflexiveAddress
            return Finding(
                .stun, isNeeded ? .failure : .warning, "\(server.url) does not answer",
                advice: "Is the name right, and does the firewall let UDP out? If not: --turn with ?transport=tcp, or "
                    + "turns:.", values: values)
        case .answered(let mapped, let base, let time):
            values["address"] = .text("\(mapped)")
            if let time { values["roundTripMs"] = Finding.Value(time) }
            let took = time.map { " in \(Words.milliseconds($0))" } ?? " after a repetition"
            let seen = mapped == base ? "as we know ourselves" : "at \(mapped)"
            return Finding(.stun, .ok, "\(server.url) answers\(took): it sees us \(seen)", values: values)
        }
    }

    private func finding(_ server: RelayServer) -> Finding {
        var values: [String: Finding.Value] = ["server": .text("\(server.uri)")]
        switch server.outcome {
        case .relays(let address):
            values["relayedAddress"] = .text("\(address)")
            return Finding(.turn, .ok, "\(server.uri) relays for us, at \(address)", values: values)
        case .unknown:
            return Finding(
                .turn, .failure, unknownName("\(server.uri)"), advice: Self.nameAdvice, values: values)
        case .silent:
            return Finding(
                .turn, hasRelay ? .warning : .failure, "\(server.uri) does not answer", advice: unreachable(server.uri),
                values: values)
        case .failed(let failure):
            // A share does not start with credentials that are refused.
            let verdict: Finding.Verdict = hasRelay && !failure.isRefusal ? .warning : .failure
            let advice =
                if failure.isRefusal {
                    "Check --turn-user and --turn-password, or --turn-secret, with which both clocks must be right too."
                } else if failure == .untrusted {
                    "Give the certificate's own authority by --turn-ca."
                } else {
                    unreachable(server.uri)
                }
            return Finding(.turn, verdict, failure.text(of: server.uri), advice: advice, values: values)
        }
    }

    private func unknownName(_ server: String) -> String { "\(server): its name can't be looked up" }

    private static let nameAdvice = "Is it right, and does a name server answer here?"

    private func unreachable(_ uri: ICEServerURI) -> String {
        uri.transport == .udp
            ? "Does it run, and does the firewall let UDP out? If not: ?transport=tcp, or turns:."
            : "Does it run, and does it listen at this port?"
    }

    // MARK: NAT

    private var natFindings: [Finding] {
        if relayOnly { return [] }
        if stunServers.isEmpty, mappings.isEmpty { return [unaskedFinding] }
        // An address that nothing can be reached from, as an IPv6 one of this network's alone, says nothing where another is.
        let heard = mappings.filter(\.isAnswered)
        return (heard.isEmpty ? mappings : heard).map(finding)
    }

    /// No server was named.
    private var unaskedFinding: Finding {
        let unasked = "not looked at, as no STUN server is named"
        let hasIPv4 = addresses.contains { !$0.isIPv6 && !$0.isLoopback }
        if let address = addresses.first(where: { $0.isPublic && !($0.isIPv6 && hasIPv4) }) {
            return Finding(.nat, .ok, "\(unasked); \(address) is an address of the internet's")
        }
        if hasRelay { return Finding(.nat, .ok, "\(unasked); the TURN server relays") }
        let whose = addresses.contains(where: \.isPublic) ? "viewers with IPv4 alone" : "viewers"
        return Finding(
            .nat, .warning, "\(unasked): \(whose) outside this network may find no way here",
            advice: "For them, name one by --stun, or a TURN server by --turn.")
    }

    private func finding(_ mapping: Mapping) -> Finding {
        let values: [String: Finding.Value] = ["mapping": .text(mapping.kind.rawValue), "base": .text("\(mapping.base)")]
        switch mapping.kind {
        case .none:
            return Finding(.nat, .ok, "there is none before \(mapping.base.ip)", values: values)
        case .endpointIndependent:
            return Finding(
                .nat, .ok,
                "\(mapping.base.ip) has the same outside address for everybody (endpoint-independent): viewers can be "
                    + "reached directly", values: values)
        case .addressDependent, .addressAndPortDependent, .dependent: return symmetric(mapping, values)
        case .unknown: return unknown(mapping, values)
        }
    }

    private func symmetric(_ mapping: Mapping, _ values: [String: Finding.Value]) -> Finding {
        let kind =
            switch mapping.kind {
            case .addressDependent: "address-dependent"
            case .addressAndPortDependent: "address- and port-dependent"
            case .dependent, .none, .endpointIndependent, .unknown: "address- or port-dependent"
            }
        let found = "symmetric: \(mapping.base.ip) has another outside address for each viewer (\(kind)), so what STUN "
            + "tells is of no use to most of them"
        if hasRelay {
            return Finding(.nat, .ok, "\(found); the TURN server relays where no other way is found", values: values)
        }
        return Finding(
            .nat, .warning, found,
            advice: "A TURN server is needed for viewers outside this network: --turn turn:host.", values: values)
    }

    private func unknown(_ mapping: Mapping, _ values: [String: Finding.Value]) -> Finding {
        let place = "before \(mapping.base.ip)"
        guard mapping.isAnswered else {
            return Finding(.nat, .warning, "not known \(place), as no STUN server answers", values: values)
        }
        // One server alone tells that there is one; what kind, two.
        let found = "there is one \(place); of which kind, one server does not tell"
        if hasRelay { return Finding(.nat, .ok, "\(found); the TURN server relays", values: values) }
        return Finding(
            .nat, .warning, found, advice: "Name a second STUN server, at another address (--stun can be repeated).",
            values: values)
    }
}
