import Datagrams
import FuzzDriver
import RTP
import Timebase

/// Payloads through the depacketizer and the reference chain: each input is a row of payloads, a length byte before
/// each.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var depacketizer = H264Depacketizer()
    var chain = ReferenceChain()
    var repeater = PictureRepeater()
    bytes.read { span in
        var cursor = Cursor(span)
        var number: Int64 = 0
        while let length = cursor.u8(span), let payload = cursor.take(min(Int(length), cursor.remaining)) {
            number += length % 7 == 0 ? 2 : 1
            try? depacketizer.receive(
                span, payload: payload, sequenceNumber: number, timestamp: UInt32(number / 3),
                marker: length % 3 == 0)
            while let unit = depacketizer.nextAccessUnit() {
                _ = chain.judge(unit)
                try? repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
                _ = try? repeater.makeUnit()
            }
        }
    }
    let nalUnits = AnnexB.split(bytes)
    try? repeater.observe(bytes, nalUnits: nalUnits)
    for nalUnit in nalUnits {
        _ = try? SequenceParameterSet.settingTiming(
            VideoTiming(unitsInTick: 1, timeScale: 60, isFixedFrameRate: true), in: Array(bytes[nalUnit]))
    }
    return 0
}

@main
enum FuzzH264 {
    static func main() { FuzzDriver.run(fuzz) }
}
