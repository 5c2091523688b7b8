import Datagrams

/// A datagram with its peer's address in STUN's clothes: Send and Data indications (RFC 8656 § 11). Read and written by
/// hand, so that the payload is not copied through attributes.
enum RelayIndication {
    /// The peer and the payload of a Data indication. Nil without either, or with something that must be understood and
    /// is not.
    static func read(_ bytes: RawSpan, _ id: TransactionID) -> (peer: TransportAddress, payload: Range<Int>)? {
        var walk = AttributeWalk(bytes)
        var (peer, payload): (TransportAddress?, Range<Int>?)
        do throws(STUNError) {
            while let field = try walk.next(bytes) {
                switch field.type {
                case .xorPeerAddress:
                    guard let address = STUNAttribute.address(field.value, of: bytes) else { return nil }
                    peer = peer ?? address.xored(with: id)
                case .data: payload = payload ?? field.value
                default: if field.type.mustBeUnderstood { return nil }  // any other number
                }
            }
        } catch {
            return nil
        }
        guard let peer, let payload else { return nil }
        return (peer, payload)
    }

    /// - Precondition: the payload is no longer than `Limits.relayedBytes`.
    static func write(_ payload: [UInt8], to peer: TransportAddress, _ id: TransactionID, into buffer: inout [UInt8]) {
        var head = STUNHeader(.indication, .send, id).bytes
        STUNAttribute.xorPeerAddress(peer).write(to: &head, id)
        let padding = (4 - payload.count % 4) % 4
        head.append(u16: STUNAttributeType.data.rawValue)
        head.append(u16: UInt16(clamping: payload.count))
        head.set(u16: UInt16(clamping: head.count - STUNHeader.byteCount + payload.count + padding), at: 2)
        buffer += head
        buffer += payload
        buffer.append(zeros: padding)
    }
}
