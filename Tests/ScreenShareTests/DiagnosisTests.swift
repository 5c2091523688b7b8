import Datagrams
import Foundation
import ICE
import Media
import PeerDriver
import ScreenCapture
import SignalingClient
import SignalingProtocol
import Testing

@testable import ScreenShare

/// What is said of facts, without any machine or network.
@Suite("What the doctor says")
struct DiagnosisTests {
    private static let inside = TransportAddress(ip: .v4(0xC0A8_010A), port: 5000)
    private static let outside = TransportAddress(ip: .v4(0xCB00_7107), port: 61_000)
    private static let relayed = TransportAddress(ip: .v4(0xC633_6401), port: 50_000)

    private static func stun(_ outcome: NetworkFacts.STUNServer.Outcome) -> NetworkFacts.STUNServer {
        .init(url: "stun:stun.example.org", outcome: outcome)
    }

    private static let answered = stun(.answered(mapped: outside, base: inside, time: .milliseconds(12)))

    private static func turn(
        _ outcome: NetworkFacts.RelayServer.Outcome, _ uri: String = "turn:turn.example.org"
    ) throws -> NetworkFacts.RelayServer {
        .init(uri: try ICEServerURI(uri), outcome: outcome)
    }

    private static func facts(
        stun: [NetworkFacts.STUNServer] = [], turn: [NetworkFacts.RelayServer] = [], _ kind: NATMapping? = nil,
        isAnswered: Bool = true
    ) -> NetworkFacts {
        var facts = NetworkFacts()
        facts.addresses = [inside.ip]
        facts.stunServers = stun
        facts.relayServers = turn
        facts.mappings = kind.map { [.init(base: inside, kind: $0, isAnswered: isAnswered)] } ?? []
        return facts
    }

    private func only(_ check: Finding.Check, _ findings: [Finding]) throws -> Finding {
        let found = findings.filter { $0.check == check }
        #expect(found.count == 1)
        return try #require(found.first)
    }

    // MARK: Display and sound

    private static let report = DisplayReport(
        display: ":0", size: PixelSize(width: 1920, height: 1080), depth: 24, sharesMemory: true, seesPointer: true,
        knowsMonitors: true, pictureTime: .microseconds(3_210))

    @Test("a display that gives everything is fine, with its size and what a picture took")
    func display() {
        let finding = Finding.display(.seen(Self.report))
        #expect(finding.verdict == .ok && finding.advice == nil)
        #expect(finding.found.contains("1920x1080") && finding.found.contains("3.2 ms"))
        #expect(finding.values["pictureMs"] == .number(3.21) && finding.values["damage"] == .flag(true))
    }

