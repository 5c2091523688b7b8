import CPulse
import Glibc
import SystemClock
import Timebase

/// Why a sound server doesn't tell.
enum PulseFailure: Error, Hashable {
    /// No libpulse on this machine.
    case noLibrary
    /// There is no server, or it refused.
    case refused(String)
    case timedOut
    /// It was there and is gone.
    case lost
}

/// A connection to a sound server that speaks PulseAudio's protocol: PulseAudio, or PipeWire in its place.
///
/// ALSA's plugin brings its sound; which sources there are, and what becomes of them, only libpulse tells.
final class PulseServer: @unchecked Sendable {  // Made on one thread and used on another: handed over, never shared.
    /// The names of the sink and the source that programs use unless told otherwise.
    struct Defaults: Hashable {
        var sink: String
        var source: String
    }

    /// Loaded with the first question; a handle that never changes.
    private nonisolated(unsafe) static let library = dlopen("libpulse.so.0", RTLD_NOW)

    let address: String?
    private let library: UnsafeMutableRawPointer
    private let loop: OpaquePointer
    private let context: OpaquePointer
    /// What the connection waits for, as of the last turn of its loop.
    private(set) var descriptors: [PollEntry] = []
    private(set) var defaults = Defaults(sink: "", source: "")
    /// The index of a source that is to stay, and whether it did.
    var watchedSource: UInt32?
    private(set) var isWatchedSourceGone = false
    private var found: [PulseSource] = []

    private init(
        address: String?, library: UnsafeMutableRawPointer, loop: OpaquePointer, context: OpaquePointer
    ) {
        self.address = address
        self.library = library
        self.loop = loop
        self.context = context
        pulse_mainloop_set_poll_func(library, loop, { entries, count, timeout, server in
            let list = UnsafeBufferPointer(start: entries, count: Int(count))
            PulseServer.at(server)?.descriptors = list.map(\.entry)
            return poll(entries, count, timeout)
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        pulse_context_close(library, context)
        pulse_mainloop_free(library, loop)
    }

    /// Connects to a server, by default that of the environment. Starts none.
    ///
    /// - Parameter address: as `PULSE_SERVER` has it.
    static func connect(to address: String?, until deadline: Instant) throws(PulseFailure) -> PulseServer {
        guard let library, let loop = pulse_mainloop_new(library) else { throw .noLibrary }
        guard let context = pulse_context_new(library, loop, "screenshare") else {
            pulse_mainloop_free(library, loop)
            throw .noLibrary
        }
        let server = PulseServer(address: address, library: library, loop: loop, context: context)
        guard pulse_context_connect(library, context, address) >= 0 else { throw server.refusal }
        while pulse_context_state(library, context) != PA_CONTEXT_READY { try server.turn(until: deadline) }
        return server
    }

    // MARK: Questions

    func askDefaults(until deadline: Instant) throws(PulseFailure) -> Defaults {
        try finish(requestDefaults(), until: deadline)
        return defaults
    }

    func askSources(until deadline: Instant) throws(PulseFailure) -> [PulseSource] {
        found = []
        let operation = pulse_source_list(library, context, { _, source, _, server in
            guard let source, let server = PulseServer.at(server), server.found.count < Limits.devices else { return }
            server.found.append(PulseSource(source.pointee))
        }, Unmanaged.passUnretained(self).toOpaque())
        try finish(operation, until: deadline)
        return found
    }

    /// From now on `defaults` and `isWatchedSourceGone` follow the server, with every `catchUp`.
    func subscribe(until deadline: Instant) throws(PulseFailure) {
        let mask = PA_SUBSCRIPTION_MASK_SERVER.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
        let operation = pulse_subscribe(library, context, pa_subscription_mask_t(mask), { _, event, index, server in
            PulseServer.at(server)?.notice(event.rawValue, index)
        }, Unmanaged.passUnretained(self).toOpaque())
        try finish(operation, until: deadline)
    }

    /// Takes what came from the server, without waiting.
    func catchUp() throws(PulseFailure) {
        for _ in 0..<Limits.turns {
            let handled = pulse_mainloop_run(library, loop, 0)
            guard handled >= 0, isConnected else { throw .lost }
            if handled == 0 { return }
        }
    }

    // MARK: The loop

    private func notice(_ event: UInt32, _ index: UInt32) {
        let facility = event & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
        if facility == PA_SUBSCRIPTION_EVENT_SERVER.rawValue {
            if let operation = requestDefaults() { pulse_operation_unref(library, operation) }
        } else if event & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue {
            if index == watchedSource { isWatchedSourceGone = true }
        }
    }

    private func requestDefaults() -> OpaquePointer? {
        pulse_server_info(library, context, { _, info, server in
            guard let info = info?.pointee else { return }
            PulseServer.at(server)?.defaults = Defaults(
                sink: text(info.default_sink_name), source: text(info.default_source_name))
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func finish(_ operation: OpaquePointer?, until deadline: Instant) throws(PulseFailure) {
        guard let operation else { throw refusal }
        defer { pulse_operation_unref(library, operation) }
        while pulse_operation_state(library, operation) == PA_OPERATION_RUNNING { try turn(until: deadline) }
    }

    private func turn(until deadline: Instant) throws(PulseFailure) {
        let left = deadline - SystemClock.now()
        guard left > .zero else { throw .timedOut }
        let timeout = Int32(clamping: left.nanoseconds / 1000)
        guard pulse_mainloop_run(library, loop, timeout) >= 0 else { throw .lost }
        guard isConnected else { throw refusal }
    }

    private var isConnected: Bool {
        let state = pulse_context_state(library, context)
        return state != PA_CONTEXT_FAILED && state != PA_CONTEXT_TERMINATED
    }

    private var refusal: PulseFailure {
        .refused(text(pulse_strerror(library, pulse_context_error(library, context))))
    }

    /// The connection that a callback belongs to.
    private static func at(_ userdata: UnsafeMutableRawPointer?) -> PulseServer? {
        userdata.map { Unmanaged<PulseServer>.fromOpaque($0).takeUnretainedValue() }
    }
}
