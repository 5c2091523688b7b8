import CALSA
import CPulse
import Glibc
import Media

extension pollfd {
    var entry: PollEntry { PollEntry(descriptor: fd, events: events) }
}
