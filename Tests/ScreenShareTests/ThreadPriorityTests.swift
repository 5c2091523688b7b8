import AudioCodec
import Foundation
import Glibc
import Media
import NIOConcurrencyHelpers
import RTP
import SystemClock
import TestSupport
import Testing
import Timebase
@testable import ScreenShare

@Suite("How the thread of sound stands beside others", .timeLimit(.minutes(1)))
struct ThreadPriorityTests {
    private static let process = Int32(PRIO_PROCESS.rawValue)

    private struct Scheduling: Hashable, Sendable {
        var policy: Int32
        var nice: Int32

        /// Of the calling thread.
        static var present: Scheduling {
            // SCHED_RESET_ON_FORK comes with the policy.
            Scheduling(policy: sched_getscheduler(0) & 0xff, nice: getpriority(process, 0))
        }

        /// As far as the system lets it.
        static func set(_ policy: Int32, priority: Int32 = 0) -> Bool {
            var parameters = sched_param()
            parameters.sched_priority = priority
            return sched_setscheduler(0, policy, &parameters) == 0
        }
    }

    /// What is found on a thread that ends with it.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            BlockingThread.start(name: "test") { continuation.resume(returning: body()) }
        }
    }

    /// Whether the system lets a thread of this process be real-time, tried out, and would not kill it.
    private func mayBeRealTime() async throws -> Bool {
        let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8).split(separator: "\n")
        let time = try #require(limits.first { $0.hasPrefix("Max realtime timeout") })
        guard time.split(separator: " ")[3] == "unlimited" else { return false }
        return await onThread {
            let present = Scheduling.present
            return present.policy == SCHED_OTHER && present.nice == 0 && Scheduling.set(SCHED_RR, priority: 1)
        }
    }

    @Test("it goes ahead of others where the process may, what it starts does not, and sound leaves either way")
    func sound() async throws {
        let expectsRealTime = try await mayBeRealTime()
        let usual = await onThread { Scheduling.present }
        var commands = AudioConfiguration(system: .custom(CustomAudioSource())).commands(clock: EmbedderClock())
        commands.lanes = [.full: OpusTarget(bitsPerSecond: 64_000)]
        let controls = AudioControls(commands)
        let told = NIOLockedValueBox<[ThreadPriority]>([])
        let (found, continuation) = AsyncStream.makeStream(of: [Scheduling].self)
        controls.thread.begin()
        BlockingThread.start(name: "sound") {
            AudioPipeline(
                controls: controls, packetDuration: .milliseconds20, start: SystemClock.now(), taps: SampleTaps(),
                deliver: { _ in
                    let own = Scheduling.present
                    BlockingThread.start(name: "child") { continuation.yield([own, .present]) }
                },
                report: { event in
                    if case .priority(let priority) = event { told.withLockedValue { $0.append(priority) } }
                }
            ).run()
            controls.end()
        }
        var packets = found.makeAsyncIterator()
        let next = await packets.next()
        let first = try #require(next)
        controls.change { $0.stops = true }
        await controls.thread.ended()
        #expect(first[1] == usual)
        switch try #require(told.withLockedValue(\.self).first) {
        case .realTime: #expect(expectsRealTime && first[0].policy == SCHED_RR)
        case .nice(let value): #expect(!expectsRealTime && first[0] == Scheduling(policy: SCHED_OTHER, nice: Int32(value)))
        case .ordinary: #expect(!expectsRealTime && first[0] == usual)
        }
    }

    @Test("what was given another policy, or another share of the processor, keeps it")
    func kept() async {
        // SCHED_BATCH, which Glibc does not show to Swift.
        let batch: Int32 = 3
        let (raised, policy) = await onThread {
            _ = Scheduling.set(batch)
            return (ThreadPriority.raise(), Scheduling.present.policy)
        }
        #expect(raised == .ordinary && policy == batch)
        for value in [19, -5] as [Int32] {
            let (isGiven, raised, present) = await onThread {
                // To have more than others takes a right.
                let isGiven = setpriority(Self.process, 0, value) == 0
                return (isGiven, ThreadPriority.raise(), Scheduling.present)
            }
            guard isGiven else { continue }
            #expect(raised == .ordinary && present == Scheduling(policy: SCHED_OTHER, nice: value))
        }
    }

    @Test("what was raised can be one among others again")
    func lowered() async {
        let lowered = await onThread {
            let priority = ThreadPriority.raise()
            if priority != .ordinary { ThreadPriority.lower() }
            return Scheduling.present
        }
        #expect(lowered.policy == SCHED_OTHER && lowered.nice >= 0)
    }

    @Test("a thread that works for more than half of a second is found out, and one that makes up for a stall is not")
    func load() {
        var load = ThreadLoad()
        var (now, used) = (Instant.zero, Duration.zero)
        func runs(_ share: Double, for time: Duration) -> Bool {
            var isFound = false
            let end = now + time
            while now < end {
                now += .milliseconds(20)
                used += Duration.milliseconds(20) * share
                if load.isTooMuch(used: used, at: now) { isFound = true }
            }
            return isFound
        }
        #expect(!runs(0.03, for: .seconds(60)))
        #expect(!runs(1, for: .milliseconds(300)), "half a second of packets")
        #expect(!runs(0.03, for: .seconds(5)))
        now += .seconds(3600)
        #expect(!runs(0.03, for: .seconds(5)), "the machine slept")
        #expect(runs(0.9, for: .seconds(2.1)))
    }
}
