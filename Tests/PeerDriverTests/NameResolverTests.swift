import Datagrams
import NIOConcurrencyHelpers
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

@Suite("Looking names up", .timeLimit(.minutes(1)))
struct NameResolverTests {
    /// Name servers that answer once they are let, always the same.
    private final class NameServers: Sendable {
        static let address = TransportAddress(ip: .loopback, port: 3478)
        let mayAnswer = Wakeup.made()
        let counts = NIOLockedValueBox(Counts())
        let begun: AsyncStream<Void>
        private let began: AsyncStream<Void>.Continuation

        struct Counts {
            var begun = 0
            /// At the same time.
            var present = 0
            var most = 0
        }

        init() {
            (begun, began) = AsyncStream.makeStream()
        }

        func find(_ name: NameResolver.Name) -> [TransportAddress] {
            counts.withLockedValue { counts in
                counts.begun += 1
                counts.present += 1
                counts.most = max(counts.most, counts.present)
            }
            defer { counts.withLockedValue { $0.present -= 1 } }
            began.yield()
            mayAnswer.wait(atMost: .seconds(50))
            return [Self.address]
        }
    }

    private func name(_ host: String) -> NameResolver.Name { NameResolver.Name(host: host, port: 3478) }

    @Test("many names are looked up side by side, but so many at most; the others in turn, and all are answered")
    func sideBySide() async {
        let servers = NameServers()
        let resolver = NameResolver { servers.find($0) }
        let (answers, sink) = AsyncStream.makeStream(of: [TransportAddress].self)
        let count = Limits.lookUps + 4
        for index in 0..<count { resolver.lookUp(name("\(index).invalid")) { sink.yield($0) } }
        var begun = servers.begun.makeAsyncIterator()
        for _ in 0..<Limits.lookUps { #expect(await begun.next() != nil) }
        servers.mayAnswer.fire()
        var answered = answers.makeAsyncIterator()
        for _ in 0..<count { #expect(await answered.next() == [NameServers.address]) }
        #expect(servers.counts.withLockedValue { $0.begun } == count)
        #expect(servers.counts.withLockedValue { $0.most } == Limits.lookUps)
    }

    @Test("all who ask for a name while it is looked up share the answer; who asks behind it has it looked up again")
    func shared() async {
        let servers = NameServers()
        let resolver = NameResolver { servers.find($0) }
        let (answers, sink) = AsyncStream.makeStream(of: [TransportAddress].self)
        for _ in 0..<100 { resolver.lookUp(name("relay.invalid")) { sink.yield($0) } }
        servers.mayAnswer.fire()
        var answered = answers.makeAsyncIterator()
        for _ in 0..<100 { #expect(await answered.next() == [NameServers.address]) }
        #expect(servers.counts.withLockedValue { $0.begun } == 1)
        #expect(await resolver.lookUp(name("relay.invalid")) == [NameServers.address])
        #expect(servers.counts.withLockedValue { $0.begun } == 2)
    }

    @Test("who asks for a name that has been looked up for five seconds has another look-up begun: the network may be another")
    func hanging() async {
        let servers = NameServers()
        let resolver = NameResolver { servers.find($0) }
        let (answers, sink) = AsyncStream.makeStream(of: [TransportAddress].self)
        let start = SystemClock.now()
        var begun = servers.begun.makeAsyncIterator()
        resolver.lookUp(name("relay.invalid"), at: start) { sink.yield($0) }
        #expect(await begun.next() != nil)
        resolver.lookUp(name("relay.invalid"), at: start + Limits.lookUpShared - .nanoseconds(1)) { sink.yield($0) }
        resolver.lookUp(name("relay.invalid"), at: SystemClock.now() + Limits.lookUpShared) { sink.yield($0) }
        #expect(await begun.next() != nil, "while the first hangs")
        servers.mayAnswer.fire()
        var answered = answers.makeAsyncIterator()
        for _ in 0..<3 { #expect(await answered.next() == [NameServers.address]) }
        #expect(servers.counts.withLockedValue { $0.begun } == 2)
    }

    @Test("a look-up that waits for a thread is shared for as long as it waits, so that names that hang take no more of them")
    func waiting() async {
        let servers = NameServers()
        let resolver = NameResolver { servers.find($0) }
        let (answers, sink) = AsyncStream.makeStream(of: [TransportAddress].self)
        let start = SystemClock.now()
        for index in 0..<Limits.lookUps { resolver.lookUp(name("\(index).invalid")) { sink.yield($0) } }
        var begun = servers.begun.makeAsyncIterator()
        for _ in 0..<Limits.lookUps { #expect(await begun.next() != nil) }
        for minutes in 0..<4 { resolver.lookUp(name("relay.invalid"), at: start + .seconds(minutes * 60)) { sink.yield($0) } }
        servers.mayAnswer.fire()
        var answered = answers.makeAsyncIterator()
        for _ in 0..<Limits.lookUps + 4 { #expect(await answered.next() == [NameServers.address]) }
        #expect(servers.counts.withLockedValue { $0.begun } == Limits.lookUps + 1)
        #expect(servers.counts.withLockedValue { $0.most } == Limits.lookUps)
    }
}
