import Media
import NIOConcurrencyHelpers
import SystemClock
import Timebase

/// Who reads a share's samples. Thread-safe.
final class SampleTaps: Sendable {
    private struct Tap {
        let kinds: Set<ShareSample.Kind>
        let sink: AsyncStream<ShareSample>.Continuation
    }

    private struct State {
        var taps: [Int: Tap] = [:]
        var made = 0
        var onChange: @Sendable (Set<ShareSample.Kind>) -> Void = { _ in }

        var kinds: Set<ShareSample.Kind> { taps.values.reduce(into: []) { $0.formUnion($1.kinds) } }
    }

    private let state = NIOLockedValueBox(State())

    /// A reader that is slow loses the oldest of what it has not taken: some pictures, or a second of sound.
    func open(_ kinds: Set<ShareSample.Kind>) -> AsyncStream<ShareSample> {
        let depth = kinds == [.video] ? SampleLimits.pictures : SampleLimits.samples
        let (stream, sink) = AsyncStream.makeStream(of: ShareSample.self, bufferingPolicy: .bufferingNewest(depth))
        let id = state.withLockedValue { state in
            state.made += 1
            state.taps[state.made] = Tap(kinds: kinds, sink: sink)
            return state.made
        }
        sink.onTermination = { [weak self] _ in self?.close(id) }
        tellChange()
        return stream
    }

    private func close(_ id: Int) {
        state.withLockedValue { $0.taps[id] = nil }
        tellChange()
    }

    private func tellChange() {
        let (kinds, onChange) = state.withLockedValue { ($0.kinds, $0.onChange) }
        onChange(kinds)
    }

    /// - Parameter onChange: what somebody reads, now and whenever that changes.
    func follow(_ onChange: @escaping @Sendable (Set<ShareSample.Kind>) -> Void) {
        state.withLockedValue { $0.onChange = onChange }
        tellChange()
    }

    /// The share has stopped.
    func finish() {
        let taps = state.withLockedValue { Array($0.taps.values) }
        taps.forEach { $0.sink.finish() }
    }

    func give(_ sample: ShareSample) {
        let sinks = state.withLockedValue { state in
            state.taps.values.filter { $0.kinds.contains(sample.kind) }.map(\.sink)
        }
        sinks.forEach { $0.yield(sample) }
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

enum SampleLimits {
    /// A picture of 1080p has 3 MB.
    static let pictures = 3
    /// Blocks of two devices have 10 ms or more.
    static let samples = 24
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
