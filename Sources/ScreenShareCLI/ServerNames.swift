import ArgumentParser

/// By what names others reach a server of ours: options of `host` and `serve`, for where a proxy stands before it.
struct ServerNames: ParsableArguments {
    @Option(name: .customLong("allow-host"), help: "A host name under which this server is reached; can be repeated.")
    var allowedHosts: [String] = []

    @Option(name: .customLong("allow-origin"), help: "A web origin whose pages may join rooms; can be repeated.")
    var allowedOrigins: [String] = []
}
