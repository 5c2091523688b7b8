import PeerCore
import RTP
import SystemClock
import Timebase

/// Pictures to viewers: each lane's to its own, and to those who begin, from where the lane's cache can serve.
extension PeerHub {
    /// Sends an encoded unit to all viewers of its lane.
    func deliver(_ unit: PacketizedUnit, lane: LaneKey) {
        let now = SystemClock.now()
        // What was made for who has left meanwhile would be old for whoever comes.
        if isWatched(lane) { caches[lane, default: PictureCache()].add(unit) }
        if unit.isKeyframe { awaited.remove(lane) }
        for (id, peer) in peers where peer.lane == lane {
            if unit.isKeyframe { peer.wish.keyframeMade() }
            // What the cache serves holds this unit.
            if !grant(id, peer, at: now) { peer.core.send(unit, at: now) }
            drain(id, peer, at: now)
        }
        flush()
    }

    /// A viewer needs a picture to begin from: from the cache, or else a keyframe.
    ///
    /// - Returns: whether the cache has served it.
    @discardableResult
    func grant(_ id: PeerID, _ peer: Peer, at now: Instant) -> Bool {
        guard peer.wish.isOpen, let lane = peer.lane else { return false }
        let cache = caches[lane, default: PictureCache()]
        let isAlone = !peers.contains { $0.key != id && $0.value.lane == lane && $0.value.core.isConnected }
        let cacheServes = peer.core.canBegin(with: cache, isAlone: isAlone)
        switch peer.wish.answer(cacheServes: cacheServes, isAlone: isAlone, at: now) {
        case .cache:
            peer.core.begin(with: cache, isAlone: isAlone, at: now)
            withdrawKeyframe(lane, with: id)
            return true
        case .keyframe:
            awaited.insert(lane)
            configuration.onEvent(id, lane, .keyframeNeeded)
            peer.core.preview(cache, at: now)
        case .wait(let until): schedule(until)
        case .nothing: break
        }
        return false
    }

    /// It costs the others bits, and who asked for it may have been served meanwhile, for its path turned out to be wider, or
    /// has left, or gets another encoder's pictures.
    func withdrawKeyframe(_ lane: LaneKey, with id: PeerID) {
        let isOfUse = peers.values.contains { $0.lane == lane && $0.wish.isOpen }
        guard !isOfUse, awaited.remove(lane) != nil else { return }
        configuration.onEvent(id, lane, .keyframeNeedless)
    }

    /// Sends a peer another encoder's pictures from now on.
    package func setLane(_ lane: LaneKey, of id: PeerID) {
        guard let peer = peers[id], peer.lane != lane else { return }
        let now = SystemClock.now()
        let before = peer.lane
        peer.lane = lane
        peer.core.changeLane()
        peer.wish.changeLane()
        if let before { withdrawKeyframe(before, with: id) }
        grant(id, peer, at: now)
        drain(id, peer, at: now)
        flush()
        dropCaches()
    }

    /// After a pause: what waits is not sent, and every viewer begins again with a keyframe.
    package func forgetPictures() {
        caches = [:]
        for peer in peers.values { peer.core.forgetPictures() }
    }

    /// Who begins from now on gets a new keyframe.
    package func forgetCaches() { caches = [:] }
    package func forgetCache(of lane: LaneKey) { caches[lane] = nil }

    private func isWatched(_ lane: LaneKey) -> Bool {
        peers.values.contains { $0.lane == lane && $0.core.isConnected }
    }

    /// A lane that nobody watches is not encoded: what it showed last is old.
    func dropCaches() {
        guard !caches.isEmpty else { return }
        var watched: Set<LaneKey> = []
        for peer in peers.values where peer.core.isConnected {
            if let lane = peer.lane { watched.insert(lane) }
        }
        caches = caches.filter { watched.contains($0.key) }
    }
}
