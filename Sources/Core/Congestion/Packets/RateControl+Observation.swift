import Timebase

extension RateControl {
    /// What is known now.
    package struct Observation {
        package var now: Instant
        package var queue: Duration
        /// It has kept its length for a while.
        package var isSteady = false
        package var jitter: Duration
        package var roundTrip: Duration
        /// What comes out at the other end: in the last moments, of late, and over half a second.
        package var latestOutflow: Int?
        package var outflow: Int?
        package var delivered: Int?
        /// The most bytes that were under way when one of what is told of left.
        package var inFlight = 0
        package var trains: [PacketTrain.Sample]
        package var loss: LossVerdict?
        /// What follows from marks of congestion.
        package var ecn: ECNVerdict?

        package init(
            now: Instant, queue: Duration, isSteady: Bool = false, jitter: Duration, roundTrip: Duration, latestOutflow: Int?,
            outflow: Int?, delivered: Int?, inFlight: Int = 0, trains: [PacketTrain.Sample], loss: LossVerdict?,
            ecn: ECNVerdict? = nil
        ) {
            self.now = now
            self.queue = queue
            self.isSteady = isSteady
            self.jitter = jitter
            self.roundTrip = roundTrip
            self.latestOutflow = latestOutflow
            self.outflow = outflow
            self.delivered = delivered
            self.inFlight = inFlight
            self.trains = trains
            self.loss = loss
            self.ecn = ecn
        }
    }
}
