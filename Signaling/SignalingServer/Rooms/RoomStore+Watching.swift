import SignalingProtocol

/// Pages that follow a room's state.
extension RoomStore {
    /// - Parameter session: as for `watch`.
    func canWatch(_ name: RoomName, as session: RandomID? = nil) throws(ProblemError) {
        guard !isStopping, rooms[name] != nil || rooms.count < configuration.maxRooms,
            !areStreamsTaken || predecessor(of: session, in: name) != nil
        else { throw ProblemError(.serverBusy, retryAfter: RetryAfter.serverBusy) }
    }

    private var areStreamsTaken: Bool { rooms.values.reduce(0) { $0 + $1.watchers.count } >= ServerLimits.watchers }

    /// Whose stream ends where a viewer's begins: the one that it had, or, where all are taken, the oldest of those who
    /// watch nothing. Anybody may open one, as often as he likes; a session has one.
    private func predecessor(of session: RandomID?, in name: RoomName) -> (room: RoomName, number: UInt64)? {
        guard isViewer(session, of: name) else { return nil }
        if let own = rooms[name]?.watchers.first(where: { $0.value.session == session }) { return (name, own.key) }
        return areStreamsTaken ? oldestStranger : nil
    }

    private func isViewer(_ session: RandomID?, of name: RoomName) -> Bool {
        session.flatMap { rooms[name]?.share?.sessions[$0] }?.isEstablished == true
    }

    private var oldestStranger: (room: RoomName, number: UInt64)? {
        var oldest: (room: RoomName, number: UInt64)?
        for (name, room) in rooms {
            for (number, watcher) in room.watchers where !isViewer(watcher.session, of: name) {
                if number < oldest?.number ?? .max { oldest = (name, number) }
            }
        }
        return oldest
    }

    /// A stream that begins with the present state and goes on with each change.
    ///
    /// - Parameter session: the watcher's own, where it is a viewer who wants to know how its path does.
    func watch(
        _ name: RoomName, as session: RandomID? = nil, presented token: BearerToken? = nil
    ) throws(ProblemError) -> EventChannel {
        try canWatch(name, as: session)
        if let former = predecessor(of: session, in: name) { unwatch(former.room, former.number) }
        let (parts, continuation) = AsyncStream<StreamPart>.makeStream(
            bufferingPolicy: .bufferingOldest(ServerLimits.streamParts))
        lastWatcher += 1
        let number = lastWatcher
        let present = state(of: name, for: session, presented: token)
        rooms[name, default: Room()].watchers[number] = Watcher(
            stream: continuation, session: session, token: token, told: present)
        send(present, as: .state, to: continuation)
        return EventChannel(parts: parts, continuation: continuation) {
            await self.unwatch(name, number)
        }
    }

    private func unwatch(_ name: RoomName, _ number: UInt64) {
        rooms[name]?.watchers.removeValue(forKey: number)?.stream.finish()
        forgetIfEmpty(name)
    }

    /// Tells those of a room's watchers for whom its state has changed, and forgets the room if nobody is in it.
    func publish(_ name: RoomName) {
        for (number, watcher) in rooms[name]?.watchers ?? [:] {
            let present = state(of: name, for: watcher.session, presented: watcher.token)
            guard watcher.told != present else { continue }
            rooms[name]?.watchers[number]?.told = present
            send(present, as: .state, to: watcher.stream)
        }
        forgetIfEmpty(name)
    }

    /// Tells a room's watchers that the sharing was ended on purpose.
    func publishEnd(of name: RoomName) {
        let present = state(of: name)
        for watcher in rooms[name]?.watchers.values ?? [:].values { send(present, as: .ended, to: watcher.stream) }
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

/// Somebody who follows a room's state.
struct Watcher {
    let stream: AsyncStream<StreamPart>.Continuation
    /// The watcher's own, where it is a viewer.
    let session: RandomID?
    /// What it presented.
    let token: BearerToken?
    /// What it was told last.
    var told: RoomState
}

/// The events of a room's stream.
enum WatchEvent: String {
    /// The room's state, at first and after each change.
    case state
    /// The sharer has ended the sharing; a `state` follows.
    case ended
}
