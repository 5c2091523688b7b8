import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("Asking STUN servers what a NAT does")
struct MappingProbeTests {
    private static let base = address("192.168.1.10", 5000)
    private static let one = address("198.51.100.1", 3478)
    private static let two = address("198.51.100.2", 3478)
    private static let other = address("198.51.100.9", 3479)

    /// Virtual time, and a NAT that `map` describes.
    private final class Driver {
        var probe: MappingProbe
        var now = Instant.zero
        var sent: [(at: Instant, bytes: [UInt8], to: TransportAddress)] = []
        /// What the socket looks like from a place; nil: nobody answers there.
        var map: (TransportAddress) -> TransportAddress? = { _ in nil }
        /// What servers say of their other address.
        var others: [TransportAddress: TransportAddress] = [:]
        var delay = Duration.milliseconds(20)
        private var underway: [(due: Instant, bytes: [UInt8], from: TransportAddress)] = []

        init(servers: [TransportAddress]) {
            probe = MappingProbe(
                base: MappingProbeTests.base, servers: servers, random: SeededGenerator(seed: 7), at: .zero)
        }

        func run(until end: Instant = .zero + .seconds(60)) {
            while true {
                switch probe.nextOutput() {
                case .transmit(let bytes, let to):
                    sent.append((now, bytes, to))
                    answer(bytes, to)
                case .wait(let until, _):
                    let next = min(until, underway.map(\.due).min() ?? .distantFuture)
                    guard next <= end else { return }
                    #expect(next > now || !underway.isEmpty)
                    now = next
                    deliver()
                    probe.advance(to: now)
                }
            }
        }

        private func answer(_ bytes: [UInt8], _ place: TransportAddress) {
            guard let mapped = map(place), let request = try? STUNMessage(bytes) else { return }
            var attributes = [STUNAttribute.xorMappedAddress(mapped)]
            if let other = others[place] { attributes.append(.otherAddress(other)) }
            let reply = STUNMessage(.success, request.transactionID, attributes).encoded()
            underway.append((now + delay, reply, place))
        }

        private func deliver() {
            let due = underway.filter { $0.due <= now }
            underway.removeAll { $0.due <= now }
            for reply in due { receive(reply.bytes, from: reply.from) }
        }

        @discardableResult
        func receive(_ bytes: [UInt8], from place: TransportAddress) -> Bool {
            probe.receive(bytes.span.bytes, from: place, at: now)
        }
    }

    private static func outside(_ port: UInt16) -> TransportAddress { address("203.0.113.7", port) }

    @Test("two servers that see the same: endpoint-independent, with the time each took")
    func servers() {
        let driver = Driver(servers: [Self.one, Self.two])
        driver.map = { _ in Self.outside(61_000) }
        driver.run()
        #expect(driver.probe.isFinished)
        #expect(driver.probe.mapping == .endpointIndependent)
        #expect(driver.sent.map(\.at) == [.zero, .zero + .milliseconds(50)])
        #expect(driver.probe.answer(of: Self.one)?.time == .milliseconds(20))
        #expect(driver.probe.answer(of: Self.two)?.mapped == Self.outside(61_000))
    }

    @Test("a server's other address stands for a second server, and is asked at two ports")
    func otherAddress() {
        let driver = Driver(servers: [Self.one])
        driver.others = [Self.one: Self.other]
        driver.map = { place in Self.outside(place.ip == Self.one.ip ? 61_000 : 61_000 + place.port % 10) }
        driver.run()
        #expect(driver.sent.map(\.to) == [Self.one, TransportAddress(ip: Self.other.ip, port: 3478), Self.other])
        #expect(driver.probe.mapping == .addressAndPortDependent)
        driver.map = { place in Self.outside(place.ip == Self.one.ip ? 61_000 : 61_001) }
        let again = Driver(servers: [Self.one])
        (again.others, again.map) = (driver.others, driver.map)
        again.run()
        #expect(again.probe.mapping == .addressDependent)
    }

    @Test("where there is no NAT, nobody is asked at another address")
    func noNAT() {
        let driver = Driver(servers: [Self.one])
        driver.others = [Self.one: Self.other]
        driver.map = { _ in Self.base }
        driver.run()
        #expect(driver.sent.count == 1)
        #expect(driver.probe.mapping == .none)
    }

