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
        if packet.count > 1, audioReceiver?.takes(packet[1] & 0x7f) == true {
            audioReceiver?.receive(packet, clock: audioClock, at: now)
        } else {
            receiver?.receive(packet, at: now)
        }
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
            if receiver?.handle(report, at: now) == true { videoClock.receive(report) }
            if audioReceiver?.handle(report, at: now) == true { audioClock.receive(report) }
            handle(report.reports)
        case .receiverReport(let report): handle(report.reports)
        // Sound is not sent again: it would come too late.
        case .genericNACK(let nack) where nack.mediaSSRC == audioSender?.ssrc: break
        case .genericNACK(let nack): sender?.repair(nack.missing, &transportSequence, at: now)
        case .pictureLossIndication, .fullIntraRequest: keyframeRequested()
        case .goodbye: end(.closedByPeer)
        case .sourceDescription, .transportFeedback, .bitrateEstimate, .unknown: break
        }
    }

    private mutating func handle(_ reports: [ReportBlock]) {
        for report in reports {
            sender?.handle(report, at: now)
            if let loss = audioSender?.handle(report, at: now) { outputs.append(.event(.losesAudio(loss))) }
        }
    }

    private mutating func keyframeRequested() {
        guard sender != nil else { return }
        sender?.countKeyframeRequest()
        outputs.append(.event(.keyframeNeeded))
    }

    /// Whatever may leave now.
    mutating func drainMedia() {
        while let packet = audioSender?.nextPacket(&transportSequence, at: now) { transmitRTP(packet) }
        while let packet = sender?.nextPacket(&transportSequence, at: now) { transmitRTP(packet) }
        if let report = sender?.report(at: now) { transmitRTCP(report) }
        if let report = audioSender?.report(at: now) { transmitRTCP(report) }
        receiver?.advance(to: now)
        drainReceiver()
    }

    private mutating func drainReceiver() {
        while let unit = receiver?.nextUnit() { outputs.append(.event(.received(dated(unit)))) }
        while let packet = audioReceiver?.nextPacket() { outputs.append(.event(.receivedAudio(packet))) }
        while let feedback = receiver?.nextFeedback(at: now, roundTripTime: ice.roundTripTime, audio: &audioReceiver) {
            transmitRTCP(feedback)
        }
    }

    private func dated(_ unit: ReceivedUnit) -> ReceivedUnit {
        var unit = unit
        unit.capturedAt = videoClock.captured(unit.accessUnit.timestamp)
        return unit
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
    package var outgoingAudio: OutgoingStatistics?
    package var incoming: IncomingStatistics?
    package var incomingAudio: IncomingStatistics?
    package var roundTripTime: Duration?
}
