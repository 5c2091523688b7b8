import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("What a receiver asks for, and how often")
struct RequestTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func packet(_ number: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: true, payloadType: 96, sequenceNumber: number, timestamp: 3000 * UInt32(number), ssrc: 7)
            .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        return bytes + [0x41, 0x9A, 0x00]
    }

    /// When requests for packet 2 leave, which gets lost and never comes again; the round trip takes 50 ms.
    private func requests(parity: UInt8?, until end: Int) -> [Int] {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [97: 96], parityPayloadType: parity,
                extensions: ExtensionMap(), ssrc: 1, canonicalName: "viewer"), at: at(0))
        var none: AudioReceiver?
        var times: [Int] = []
        for number in [1, 3, 4] as [UInt16] {
            receiver.receive(packet(number), at: at(0))
            // Tells the round trip.
            _ = number == 1 ? receiver.nextFeedback(at: at(0), roundTripTime: .milliseconds(50), audio: &none) : nil
        }
        for time in 0..<end {
            receiver.advance(to: at(time))
            while let bytes = receiver.nextFeedback(at: at(time), roundTripTime: .milliseconds(50), audio: &none) {
                for case .genericNACK(let nack) in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) {
                    #expect(nack.missing == [2])
                    times.append(time)
                }
            }
        }
        return times
    }

    @Test("a sharer of our kind, which takes copies for one request, is asked three times, and then all the time")
    func own() {
        #expect(requests(parity: 98, until: 110) == [0, 8, 16, 59, 67, 75, 83, 91])
    }

    @Test("others, which may answer each copy, are asked twice")
    func others() {
        #expect(requests(parity: nil, until: 110) == [0, 8, 59, 67])
    }
}
