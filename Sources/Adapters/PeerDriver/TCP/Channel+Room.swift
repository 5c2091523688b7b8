import Datagrams
import NIOCore
import PeerCore

extension Channel {
    /// What a backed-up connection does not take is dropped, as a network would; checks have some room beyond that.
    func hasRoom(for packet: [UInt8]) -> Bool {
        if isWritable { return true }
        return packet.read(DatagramKind.init) == .stun && waitingBytes < Limits.connectionBacklog + Limits.checkBacklog
    }

    /// What has not left for the kernel yet.
    var waitingBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
