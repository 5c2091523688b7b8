import AudioCodec
import AudioConversion
import Media
import RTP
import SystemClock
import Timebase

/// What the thread of sound tells its session.
enum AudioPipelineEvent: Sendable {
    case lost(AudioKind, String)
    case back(AudioKind)
    /// How late sound leaves now, where that has changed much.
    case delay(Duration)
    case failed(String)
    /// How its thread stands beside others from now on.
    case priority(ThreadPriority)
}

/// The one thread of a share's sound: waits for its devices and for the next packet's time, mixes, encodes once for
/// each lane, hands over. Everything in here belongs to that thread.
///
///     AudioFeed (system) ─────┐
///                             ├─► AudioMixdown ─► OpusEncoder ─► AudioUnit, for every viewer that takes sound
///     AudioFeed (microphone) ─┘
final class AudioPipeline {
    private let controls: AudioControls
    private let counters: AudioCounters
    private let deliver: @Sendable (AudioUnit) -> Void
    private let report: @Sendable (AudioPipelineEvent) -> Void
    private let taps: SampleTaps
    private let packetDuration: OpusConfiguration.PacketDuration
    private var commands: AudioCommands
    private var feeds: [AudioFeed] = []
    /// As of the commands in force: only what is wanted is read, and so opened.
    private var wanted: Set<AudioKind> = []
    private var mixdown: AudioMixdown?
    /// When the next packet leaves, and whether any sound has come yet. To ask the mixdown would copy a kilobyte.
    private var packetDue = Instant.distantFuture
    private var hasHeard = false
    /// In the order of their lanes.
    private var encoders: [(lane: AudioLane, encoder: OpusEncoder)] = []
    private let start: Instant
    /// When somebody began to listen.
    private var begunAt = Instant.zero
    private var toldDelay = Duration.zero
    private var packetsTold = 0
    /// The latest packet had nothing to be sent.
    private var wasSilent = false
    /// The session may have something new.
    private var isTold = true
    /// Knows the feeds whose descriptors woke the thread, by their index. Sound servers hand over pieces of a few
    /// milliseconds, and to look at the other source as well each time would cost as much again.
    private var poll = Poll()
    private var priority = ThreadPriority.ordinary
    private var load = ThreadLoad()
    /// The kinds that were told to be lost, and not to be back: also while they have no source.
    private var toldLost: Set<AudioKind> = []

    /// - Parameter start: time zero of the sound; the same for the life of the share.
    init(
        controls: AudioControls, counters: AudioCounters = AudioCounters(),
        packetDuration: OpusConfiguration.PacketDuration, start: Instant, taps: SampleTaps,
        deliver: @escaping @Sendable (AudioUnit) -> Void,
        report: @escaping @Sendable (AudioPipelineEvent) -> Void
    ) {
        self.controls = controls
        self.counters = counters
        self.packetDuration = packetDuration
        self.start = start
        self.taps = taps
        self.deliver = deliver
        self.report = report
        commands = controls.present
        feeds = AudioKind.allCases.compactMap { kind in commands.sources[kind].map { AudioFeed(kind, open: $0) } }
    }

    /// Runs until it is told to stop, or nothing can be encoded.
    func run() {
        stand(ThreadPriority.raise())
        do throws(CodecError) {
            while !commands.stops { try step() }
        } catch {
            report(.failed("\(error)"))
        }
    }

    // MARK: One turn

    private func step() throws(CodecError) {
        if isTold, let next = controls.takeNew() {
            defer { next.acknowledgements.forEach { $0() } }
            // What came before somebody may be heard again still counts as muted.
            if isActive, next.muted != commands.muted { feeds.indices.forEach { read($0, at: SystemClock.now()) } }
            try apply(next)
        }
        if commands.stops { return }
        guard isActive else { return wait(until: .distantFuture) }
        let now = SystemClock.now()
        let isPacketDue = now >= packetDue
        for index in feeds.indices where isPacketDue || poll.isReady(index) || now >= feeds[index].due {
            read(index, at: now)
        }
        // What became due meanwhile is read for first.
        try encodeDue(at: now)
        watchLoad(at: now)
        wait(until: nextDue)
    }

