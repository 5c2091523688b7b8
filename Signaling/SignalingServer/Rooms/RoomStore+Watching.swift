import SignalingProtocol

/// Pages that follow a room's state.
extension RoomStore {
    func canWatch(_ name: RoomName) throws(ProblemError) {
        let total = rooms.values.reduce(0) { $0 + $1.watchers.count }
        let here = rooms[name]?.watchers.count ?? 0
        guard !isStopping, total < ServerLimits.watchers, here < ServerLimits.watchersPerRoom,
            rooms[name] != nil || rooms.count < configuration.maxRooms
        else { throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy) }
    }

    /// A stream that begins with the present state and goes on with each change.
    func watch(_ name: RoomName) throws(ProblemError) -> EventChannel {
        try canWatch(name)
        let (parts, continuation) = AsyncStream<StreamPart>.makeStream(
            bufferingPolicy: .bufferingOldest(ServerLimits.streamParts))
        lastWatcher += 1
        let number = lastWatcher
        let present = state(of: name)
        rooms[name, default: Room()].watchers[number] = continuation
        if rooms[name]?.published == nil { rooms[name]?.published = present }
        send(present, as: .state, to: continuation)
        return EventChannel(parts: parts, continuation: continuation) {
            await self.unwatch(name, number)
        }
    }

    private func unwatch(_ name: RoomName, _ number: UInt64) {
        rooms[name]?.watchers.removeValue(forKey: number)?.finish()
        forgetIfEmpty(name)
    }

    /// Tells a room's watchers if its state has changed, and forgets the room if nobody is in it.
    func publish(_ name: RoomName) {
        let present = state(of: name)
        guard let room = rooms[name] else { return }
        if room.published != present {
            rooms[name]?.published = present
            for watcher in room.watchers.values { send(present, as: .state, to: watcher) }
        }
        forgetIfEmpty(name)
    }

    /// Tells a room's watchers that the sharing was ended on purpose.
    func publishEnd(of name: RoomName) {
        let present = state(of: name)
        for watcher in rooms[name]?.watchers.values ?? [:].values { send(present, as: .ended, to: watcher) }
        publish(name)
    }

    private func forgetIfEmpty(_ name: RoomName) {
        if rooms[name]?.isEmpty == true { rooms[name] = nil }
    }

    private func send(_ state: RoomState, as event: WatchEvent, to watcher: AsyncStream<StreamPart>.Continuation) {
        guard let data = try? JSON.text(state) else { return }
        switch watcher.yield(.event(ServerSentEvent(name: event.rawValue, data: data))) {
        case .enqueued, .terminated: break
        case .dropped: watcher.finish()
        @unknown default: break
        }
    }
}

/// The events of a room's stream.
enum WatchEvent: String {
    /// The room's state, at first and after each change.
    case state
    /// The sharer has ended the sharing; a `state` follows.
    case ended
}
