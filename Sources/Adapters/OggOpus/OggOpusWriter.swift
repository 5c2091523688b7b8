import RTP
import Timebase

/// Writes Opus packets as they come from the network into an Ogg Opus file (RFC 7845), in chunks to be appended to it.
///
///     header ─► append(packet, timestamp:) … ─► finish()
///                 fill(to:), flush() whenever
///
/// The file's time follows the RTP clock. In place of what never came there are packets without frames, which decoders
/// conceal, and silence where that lasts. Sound that begins later than the file is led in by such packets too: granule
/// positions that start late would say the same, but opusdec, ffmpeg and mpv play such a file from its first packet.
///
/// Every chunk is whole pages, none longer than a second: a process that is killed leaves a file that plays up to
/// there. Used by one thread.
package final class OggOpusWriter {
    /// What the file begins with.
    package let header: [UInt8]
    private let stream: OggStream
    /// The timestamp at the file's zero; moves where the clock begins anew.
    private var origin: Int64?
    /// The latest packet waits for the next one, because the last of all must be marked.
    private var held: [UInt8]?
    private var filler = OpusFill()
    /// At the end of all packets, the held one included.
    private var granule: Int64 = 0
    /// At the end of what the stream was given, and of what it gave back in pages.
    private var written: Int64 = 0
    private var flushed: Int64 = 0

    /// - Parameters:
    ///   - serial: any number, which tells streams of one file apart.
    ///   - preSkip: samples that a decoder drops at the beginning: by how much its sound trails what was encoded.
    ///     libopus' 6.5 ms make the file's zero the very sample of the first timestamp.
    ///   - origin: the timestamp at the file's zero, as the picture's; by default that of the first packet.
    package init(serial: UInt32, preSkip: UInt16 = OpusHead.preSkip, origin: Int64? = nil) {
        self.origin = origin
        stream = OggStream(serial: serial)
        stream.append(OpusHead.bytes(preSkip: preSkip), granule: 0)
        let identification = stream.flush()
        stream.append(OpusTags.bytes, granule: 0)
        header = identification + stream.flush()
    }

    /// Where the file's sound ends, as a timestamp; nil before the first packet of a file without origin.
    package var end: Int64? { origin.map { $0.addingSaturating(granule) } }

    /// - Parameter timestamp: the packet's first sample on the sender's 48 kHz clock, not wrapped. A packet that comes
    ///   after its time was filled is left out.
    /// - Returns: what to append to the file by now, often nothing.
    package func append(_ packet: [UInt8], timestamp: Int64) throws(OpusPacketError) -> [UInt8] {
        let opus = try OpusPacket(packet)
        let samples = Int64(opus.samples)
        let gap = gap(before: timestamp)
        if gap <= -samples / 2 { return [] }
        let pages = fill(gap) + hold(packet, samples: samples)
        filler.note(opus.toc)
        return pages
    }

    /// Fills the time before a timestamp where no sound came; for a long silence, so that the file goes on with it.
    package func fill(to timestamp: Int64) -> [UInt8] {
        fill(gap(before: timestamp))
    }

    /// All but the latest packet.
    package func flush() -> [UInt8] {
        flushed = written
        return stream.flush()
    }

    /// The rest of the file; nothing may be appended afterwards.
    package func finish() -> [UInt8] {
        if let held { stream.append(held, granule: granule, isLast: true) }
        held = nil
        return stream.flush()
    }

    /// Negative where the time is filled already. A clock that began anew goes on where the file ends.
    private func gap(before timestamp: Int64) -> Int64 {
        guard let end else {
            origin = timestamp
            return 0
        }
        let gap = timestamp.subtractingSaturating(end)
        if gap >= -Limits.lateSamples, gap <= Limits.gapSamples { return gap }
        origin = timestamp.subtractingSaturating(granule)
        return 0
    }

    private func fill(_ gap: Int64) -> [UInt8] {
        filler.packets(gap).reduce(into: []) { $0 += hold($1.bytes, samples: $1.samples) }
    }

    /// Writes the packet that was held so far.
    private func hold(_ packet: [UInt8], samples: Int64) -> [UInt8] {
        if let held {
            stream.append(held, granule: granule)
            written = granule
        }
        held = packet
        granule += samples
        return written + samples - flushed > Limits.pageSamples ? flush() : []
    }
}
