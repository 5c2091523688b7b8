import Testing

/// Everything that needs a sound server. One at a time: each test starts a server and measures time.
@Suite(
    "Capture from a real PulseAudio", .serialized,
    .enabled(if: SoundServer.isInstalled, "\(SoundServer.skipNotice)"))
enum SoundServerSuite {}
