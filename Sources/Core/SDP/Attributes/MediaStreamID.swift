/// `a=msid` (RFC 8830): the stream and the track a section belongs to.
package struct MediaStreamID: Hashable, Sendable {
    package var stream: String
    package var track: String?

    package init(stream: String, track: String?) {
        self.stream = stream
        self.track = track
    }

    var text: String { track.map { "\(stream) \($0)" } ?? stream }
}
