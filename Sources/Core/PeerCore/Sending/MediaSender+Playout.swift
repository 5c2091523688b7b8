import RTP
import Timebase

/// How the viewer is told to show what it gets.
extension MediaSender {
    mutating func setPlayout(_ wish: PlayoutWish) { plan { $0.wish = wish } }

    /// A viewer that takes repair packets needs no time for anything to be sent again.
    ///
    /// - Parameter checkRoundTrip: that of connectivity checks; it goes before what reports tell.
    mutating func adaptPlayout(_ path: PathControl, checkRoundTrip: Duration?, at now: Instant) {
        guard parameters.flexFEC == nil, let way = checkRoundTrip ?? statistics.roundTripTime else { return }
        plan { $0.adapt(isLossy: path.losesOnTheWay, roundTrip: way, at: now) }
    }

    /// How pictures are to be shown from now on: told with so many that one will arrive.
    private mutating func plan(_ change: (inout PlayoutPlan) -> Void) {
        change(&playout)
        guard playout.delay != playoutDelay else { return }
        playoutDelay = playout.delay
        untoldUnits = Limits.playoutDelayUnits
    }
}
