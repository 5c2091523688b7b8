import Datagrams
import Timebase

/// A datagram that waits for its peer's permission.
struct HeldDatagram {
    let peer: TransportAddress
    let payload: [UInt8]
}

/// Datagrams to and from peers.
extension TURNClient {
    // MARK: Out

    /// Appends a datagram from the relayed address to `peer` as the server takes it; the bytes go from the
    /// configuration's base to its server. Drain afterwards: a request may have become due.
    ///
    /// It also gives the peer's IP address the right to send to the relayed address, which lapses where nothing has been
    /// wrapped for it for two minutes.
    package mutating func wrap(
        _ payload: [UInt8], to peer: TransportAddress, into buffer: inout [UInt8], at now: Instant
    ) -> TURNSending {
        tick(now)
        guard allocation != nil, payload.count <= Limits.relayedBytes, isReachable(peer) else { return .dropped }
        permissions.use(peer.ip, at: self.now)
        guard let permission = permissions[peer.ip], !permission.isRefused else { return .dropped }
        if !permission.isActive(at: self.now) {
            if !permission.isAsking { run() }
            return hold(payload, to: peer)
        }
        write(payload, to: peer, into: &buffer)
        return .ready
    }

    /// Peers are of the relayed address's family, and neither the relay nor its server (RFC 8656 §§ 9, 21.1.7).
    private func isReachable(_ peer: TransportAddress) -> Bool {
        AddressFilter.allowsObserved(peer) && peer.ip.isIPv6 == configuration.relaysIPv6
            && peer != configuration.server && peer != allocation?.relayed
    }

    /// In a channel where there is one, else as an indication (RFC 8656 §§ 11.1, 12.5).
    private mutating func write(_ payload: [UInt8], to peer: TransportAddress, into buffer: inout [UInt8]) {
        let channel = channels.use(peer, at: now)
        if let number = channel.number {
            ChannelData.write(payload, number: number, isPadded: configuration.transport == .stream, to: &buffer)
        } else {
            RelayIndication.write(payload, to: peer, .random(using: &random), into: &buffer)
        }
        sentAt = now
        let isSilent = watch.sent(at: now)
        if isSilent { probe() }
        if channel.isDue || isSilent { run() }
    }

    /// A peer that is reached through the server has become quiet: the server is asked whether it still knows us, where it
    /// has not shown that just now.
    package mutating func peerBecameQuiet(at now: Instant) {
        tick(now)
        guard allocation != nil, watch.mayBeUnknown(at: self.now) else { return }
        probe()
        run()
    }

    /// The network is another one under an allocation: the server is asked whether it still knows us, soon and not for long.
    ///
    /// - Parameter hasOtherWay: whether the system would reach the server from another socket of ours by now. Where it
    ///   answers nothing here, the allocation is given up without waiting for the line.
    package mutating func networkChanged(hasOtherWay: Bool, at now: Instant) {
        tick(now)
        guard let allocation else { return }
        self.hasOtherWay = hasOtherWay
        guard let due = allocation.refreshDue else { return }
        isProbing = true
        // However often this is called. A connection with something in it brings that first, once its line is back.
        let pause = configuration.transport == .udp ? Limits.retransmissionTimeout : Limits.relaySilence
        let soon = min(due, max(self.now, sentAt + pause))
        updateAllocation { $0.refreshDue = soon }
        run()
    }

    private mutating func probe() {
        watch.asked(at: now)
        guard case .allocated(let allocation) = state, allocation.refreshDue != nil else { return }
        isProbing = true
        updateAllocation { [now] in $0.refreshDue = now }
    }

    /// Without a request in the air nothing is coming to release it. The oldest makes room: it has been repeated since.
    private mutating func hold(_ payload: [UInt8], to peer: TransportAddress) -> TURNSending {
        guard permissions[peer.ip]?.isAsking == true else { return .dropped }
        if held.count >= Limits.heldDatagrams { held.removeFirst() }
        held.append(HeldDatagram(peer: peer, payload: payload))
        // A server that knows us no more may have no word for that here either.
        if watch.sent(at: now) {
            probe()
            run()
        }
        return .held
    }

    /// The server lets them through now, or will not.
    mutating func release(_ ip: IPAddress, isGranted: Bool) {
        let released = held.filter { $0.peer.ip == ip }
        held.removeAll { $0.peer.ip == ip }
        guard isGranted else { return }
        for datagram in released {
            var bytes: [UInt8] = []
            write(datagram.payload, to: datagram.peer, into: &bytes)
            transmit(bytes)
        }
    }

    // MARK: In

    mutating func receive(_ message: ChannelData) -> TURNReceipt {
        guard let peer = channels.peer(of: message.number), channels[peer]?.isOpen(at: now) == true,
            isPermitted(peer.ip)
        else { return .handled }
        return .data(from: peer, message.payload)
    }

    mutating func receiveData(_ bytes: RawSpan, _ id: TransactionID) -> TURNReceipt {
        guard let (peer, payload) = RelayIndication.read(bytes, id), AddressFilter.allowsObserved(peer),
            isPermitted(peer.ip)
        else { return .handled }
        return .data(from: peer, payload)
    }

    /// RFC 8656 § 11.4: against whoever "manages to trick the server into installing permissions not desired by the
    /// client".
    private func isPermitted(_ ip: IPAddress) -> Bool {
        guard allocation != nil, let permission = permissions[ip] else { return false }
        return permission.isActive(at: now) || permission.isAsking
    }
}
