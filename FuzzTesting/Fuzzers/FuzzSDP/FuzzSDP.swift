import FuzzDriver
import SDP

/// Descriptions, offers and trickle fragments.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    if let description = try? SessionDescription(text) {
        _ = try? Offer(description)
        // What is understood is written, and understood again.
        precondition((try? SessionDescription(description.description)) != nil)
    }
    _ = try? TrickleFragment(text)
    return 0
}

@main
enum FuzzSDP {
    static func main() { FuzzDriver.run(fuzz) }
}
