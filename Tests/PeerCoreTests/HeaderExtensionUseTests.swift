import Datagrams
import PeerCore
import RTP
import Testing
import Timebase

@Suite("What stands in the header extensions")
struct HeaderExtensionUseTests {
    /// The extensions of each RTP packet of the video, with the unit it belongs to.
    private func sent(_ share: borrowing Share) -> [(timestamp: UInt32, extensions: HeaderExtensions)] {
        share.pair.sharerDatagrams.compactMap { datagram in
            datagram.read { span in
                guard DatagramKind(span) == .rtp, let packet = try? RTPPacket(span), packet.header.payloadType == 102,
                    let block = packet.extensionBlock,
                    let extensions = try? HeaderExtensions(span, block, map: PeerPair.extensions)
                else { return nil }
                return (packet.header.timestamp, extensions)
            }
        }
    }

    @Test("capture times come with the first picture and once a second; send times not beside transport-wide numbers")
    func economy() {
        var share = Share(PeerPair(seed: 1))
        share.run(for: .seconds(10))
        let packets = sent(share)
        #expect(packets.count > 500)
        #expect(packets.allSatisfy { $0.extensions.absoluteSendTime == nil })
        #expect(packets.allSatisfy { $0.extensions.transportSequenceNumber != nil })
        #expect(packets.first?.extensions.absoluteCaptureTime != nil)
        let dated = Set(packets.filter { $0.extensions.absoluteCaptureTime != nil }.map(\.timestamp))
        #expect(9...11 ~= dated.count)
        // All packets of a unit have one size of header.
        #expect(packets.allSatisfy { ($0.extensions.absoluteCaptureTime != nil) == dated.contains($0.timestamp) })
    }
}
