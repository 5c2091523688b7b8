import Glibc

/// A reply of the X server, which libxcb allocated and this value frees.
struct Reply<Body>: ~Copyable {
    let pointer: UnsafeMutablePointer<Body>

    init(_ raw: UnsafeMutableRawPointer) {
        pointer = raw.assumingMemoryBound(to: Body.self)
    }

    deinit { free(pointer) }

    var body: Body { pointer.pointee }

    /// Bytes behind the 32 that every reply has, as they came: what a reply says of its lists may be more.
    var excess: Int { 4 * Int(UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: 4, as: UInt32.self)) }
}
