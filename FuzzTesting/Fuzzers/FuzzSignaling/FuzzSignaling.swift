import FoundationEssentials
import FuzzDriver
import SignalingProtocol

/// The signaling messages as JSON, the event stream, and the names and tokens that come in headers and paths.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    // As server and clients do, before a parser that recurses gets it.
    if JSONOutline.fault(in: bytes) == nil { decode(Data(bytes)) }
    var parser = ServerSentEventParser()
    _ = try? parser.receive(bytes)
    _ = RoomName(text)
    _ = BearerToken(text)
    _ = RandomID(text)
    _ = MatchCondition(text)
    _ = SDPOutline(description: text)
    _ = TrickleFragment(text)
    return 0
}

private func decode(_ data: Data) {
    let decoder = JSONDecoder()
    _ = try? decoder.decode(ShareRequest.self, from: data)
    _ = try? decoder.decode(SessionReply.self, from: data)
    _ = try? decoder.decode(RestartReply.self, from: data)
    _ = try? decoder.decode(ShareState.self, from: data)
    _ = try? decoder.decode(ShareReceipt.self, from: data)
    _ = try? decoder.decode(RoomState.self, from: data)
    _ = try? decoder.decode(Problem.self, from: data)
}

@main
enum FuzzSignaling {
    static func main() { FuzzDriver.run(fuzz) }
}
