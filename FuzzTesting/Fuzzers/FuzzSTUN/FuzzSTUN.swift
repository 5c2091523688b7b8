import Datagrams
import FuzzDriver
import ICE

/// STUN messages, the user name that peers are told apart by, packets in a connection, and candidate lines.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    bytes.read { span in
        _ = try? STUNMessage(span)
        _ = ICEAgent.localUfrag(of: span)
    }
    var decoder = FrameDecoder()
    for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
        decoder.append(Array(part))
        do { while try decoder.next() != nil {} } catch { break }
    }
    if let candidate = try? Candidate(String(decoding: bytes, as: UTF8.self)) {
        // What is understood is written, and understood again.
        precondition((try? Candidate(candidate.description)) != nil)
    }
    return 0
}

@main
enum FuzzSTUN {
    static func main() { FuzzDriver.run(fuzz) }
}
