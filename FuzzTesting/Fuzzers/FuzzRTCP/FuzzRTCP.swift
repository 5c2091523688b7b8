import Datagrams
import RTP

/// Compound and reduced-size RTCP; what was read is used once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    for form in [RTCPForm.compound, .reducedSize] {
        for packet in bytes.read({ (try? RTCPPacket.packets($0, form: form)) ?? [] }) {
            if case .genericNACK(let nack) = packet { _ = nack.missing }
        }
    }
    return 0
}
