import CShims
import CX264
import Media
import Timebase

/// One x264 encoder: pictures in, H.264 access units out, each at once. Used by one thread.
///
/// Every unit's bytes are NAL units without start codes; a keyframe's begin with SPS and PPS. The bit rate follows
/// `SendTarget` from picture to picture, without any change of the encoder.
///
/// `encode` takes what has changed since its last call; nothing, to make the same picture sharper. It gives nil where no
/// bits are to spare: the picture is still to be sent (`isBehind`), and the caller asks again later, with nothing but the
/// damage since. It gives nil as well where what was painted anew looks as before: nothing is owed then.
package final class X264Encoder {
    package let configuration: X264Configuration
    package let level: H264Level
    private let handle: OpaquePointer
    private let log = X264Log()
    private var parameters: x264_param_t
    private var control: QuantiserControl
    private var pictures: Int64 = 0
    private var lastKeyframe: MediaTime?
    private var search: Search
    /// What each picture is searched by: the configuration's preset, or one below it.
    package var preset: X264Configuration.Preset
    private var memory: ReferenceMemory
    /// The last change was looked at and was small, like a key typed here and a clock that ticks there.
    private var isSparse = false
    /// The reconstruction of the last picture; x264 keeps it as a reference until the next one is made.
    private var shown: x264_image_t?
    /// There once a part was coded.
    private var partial: PartialPicture?
    private let unchanged: UnchangedMacroblocks
    private var standstill = Standstill()
    /// Changed in pictures for which there were no bits.
    private var unsent = PixelRect.nothing
    /// Changed as the last picture was made, and not in it.
    private var held: [PixelRect] = []
    /// The same of the picture before: its pass left them as coarse as they were.
    private var kept: [PixelRect] = []
    /// In a row, and no pass among them.
    private var picturesApart = 0

    package init(_ configuration: X264Configuration) throws(CodecError) {
        self.configuration = configuration
        preset = configuration.preset
        search = Search(preset: preset, isWide: preset > .minimal, references: configuration.references)
        memory = ReferenceMemory(references: configuration.references)
        unchanged = UnchangedMacroblocks(size: configuration.size)
        level = try configuration.validated()
        parameters = try configuration.parameters(level: level)
        log.attach(to: &parameters)
        guard let handle = shim_x264_open(&parameters) else {
            throw .failed("x264 can't be opened with these settings\(log.lastLine.map { ": " + $0 } ?? ".")")
        }
        self.handle = handle
        control = QuantiserControl(
            pictureSize: configuration.size, costFactor: configuration.profile == .high ? Limits.costOfCABAC : 1)
    }

    deinit { x264_encoder_close(handle) }

    package func encode(
        _ picture: I420Picture, damage: PixelRect, mediaTime: MediaTime, capturedAt: Instant, target: SendTarget
    ) throws(CodecError) -> EncodedUnit? {
        guard picture.size == configuration.size else {
            throw .unsupportedParameters("The picture is \(picture.size), the encoder \(configuration.size).")
        }
        guard Limits.bitsPerSecond.contains(target.bitsPerSecond) else {
            throw .unsupportedParameters("\(target.bitsPerSecond) bit/s is out of range.")
        }
        hold(damage)
        let request = Request(
            picture: picture, areas: [unsent], mediaTime: mediaTime, capturedAt: capturedAt, target: target)
        var unit = try unit(for: request)
        if unit != nil { (unsent, kept) = (held.reduce(.nothing) { $0.union($1) }, held) }
        // Whoever goes by it comes back for that, be it that nothing changes any more.
        if !held.isEmpty { unit?.quantiser = Double(QuantiserControl.coarsest) }
        held = []
        return unit
    }

    /// A change that is not encoded now: it goes with the next picture.
    package func hold(_ damage: PixelRect) {
        unsent = unsent.union(damage.intersection(PixelRect(configuration.size)))
    }

    /// Something changed that is in no picture yet.
    package var isBehind: Bool { !unsent.isEmpty }

    private func unit(for request: Request) throws(CodecError) -> EncodedUnit? {
        if request.target.needsKeyframe || pictures == 0 { return try keyframe(request) }
        return request.area.isEmpty ? try repetition(request) : try change(request)
    }

    // MARK: The three kinds of pictures

    private func keyframe(_ request: Request) throws(CodecError) -> EncodedUnit {
        let whole = PixelRect(request.picture.size)
        let detail = PictureDetail(of: request.picture, in: whole)
        let quantiser = control.quantiser(
            for: .keyframe, changed: detail, refined: .nothing, at: request.mediaTime, target: request.target)
        let unit = try run(
            request, .whole(changed: [whole]), quantiser: quantiser ?? QuantiserControl.coarsest, type: X264_TYPE_IDR)
        let sent = learn(.keyframe, unit, areas: [whole], changed: detail, refined: .nothing)
        memory.coded(ReferenceMemory.rows(of: request.picture), quantiser: Int(unit.quantiser), control.refinement)
        return sent
    }

    private func change(_ request: Request) throws(CodecError) -> EncodedUnit? {
        guard let seen = look(at: request) else {
            // Painted anew, and as it was.
            unsent = .nothing
            return control.refinement.isEmpty ? nil : try repetition(request)
        }
        try chooseSearch(at: request.mediaTime, known: seen.known.share)
        let areas = seen.request.areas
        if control.isApart(areas, at: request.mediaTime) { return try apart(seen) }
        let refined = areas == [control.refinement.area]
            ? seen.whole : PictureDetail(of: request.picture, in: control.refinement.area)
        guard let quantiser = quantiser(for: seen, refined: refined) else { return nil }
        if !seen.isRun, seen.found < Self.isBack, quantiser > QuantiserControl.legible, isNew(seen.request) {
            return try outline(seen)
        }
        let unit = try run(seen.request, .whole(changed: areas), quantiser: quantiser)
        // What comes out far too large was not foretold, because a run of small changes ended in a new page. It is
        // thrown away: no decoder sees it, so the picture must begin anew.
        if control.isExcessive(bits: unit.bytes.count * 8), mayInsertKeyframe(at: request.mediaTime) {
            return try keyframe(request)
        }
        let sent = learn(kind(of: seen), unit, areas: areas, changed: seen.changed, refined: refined)
        memory.coded(seen.rows, quantiser: quantiser, control.refinement)
        return sent
    }

    /// Nil where nothing looks different.
    private func look(at request: Request) -> Sighting? {
        let isRun = control.continuesRun(at: request.mediaTime)
        // What is small is cheap to look at, and what rests afterwards needs no look of its own.
        let isFollowed = memory.knowsLast && (isSparse || control.isSmall(request.areas))
        let isLookedAt = !isRun || isFollowed || standstill.isLikely(after: request.picture)
        let rows = isLookedAt ? memory.rows(of: request.picture, changed: request.area) : nil
        let changes = rows.flatMap { memory.changes($0, in: request.area, of: request.picture.size) }.map { withKept($0) }
        if changes?.isEmpty == true { return nil }
        let narrowed = changes.map { self.narrowed(request, to: $0) } ?? request
        let isSmall = control.isSmall(narrowed.areas)
        isSparse = rows != nil && isSmall
        // What a reference shows already takes hardly any bits, there or a little off; the least search finds none of it.
        let sought = isRun || preset == .minimal ? nil : rows
        let known = sought.map { memory.find($0) } ?? ReferenceMemory.Find()
        let scrolled = isSmall ? 0 : sought.map { memory.scrolled($0, height: request.picture.size.height) } ?? 0
        let found = max(known.share, scrolled)
        let whole = narrowed.detail
        return Sighting(
            request: narrowed, isRun: isRun, rows: rows, known: known, found: found, whole: whole,
            changed: whole.scaled(by: max(0.02, 1 - found)))
    }

    /// What was held back by a pass may have been undone since, and look as before: sharpened it was not.
    private func withKept(_ changes: [PixelRect]) -> [PixelRect] {
        let others = changes.filter { change in !kept.contains { $0.contains(change) } }
        return others + kept.filter { kept in !others.contains { $0.contains(kept) } }
    }

    /// What a source says has changed may look as before; and small changes far apart are several, not all that lies
    /// between them.
    private func narrowed(_ request: Request, to changes: [PixelRect]) -> Request {
        var narrowed = request
        narrowed.areas = control.isSmall(changes) ? changes : [changes.reduce(.nothing) { $0.union($1) }]
        return narrowed
    }

    private func quantiser(for seen: Sighting, refined: PictureDetail) -> Int? {
        let quantiser = control.quantiser(
            for: seen.request.fillsPicture ? .change : .changeOfPart, changed: seen.changed, refined: refined,
            at: seen.request.mediaTime, target: seen.request.target)
        // Finer, what is back would be coded anew.
        return seen.known.share > Self.isBack ? quantiser.map { max($0, seen.known.quantiser) } : quantiser
    }

    /// A page that is back is as it was left, but for what was never on it.
    private func kind(of seen: Sighting) -> QuantiserControl.Kind {
        guard seen.known.share > Self.isWholeBack, let rows = seen.rows else { return .change }
        let missing = ReferenceMemory.missing(
            rows, in: seen.known, area: seen.request.area, of: seen.request.picture.size)
        return .back(seen.known.refinement, missing: missing)
    }

    /// A good part of what changed looks different from what is shown there.
    private func isNew(_ request: Request) -> Bool {
        guard let shown, let luma = shown.plane.0 else { return true }
        let (area, stride) = (request.area, Int(shown.i_stride.0))
        let share = request.picture.withPlanes { new, _, _ in
            shim_differing_share(
                new + area.y * request.picture.lumaStride + area.x, request.picture.lumaStride,
                luma + area.y * stride + area.x, stride, Int32(area.width), Int32(area.height), 6)
        }
        return share > Self.isNewShare
    }

    private static let isNewShare = 0.2

    /// Of what could not be read anyway an outline is enough; the bits are better spent on the passes.
    ///
    /// Without reference to the page before: blocks of that would stay where the difference is faint. It is no keyframe:
    /// that page may come back, and stays a reference.
    private func outline(_ seen: Sighting) throws(CodecError) -> EncodedUnit {
        let request = seen.request
        let isWhole = request.area.onMacroblocks.contains(PixelRect(request.picture.size))
        let type = isWhole ? X264_TYPE_I : X264_TYPE_AUTO
        // Nothing of it stood anywhere before: a wide search would take thirty milliseconds to find that out.
        let wide = search
        try set(Search(preset: preset, isWide: false, references: 1))
        let unit = try run(request, .outline(request.area), quantiser: QuantiserControl.legible, type: type)
        try set(wide)
        let sent = learn(.outline, unit, areas: [request.area], changed: .nothing, refined: .nothing)
        memory.coded(seen.rows, quantiser: QuantiserControl.legible, control.refinement)
        return sent
    }

    /// What changes in a small part leaves the rest as it is, and what is coarse of it to its passes. One that is due
    /// goes with it where change follows upon change, as behind a pointer that moves.
    private func apart(_ seen: Sighting) throws(CodecError) -> EncodedUnit? {
        let request = seen.request
        let carriage = control.carriage(of: request.areas, seen.whole, at: request.mediaTime, target: request.target)
        // Not before what has just begun is seen.
        let mayCarry = carriage == .together || carriage == .apart && picturesApart >= Self.picturesBeforePass
        if mayCarry, let pass = nextPass(request, isCarried: true) {
            return try carry(pass, carriage, seen)
        }
        let isInTheWay = carriage == .apart && control.continuesRun(at: request.mediaTime)
        picturesApart = isInTheWay ? picturesApart + 1 : 0
        let quantiser = control.quantiser(
            for: .apart, changed: seen.changed, refined: .nothing, at: request.mediaTime, target: request.target)
        guard let quantiser else { return nil }
        let unit = try run(request, .parts(request.areas), quantiser: quantiser)
        let sent = learn(.apart, unit, areas: request.areas, changed: seen.changed, refined: .nothing)
        memory.coded(seen.rows, quantiser: quantiser, control.refinement)
        return sent
    }

    private func carry(
        _ pass: PendingRefinement.Pass, _ carriage: QuantiserControl.Carriage, _ seen: Sighting
    ) throws(CodecError) -> EncodedUnit {
        let request = seen.request
        picturesApart = 0
        let isAlone = carriage == .apart
        if isAlone { held = request.areas }
        let changes = isAlone ? [] : request.areas
        let unit = try run(
            request, .parts([pass.area] + changes, but: isAlone ? request.areas : []), quantiser: pass.quantiser)
        let sent = learn(.carriedPass(changes), unit, areas: [pass.area], changed: .nothing, refined: pass.detail)
        // What is held is not shown yet.
        memory.coded(isAlone ? memory.lastRows : seen.rows, quantiser: pass.quantiser, control.refinement)
        return sent
    }

    /// What plays beside a page that is being sharpened stands still for one picture in so many.
    private static let picturesBeforePass = 4

    private func repetition(_ request: Request) throws(CodecError) -> EncodedUnit? {
        guard let pass = nextPass(request, isCarried: false) else { return nil }
        let isWhole = pass.area.onMacroblocks.contains(PixelRect(request.picture.size))
        let unit = try run(
            request, isWhole ? .whole(changed: [pass.area]) : .parts([pass.area]), quantiser: pass.quantiser)
        let sent = learn(.repetition, unit, areas: [pass.area], changed: .nothing, refined: pass.detail)
        memory.repeated(quantiser: pass.quantiser, control.refinement) { ReferenceMemory.rows(of: request.picture) }
        return sent
    }

    private func nextPass(_ request: Request, isCarried: Bool) -> PendingRefinement.Pass? {
        control.pass(
            isCarried: isCarried, at: request.mediaTime, target: request.target,
            detail: { PictureDetail(of: request.picture, in: $0) },
            likeness: { PictureLikeness(of: request.picture, in: $0) })
    }

    private func mayInsertKeyframe(at time: MediaTime) -> Bool {
        lastKeyframe.map { time.ticks - $0.ticks >= MediaTime(elapsed: Limits.keyframeInterval).ticks } ?? true
    }

    /// Learns from a unit, and says in it how coarse the picture is as a whole.
    private func learn(
        _ kind: QuantiserControl.Kind, _ unit: EncodedUnit, areas: [PixelRect], changed: PictureDetail,
        refined: PictureDetail
    ) -> EncodedUnit {
        let coded = QuantiserControl.Coded(
            areas: areas, changed: changed, refined: refined, quantiser: Int(unit.quantiser),
            bits: unit.bytes.count * 8, time: unit.mediaTime)
        var unit = unit
        unit.quantiser = control.coded(kind, coded)
        return unit
    }

    // MARK: The search for motion

    private struct Search: Equatable {
        var preset: X264Configuration.Preset
        /// In motion vectors, and among predictions within the picture.
        var isWide: Bool
        var references: Int
    }

    /// A wide search finds scrolled text again and costs nothing where it does. In film it finds little and costs half
    /// as much again: there the nearest match will do. A page that an older reference shows stands there in its place.
    private func chooseSearch(at time: MediaTime, known: Double) throws(CodecError) {
        guard preset > .minimal else { return try set(Search(preset: preset, isWide: false, references: 1)) }
        if known > Self.isBack {
            let isWide = known < Self.isWholeBack
            return try set(Search(preset: preset, isWide: isWide, references: configuration.references))
        }
        var isWide = search.isWide || search.references > 1
        if let churn = control.churnOfRun(at: time) {
            if churn > QuantiserControl.film { isWide = false }
            if churn < QuantiserControl.film / 2 { isWide = true }
        } else {
            isWide = true
        }
        try set(Search(preset: preset, isWide: isWide, references: min(preset.references, configuration.references)))
    }

    /// From these shares of the change on a page is back, in part or whole.
    private static let isBack = 0.25
    private static let isWholeBack = 0.9

    private func set(_ next: Search) throws(CodecError) {
        guard next != search else { return }
        search = next
        next.preset.apply(to: &parameters, isWide: next.isWide)
        parameters.i_frame_reference = Int32(next.references)
        guard x264_encoder_reconfig(handle, &parameters) == 0 else {
            throw .failed("x264 did not take its new settings.")
        }
    }

    // MARK: x264

    private func run(
        _ request: Request, _ extent: CodedExtent, quantiser: Int, type: Int32 = X264_TYPE_AUTO
    ) throws(CodecError) -> EncodedUnit {
        var input = x264_picture_t()
        x264_picture_init(&input)
        input.i_type = type
        input.i_qpplus1 = Int32(quantiser) + 1
        input.i_pts = pictures
        input.prop.mb_info = unchanged.flags(of: extent, quantiser: quantiser)
        pictures += 1
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let picture = subject(of: request.picture, extent)
        let size = picture.withPlanes { luma, u, v in
            input.img.i_csp = X264_CSP_I420
            input.img.i_plane = 3
            input.img.plane = (luma, u, v, nil)
            let chroma = Int32(picture.chromaStride)
            input.img.i_stride = (Int32(picture.lumaStride), chroma, chroma, 0)
            return x264_encoder_encode(handle, &units, &count, &input, &output)
        }
        guard size > 0, let units else { throw .failed("x264 made nothing of a picture.") }
        shown = output.img
        if output.b_keyframe != 0 {
            lastKeyframe = request.mediaTime
            memory.forget()
        }
        return EncodedUnit(
            UnsafeBufferPointer(start: units, count: Int(count)), capacity: Int(size), request,
            isKeyframe: output.b_keyframe != 0, quantiser: quantiser)
    }

    private func subject(of picture: I420Picture, _ extent: CodedExtent) -> I420Picture {
        guard let shown else { return picture }
        if case .whole = extent {
            partial?.forget()
            return picture
        }
        let partial = partial ?? PartialPicture(size: picture.size)
        self.partial = partial
        return switch extent {
        case .whole: picture
        case .parts(let areas, let kept): partial.mixed(picture, areas: areas, but: kept, into: shown)
        case .outline(let area): partial.outlined(picture, area: area, into: shown)
        }
    }
}
