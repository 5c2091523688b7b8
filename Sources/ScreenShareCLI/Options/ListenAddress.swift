import ArgumentParser
import ScreenShare

/// `host:port`, `[v6]:port`, `:port`, `port` or `host`.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    let host: String
    let port: Int

    /// For whoever types one.
    static let forms = "host:port, [IPv6]:port, a port or a host alone, or :port for all of IPv4"
    static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        var host = argument[...]
        var port = 8080
        if let number = Int(argument) {
            (host, port) = ("127.0.0.1", number)
        } else if argument.hasPrefix("[") {
            guard let end = argument.firstIndex(of: "]") else { return nil }
            host = argument[argument.index(after: argument.startIndex)..<end]
            let rest = argument[argument.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":"), let number = Int(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = argument.lastIndex(of: ":") {
            guard argument[..<colon].firstIndex(of: ":") == nil, let number = Int(argument[argument.index(after: colon)...])
            else { return nil }
            host = colon == argument.startIndex ? "0.0.0.0" : argument[..<colon]
            port = number
        }
        guard !host.isEmpty, (0...65_535).contains(port) else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// Names below "localhost" are bound to whatever they resolve to here, and that may be an address that others reach.
    var isLoopback: Bool { LocalNetwork.isLoopback(host: host) && !host.lowercased().hasSuffix(".localhost") }
    var description: String { LocalNetwork.authority(host, port) }
}
