import Synchronization

/// Whether a device was had from a sound server, over all its openings. Thread-safe.
package final class ServerMemory: Sendable {
    private let seen = Atomic<Bool>(false)

    package init() {}

    var hadServer: Bool { seen.load(ordering: .relaxed) }
    func noteServer() { seen.store(true, ordering: .relaxed) }
}
