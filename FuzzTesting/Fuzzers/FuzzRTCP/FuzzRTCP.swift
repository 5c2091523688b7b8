import Datagrams
import FuzzDriver
import RTP

/// Compound and reduced-size RTCP; what was read is used once.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    for packet in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) {
        if case .genericNACK(let nack) = packet { _ = nack.missing }
        if case .congestionFeedback(let feedback) = packet {
            for report in feedback.reports { for metric in report.metrics { _ = (metric.offset, metric.ecn) } }
        }
    }
    return 0
}

@main
enum FuzzRTCP {
    static func main() { FuzzDriver.run(fuzz) }
}