    @Test("each extension that is missing is told with what that means")
    func extensions() {
        var report = Self.report
        (report.sharesMemory, report.seesPointer, report.knowsMonitors) = (false, false, false)
        let finding = Finding.display(.seen(report))
        #expect(finding.verdict == .warning && finding.advice != nil)
        for word in ["MIT-SHM", "XFIXES", "RandR"] { #expect(finding.found.contains(word)) }
        #expect(Finding.display(.failure("No display is named.")).verdict == .failure)
    }

    @Test("a display of Xwayland is a warning, also where it has everything")
    func xwayland() {
        var report = Self.report
        report.isXwayland = true
        let finding = Finding.display(.seen(report))
        #expect(finding.verdict == .warning && finding.found.contains("Xwayland"))
        #expect(finding.advice?.contains("X11 session") == true && finding.values["xwayland"] == .flag(true))
    }

    @Test("sound that is missing is a failure only where it was asked for")
    func sound() {
        func finding(_ isAsked: Bool, _ outcome: SoundCheck.Facts.Outcome) -> Finding {
            .sound(SoundCheck.Facts(kind: .system, isAsked: isAsked, outcome: outcome))
        }
        #expect(finding(true, .failure("No sound server answers.")).verdict == .failure)
        #expect(finding(false, .failure("No sound server answers.")).verdict == .warning)
        let open = finding(false, .open(name: "Speakers", sampleRate: 48_000, channels: 2))
        #expect(open.verdict == .ok && open.found.contains("Speakers, 48000 Hz, stereo"))
        #expect(Finding.noSound([]).verdict == .warning)
    }

    // MARK: Addresses and ports

    @Test("addresses: none is a failure, loopback alone a warning")
    func addresses() throws {
        func verdict(_ addresses: [IPAddress]) throws -> Finding.Verdict {
            var facts = NetworkFacts()
            facts.addresses = addresses
            return try only(.addresses, facts.machineFindings).verdict
        }
        #expect(try verdict([]) == .failure)
        #expect(try verdict([.loopback]) == .warning)
        #expect(try verdict([.loopback, Self.inside.ip]) == .ok)
        var facts = Self.facts()
        facts.foreignAddresses = facts.addresses
        let foreign = try only(.addresses, facts.machineFindings)
        #expect(foreign.verdict == .warning && foreign.found == "this machine has no \(Self.inside.ip)")
    }

    @Test("a port that is taken is a failure, and the servers are asked all the same; without a socket they can't be")
    func ports() throws {
        var facts = Self.facts(stun: [Self.answered], .endpointIndependent)
        (facts.port, facts.portFailure) = (5004, "can't use UDP port 5004 of 10.0.0.1: another program has it")
        let finding = try only(.udpPort, facts.machineFindings)
        #expect(finding.verdict == .failure && finding.advice?.contains("--udp-port") == true)
        #expect(!facts.serverFindings.isEmpty)
        facts.lacksSockets = true
        #expect(try only(.udpPort, facts.machineFindings).advice?.contains("--interface") == true)
        #expect(facts.serverFindings.isEmpty)
    }

    @Test("a send buffer much smaller than was asked for is told, with what to do about it; half of it is enough")
    func sendBuffer() throws {
        func finding(_ granted: Int) throws -> Finding {
            var facts = Self.facts()
            facts.sendBuffer = (granted, 4_194_304)
            return try only(.udpPort, facts.machineFindings)
        }
        let small = try finding(212_992)
        #expect(small.verdict == .ok && small.found.contains("212 kB") && small.found.contains("4.2 MB"))
        #expect(small.advice?.contains("net.core.wmem_max=4194304") == true)
        #expect(small.values["sendBufferBytes"] == .number(212_992))
        let half = try finding(2_097_152)
        #expect(half.advice == nil && half.values["sendBufferBytes"] == .number(2_097_152))
    }

    @Test("a signaling server that is there already is used, unless another address was asked for")
    func signalingPort() {
        func verdict(_ outcome: SignalingCheck.PortOutcome, _ mayUseAnother: Bool) -> Finding.Verdict {
            Finding.signalingPort(outcome, host: "127.0.0.1", port: 8080, mayUseAnother: mayUseAnother).verdict
        }
        #expect(verdict(.free, true) == .ok && verdict(.server(isLocal: true), true) == .ok)
        #expect(verdict(.server(isLocal: true), false) == .failure)
        #expect(verdict(.failure("another program has it"), true) == .failure)
    }

    @Test("that viewers would need a token is told where others in the network reach the server that would be used")
    func signalingReach() {
        func finding(isLocal: Bool) -> Finding {
            Finding.signalingPort(.server(isLocal: isLocal), host: "127.0.0.1", port: 8080, mayUseAnother: true)
        }
        let (here, everywhere) = (finding(isLocal: true), finding(isLocal: false))
        #expect(here.found.contains("its own --allow-host"))
        #expect(!here.found.contains("token") && here.values["local"] == .flag(true))
        #expect(everywhere.verdict == .ok && everywhere.found.contains("need a token unless --open"))
        #expect(everywhere.values["local"] == .flag(false))
    }

    @Test("only where a program has the port one is told to end it")
    func portAdvice() {
        func advice(_ outcome: SignalingCheck.PortOutcome) -> String? {
            Finding.signalingPort(outcome, host: "foo", port: 8080, mayUseAnother: false).advice
        }
        #expect(advice(.failure("another program has it", isTaken: true))?.contains("end the program") == true)
        #expect(advice(.failure("nobody knows this name")) == "Choose another --listen.")
    }

    @Test("a name that nobody knows is taken by no program")
    func unknownName() async throws {
        let check = await SignalingCheck.listening("nowhere.invalid", 8080, mayUseAnother: false, room: nil, token: nil)
        let finding = try only(.signalingPort, check.findings)
        #expect(finding.verdict == .failure && finding.advice?.contains("program") == false)
    }

    @Test("a port that no machine has fails in words")
    func noSuchPort() async throws {
        let check = await SignalingCheck.listening("127.0.0.1", 65536, mayUseAnother: true, room: nil, token: nil)
        let finding = try only(.signalingPort, check.findings)
        #expect(finding.verdict == .failure && finding.found.contains("ports are 0 to 65535"))
    }

    // MARK: STUN, TURN, NAT

    @Test("a STUN server that is silent fails where nothing else tells an address")
    func silent() throws {
        let silent = Self.stun(.silent)
        let alone = Self.facts(stun: [silent], .unknown, isAnswered: false).serverFindings
        #expect(try only(.stun, alone).verdict == .failure)
        let two = Self.facts(stun: [silent, Self.answered], .unknown).serverFindings.filter { $0.check == .stun }
        #expect(two.map(\.verdict) == [.warning, .ok])
        let relay = try Self.turn(.relays(Self.relayed))
        #expect(try only(.stun, Self.facts(stun: [silent], turn: [relay]).serverFindings).verdict == .warning)
        #expect(try only(.stun, Self.facts(stun: [Self.stun(.unknown)]).serverFindings).verdict == .failure)
    }

    @Test("TURN: who is refused fails even beside another that relays; who is not reached only warns then")
    func relays() throws {
        let working = try Self.turn(.relays(Self.relayed))
        let refused = try Self.turn(.failed(.turn(.credentialsRejected)))
        let gone = try Self.turn(.failed(.unreachable("connection refused")), "turn:turn.example.org?transport=tcp")
        func verdicts(_ servers: NetworkFacts.RelayServer...) -> [Finding.Verdict] {
            Self.facts(turn: servers).serverFindings.filter { $0.check == .turn }.map(\.verdict)
        }
        #expect(verdicts(working) == [.ok])
        #expect(verdicts(gone) == [.failure])
        #expect(verdicts(working, gone) == [.ok, .warning])
        #expect(verdicts(working, refused) == [.ok, .failure])
        #expect(verdicts(try Self.turn(.silent), working) == [.warning, .ok])
        let told = try only(.turn, Self.facts(turn: [refused]).serverFindings)
        #expect(told.found.contains("refuses") && told.advice?.contains("--turn-password") == true)
    }

    @Test("a symmetric NAT is called so; without a relay a TURN server is said to be needed")
    func symmetric() throws {
        for kind in [NATMapping.addressDependent, .addressAndPortDependent, .dependent] {
            let alone = try only(.nat, Self.facts(stun: [Self.answered], kind).serverFindings)
            #expect(alone.verdict == .warning && alone.found.hasPrefix("symmetric"))
            #expect(alone.advice?.contains("A TURN server is needed") == true)
            #expect(alone.values["mapping"] == .text(kind.rawValue))
            let relay = try Self.turn(.relays(Self.relayed))
            let relieved = try only(.nat, Self.facts(stun: [Self.answered], turn: [relay], kind).serverFindings)
            #expect(relieved.verdict == .ok && relieved.found.hasPrefix("symmetric") && relieved.advice == nil)
        }
    }

    @Test("other NATs: the same address for everybody is fine, an unknown kind wants a second server")
    func nats() throws {
        func nat(_ kind: NATMapping, isAnswered: Bool = true) throws -> Finding {
            try only(.nat, Self.facts(stun: [Self.answered], kind, isAnswered: isAnswered).serverFindings)
        }
        #expect(try nat(.none).verdict == .ok)
        #expect(try nat(.endpointIndependent).verdict == .ok)
        #expect(try nat(.unknown).advice?.contains("second STUN server") == true)
        #expect(try nat(.unknown, isAnswered: false).found.contains("no STUN server answers"))
    }

    @Test("of an address that reaches no server nothing is said where another does")
    func unreached() throws {
        var facts = Self.facts(.endpointIndependent)
        facts.mappings.append(.init(base: Self.relayed, kind: .unknown, isAnswered: false))
        #expect(try only(.nat, facts.serverFindings).verdict == .ok)
    }

    @Test("without a STUN server, a public address is enough, a private one is not")
    func unasked() throws {
        #expect(try only(.nat, Self.facts().serverFindings).verdict == .warning)
        var facts = Self.facts()
        facts.addresses = [try #require(IPAddress("2001:db8::1"))]
        #expect(try only(.nat, facts.serverFindings).verdict == .ok)
        facts.addresses += [try #require(IPAddress("192.168.1.2"))]
        let mixed = try only(.nat, facts.serverFindings)
        #expect(mixed.verdict == .warning && mixed.found.contains("IPv4 alone"))
        facts.relayOnly = true
        facts.relayServers = [try Self.turn(.relays(Self.relayed))]
        #expect(facts.serverFindings.map(\.check) == [.turn])
    }

    @Test("where only relays may be used and none is named, nothing can be shared")
    func relayOnly() throws {
        var facts = Self.facts()
        facts.relayOnly = true
        let finding = try only(.turn, facts.serverFindings)
        #expect(finding.verdict == .failure && finding.advice?.contains("--turn") == true)
    }

    @Test(
        "which addresses the internet can send to",
        arguments: [
            ("203.0.113.7", true), ("10.1.2.3", false), ("172.31.0.1", false), ("172.32.0.1", true),
            ("192.168.0.1", false),
            ("100.64.0.1", false), ("100.127.255.255", false), ("100.128.0.1", true), ("127.0.0.1", false),
            ("169.254.1.1", false), ("2001:db8::1", true), ("fd00::1", false), ("fe80::1", false), ("::1", false),
        ])
    func isPublic(_ text: String, _ expected: Bool) throws {
        #expect(try #require(IPAddress(text)).isPublic == expected)
    }

    // MARK: Signaling

    private static func server(isSecure: Bool, host: String, _ state: RoomState.Phase = .waiting) throws -> Finding {
        let room = try #require(RoomName("demo"))
        let state = RoomState(room: room, state: state, viewers: 0, tokenRequired: false, name: nil, audio: nil)
        let report = ServerReport(
            isSecure: isSecure, firstAnswer: .milliseconds(40), roundTrip: .milliseconds(12), room: state)
        return SignalingFacts(server: "https://\(host)", host: host, isOurRoom: true, report: report).finding
    }

    @Test("a server is fine by TLS, or on this machine; plain HTTP elsewhere is told, and a room in use fails")
    func signaling() throws {
        let fine = try Self.server(isSecure: true, host: "meet.example.org")
        #expect(fine.verdict == .ok && fine.found.contains("12 ms") && fine.found.contains("40 ms"))
        #expect(try Self.server(isSecure: false, host: "127.0.0.1").verdict == .ok)
        #expect(try Self.server(isSecure: false, host: "127.example.org").verdict == .warning)
        #expect(try Self.server(isSecure: false, host: "meet.example.org").advice?.contains("TLS") == true)
        #expect(try Self.server(isSecure: true, host: "meet.example.org", .live).verdict == .failure)
        #expect(try Self.server(isSecure: true, host: "meet.example.org", .paused).verdict == .failure)
        #expect(SignalingFacts.finding(.unreachable(.insecure), at: "x").advice?.contains("certificate") == true)
        let misnamed = SignalingFacts.finding(.refused(status: 421, words: ""), at: "x")
        #expect(misnamed.advice?.contains("--allow-host") == true)
        let moved = SignalingFacts.finding(.elsewhere("https://meet.example.org"), at: "http://meet.example.org")
        #expect(moved.found == "http://meet.example.org leads to https://meet.example.org")
        #expect(moved.advice == "Name that address.")
    }

    private static func rate(_ up: RateFacts.Outcome, _ down: RateFacts.Outcome) -> Finding {
        RateFacts(host: "meet.example.org", up: up, down: down).finding
    }

    @Test("the rate is said with what it is of; a narrow way up warns, and one that could not be measured says why")
    func rates() {
        let wide = RateFacts.Outcome.measured(Transfer(bytes: 1_000_000, time: .milliseconds(200)))
        let narrow = RateFacts.Outcome.measured(Transfer(bytes: 50_000, time: .seconds(1)))
        let fine = Self.rate(wide, wide)
        #expect(fine.verdict == .ok && fine.found.contains("at least 40 Mbit/s up (1.0 MB)"))
        #expect(fine.values["upBitsPerSecond"] == .number(4e7))
        #expect(Self.rate(narrow, wide).verdict == .warning)
        #expect(Self.rate(wide, narrow).verdict == .ok)
        #expect(Self.rate(.tooSlow, wide).found.contains("less than 100 kbit/s up"))
        #expect(Self.rate(.failed(.gone), wide).verdict == .warning)
        #expect(Self.rate(.failed(.tokenRequired), wide).verdict == .failure)
        let refused = RateFacts.Outcome.failed(.forbidden(words: "not here"))
        #expect(Self.rate(refused, wide).verdict == .failure)
        let unnamed = RateFacts(host: "meet.example.org", isOurRoom: false, up: refused, down: refused).finding
        #expect(unnamed.verdict == .warning && unnamed.advice?.contains("--room") == true)
        // Two flights over a satellite.
        let far = RateFacts.Outcome.measured(Transfer(bytes: 32_768, time: .milliseconds(1210)))
        let satellite = RateFacts(host: "x", up: far, down: far, roundTrip: .milliseconds(600)).finding
        #expect(satellite.verdict == .ok && satellite.found.contains("at least 217 kbit/s up"), "\(satellite.found)")
    }

    // MARK: All of it

    @Test("a diagnosis as JSON: whether it works, and each finding with its figures")
    func json() throws {
        let findings = [
            Finding(.display, .ok, "seen", values: ["width": Finding.Value(1920), "damage": .flag(true)]),
            Finding(.turn, .warning, "gone", advice: "Start it."),
        ]
        let data = try JSONEncoder().encode(Diagnosis(findings: findings))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["canShare"] as? Bool == true)
        let told = try #require(object["findings"] as? [[String: Any]])
        #expect(told.map { $0["verdict"] as? String } == ["ok", "warn"])
        #expect((told[0]["values"] as? [String: Any])?["width"] as? Int == 1920)
        #expect(told[1]["advice"] as? String == "Start it.")
        #expect(!Diagnosis(findings: findings + [Finding(.stun, .failure, "silent")]).canShare)
    }
}
