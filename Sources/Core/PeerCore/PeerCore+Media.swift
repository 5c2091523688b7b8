import Datagrams
import ICE
import RTP
import Timebase

/// RTP and RTCP, in and out, always through the protector: there is no path around it.
extension PeerCore {
    mutating func receiveRTP(_ datagram: [UInt8]) {
        guard isConnected, let protector, receiver != nil else { return }
        var packet = datagram
        // Forged, replayed and damaged packets change nothing.
        do throws(ProtectionError) { try protector.unprotectRTP(&packet) } catch { return }
        receiver?.receive(packet, at: now)
        drainReceiver()
    }

    mutating func receiveRTCP(_ datagram: [UInt8]) {
        guard isConnected, let protector else { return }
        var bytes = datagram
        do throws(ProtectionError) { try protector.unprotectRTCP(&bytes) } catch { return }
        let packets = bytes.read { span in (try? RTCPPacket.packets(span)) ?? [] }
        for packet in packets { handle(packet) }
    }

    private mutating func handle(_ packet: RTCPPacket) {
        switch packet {
        case .senderReport(let report):
            receiver?.handle(report, at: now)
            for block in report.reports { sender?.handle(block, at: now) }
        case .receiverReport(let report): for block in report.reports { sender?.handle(block, at: now) }
        case .genericNACK(let nack): sender?.repair(nack.missing, at: now)
        case .pictureLossIndication, .fullIntraRequest: keyframeRequested()
        case .goodbye: end(.closedByPeer)
        case .sourceDescription, .transportFeedback, .bitrateEstimate, .unknown: break
        }
    }

    private mutating func keyframeRequested() {
        guard sender != nil else { return }
        sender?.countKeyframeRequest()
        outputs.append(.event(.keyframeNeeded))
    }

    /// Whatever may leave now.
    mutating func drainMedia() {
        while let packet = sender?.nextPacket(at: now) { transmitRTP(packet) }
        if let report = sender?.report(at: now) { transmitRTCP(report) }
        receiver?.advance(to: now)
        drainReceiver()
    }

    private mutating func drainReceiver() {
        while let unit = receiver?.nextUnit() { outputs.append(.event(.received(unit))) }
        while let feedback = receiver?.nextFeedback(at: now, roundTripTime: ice.roundTripTime) { transmitRTCP(feedback) }
    }

    /// Consumes the packet: protected in place, not copied.
    private mutating func transmitRTP(_ packet: consuming [UInt8]) {
        guard let protector, let path = ice.sendAddresses else { return }
        do throws(ProtectionError) { try protector.protectRTP(&packet) } catch { return end(.protection(error)) }
        outputs.append(.transmit(Transmit(bytes: packet, from: path.local, to: path.remote)))
    }

    mutating func transmitRTCP(_ bytes: [UInt8]) {
        guard let protector, let path = ice.sendAddresses else { return }
        var bytes = bytes
        do throws(ProtectionError) { try protector.protectRTCP(&bytes) } catch { return end(.protection(error)) }
        outputs.append(.transmit(Transmit(bytes: bytes, from: path.local, to: path.remote)))
    }
}

/// One peer's counters.
package struct PeerStatistics: Sendable {
    package var isConnected: Bool
    package var outgoing: OutgoingStatistics?
    package var incoming: IncomingStatistics?
    package var roundTripTime: Duration?
}
