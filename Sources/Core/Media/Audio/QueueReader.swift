import Timebase

/// Plays a queue: what is there as it is, silence where nothing is, and never a click between them.
struct QueueReader: Sendable {
    /// Behind the last frame that was played.
    private(set) var next = Int64.min
    private(set) var isPlaying = false
    /// How often the queue ran dry.
    private(set) var gaps = 0
    /// There is nothing in what was read last.
    private(set) var isSilent = true
    private var fadeIn = FadeIn()
    private var fadeOut = FadeOut()

    /// Fills stereo `output` with the frames from `index` on. None is played twice: before `next` there is silence.
    ///
    /// - Returns: whether any of the frames were there.
    mutating func read(_ queue: SampleQueue, at index: Int64, into output: inout [Float]) -> Bool {
        let end = index.addingSaturating(Int64(output.count / 2))
        if isPlaying, index != next || index < queue.start { stop(queue) }
        let first = max(index, next, queue.start)
        let last = min(end, queue.end)
        guard first < last else {
            if isPlaying { runDry(queue) }
            isSilent = fadeOut.isOver
            fill(&output, silentFrom: 0)
            fadeOut.add(to: &output, from: 0)
            return false
        }
        isSilent = false
        let (place, frames) = (Int(first - index), Int(last - first))
        queue.copy(first..<last, into: &output, at: place)
        fill(&output, silentUpTo: place, silentFrom: place + frames)
        if !isPlaying { fadeIn.begin() }
        isPlaying = true
        fadeIn.apply(to: &output, from: place, until: place + frames, channels: 2)
        fadeOut.add(to: &output, from: 0)
        next = last
        if last < end {
            runDry(queue)
            fadeOut.add(to: &output, from: place + frames)
        }
        return true
    }

    /// Leaves out `frames`, or plays as many again where they are negative; what was to come fades into what comes.
    mutating func splice(_ queue: SampleQueue, by frames: Int64) {
        fadeOut.begin(queue.frames(next..<(next + Int64(AudioLimits.fadeFrames))))
        fadeIn.begin()
        next += frames
    }

    /// Sound of another queue broke off where its reader stands.
    mutating func comes(after other: QueueReader, of queue: SampleQueue) {
        fadeOut = other.fadeOut
        if other.isPlaying { fadeOut.begin(other.ending(of: queue)) }
    }

    private mutating func runDry(_ queue: SampleQueue) {
        gaps += 1
        stop(queue)
    }

    private mutating func stop(_ queue: SampleQueue) {
        isPlaying = false
        fadeOut.begin(ending(of: queue))
    }

    /// How it goes on for a while where it breaks off: as loud as it had become.
    private func ending(of queue: SampleQueue) -> [Float] {
        let level = fadeIn.level
        let samples = queue.mirrored(before: next, frames: AudioLimits.fadeFrames)
        return level < 1 ? samples.map { $0 * level } : samples
    }

    private func fill(_ output: inout [Float], silentUpTo head: Int = 0, silentFrom tail: Int) {
        output.withUnsafeMutableBufferPointer { output in
            output[..<(2 * head)].update(repeating: 0)
            output[(2 * tail)...].update(repeating: 0)
        }
    }
}

extension SampleQueue {
    /// The last frames before `index` in reverse: how sound that breaks off goes on without a step.
    func mirrored(before index: Int64, frames count: Int) -> [Float] {
        let forward = frames((index - Int64(count))..<index)
        var backward = [Float]()
        backward.reserveCapacity(forward.count)
        for frame in (0..<count).reversed() {
            backward.append(forward[2 * frame])
            backward.append(forward[2 * frame + 1])
        }
        return backward
    }
}
