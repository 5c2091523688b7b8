import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("Gathering server-reflexive candidates")
struct GathererTests {
    private static let socket = address("192.168.1.10", 5000)
    private static let server = address("198.51.100.1", 3478)
    private static let outside = address("203.0.113.7", 61_000)

    /// Drains it; what it sends is kept, and answered where `answer` has something.
    private final class Driver {
        var gatherer: ServerReflexiveGatherer
        var now = Instant.zero
        var events: [GathererEvent] = []
        var sent: [(at: Instant, packet: Packet)] = []
        var answer: (Packet) -> Packet? = { _ in nil }

        init(bases: [TransportAddress] = [GathererTests.socket], servers: [TransportAddress] = [GathererTests.server]) {
            gatherer = ServerReflexiveGatherer(
                bases: bases, servers: servers, random: SeededGenerator(seed: 7), at: .zero)
        }

        func run(until end: Instant) {
            while true {
                switch gatherer.nextOutput() {
                case .transmit(let bytes, let from, let to):
                    let packet = Packet(bytes: bytes, source: from, destination: to)
                    sent.append((now, packet))
                    if let reply = answer(packet) { receive(reply) }
                case .event(let event): events.append(event)
                case .wait(let until, _):
                    #expect(until > now)
                    guard until <= end else {
                        now = end
                        return
                    }
                    now = until
                    gatherer.advance(to: now)
                }
            }
        }

        @discardableResult
        func receive(_ packet: Packet) -> Bool {
            gatherer.receive(packet.bytes.span.bytes, local: packet.destination, from: packet.source, at: now)
        }
    }

    private static func reply(
        to packet: Packet, _ attributes: [STUNAttribute], _ messageClass: STUNClass = .success
    ) -> Packet? {
        guard let request = try? STUNMessage(packet.bytes) else { return nil }
        let bytes = STUNMessage(messageClass, request.transactionID, attributes).encoded(fingerprint: false)
        return Packet(bytes: bytes, source: packet.destination, destination: packet.source)
    }

    @Test("the first request leaves at once, and its answer is a candidate with base and related address")
    func answered() {
        let driver = Driver()
        driver.answer = { Self.reply(to: $0, [.xorMappedAddress(Self.outside)]) }
        driver.run(until: .zero + .seconds(1))
        let candidate = Candidate.serverReflexive(Self.outside, base: Self.socket, server: Self.server.ip)
        #expect(driver.sent.map(\.at) == [.zero])
        #expect(driver.gatherer.candidates == [candidate])
        #expect(driver.events == [.mapped(candidate), .finished])
        #expect(candidate.base == Self.socket)
        #expect(candidate.relatedAddress == Self.socket)
        #expect(driver.gatherer.isFinished)
    }

    @Test("MAPPED-ADDRESS is taken where it comes alone")
    func old() {
        let driver = Driver()
        driver.answer = { Self.reply(to: $0, [.mappedAddress(Self.outside)]) }
        driver.run(until: .zero + .seconds(1))
        #expect(driver.gatherer.candidates.map(\.address) == [.ip(Self.outside)])
    }

    @Test("without a NAT there is nothing to tell")
    func noNAT() {
        let driver = Driver()
        driver.answer = { Self.reply(to: $0, [.xorMappedAddress(Self.socket)]) }
        #expect(!driver.gatherer.hasAnswer)
        driver.run(until: .zero + .seconds(1))
        #expect(driver.gatherer.candidates.isEmpty)
        #expect(driver.gatherer.hasAnswer)
        #expect(driver.events == [.finished])
    }

    @Test("a silent server is asked seven times in 39.5 s, given up, and asked again after 30 s")
    func silent() {
        let driver = Driver()
        driver.run(until: .zero + .seconds(60))
        let times = [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500].map { Instant.zero + .milliseconds($0) }
        #expect(driver.sent.map(\.at) == times)
        #expect(Set(driver.sent.map(\.packet.bytes)).count == 1)
        #expect(driver.events == [.finished])
        driver.run(until: .zero + .seconds(70))
        #expect(driver.sent[7].at == .zero + .milliseconds(69_500))
    }

