import CPulse
import Glibc
import Media
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
/// It has no thread: what came from the server is handled while one of its methods runs.
final class PulseServer: @unchecked Sendable {  // Made on one thread and used on another: handed over, never shared.
    /// The names of the sink and the source that programs use unless told otherwise.
    struct Defaults: Hashable {
        var sink: String
        var source: String
    }

    /// Loaded with the first question; a table that never changes.
    private static let library: pulse_functions? = {
        var functions = pulse_functions()
        guard let library = dlopen("libpulse.so.0", RTLD_NOW), pulse_load(&functions, library) else { return nil }
        return functions
    }()

    let pulse: pulse_functions
    let context: OpaquePointer
    private let loop: OpaquePointer
    /// What the connection waits for, as of the last turn of its loop.
    private(set) var descriptors: [PollEntry] = []
    private(set) var defaults = Defaults(sink: "", source: "") { didSet { hasNews = true } }
    /// The index of a source that is to stay, and whether it did.
    var watchedSource: UInt32?
    private(set) var isWatchedSourceGone = false { didSet { hasNews = true } }
    private var hasNews = true
    private var found: [PulseSource] = []

    private init(_ pulse: pulse_functions, loop: OpaquePointer, context: OpaquePointer) {
        self.pulse = pulse
        self.loop = loop
        self.context = context
        pulse.pa_mainloop_set_poll_func(loop, { entries, count, timeout, server in
            PulseServer.at(server)?.note(UnsafeBufferPointer(start: entries, count: Int(count)))
            return poll(entries, count, timeout)
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        pulse.pa_context_disconnect(context)
        pulse.pa_context_unref(context)
        pulse.pa_mainloop_free(loop)
    }

    /// Connects to a server, by default that of the environment. Starts none. libpulse may ask the display for it first
    /// (`pa_context_new`), which has no time limit.
    ///
    /// - Parameter address: as `PULSE_SERVER` has it.
    static func connect(to address: String?, until deadline: Instant) throws(PulseFailure) -> PulseServer {
        guard let pulse = library, let loop = pulse.pa_mainloop_new() else { throw .noLibrary }
        guard let context = pulse.pa_context_new(pulse.pa_mainloop_get_api(loop), "screenshare") else {
            pulse.pa_mainloop_free(loop)
            throw .noLibrary
        }
        let server = PulseServer(pulse, loop: loop, context: context)
        guard pulse.pa_context_connect(context, address, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { throw server.refusal }
        try server.wait(until: deadline) { pulse.pa_context_get_state(context) == PA_CONTEXT_READY }
        return server
    }

    // MARK: Questions

    func askDefaults(until deadline: Instant) throws(PulseFailure) -> Defaults {
        try finish(requestDefaults(), until: deadline)
        return defaults
    }

    func askSources(until deadline: Instant) throws(PulseFailure) -> [PulseSource] {
        found = []
        let operation = pulse.pa_context_get_source_info_list(context, { _, source, _, server in
            guard let source, let server = PulseServer.at(server), server.found.count < Limits.devices else { return }
            server.found.append(PulseSource(source.pointee))
        }, Unmanaged.passUnretained(self).toOpaque())
        try finish(operation, until: deadline)
        return found
    }

    /// From now on `defaults` and `isWatchedSourceGone` follow the server, with every `catchUp`.
    func subscribe(until deadline: Instant) throws(PulseFailure) {
        let mask = PA_SUBSCRIPTION_MASK_SERVER.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
        pulse.pa_context_set_subscribe_callback(context, { _, event, index, server in
            PulseServer.at(server)?.notice(event.rawValue, index)
        }, Unmanaged.passUnretained(self).toOpaque())
        try finish(
            pulse.pa_context_subscribe(context, pa_subscription_mask_t(mask), nil, nil), until: deadline)
    }

    /// Whether `defaults` or `isWatchedSourceGone` may have changed since that was asked last.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Takes what came from the server, without waiting.
    func catchUp() throws(PulseFailure) {
        for _ in 0..<Limits.turns {
            let handled = turn(atMost: .zero)
            guard handled >= 0 else { throw .lost }
            if handled == 0 { break }
        }
        guard isConnected else { throw .lost }
    }

    /// Handles what comes until the condition is met.
    func wait(until deadline: Instant, for isMet: () -> Bool) throws(PulseFailure) {
        while !isMet() {
            let left = deadline - SystemClock.now()
            guard left > .zero else { throw .timedOut }
            guard turn(atMost: left) >= 0 else { throw .lost }
            guard isConnected else { throw refusal }
        }
    }

    /// The latest error, in the server's words.
    var refusal: PulseFailure { .refused(text(pulse.pa_strerror(pulse.pa_context_errno(context)))) }

    // MARK: The loop

    private func notice(_ event: UInt32, _ index: UInt32) {
        let facility = event & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
        if facility == PA_SUBSCRIPTION_EVENT_SERVER.rawValue {
            if let operation = requestDefaults() { pulse.pa_operation_unref(operation) }
        } else if event & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue {
            if index == watchedSource { isWatchedSourceGone = true }
        }
    }

    private func requestDefaults() -> OpaquePointer? {
        pulse.pa_context_get_server_info(context, { _, info, server in
            guard let info = info?.pointee else { return }
            PulseServer.at(server)?.defaults = Defaults(
                sink: text(info.default_sink_name), source: text(info.default_source_name))
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func finish(_ operation: OpaquePointer?, until deadline: Instant) throws(PulseFailure) {
        guard let operation else { throw refusal }
        defer { pulse.pa_operation_unref(operation) }
        try wait(until: deadline) { pulse.pa_operation_get_state(operation) != PA_OPERATION_RUNNING }
    }

    /// Waits for something to come, and handles it.
    ///
    /// - Returns: how much was handled; negative on failure.
    private func turn(atMost time: Duration) -> Int32 {
        let prepared = pulse.pa_mainloop_prepare(loop, Int32(clamping: time.nanoseconds / 1000))
        guard prepared >= 0 else { return prepared }
        let polled = pulse.pa_mainloop_poll(loop)
        return polled < 0 ? polled : pulse.pa_mainloop_dispatch(loop)
    }

    /// The list rarely changes: it is written anew only then.
    private func note(_ entries: UnsafeBufferPointer<pollfd>) {
        let isSame = entries.elementsEqual(descriptors) { $0.entry == $1 }
        if !isSame { descriptors = entries.map(\.entry) }
    }

    private var isConnected: Bool {
        let state = pulse.pa_context_get_state(context)
        return state != PA_CONTEXT_FAILED && state != PA_CONTEXT_TERMINATED
    }

    /// The connection that a callback belongs to.
    private static func at(_ userdata: UnsafeMutableRawPointer?) -> PulseServer? {
        userdata.map { Unmanaged<PulseServer>.fromOpaque($0).takeUnretainedValue() }
    }
}
