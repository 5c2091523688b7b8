import ScreenShare

/// Where a server is found that listens at an address. A wildcard can't be opened: other addresses of this machine can.
struct ServedPlace {
    /// What this machine has.
    struct Machine {
        /// That others in the network reach.
        var ipv4 = LocalNetwork.reachableAddress(isIPv6: false)
        var ipv6 = LocalNetwork.reachableAddress(isIPv6: true)
        var hasIPv6Loopback = LocalNetwork.hasIPv6Loopback
    }

    /// Host and port for this process, whatever becomes of the machine's addresses.
    let own: String
    /// Those that people on this machine, or in its network, can open.
    let reachable: String
    /// Why nobody in the network finds it there who was meant to.
    let note: String?

    init(_ listen: ListenAddress, port: Int, on machine: Machine = Machine()) {
        var (own, reachable) = (listen.host, listen.host)
        var isMissed = false
        switch listen.host {
        case "0.0.0.0":
            // No IPv6 comes in.
            own = "127.0.0.1"
            reachable = machine.ipv4 ?? own
            isMissed = machine.ipv4 == nil && machine.ipv6 != nil
        case "::":
            // IPv4 comes in too, and alone where IPv6 is switched off.
            own = machine.hasIPv6Loopback ? "::1" : "127.0.0.1"
            reachable = machine.ipv6 ?? machine.ipv4 ?? own
        default: break
        }
        self.own = LocalNetwork.authority(own, port)
        self.reachable = LocalNetwork.authority(reachable, port)
        let better = Shell.option("listen", LocalNetwork.authority("::", listen.port))
        note = isMissed ? "This machine has no IPv4 address that others reach: for them take \(better)." : nil
    }
}
