import Datagrams
import FuzzDriver
import RTP
import Timebase

/// Packets of sound, plain or with copies (RED), through the jitter buffer, and what fills a file where they are missing.
///
/// The input is a row of packets: length, step in sequence numbers, step in time (two bytes), waiting, and so many bytes.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var (playout, fill) = (AudioPlayout(), OpusFill())
    var (at, sequence, timestamp) = (Instant.zero, Int64(0), Int64(0))
    var rest = bytes[...]
    while rest.count > 5 {
        let head = Array(rest.prefix(5))
        let packet = Array(rest.dropFirst(5).prefix(Int(head[0])))
        rest = rest.dropFirst(5 + packet.count)
        sequence += Int64(Int8(bitPattern: head[1]))
        timestamp += Int64(Int16(bitPattern: UInt16(head[2]) << 8 | UInt16(head[3]))) * 8
        at += .microseconds(Int64(head[4]) * 400)
        receive(packet, into: &playout, sequence, timestamp, at)
        if let opus = try? OpusPacket(packet) { fill.note(opus.toc) }
        let filled = fill.packets(Int64(head[2]) * 512)
        precondition(filled.allSatisfy { (try? OpusPacket($0.bytes))?.samples == Int($0.samples) })
        while let output = playout.pull(at: at) { check(output, at) }
    }
    return 0
}

private func receive(
    _ packet: [UInt8], into playout: inout AudioPlayout, _ sequence: Int64, _ timestamp: Int64, _ at: Instant
) {
    let red = packet.read { span in RedundantPayload(span, payload: 0..<packet.count) }
    let copies = (red?.redundant ?? []).map {
        AudioPlayout.Copy(timestampOffset: Int64($0.timestampOffset), bytes: Array(packet[$0.bytes]))
    }
    let primary = red.map { Array(packet[$0.primary]) } ?? packet
    playout.receive(primary, copies: copies, sequenceNumber: sequence, timestamp: timestamp, at: at)
}

/// What is played is some sound, and is due by now.
private func check(_ output: PlayoutOutput, _ now: Instant) {
    precondition(output.frames > 0 && output.frames <= Limits.opusPacketSamples && output.due <= now)
    precondition(output.speed > 0.3 && output.speed < 3)
}

@main
enum FuzzSound {
    static func main() { FuzzDriver.run(fuzz) }
}
