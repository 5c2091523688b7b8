import Media
import Synchronization
import SystemClock
import Timebase

/// Who reads a share's samples. Thread-safe.
final class SampleTaps: Sendable {
    private struct Tap {
        let kinds: Set<ShareSample.Kind>
        let queue: UnreadSamples
    }

    private struct State {
        var taps: [Int: Tap] = [:]
        var made = 0
        /// How many ever were of each kind.
        var opened: [ShareSample.Kind: Int] = [:]
        var isFinished = false
        var onChange: @Sendable ([ShareSample.Kind: Int]) -> Void = { _ in }

        /// Told while locked: of two changes the later one is told last.
        func tell() {
            let read = Set(taps.values.flatMap(\.kinds))
            onChange(opened.filter { read.contains($0.key) })
        }
    }

    private let state = Mutex(State())

    /// A reader that is slow loses the oldest of what it has not taken: some pictures, or a second of sound.
    func open(_ kinds: Set<ShareSample.Kind>) -> AsyncStream<ShareSample> {
        let queue = UnreadSamples()
        let id = state.withLock { state in
            state.made += 1
            if state.isFinished {
                queue.finish()
            } else {
                state.taps[state.made] = Tap(kinds: kinds, queue: queue)
                for kind in kinds { state.opened[kind, default: 0] += 1 }
                state.tell()
            }
            return state.made
        }
        let reader = SampleReader(queue) { [weak self] in self?.close(id) }
        return AsyncStream(unfolding: { await reader.queue.next() }, onCancel: { queue.finish() })
    }

    private func close(_ id: Int) {
        state.withLock { state in
            state.taps[id] = nil
            state.tell()
        }
    }

    /// - Parameter onChange: what is read, each with how many ever began to read it, now and whenever that changes: one
    ///   who takes another's place is new all the same. It must not come back here.
    func follow(_ onChange: @escaping @Sendable ([ShareSample.Kind: Int]) -> Void) {
        state.withLock { state in
            state.onChange = onChange
            state.tell()
        }
    }

    /// The share has stopped.
    func finish() {
        let taps = state.withLock { state in
            state.isFinished = true
            return Array(state.taps.values)
        }
        taps.forEach { $0.queue.finish() }
    }

    func give(_ sample: ShareSample) {
        let queues = state.withLock { state in
            state.taps.values.filter { $0.kinds.contains(sample.kind) }.map(\.queue)
        }
        queues.forEach { $0.put(sample) }
    }

    func give(_ picture: I420Picture, capturedAt: Instant) {
        give(
            .video(
                VideoSample(
                    i420: picture.packed, width: picture.size.width, height: picture.size.height,
                    capturedAt: SystemClock.continuous(capturedAt))))
    }

    func give(_ block: AudioBlock, _ kind: AudioKind) {
        give(
            .audio(
                AudioSample(
                    samples: block.samples, sampleRate: block.format.sampleRate, channels: block.format.channels,
                    capturedAt: SystemClock.continuous(block.capturedAt)), SharedAudio(kind)))
    }
}

/// The reader's end: a stream that nobody holds any more is read no more.
private final class SampleReader: Sendable {
    let queue: UnreadSamples
    private let close: @Sendable () -> Void

    init(_ queue: UnreadSamples, close: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.close = close
    }

    deinit { close() }
}

extension ShareSample.Kind {
    /// Nil for pictures.
    var audioKind: AudioKind? {
        switch self {
        case .video: nil
        case .systemAudio: .system
        case .microphone: .microphone
        }
    }
}

extension I420Picture {
    /// The planes back to back, without padding.
    fileprivate var packed: [UInt8] {
        withPlanes { luma, blue, red in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(size.area * 3 / 2)
            func append(_ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int) {
                for row in 0..<height { bytes += UnsafeBufferPointer(start: plane + row * stride, count: width) }
            }
            append(luma, lumaStride, size.width, size.height)
            append(blue, chromaStride, size.width / 2, size.height / 2)
            append(red, chromaStride, size.width / 2, size.height / 2)
            return bytes
        }
    }
}
