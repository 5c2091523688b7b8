import Timebase

/// Outgoing sound as one value: blocks of system sound and microphone in, even packets of stereo out.
///
///     AudioInput (system) ────┐
///                             ├─► AudioMixer ─► AudioPacket, one each period of AudioPacer
///     AudioInput (microphone) ┘
///
/// The thread of sound polls its devices until `due`, gives what they have with `receive`, then takes packets until
/// there is none. Both sources are held back alike, as long as the slower of them needs: what was heard together is
/// sent together, so that a packet has one capture time, and a microphone that hears the loudspeakers makes no echo
/// ahead of its sound. A source gets there by speed and in its silences, never by a gap.
package struct AudioMixdown {
    package var mixer = AudioMixer()
    private let start: Instant
    private let makeInput: () -> AudioInput
    private var pacer: AudioPacer
    private var inputs: PerKind<AudioInput>
    private var samples: PerKind<[Float]>
    /// Whether sound of a kind has come lately: what was lost holds nothing back.
    private var comes = PerKind(system: false, microphone: false)
    /// Until then what comes may have waited while the thread stood still.
    private var catchesUpUntil = Instant.zero

    /// - Parameters:
    ///   - packetFrames: one of `AudioLimits.packetFrames`.
    ///   - start: time zero of the packets.
    ///   - first: the first one that is due from then on leaves first; nil: that of time zero.
    package init(
        packetFrames: Int, start: Instant, from first: Instant? = nil, makeResampler: @escaping (AudioFormat) -> any Resampler
    ) {
        self.start = start
        pacer = AudioPacer(packetFrames: packetFrames, start: start, from: first)
        let makeInput = { AudioInput(start: start, packetFrames: packetFrames, makeResampler: makeResampler) }
        self.makeInput = makeInput
        inputs = PerKind(system: makeInput(), microphone: makeInput())
        let silence = [Float](repeating: 0, count: 2 * packetFrames)
        samples = PerKind(system: silence, microphone: silence)
    }

    /// When the next packet leaves.
    package var due: Instant { pacer.due }

    package func statistics(of kind: AudioKind) -> AudioInputStatistics { inputs[kind].statistics }

    package mutating func receive(_ block: AudioBlock, of kind: AudioKind, at now: Instant) {
        noticeStandstill(at: now)
        inputs[kind].receive(block, mayHaveWaited: now < catchesUpUntil, at: now)
        keepInStep(at: now)
    }

    /// A thread that stands still sends nothing, however long its sound is held back. The first read behind that has only
    /// what a socket holds; the rest comes after the packets that it was for. Longer ago nothing was heard, by its stamps.
    private mutating func noticeStandstill(at now: Instant) {
        guard (AudioLimits.standstill...AudioLimits.oldestFrame).contains(now - due) else { return }
        catchesUpUntil = now + AudioLimits.settlingTime
    }

    /// What there is of a kind is heard no more: another source of it comes.
    package mutating func forget(_ kind: AudioKind) {
        var next = makeInput()
        next.comes(after: inputs[kind])
        inputs[kind] = next
    }

    /// The next packet that is due by now; nil where none is.
    package mutating func nextPacket(at now: Instant) -> AudioPacket? {
        guard let time = pacer.takeDue(at: now) else { return nil }
        let systemHeard = inputs.system.read(time, into: &samples.system)
        let microphoneHeard = inputs.microphone.read(time, into: &samples.microphone)
        // What is nothing is neither copied nor added.
        let mixed = mixer.mix(
            system: inputs.system.isSilent ? nil : samples.system,
            microphone: inputs.microphone.isSilent ? nil : samples.microphone, frames: pacer.packetFrames)
        let heard = systemHeard ?? microphoneHeard ?? start + time.elapsed - delay
        return AudioPacket(time: time, samples: mixed, capturedAt: heard)
    }

    /// From when sound is heard until the packet that begins with it leaves.
    package var delay: Duration {
        switch (comes.system, comes.microphone) {
        case (true, false): inputs.system.delay
        case (false, true): inputs.microphone.delay
        default: max(inputs.system.delay, inputs.microphone.delay)
        }
    }

    private mutating func keepInStep(at now: Instant) {
        let ofSystem = inputs.system.neededHoldBack(at: now)
        let ofMicrophone = inputs.microphone.neededHoldBack(at: now)
        comes = PerKind(system: ofSystem != nil, microphone: ofMicrophone != nil)
        let needed = max(ofSystem ?? 0, ofMicrophone ?? 0)
        inputs.system.leastHoldBack = needed
        inputs.microphone.leastHoldBack = needed
    }
}
