import Testing

/// Everything that needs an X server. One at a time: each test starts a server and measures time.
@Suite("Screen capture on Xvfb", .serialized, .enabled(if: VirtualScreen.isInstalled, "\(VirtualScreen.skipNotice)"))
enum XServerSuite {}
