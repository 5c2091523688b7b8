import FuzzDriver
import SDP

/// An offer of ours, as what comes may be the answer to it.
private let ours = LocalOffer.receiving(
    transport: LocalTransport(
        credentials: ICECredentials(usernameFragment: "view", password: "zyxwvutsrqponmlkjihgfe"),
        fingerprint: [UInt8](repeating: 0xEF, count: 32), candidates: [], isComplete: false),
    sessionID: 5, audio: true)

/// Descriptions, offers, answers and trickle fragments.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    if let description = try? SessionDescription(text) {
        _ = try? Offer(description)
        _ = try? AcceptedAnswer(description, to: ours)
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
