import Datagrams
import FuzzDriver
import RTP

/// RTP packets with their header extensions.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var map = ExtensionMap()
    for (index, known) in HeaderExtension.allCases.enumerated() { map.map(UInt8(index + 1), to: known) }
    bytes.read { span in
        guard let packet = try? RTPPacket(span) else { return }
        if let block = packet.extensionBlock { _ = try? HeaderExtensions(span, block, map: map) }
        _ = RetransmissionPayload(span, payload: packet.payload)
    }
    return 0
}

@main
enum FuzzRTP {
    static func main() { FuzzDriver.run(fuzz) }
}
