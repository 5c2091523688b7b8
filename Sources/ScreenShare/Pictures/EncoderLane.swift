import Media
import PeerCore
import PixelConversion
import RTP
import Timebase
import VideoCodec

/// One encoder and what belongs to its output: the packetizer, the keyframe gate, the repeater of the last picture.
///
/// All viewers with the same `LaneKey` are sent this one output.
final class EncoderLane {
    let profile: X264Configuration.Profile
    let size: PixelSize
    /// The share's picture at this lane's size, where that is another.
    private var scaled: I420Picture?
    private let encoder: X264Encoder
    private let packetizer: H264Packetizer
    private var repeater = PictureRepeater()
    var gate = KeyframeGate()
    private(set) var quantiser = 0.0
    /// What its stream's level has room for, in bits per second.
    var mostBitsPerSecond: Int { encoder.level.bitsPerSecond }
    /// A change was held back, or there were no bits for it.
    var isBehind: Bool { encoder.isBehind }
    /// What it has come to since the last change, and the turns in a row that made it no sharper.
    private var sharpest = RefinementPolicy.nothingEncoded
    private var fruitless = 0

    /// - Parameter maximumBitsPerSecond: the most there may be, however few there are now.
    init(
        _ key: LaneKey, _ profile: X264Configuration.Profile, _ preset: X264Configuration.Preset, size: PixelSize,
        frameRate: FrameRate, maximumBitsPerSecond: Int
    ) throws(CodecError) {
        self.profile = profile
        self.size = size
        var configuration = X264Configuration(
            size: size, frameRate: frameRate, maximumBitsPerSecond: maximumBitsPerSecond)
        configuration.profile = profile
        configuration.preset = preset
        // Pages are gone back to on the share's own rung; each reference takes memory.
        configuration.references = key.rung > 0 ? 1 : X264Configuration.references(for: size)
        switch key.packetizationMode {
        case .nonInterleaved: configuration.slices = .one
        case .singleNALUnit: configuration.slices = .fitting(payload: RTP.Limits.defaultPayloadSize)
        }
        encoder = try X264Encoder(configuration)
        packetizer = H264Packetizer(mode: key.packetizationMode)
        gate.request()
    }

    /// The preset to encode with from the next picture on: the one the encoder was opened with, or one below.
    func set(_ preset: X264Configuration.Preset) { encoder.preset = preset }

    /// Encodes and cuts a picture; a keyframe where one is due, or where the encoder has just been opened. Nil where there
    /// were no bits, and where nothing of a change that was told is to be seen: it is not behind then.
    func encode(
        _ picture: I420Picture, damage: PixelRect, mediaTime: MediaTime, capturedAt: Instant, target: SendTarget,
        at now: Instant
    ) throws(CodecError) -> PacketizedUnit? {
        let whole = picture.size
        let picture = fitted(picture)
        let damage = damage.scaled(from: whole, to: size)
        let owes = isBehind || !damage.isEmpty
        if !damage.isEmpty { fruitless = 0 }
        var target = target
        target.needsKeyframe = gate.isDue(at: now)
        guard
            let unit = try encoder.encode(
                picture, damage: damage, mediaTime: mediaTime, capturedAt: capturedAt, target: target)
        else {
            // What looks as before is as sharp as before.
            if owes, !isBehind { return nil }
            quantiser = RefinementPolicy.nothingEncoded
            fruitless += 1
            return nil
        }
        if unit.isKeyframe {
            gate.keyframeMade(bytes: unit.bytes.count, of: target.bitsPerSecond, at: now)
        }
        fruitless = owes || unit.isKeyframe || unit.quantiser < sharpest ? 0 : fruitless + 1
        sharpest = owes || unit.isKeyframe ? unit.quantiser : min(sharpest, unit.quantiser)
        quantiser = unit.quantiser
        do {
            try repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
            return try packetizer.packetize(
                unit.bytes, nalUnits: unit.nalUnits, mediaTime: mediaTime, capturedAt: capturedAt,
                isKeyframe: unit.isKeyframe, isReference: unit.isReference,
                isRefinement: !owes && !unit.isKeyframe,
                keyframeInterval: KeyframeGate.interval(bytes: unit.bytes.count, of: target.bitsPerSecond))
        } catch {
            throw .failed("x264 made a unit that can't be sent: \(error)")
        }
    }

    private func fitted(_ picture: I420Picture) -> I420Picture {
        guard picture.size != size else { return picture }
        let small = scaled ?? I420Picture(size: size)
        scaled = small
        picture.scale(to: small)
        return small
    }

    /// A change that is not encoded now, and goes with the next picture.
    func hold(_ damage: PixelRect, of whole: PixelSize) {
        if !damage.isEmpty { fruitless = 0 }
        encoder.hold(damage.scaled(from: whole, to: size))
    }

    /// Whether its viewers have not seen, or not sharply, what the others have.
    var isUnfinished: Bool { isBehind || quantiser > MediaLimits.sharpQuantiser }
    /// And there is hope.
    var wantsTurn: Bool { isUnfinished && fruitless < VideoPipelineLimits.fruitlessTurns }

    /// The last picture once more, without the encoder; nil before the first one.
    func repeatLast(mediaTime: MediaTime, at now: Instant) -> PacketizedUnit? {
        guard let unit = try? repeater.makeUnit() else { return nil }
        return try? packetizer.packetize(
            unit.bytes, nalUnits: unit.nalUnits, mediaTime: mediaTime, capturedAt: now, isKeyframe: false,
            isReference: false)
    }
}