    /// When a packet leaves or a device is opened.
    private var nextDue: Instant {
        var due = packetDue
        for index in feeds.indices where wanted.contains(feeds[index].kind) { due = min(due, feeds[index].due) }
        return due
    }

    /// Somebody hears the share, or reads a kind of sound that it has.
    private var isActive: Bool {
        if commands.isPaused || commands.stops { return false }
        return !commands.lanes.isEmpty || feeds.contains { commands.sampled.contains($0.kind) }
    }

    private func read(_ index: Int, at now: Instant) {
        let kind = feeds[index].kind
        guard wanted.contains(kind) else { return }
        let news = feeds[index].read(at: now) { heard, stereo in
            if commands.sampled.contains(kind), let heard { taps.give(heard, kind) }
            hasHeard = true
            mixdown?.receive(stereo, of: kind, at: now)
        }
        switch news {
        case .lost(let text):
            toldLost.insert(kind)
            report(.lost(kind, text))
        case .back:
            toldLost.remove(kind)
            report(.back(kind))
        case nil: break
        }
    }

    private func encodeDue(at now: Instant) throws(CodecError) {
        guard now >= packetDue else { return }
        defer { packetDue = mixdown?.due ?? .distantFuture }
        while let packet = mixdown?.nextPacket(at: now) {
            // A device takes its time to open, and until then nothing is known of how long its sound is held back.
            if !hasHeard, now - begunAt < AudioPipelineLimits.openingTime { continue }
            if packetsTold % AudioPipelineLimits.packetsPerStatistics == 0 { tellStatistics() }
            packetsTold += 1
            var encodings = AudioUnit.Encodings()
            // The first packet of a silence tells that it began; the others are not sent, and wake nobody.
            var isSilent = true
            for (lane, encoder) in encoders {
                let encoding = try encoder.encode(packet.samples)
                encodings[lane] = encoding
                isSilent = isSilent && encoding.isSilent
            }
            defer { wasSilent = isSilent }
            if isSilent, wasSilent { continue }
            deliver(AudioUnit(encodings, time: packet.time, capturedAt: packet.capturedAt))
        }
    }

    private func tellStatistics() {
        guard let mixdown else { return }
        let kinds = feeds.map { ($0.kind, mixdown.statistics(of: $0.kind)) }
        counters.set(Dictionary(uniqueKeysWithValues: kinds))
        guard (mixdown.delay - toldDelay).magnitude > AudioPipelineLimits.delayChange else { return }
        toldDelay = mixdown.delay
        report(.delay(toldDelay))
    }

    /// Owner of what is polled for the session: no feed's index.
    private static let own = -1

    /// Blocks until a device has something, the session changes something, or the time has come.
    private func wait(until due: Instant) {
        poll.removeAll()
        poll.add(controls.wakeup.descriptor, Wakeup.readable, of: Self.own)
        if isActive {
            for index in feeds.indices {
                for entry in feeds[index].pollDescriptors { poll.add(entry.descriptor, entry.events, of: index) }
            }
        }
        poll.wait(until: due)
        isTold = poll.isReady(Self.own)
        if isTold { controls.wakeup.drain() }
    }

    // MARK: Priority

    private func stand(_ priority: ThreadPriority) {
        self.priority = priority
        report(.priority(priority))
    }

    /// It sleeps until a device has something or a packet is due, and makes up for half a second at most. But an embedder can
    /// push without end, and ahead of all others a thread that never sleeps leaves a small machine nothing.
    private func watchLoad(at now: Instant) {
        guard priority != .ordinary, load.isTooMuch(used: SystemClock.threadTime(), at: now) else { return }
        ThreadPriority.lower()
        stand(.ordinary)
    }

    // MARK: Commands

    private func apply(_ next: AudioCommands) throws(CodecError) {
        let wasActive = isActive
        for kind in AudioKind.allCases where next.generations[kind] != commands.generations[kind] {
            replace(kind, by: next.sources[kind])
        }
        commands = next
        commands.acknowledgements = []
        if isActive, mixdown == nil { begin() }
        if !isActive, wasActive { rest() }
        followWanted()
        for kind in AudioKind.allCases {
            mixdown?.mixer.faders[kind].gain = next.gains[kind] ?? .unity
            mixdown?.mixer.faders[kind].isMuted = next.muted.contains(kind)
        }
        let now = SystemClock.now()
        for index in feeds.indices { feeds[index].hearing.mute(next.muted.contains(feeds[index].kind), at: now) }
        if isActive { try adaptEncoders() }
    }

