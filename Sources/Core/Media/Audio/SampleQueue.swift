import Timebase

/// Stereo frames by their number since the start: a ring, which grows to what it must hold, up to
/// `AudioLimits.largestQueue`; beyond that the oldest frames go.
struct SampleQueue: Sendable {
    /// Interleaved; the frame with number i lies at i modulo the ring's size, a power of two.
    private var ring = [Float](repeating: 0, count: 2 * AudioLimits.smallestQueue)
    /// The oldest frame kept.
    private(set) var start: Int64 = 0
    /// Behind the newest frame.
    private(set) var end: Int64 = 0

    private var capacity: Int { ring.count / 2 }

    var count: Int { Int(end - start) }

    /// Empty, and the next frame is `index`.
    mutating func restart(at index: Int64) {
        start = index
        end = index
    }

    /// Frames before `index` are not needed any more.
    mutating func release(before index: Int64) {
        start = max(start, min(index, end))
    }

    // MARK: Writing

    /// Appends frames of interleaved samples from frame `first` on; of one channel both sides are made.
    mutating func append(_ samples: [Float], from first: Int, channels: Int) {
        let frames = samples.count / channels - first
        guard frames > 0, frames <= AudioLimits.largestQueue else { return }
        makeRoom(for: frames)
        samples.withUnsafeBufferPointer { source in
            var done = 0
            while done < frames {
                let count = store(source, first + done, frames - done, channels)
                end += Int64(count)
                done += count
            }
        }
    }

    /// Appends silence.
    mutating func appendSilence(_ frames: Int64) {
        guard frames > 0 else { return }
        // Whatever came before so long a pause has been read.
        if frames > AudioLimits.largestQueue / 2 { return restart(at: end.addingSaturating(frames)) }
        append([Float](repeating: 0, count: Int(frames)), from: 0, channels: 1)
    }

    /// Up to the ring's end; how many frames that were.
    private mutating func store(
        _ source: UnsafeBufferPointer<Float>, _ first: Int, _ frames: Int, _ channels: Int
    ) -> Int {
        let position = Int(end) & (capacity - 1)
        let count = min(frames, capacity - position)
        guard let from = source.baseAddress?.advanced(by: first * channels) else { return count }
        ring.withUnsafeMutableBufferPointer { ring in
            guard let to = ring.baseAddress?.advanced(by: 2 * position) else { return }
            if channels == 2 { return to.update(from: from, count: 2 * count) }
            var frame = 0
            while frame < count {
                to[2 * frame] = from[frame]
                to[2 * frame + 1] = from[frame]
                frame += 1
            }
        }
        return count
    }

    private mutating func makeRoom(for frames: Int) {
        let needed = count + frames
        if needed > capacity, capacity < AudioLimits.largestQueue {
            var size = capacity
            while size < needed, size < AudioLimits.largestQueue { size *= 2 }
            grow(to: size)
        }
        start = max(start, end + Int64(frames - capacity))
    }

    private mutating func grow(to size: Int) {
        let kept = frames(start..<end)
        let position = start
        ring = [Float](repeating: 0, count: 2 * size)
        restart(at: position)
        append(kept, from: 0, channels: 2)
    }

    // MARK: Reading

    /// Copies frames into stereo `output` from its frame `place` on.
    /// - Precondition: the range is kept, and there is room for it.
    func copy(_ range: Range<Int64>, into output: inout [Float], at place: Int) {
        output.withUnsafeMutableBufferPointer { output in
            forEachRun(of: range) { run, done in
                guard let from = run.baseAddress, let to = output.baseAddress else { return }
                to.advanced(by: 2 * (place + done)).update(from: from, count: run.count)
            }
        }
    }

    /// A copy, silent where the frames are not kept.
    func frames(_ range: Range<Int64>) -> [Float] {
        var samples = [Float](repeating: 0, count: 2 * range.count)
        let kept = range.clamped(to: start..<end)
        if !kept.isEmpty { copy(kept, into: &samples, at: Int(kept.lowerBound - range.lowerBound)) }
        return samples
    }

    /// How many frames are silent from `index` on; none where they are not kept any more.
    func silence(from index: Int64) -> Int64 {
        guard index >= start, index < end else { return 0 }
        var (samples, hasEnded) = (0, false)
        forEachRun(of: index..<end) { run, _ in
            if hasEnded { return }
            let silent = run.firstIndex { $0.magnitude >= AudioLimits.silence } ?? run.count
            samples += silent
            hasEnded = silent < run.count
        }
        return Int64(samples / 2)
    }

    /// The one or two stretches of the ring that hold the range, and how many frames were before each.
    private func forEachRun(of range: Range<Int64>, _ body: (UnsafeBufferPointer<Float>, Int) -> Void) {
        ring.withUnsafeBufferPointer { ring in
            var done = 0
            while done < range.count {
                let position = Int(range.lowerBound + Int64(done)) & (capacity - 1)
                let count = min(range.count - done, capacity - position)
                body(UnsafeBufferPointer(rebasing: ring[(2 * position)..<(2 * (position + count))]), done)
                done += count
            }
        }
    }
}
