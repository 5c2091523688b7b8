import CXCB
import Glibc
import Media
import Timebase

/// The memory that holds the picture: shared with the X server, or private where that is not possible.
final class PictureMemory {
    enum Kind: Equatable {
        /// Attached by the server under this identifier.
        case shared(xcb_shm_seg_t)
        case `private`
    }

    let kind: Kind
    let bytes: UnsafeMutableRawBufferPointer
    private let release: (UnsafeMutableRawBufferPointer) -> Void

    private init(
        kind: Kind, bytes: UnsafeMutableRawBufferPointer, release: @escaping (UnsafeMutableRawBufferPointer) -> Void
    ) {
        self.kind = kind
        self.bytes = bytes
        self.release = release
    }

    deinit { release(bytes) }

    /// Memory that the server can't write to.
    static func makePrivate(byteCount: Int) -> PictureMemory {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        return PictureMemory(kind: .private, bytes: bytes) { $0.deallocate() }
    }

    /// Memory that the server writes to: made by the server if it can pass a descriptor, otherwise of System V.
    /// Nil where the server is on another machine or refuses.
    static func makeShared(
        byteCount: Int, on connection: XConnection, until deadline: Instant
    ) throws(XFailure) -> PictureMemory? {
        guard connection.isLocal, connection.extensions.sharedMemory != nil else { return nil }
        if let memory = try makeByServer(byteCount: byteCount, on: connection, until: deadline) { return memory }
        return try makeSystemV(byteCount: byteCount, on: connection, until: deadline)
    }

    /// MIT-SHM 1.2 ShmCreateSegment: nothing is left behind however the processes end.
    private static func makeByServer(
        byteCount: Int, on connection: XConnection, until deadline: Instant
    ) throws(XFailure) -> PictureMemory? {
        guard connection.extensions.passesDescriptors, let size = UInt32(exactly: byteCount) else { return nil }
        let segment = connection.makeIdentifier()
        let cookie = xcb_shm_create_segment(connection.handle, segment, size, 0)
        let descriptor: Int32
        do throws(XFailure) {
            let reply = try connection.reply(
                cookie.sequence, as: xcb_shm_create_segment_reply_t.self, until: deadline, carriesDescriptor: true)
            guard reply.body.nfd == 1 else { return nil }
            descriptor = xcb_shm_create_segment_reply_fds(connection.handle, reply.pointer)[0]
        } catch .refused {
            return nil
        } catch {
            // It may be made yet.
            xcb_shm_detach(connection.handle, segment)
            throw error
        }
        defer { close(descriptor) }
        guard let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            address != MAP_FAILED
        else {
            xcb_shm_detach(connection.handle, segment)
            return nil
        }
        let bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
        return PictureMemory(kind: .shared(segment), bytes: bytes) { munmap($0.baseAddress, $0.count) }
    }

    /// shmget(2). Marked for removal before the server attaches it, which Linux allows: no end of either process
    /// leaves it behind.
    private static func makeSystemV(
        byteCount: Int, on connection: XConnection, until deadline: Instant
    ) throws(XFailure) -> PictureMemory? {
        let identifier = shmget(IPC_PRIVATE, byteCount, IPC_CREAT | 0o600)
        guard identifier >= 0 else { return nil }
        let address = shmat(identifier, nil, 0)
        shmctl(identifier, IPC_RMID, nil)
        // shmat(2) returns -1 where it fails.
        guard let address, Int(bitPattern: address) != -1 else { return nil }
        let segment = connection.makeIdentifier()
        xcb_shm_attach(connection.handle, segment, UInt32(bitPattern: identifier), 0)
        let bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
        let memory = PictureMemory(kind: .shared(segment), bytes: bytes) { shmdt($0.baseAddress) }
        var isUsable = false
        defer { if !isUsable { memory.detach(from: connection) } }
        isUsable = try memory.isUsable(by: connection, segment: segment, until: deadline)
        return isUsable ? memory : nil
    }

    /// What pixels are awaited over: two, since one of them may be what the screen shows.
    static let marks: [UInt32] = [0x5AA5_C33C, 0xA55A_3CC3]

    /// Only a pixel that arrives here proves that the server attached this segment: in another IPC namespace its number may
    /// be that of another one, into which the server would write without complaint.
    func isUsable(
        by connection: XConnection, segment: xcb_shm_seg_t, until deadline: Instant
    ) throws(XFailure) -> Bool {
        for mark in Self.marks {
            bytes.storeBytes(of: mark, as: UInt32.self)
            let cookie = xcb_shm_get_image(
                connection.handle, connection.root, 0, 0, 1, 1, .max, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), segment, 0)
            do throws(XFailure) {
                _ = try connection.reply(cookie.sequence, as: xcb_shm_get_image_reply_t.self, until: deadline)
            } catch .refused {
                return false
            }
            if bytes.load(as: UInt32.self) != mark { return true }
        }
        return false
    }

    /// Takes the server's hands off the memory, which lives on for those who still look at it.
    func detach(from connection: XConnection) {
        if case .shared(let segment) = kind { xcb_shm_detach(connection.handle, segment) }
    }
}