    /// One for each lane that has listeners.
    private func adaptEncoders() throws(CodecError) {
        let before = encoders
        // What those have heard so far who are moved to a new encoder: as a rule one that nobody hears any more.
        let forerunner = before.first { commands.lanes[$0.lane] == nil } ?? before.first
        encoders = []
        for lane in AudioLane.allCases {
            guard let target = commands.lanes[lane] else { continue }
            if let encoder = before.first(where: { $0.lane == lane })?.encoder {
                try encoder.adapt(to: target)
                encoders.append((lane, encoder))
            } else if let forerunner {
                encoders.append((lane, try forerunner.encoder.continued(at: target)))
            } else {
                var configuration = OpusConfiguration()
                configuration.packetDuration = packetDuration
                encoders.append((lane, try OpusEncoder(configuration, target: target)))
            }
        }
    }

    /// Nothing from before is heard: mixer and encoder begin anew, the clock goes on.
    private func begin() {
        packetsTold = 0
        hasHeard = false
        begunAt = SystemClock.now()
        let mixdown = AudioMixdown(
            packetFrames: packetDuration.frames, start: start, from: begunAt, makeResampler: Self.resampler(from:))
        packetDue = mixdown.due
        self.mixdown = mixdown
    }

    /// Closes what nobody wants any more. Of what is wanted again nothing from before is heard.
    private func followWanted() {
        let (before, now) = (wanted, SystemClock.now())
        wanted = commands.wanted
        for index in feeds.indices {
            let kind = feeds[index].kind
            switch (before.contains(kind), wanted.contains(kind)) {
            case (true, false):
                feeds[index].close()
                mixdown?.forget(kind)
            case (false, true):
                feeds[index].hearing.begin(at: now)
                if !hasHeard { begunAt = now }
            case (true, true), (false, false): break
            }
        }
    }

    /// What makes 48 kHz of a format.
    static func resampler(from format: AudioFormat) -> any Resampler {
        let rate = AudioFormat.stereo48k.sampleRate
        do throws(CodecError) {
            return try format.sampleRate == rate ? RestingResampler(format) : SincResampler(from: format, to: rate)
        } catch {
            return SilentResampler()
        }
    }

    private func rest() {
        mixdown = nil
        packetDue = .distantFuture
        counters.set([:])
        encoders = []
    }

    /// Of the source before nothing is heard any more.
    private func replace(_ kind: AudioKind, by open: AudioSourceFactory?) {
        feeds.removeAll { $0.kind == kind }
        // Their indices are others now.
        poll.removeAll()
        if let open {
            feeds.append(
                AudioFeed(kind, open: open, isToldLost: toldLost.contains(kind), since: SystemClock.now()))
        }
        mixdown?.forget(kind)
    }
}

enum AudioPipelineLimits {
    /// Nothing is said of sound for so long while none has come: where a device can't be had, silence is, from then on.
    static let openingTime = Duration.milliseconds(500)
    /// Half of what viewers can be told.
    static let delayChange = Duration.milliseconds(5)
    /// Statistics are read some times a second, if at all.
    static let packetsPerStatistics = 10
    /// What is read of one source before the others have their turn.
    static let turn = Duration.seconds(2)
    /// A device that has given sound for so long is not broken.
    static let proof = Duration.seconds(1)
    /// Pauses before a lost device is opened again: a sound server takes about as long as the first to start anew, and
    /// an attempt every two seconds, 5 ms each, costs nothing.
    static let reopenPauses = Duration.milliseconds(250)...Duration.seconds(2)
}

/// In place of a resampler that can't be had: a rate that no device has.
private final class SilentResampler: Resampler {
    let delay = Duration.zero
    func process(_ input: [Float], speed: Double, into output: inout [Float]) {}
}
