import CXCB

/// What a window's property holds.
struct Property {
    private var isLatin1 = false
    private var bytes: [UInt8] = []
    private(set) var words: [UInt32] = []

    init(_ reply: borrowing Reply<xcb_get_property_reply_t>) {
        let count = min(Int(xcb_get_property_value_length(reply.pointer)), reply.excess)
        guard count > 0, let start = xcb_get_property_value(reply.pointer) else { return }
        let value = UnsafeRawBufferPointer(start: start, count: count)
        switch reply.body.format {
        case 8: (isLatin1, bytes) = (reply.body.type == XCB_ATOM_STRING.rawValue, Array(value))
        case 32: words = (0..<count / 4).map { value.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) }
        default: break
        }
    }

    /// Titles of old programs are Latin-1 (ICCCM § 2.7.1), those of all others UTF-8.
    var text: String {
        guard isLatin1 else { return String(decoding: bytes, as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
