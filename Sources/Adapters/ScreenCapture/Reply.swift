import Glibc

/// A reply of the X server, which libxcb allocated and this value frees.
struct Reply<Body>: ~Copyable {
    let pointer: UnsafeMutablePointer<Body>

    init(_ raw: UnsafeMutableRawPointer) {
        pointer = raw.assumingMemoryBound(to: Body.self)
    }

    deinit { free(pointer) }

    var body: Body { pointer.pointee }
}
