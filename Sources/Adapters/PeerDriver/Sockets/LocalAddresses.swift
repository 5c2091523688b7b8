import CLinux
import Datagrams
import Glibc
import NIOCore

/// Which local addresses carry media.
package enum LocalAddresses {
    /// The chosen ones, or every address that RFC 8445 § 5.1.1.1 allows; loopback only where there is nothing else.
    package static func select(_ chosen: [IPAddress]) throws -> [IPAddress] {
        let all = try chosen.isEmpty ? rank(known(), preferred: preferred()) : chosen
        return Array(all.prefix(Limits.localAddresses))
    }

    /// Every address that others may reach, in the system's order.
    package static func usable() throws -> [IPAddress] { rank(try known(), preferred: []) }

    /// Those of loopback by which this machine's programs usually reach each other.
    package static func loopback() -> [IPAddress] {
        let here = ((try? known()) ?? []).map(\.ip)
        let usual: [IPAddress] = [.loopback, .v6(high: 0, low: 1)]
        return usual.filter { here.contains($0) }
    }

    /// Those of an interface, such as `eth0`, that can carry media; none where there is no such interface.
    package static func of(interface name: String) throws -> [IPAddress] {
        var seen: Set<IPAddress> = []
        let all = try System.enumerateDevices().filter { $0.name == name }
            .compactMap { $0.address.flatMap(TransportAddress.init)?.ip }
        return all.filter { !$0.isUnspecified && !$0.isMulticast && !$0.isLinkLocal && seen.insert($0).inserted }
    }

    /// Whether a socket can be bound there, as far as the interfaces tell.
    package static func has(_ ip: IPAddress) -> Bool {
        if ip.isLoopback || ip.isUnspecified { return true }
        guard let all = try? known() else { return true }
        return all.contains { $0.ip == ip }
    }

    /// An interface's address.
    struct Known {
        var ip: IPAddress
        /// Whether the interface can carry packets: no bridge without members, no cable that is out.
        var isRunning: Bool
    }

    /// All that this machine has by now, in the system's order.
    static func known() throws -> [Known] {
        var known: [Known] = []
        for device in try System.enumerateDevices() {
            guard let address = device.address.flatMap(TransportAddress.init) else { continue }
            known.append(Known(ip: address.ip, isRunning: linux_interface_runs(device.name) != 0))
        }
        return known
    }

    /// What the system sends from where nothing speaks for another address: one of each family at most.
    static func preferred() -> [IPAddress] { anywhere.compactMap { source(to: $0) } }

    /// Addresses for documentation, which nobody has (RFC 5737, RFC 3849).
    private static let anywhere = [
        TransportAddress(ip: .v4(0xC000_0201), port: 9),
        TransportAddress(ip: .v6(high: 0x2001_0DB8_0000_0000, low: 1), port: 9),
    ]

    /// What the system sends from to this address; nil where no route leads there. Nothing is sent.
    static func source(to remote: TransportAddress) -> IPAddress? {
        guard let remote = try? remote.socketAddress() else { return nil }
        var here = sockaddr_storage()
        let room = UInt32(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &here) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { here -> IPAddress? in
                let isKnown = remote.withSockAddr { there, size in linux_source_address(there, UInt32(size), here, room) }
                return isKnown != 0 ? TransportAddress(UnsafePointer(here))?.ip : nil
            }
        }
    }

    // MARK: The choice

    /// Those that carry media, the preferred first. An interface that is down is none of them, unless there is no other.
    static func rank(_ known: [Known], preferred: [IPAddress]) -> [IPAddress] {
        let usable = known.filter { !$0.ip.isUnspecified && !$0.ip.isMulticast && !$0.ip.isLinkLocal }
        let reachable = usable.filter { !$0.ip.isLoopback }
        let running = reachable.filter(\.isRunning)
        var seen: Set<IPAddress> = []
        let best = [running, reachable, usable].first { !$0.isEmpty } ?? []
        let all = best.map(\.ip).filter { seen.insert($0).inserted }
        return preferred.filter { all.contains($0) } + all.filter { !preferred.contains($0) }
    }

    /// Which sockets are to be closed, and where others are to be bound.
    struct Change: Equatable {
        var gone: [IPAddress] = []
        var come: [IPAddress] = []
    }

    /// What is to be done where sockets are bound and this machine has these addresses now. A cable that is out leaves its
    /// address where it was, and so the socket. Where all places are taken, a preferred address takes that of one which is
    /// used for nothing.
    /// - Returns: nil where there is no network at all.
    static func change(
        of bound: [IPAddress], to known: [Known], preferred: [IPAddress], isInUse: (IPAddress) -> Bool
    ) -> Change? {
        let here = rank(known, preferred: preferred)
        guard here.contains(where: { !$0.isLoopback }) else { return nil }
        var change = Change()
        change.gone = bound.filter { ip in !ip.isLoopback && !known.contains { $0.ip == ip } }
        var left = bound.filter { !change.gone.contains($0) }
        for ip in here where !left.contains(ip) {
            if left.count >= Limits.localAddresses {
                guard preferred.contains(ip),
                    let idle = left.firstIndex(where: { !preferred.contains($0) && !isInUse($0) })
                else { continue }
                change.gone.append(left.remove(at: idle))
            }
            left.append(ip)
            change.come.append(ip)
        }
        return change
    }
}
