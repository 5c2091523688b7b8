import Datagrams
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@Suite("What stands in the header extensions")
struct HeaderExtensionUseTests {
    /// The extensions of each RTP packet of the video, with the unit it belongs to.
    ///
    /// - Parameter payloadType: 103: of what was sent again.
    private func sent(
        _ share: borrowing Share, payloadType: UInt8 = 102
    ) -> [(timestamp: UInt32, extensions: HeaderExtensions)] {
        share.pair.sharerDatagrams.compactMap { datagram in
            datagram.read { span in
                guard DatagramKind(span) == .rtp, let packet = try? RTPPacket(span), packet.header.payloadType == payloadType,
                    let block = packet.extensionBlock,
                    let extensions = try? HeaderExtensions(span, block, map: PeerPair.extensions)
                else { return nil }
                return (packet.header.timestamp, extensions)
            }
        }
    }

    @Test("a keyframe's packet that is sent again says how pictures are to be shown")
    func sentAgain() {
        var conditions = LinkConditions()
        conditions.loss = 0.2
        var share = Share(PeerPair(seed: 1, conditions: conditions))
        share.run(for: .seconds(10))
        let keyframes = Set(sent(share).filter { $0.extensions.videoContentType != nil }.map(\.timestamp))
        let again = sent(share, payloadType: 103).filter { keyframes.contains($0.timestamp) }
        #expect(!keyframes.isEmpty && !again.isEmpty)
        #expect(again.allSatisfy { $0.extensions.playoutDelay != nil && $0.extensions.videoContentType == .screen })
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
