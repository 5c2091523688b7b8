import CXCB
import Glibc
import Media
import SystemClock
import Timebase

/// A connection to an X server, on which nothing blocks longer than it was told.
///
/// libxcb's own `…_reply` functions block for ever if the server is stopped. Here every reply is awaited by poll(2)
/// with a deadline. A reply that came too late is taken and dropped before anything else is asked, so that a stopped
/// server never has more than one batch of requests waiting, and writing cannot block either. One wait has no end of
/// its own: libxcb reads a reply that is longer than the socket's buffer to its end once it began. Only pictures that
/// come through the connection are so long; they could hang if a server is stopped in the midst of one.
final class XConnection {
    /// What ended a wait.
    enum Wake {
        case readable
        case wakeup
        case deadline
    }

    private struct Abandoned {
        var sequence: UInt32
        var carriesDescriptor: Bool
    }

    let handle: OpaquePointer
    let display: String
    let screen: XScreen
    let extensions: Extensions
    private var inbox: [XEvent] = []
    private var abandoned: [Abandoned] = []
    /// How often a wait returned: what a still screen must not cost.
    private(set) var wakeups = 0
    /// How long replies were waited for, those that came among them.
    private(set) var waited = Duration.zero

    /// - Parameter handle: an open connection, owned from here on.
    init(adopting handle: OpaquePointer, display: String, screen: XScreen, extensions: Extensions) {
        self.handle = handle
        self.display = display
        self.screen = screen
        self.extensions = extensions
        if !isLocal { noticeLossOfNetwork() }
    }

    deinit { xcb_disconnect(handle) }

    var root: xcb_window_t { screen.root }
    var isBroken: Bool { xcb_connection_has_error(handle) != 0 }
    /// The server did not answer in time, and has not since.
    var isStalled: Bool { !abandoned.isEmpty }

    /// The server is on this machine and the connection can carry file descriptors.
    var isLocal: Bool {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        guard getsockname(xcb_get_file_descriptor(handle), &address, &length) == 0 else { return false }
        return Int32(address.sa_family) == AF_UNIX
    }

    /// TCP by itself would take a quarter of an hour to find out that the other machine is out of reach.
    private func noticeLossOfNetwork() {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(xcb_get_file_descriptor(handle), level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        let tcp = Int32(IPPROTO_TCP)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(tcp, TCP_KEEPIDLE, Limits.probeSeconds)
        set(tcp, TCP_KEEPINTVL, Limits.probeSeconds)
        set(tcp, TCP_KEEPCNT, Limits.probes)
        set(tcp, TCP_USER_TIMEOUT, Limits.probeSeconds * Limits.probes * 1000)
    }

    /// A new identifier for a resource.
    func makeIdentifier() -> UInt32 { xcb_generate_id(handle) }

    func flush() { xcb_flush(handle) }
}

extension XConnection {
    /// Waits for the reply to a request, and for no longer than the deadline.
    func reply<Body>(
        _ sequence: UInt32, as type: Body.Type, until deadline: Instant, carriesDescriptor: Bool = false
    ) throws(XFailure) -> Reply<Body> {
        let begun = SystemClock.now()
        defer { waited += SystemClock.now() - begun }
        flush()
        while true {
            var raw: UnsafeMutableRawPointer?
            var error: UnsafeMutablePointer<xcb_generic_error_t>?
            if xcb_poll_for_reply(handle, sequence, &raw, &error) != 0 {
                if let raw { return Reply(raw) }
                guard let error else { throw .lost }
                defer { free(error) }
                throw .refused(error.pointee.error_code)
            }
            if isBroken { throw .lost }
            guard waitForSocket(until: deadline) == .readable else {
                abandoned.append(Abandoned(sequence: sequence, carriesDescriptor: carriesDescriptor))
                throw .timedOut
            }
            readSocket()
        }
    }

    /// Gives a reply up unread, as when an earlier one of its batch failed.
    func abandon(_ sequence: UInt32) {
        abandoned.append(Abandoned(sequence: sequence, carriesDescriptor: false))
    }

    /// Waits until a server that was slow has answered everything it was asked.
    func catchUp(until deadline: Instant) throws(XFailure) {
        let begun = SystemClock.now()
        defer { waited += SystemClock.now() - begun }
        flush()
        readSocket()
        while isStalled {
            if isBroken { throw .lost }
            guard waitForSocket(until: deadline) == .readable else { throw .timedOut }
            readSocket()
        }
    }

    /// Takes what has arrived, without waiting, and returns the events in their order.
    func takeEvents() throws(XFailure) -> [XEvent] {
        readSocket()
        if isBroken { throw .lost }
        defer { inbox.removeAll(keepingCapacity: true) }
        return inbox
    }

    /// Waits until the server has something to say, `wakeup` is readable (-1: none) or the deadline passed.
    func wait(until deadline: Instant, wakeup: Int32 = -1) -> Wake {
        flush()
        // libxcb reads whenever it writes, and we do for each reply: of what has come so poll(2) does not tell.
        keepQueued()
        return inbox.isEmpty ? waitForSocket(until: deadline, wakeup: wakeup) : .readable
    }

    private func waitForSocket(until deadline: Instant, wakeup: Int32 = -1) -> Wake {
        var entries = [
            pollfd(fd: xcb_get_file_descriptor(handle), events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
        ]
        let left = max(0, (deadline - SystemClock.now()).nanoseconds)
        var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        let count = ppoll(&entries, 2, &timeout, nil)
        wakeups += 1
        if count == 0 { return .deadline }
        // A signal counts as something to read: the caller looks, and waits again.
        return entries[1].revents != 0 && entries[0].revents == 0 ? .wakeup : .readable
    }

    private func readSocket() {
        // Where nothing is queued, this reads the socket once.
        if let event = xcb_poll_for_event(handle) { keep(event) }
        keepQueued()
        abandoned.removeAll { takeLate($0) }
    }

    /// Takes what was read already.
    private func keepQueued() {
        while let event = xcb_poll_for_queued_event(handle) { keep(event) }
    }

    /// - Parameter raw: freed here.
    private func keep(_ raw: UnsafeMutablePointer<xcb_generic_event_t>) {
        defer { free(raw) }
        guard let event = XEvent(raw, extensions: extensions, root: root), inbox.count < Limits.events else { return }
        // A mouse may report a thousand times a second, and only the last time counts.
        if event == .pointerMoved, inbox.last == .pointerMoved { return }
        if inbox.count >= Limits.damageEvents, let joined = inbox.last?.joined(with: event) {
            inbox[inbox.count - 1] = joined
        } else {
            inbox.append(event)
        }
    }

    /// True if the late reply has come, or never will.
    private func takeLate(_ late: Abandoned) -> Bool {
        var raw: UnsafeMutableRawPointer?
        var error: UnsafeMutablePointer<xcb_generic_error_t>?
        guard xcb_poll_for_reply(handle, late.sequence, &raw, &error) != 0 else { return false }
        free(error)
        guard let raw else { return true }
        if late.carriesDescriptor {
            let reply = Reply<xcb_shm_create_segment_reply_t>(raw)
            if reply.body.nfd == 1 { close(xcb_shm_create_segment_reply_fds(handle, reply.pointer)[0]) }
        } else {
            free(raw)
        }
        return true
    }
}
