import Media
import Testing

@Suite("Channel maps")
struct ChannelMapTests {
    private let half = Float(0.5).squareRoot()

    @Test("mono sounds on both sides, stereo stays as it is")
    func plain() {
        #expect(ChannelMap(channels: 1).stereo([0.5, -1]) == [0.5, 0.5, -1, -1])
        #expect(ChannelMap(channels: 2).stereo([0.1, 0.2, 0.3, 0.4]) == [0.1, 0.2, 0.3, 0.4])
    }

    @Test("each channel of 4.0, 5.0, 5.1 and 7.1 goes where BS.775 has it, low frequencies nowhere", arguments: [4, 5, 6, 8])
    func surround(channels: Int) {
        let expected: [(Float, Float)] = [
            (1, 0), (0, 1), (half, 0), (0, half), (half, half), (0, 0), (half, 0), (0, half),
        ]
        for channel in 0..<channels {
            var frame = [Float](repeating: 0, count: channels)
            frame[channel] = 1
            #expect(ChannelMap(channels: channels).stereo(frame) == [expected[channel].0, expected[channel].1])
        }
    }

    @Test("of three channels the last is heard on both sides")
    func three() {
        #expect(ChannelMap(channels: 3) == ChannelMap([.frontLeft, .frontRight, .frontCentre]))
        #expect(ChannelMap(channels: 3).stereo([0.25, 0, 0, 0, 0.25, 0, 0, 0, 1]) == [0.25, 0, 0, 0.25, half, half])
    }

    @Test("channels add up")
    func sum() {
        let frame: [Float] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
        let stereo = ChannelMap(channels: 6).stereo(frame)
        #expect(abs(stereo[0] - (0.1 + half * 0.8)) < 1e-6 && abs(stereo[1] - (0.2 + half * 0.9)) < 1e-6)
    }

    @Test("of other numbers the first two are heard", arguments: [7, 9, 64, 1 << 40])
    func others(channels: Int) {
        let map = ChannelMap(channels: channels)
        #expect(map.channels == channels)
        let frame = (0..<min(channels, 64)).map { Float($0 + 1) / 100 }
        #expect(map.stereo(frame + frame) == (channels > 64 ? [] : [0.01, 0.02, 0.01, 0.02]))
    }

    @Test("a microphone's inputs that nobody named are all heard on both sides", arguments: [3, 4, 5, 6, 7, 8, 18])
    func inputs(channels: Int) {
        let map = ChannelMap(channels: channels).heard(as: .microphone)
        for channel in 0..<channels {
            var frame = [Float](repeating: 0, count: channels)
            frame[channel] = 0.5
            #expect(map.stereo(frame) == [0.5, 0.5])
        }
    }

    @Test("one and two channels, named ones, and what is played are heard alike whatever they are")
    func kinds() {
        for channels in [-1, 0, 1, 2] {
            #expect(ChannelMap(channels: channels).heard(as: .microphone) == ChannelMap(channels: channels))
        }
        let named = ChannelMap([.frontLeft, .frontRight, .rearLeft, .rearRight])
        #expect(named.heard(as: .microphone) == named)
        for channels in 3...8 { #expect(ChannelMap(channels: channels).heard(as: .system) == ChannelMap(channels: channels)) }
        #expect(ChannelMap(channels: 1 << 40).heard(as: .microphone).channels == 1 << 40)
    }

    @Test("named channels are taken in any order")
    func named() {
        let map = ChannelMap([.frontRight, .other, .frontLeft, .frontCentre])
        #expect(map.stereo([0.1, 9, 0.2, 0]) == [0.2, 0.1])
        #expect(ChannelMap([.frontRight, .frontLeft]).stereo([0.1, 0.2]) == [0.2, 0.1])
        #expect(ChannelMap([.rearLeft]).stereo([1]) == [half, 0])
    }

    @Test("a broken frame at the end is left out, and without channels there is nothing")
    func broken() {
        #expect(ChannelMap(channels: 2).stereo([1, 2, 3]) == [1, 2])
        #expect(ChannelMap(channels: 6).stereo([1, 2, 3]).isEmpty)
        #expect(ChannelMap(channels: 1).stereo([]).isEmpty)
        for channels in [0, -1, .min] { #expect(ChannelMap(channels: channels).stereo([1, 2]).isEmpty) }
    }
}
