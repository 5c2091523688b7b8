/// Turns one stream from one sample rate into another, by a ratio that may be bent from block to block.
package protocol Resampler: AnyObject {
    /// Takes all of `input` and appends what it gives for it to `output`; channels interleaved, as many on both sides.
    ///
    /// - Parameter speed: how much faster than nominal the input is used up; 1.0001 makes fewer samples of it.
    func process(_ input: [Float], speed: Double, into output: inout [Float])

    /// How late a sample comes out now.
    var delay: Duration { get }

    /// And at most, whatever it does.
    var longestDelay: Duration { get }
}

extension Resampler {
    package var longestDelay: Duration { delay }
}