    @Test("a binding is refreshed every 15 to 25 s, and a change of address is told")
    func refresh() {
        let driver = Driver()
        var mapped = Self.outside
        driver.answer = { Self.reply(to: $0, [.xorMappedAddress(mapped)]) }
        driver.run(until: .zero + .seconds(200))
        let gaps = zip(driver.sent, driver.sent.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.count >= 7)
        #expect(gaps.allSatisfy { $0 >= .seconds(15) && $0 <= .seconds(25) })
        #expect(Set(driver.sent.map(\.packet.bytes)).count == driver.sent.count)
        #expect(driver.events.count == 2)
        mapped.port += 1
        driver.run(until: .zero + .seconds(230))
        #expect(driver.gatherer.candidates.map(\.address) == [.ip(mapped)])
        #expect(driver.events.count == 3)
    }

    @Test("a server that stops answering is said to be lost")
    func lost() {
        let driver = Driver()
        driver.answer = { Self.reply(to: $0, [.xorMappedAddress(Self.outside)]) }
        driver.run(until: .zero + .seconds(1))
        driver.answer = { _ in nil }
        #expect(driver.gatherer.hasAnswer)
        driver.run(until: .zero + .seconds(70))
        #expect(driver.gatherer.candidates.isEmpty && !driver.gatherer.hasAnswer)
        let candidate = Candidate.serverReflexive(Self.outside, base: Self.socket, server: Self.server.ip)
        #expect(driver.events == [.mapped(candidate), .finished, .lost(candidate)])
    }

    @Test("two servers that say the same make one candidate; requests leave 50 ms apart; families are not mixed")
    func several() {
        let second = address("198.51.100.2", 3478)
        let driver = Driver(
            bases: [Self.socket, address("2001:db8::5", 5000)],
            servers: [Self.server, second, address("2001:db8::99", 3478)])
        driver.answer = { packet in
            packet.source.ip.isIPv6 ? nil : Self.reply(to: packet, [.xorMappedAddress(Self.outside)])
        }
        driver.run(until: .zero + .milliseconds(400))
        #expect(driver.sent.map { $0.at - .zero } == [.zero, .milliseconds(50), .milliseconds(100)])
        #expect(driver.gatherer.candidates.count == 1)
        #expect(!driver.gatherer.isFinished)
    }

    @Test("no server, or none of our family: finished at once")
    func none() {
        let driver = Driver(servers: [address("2001:db8::99", 3478), address("0.0.0.0", 3478)])
        driver.run(until: .zero + .seconds(100))
        #expect(driver.sent.isEmpty)
        #expect(driver.events == [.finished])
    }

    @Test("answers from elsewhere, to another socket, with another ID or for nobody's request are left alone")
    func forged() throws {
        let driver = Driver()
        driver.run(until: .zero + .milliseconds(100))
        let request = try #require(driver.sent.first?.packet)
        let right = try #require(Self.reply(to: request, [.xorMappedAddress(Self.outside)]))
        var wrong = right
        wrong.source.port += 1
        #expect(!driver.receive(wrong))
        wrong = right
        wrong.destination.port += 1
        #expect(!driver.receive(wrong))
        wrong = right
        wrong.bytes[8] ^= 1
        #expect(!driver.receive(wrong))
        #expect(!driver.receive(Packet(bytes: request.bytes, source: Self.server, destination: Self.socket)))
        #expect(driver.gatherer.candidates.isEmpty)
        #expect(driver.receive(right))
        #expect(!driver.receive(right))
        #expect(driver.gatherer.candidates.count == 1)
    }

    @Test(
        "an answer without an address of use is as good as none",
        arguments: [
            [], [.xorMappedAddress(address("0.0.0.0", 1))], [.xorMappedAddress(address("224.0.0.1", 5000))],
            [.xorMappedAddress(address("203.0.113.7", 0))], [.xorMappedAddress(address("2001:db8::7", 5000))],
            [.xorMappedAddress(address("203.0.113.7", 5000)), .raw(STUNAttributeType(0x7001), [])],
        ] as [[STUNAttribute]])
    func useless(_ attributes: [STUNAttribute]) {
        let driver = Driver()
        driver.answer = { Self.reply(to: $0, attributes) }
        driver.run(until: .zero + .seconds(1))
        #expect(driver.gatherer.candidates.isEmpty)
        #expect(driver.events == [.finished])
    }

    @Test("an error answer, even to another server, gives nothing")
    func error() {
        let driver = Driver()
        driver.answer = {
            Self.reply(to: $0, [.errorCode(STUNErrorCode(300)), .alternateServer(address("203.0.113.1", 3478))], .error)
        }
        driver.run(until: .zero + .seconds(20))
        #expect(driver.gatherer.candidates.isEmpty)
        #expect(driver.sent.count == 1)
    }
}
