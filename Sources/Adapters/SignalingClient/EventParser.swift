import NIOCore
import SignalingProtocol

/// The parser of one event stream, which is read by one task.
actor EventParser {
    private var parser = ServerSentEventParser()

    func receive(_ bytes: ByteBufferView) throws -> [ServerSentEvent] { try parser.receive(bytes) }
}