    @Test(
        "another address that is none is not asked",
        arguments: [
            address("0.0.0.0", 3479), address("224.0.0.1", 3479), address("198.51.100.1", 3479), address("::1", 3479),
            address("198.51.100.9", 0),
        ])
    func wrongOther(_ other: TransportAddress) {
        let driver = Driver(servers: [Self.one])
        driver.others = [Self.one: other]
        driver.map = { _ in Self.outside(61_000) }
        driver.run()
        #expect(driver.sent.count == 1)
        #expect(driver.probe.mapping == .unknown)
    }

    @Test("another address that does not answer leaves what the servers say")
    func silentOther() {
        let driver = Driver(servers: [Self.one, Self.two])
        driver.others = [Self.one: Self.other]
        driver.map = { place in place.ip == Self.other.ip ? nil : Self.outside(61_000 + UInt16(place.ip.bytes[3])) }
        driver.run()
        #expect(driver.probe.isFinished)
        #expect(driver.probe.mapping == .dependent)
    }

    @Test("a silent server is asked three times in 1.5 s and given up at 3.4 s")
    func silent() {
        let driver = Driver(servers: [Self.one])
        driver.run()
        #expect(driver.sent.map(\.at) == [0, 500, 1_500].map { Instant.zero + .milliseconds($0) })
        #expect(driver.now == .zero + .milliseconds(3_400))
        #expect(driver.probe.isFinished)
        #expect(driver.probe.answer(of: Self.one) == nil)
        #expect(driver.probe.mapping == .unknown)
    }

    @Test("with one server, its other address and both silent there, all is over within 7 s")
    func bounded() {
        let driver = Driver(servers: [Self.one])
        driver.others = [Self.one: Self.other]
        driver.delay = .milliseconds(3_300)
        driver.map = { $0 == Self.one ? Self.outside(61_000) : nil }
        driver.run()
        #expect(driver.probe.isFinished)
        #expect(driver.now <= .zero + .seconds(7))
    }

    @Test("an answer after a repetition counts, but not its time")
    func repeated() {
        let driver = Driver(servers: [Self.one])
        driver.delay = .milliseconds(700)
        driver.map = { _ in Self.outside(61_000) }
        driver.run()
        #expect(driver.probe.answer(of: Self.one)?.mapped == Self.outside(61_000))
        #expect(driver.probe.answer(of: Self.one)?.time == nil)
    }

    @Test("what answers no question is for somebody else")
    func strangers() throws {
        let driver = Driver(servers: [Self.one])
        driver.run(until: .zero + .milliseconds(10))
        let request = try STUNMessage(driver.sent[0].bytes)
        func reply(_ id: TransactionID, _ messageClass: STUNClass = .success) -> [UInt8] {
            STUNMessage(messageClass, id, [.xorMappedAddress(Self.outside(1))]).encoded()
        }
        let foreign = TransactionID(high: 1, low: 1)
        for (bytes, from) in [
            (reply(request.transactionID), Self.two), (reply(foreign), Self.one),
            (reply(request.transactionID, .indication), Self.one), ([1, 2, 3], Self.one),
        ] {
            #expect(!driver.receive(bytes, from: from))
        }
        #expect(!driver.probe.isFinished)
        // An error is an answer, though one of no use.
        let refusal = STUNMessage(.error, request.transactionID, [.errorCode(STUNErrorCode(400))]).encoded()
        #expect(driver.receive(refusal, from: Self.one))
        #expect(driver.probe.isFinished && driver.probe.answer(of: Self.one) == nil)
    }

    @Test("servers of the other family, twice the same, and more than eight are left out")
    func many() {
        let others = (10..<30).map { address("198.51.100.\($0)", 3478) }
        let servers = [address("2001:db8::1", 3478), Self.one, Self.one] + others
        let driver = Driver(servers: servers)
        driver.run()
        #expect(Set(driver.sent.map(\.to)).count == Limits.servers)
        #expect(!driver.sent.contains { $0.to.ip.isIPv6 })
    }
}
