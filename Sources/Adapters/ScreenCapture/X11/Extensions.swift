import CXCB
import Glibc

/// Which protocol extensions the server speaks, and how their requests and events are numbered.
struct Extensions: Sendable {
    struct Entry: Sendable {
        var majorOpcode: UInt8
        var firstEvent: UInt8
    }

    var damage: Entry?
    var fixes: Entry?
    var randr: Entry?
    /// RandR 1.5: monitors with names.
    var hasMonitors = false
    /// Composite 0.2: pixmaps of windows.
    var composite: Entry?
    var sharedMemory: Entry?
    /// MIT-SHM 1.2: the server makes a segment and passes its descriptor.
    var passesDescriptors = false
    /// XInput 2.2: raw motion also while another client has grabbed the pointer.
    var input: Entry?
    /// Only Xwayland has it (2022 and later).
    var isXwayland = false
}

extension Extensions {
    /// Asks the server. Blocks until it answered or the connection broke.
    init(blockingOn connection: OpaquePointer) {
        damage = Self.find("DAMAGE", connection)
        fixes = Self.find("XFIXES", connection)
        randr = Self.find("RANDR", connection)
        composite = Self.find("Composite", connection)
        sharedMemory = Self.find("MIT-SHM", connection)
        input = Self.find("XInputExtension", connection)
        isXwayland = Self.find("XWAYLAND", connection) != nil
        agreeOnVersions(connection)
    }

    private static func find(_ name: String, _ connection: OpaquePointer) -> Entry? {
        let cookie = xcb_query_extension(connection, UInt16(name.utf8.count), name)
        guard let reply = xcb_query_extension_reply(connection, cookie, nil) else { return nil }
        defer { free(reply) }
        guard reply.pointee.present != 0 else { return nil }
        return Entry(majorOpcode: reply.pointee.major_opcode, firstEvent: reply.pointee.first_event)
    }

    /// An extension may only be used after both sides named their versions.
    private mutating func agreeOnVersions(_ connection: OpaquePointer) {
        if damage != nil {
            free(xcb_damage_query_version_reply(connection, xcb_damage_query_version(connection, 1, 1), nil))
        }
        if fixes != nil {
            free(xcb_xfixes_query_version_reply(connection, xcb_xfixes_query_version(connection, 5, 0), nil))
        }
        agreeOnScreens(connection)
        agreeOnSharedMemory(connection)
        if let entry = input, !PointerMotion.agree(connection, majorOpcode: entry.majorOpcode) { input = nil }
    }

    private mutating func agreeOnScreens(_ connection: OpaquePointer) {
        if randr != nil,
            let reply = xcb_randr_query_version_reply(connection, xcb_randr_query_version(connection, 1, 5), nil)
        {
            hasMonitors = (reply.pointee.major_version, reply.pointee.minor_version) >= (1, 5)
            free(reply)
        }
        guard composite != nil else { return }
        let cookie = xcb_composite_query_version(connection, 0, 4)
        guard let reply = xcb_composite_query_version_reply(connection, cookie, nil) else { return }
        if (reply.pointee.major_version, reply.pointee.minor_version) < (0, 2) { composite = nil }
        free(reply)
    }

    private mutating func agreeOnSharedMemory(_ connection: OpaquePointer) {
        guard sharedMemory != nil,
            let reply = xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), nil)
        else { return }
        passesDescriptors = (reply.pointee.major_version, reply.pointee.minor_version) >= (1, 2)
        free(reply)
    }
}
