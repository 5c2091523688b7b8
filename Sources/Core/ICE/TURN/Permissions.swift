import Datagrams
import Timebase

/// The right of one IP address to send through the relay (RFC 8656 § 9).
struct Permission {
    /// Until when the server has it; nil before its first answer.
    var expiresAt: Instant?
    /// When it is asked for again, or forgotten.
    var due: Instant
    /// A request is in the air.
    var isAsking = false
    /// The server said no; not asked again before `due`.
    var isRefused = false
    /// When something was last sent there.
    var usedAt: Instant

    func isActive(at now: Instant) -> Bool { expiresAt.map { now < $0 } ?? false }
    func isIdle(at now: Instant) -> Bool { now - usedAt >= Limits.relayIdleTime }

    mutating func granted(at now: Instant) {
        expiresAt = now + Limits.permissionTime
        due = now + Limits.permissionRefresh
        isRefused = false
    }
}

/// Every permission of one allocation, never more than the limit.
struct PermissionTable {
    private var entries: [IPAddress: Permission] = [:]

    subscript(ip: IPAddress) -> Permission? { entries[ip] }

    /// The earliest instant at which one is to be asked for or forgotten.
    var due: Instant? { entries.values.lazy.filter { !$0.isAsking }.map(\.due).min() }

    /// Those which are due, the longest waiting first.
    func due(at now: Instant) -> [IPAddress] {
        entries.filter { !$0.value.isAsking && $0.value.due <= now }.sorted { $0.value.due < $1.value.due }.map(\.key)
    }

    /// Notes a use; a new entry is due at once. Where the table is full, the one not used for longest makes room.
    mutating func use(_ ip: IPAddress, at now: Instant) {
        if update(ip, { $0.usedAt = now }) { return }
        if entries.count >= Limits.permissions, let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt }) {
            entries[oldest.key] = nil
        }
        entries[ip] = Permission(due: now, usedAt: now)
    }

    @discardableResult
    mutating func update(_ ip: IPAddress, _ body: (inout Permission) -> Void) -> Bool {
        guard entries[ip] != nil else { return false }
        entries[ip].mutate(body)
        return true
    }

    mutating func remove(_ ip: IPAddress) { entries[ip] = nil }
}

extension Optional {
    /// Changes the value in place, where there is one.
    mutating func mutate(_ body: (inout Wrapped) -> Void) {
        guard var value = self else { return }
        body(&value)
        self = value
    }
}
