import CALSA
import CPulse
import Glibc

/// A file descriptor and its events, as an `AudioSource` gives them to poll(2).
typealias PollEntry = (descriptor: Int32, events: Int16)

extension pollfd {
    var entry: PollEntry { (fd, events) }
}
