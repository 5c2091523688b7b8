import Testing
import Timebase

@Suite("Instants")
struct InstantTests {
    @Test("differences and sums saturate instead of trapping")
    func saturation() {
        #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
        #expect(Instant(nanoseconds: .min) - Duration.seconds(1) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: .max) - Instant(nanoseconds: .min) == .nanoseconds(Int64.max))
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(Duration(attoseconds: .max).nanoseconds == .max)
        #expect(Duration(attoseconds: .min).nanoseconds == .min)
    }

    @Test("an instant and a duration give back the duration")
    func roundTrip() {
        let instant = Instant(nanoseconds: 5_000_000_000)
        #expect((instant + .milliseconds(7)) - instant == .milliseconds(7))
        #expect(instant - .milliseconds(7) < instant)
    }
}

@Suite("Frame rates")
struct FrameRateTests {
    @Test("frame times do not drift: a day of 24000/1001 ends on the exact nanosecond")
    func exactness() {
        let film = FrameRate(24_000, per: 1001)
        #expect(film.time(ofFrame: 24_000) == .seconds(1001))
        #expect(film.time(ofFrame: 24_000 * 86) == .seconds(1001 * 86))
        #expect(FrameRate.fps30.time(ofFrame: 30 * 86_400) == .seconds(86_400))
    }

    @Test("media time of a 30 fps frame is 3000 ticks, of a 24 fps frame 3750")
    func ticks() {
        for index in [Int64(1), 7, 1000, 2_592_000] {
            #expect(MediaTime(elapsed: FrameRate.fps30.time(ofFrame: index)).ticks == 3000 * index)
            #expect(MediaTime(elapsed: FrameRate.fps24.time(ofFrame: index)).ticks == 3750 * index)
        }
    }
}

@Suite("NTP timestamps")
struct NTPTimestampTests {
    @Test("the Unix epoch is 2,208,988,800 s after 1900 (RFC 868)")
    func epoch() {
        #expect(NTPTimestamp(unixNanoseconds: 0).bits == 2_208_988_800 << 32)
        #expect(NTPTimestamp(unixNanoseconds: 500_000_000).bits & 0xFFFF_FFFF == 1 << 31)
    }

    @Test("advancing forth and back ends where it began, within the format's step")
    func advancing() {
        let start = NTPTimestamp(unixNanoseconds: 1_700_000_000_123_456_789)
        let there = start.advanced(by: .milliseconds(1234))
        #expect(there.middle &- start.middle == 80_871 || there.middle &- start.middle == 80_872)
        #expect(there.advanced(by: .milliseconds(-1234)) == start)
    }
}

@Suite("Unwrapping counters")
struct UnwrapperTests {
    @Test("sequence numbers go on past 65535, also out of order")
    func wrap() {
        var unwrapper = Unwrapper<UInt16>()
        let value1 = unwrapper.unwrap(65_530)
        #expect(value1 == 65_530)
        let value2 = unwrapper.unwrap(3)
        #expect(value2 == 65_539)
        let value3 = unwrapper.unwrap(65_534)
        #expect(value3 == 65_534)
        #expect(unwrapper.highest == 65_539)
        #expect(unwrapper.peek(4) == 65_540)
        #expect(unwrapper.highest == 65_539)
    }

    @Test("the newest number that ends in 16 bits is the number itself or one before it, also across a wrap")
    func last() {
        for newest in [Int64(-1), 0, 5, 65_535, 65_536, 200_000] {
            for back in [Int64(0), 1, 6, 65_535] {
                #expect(newest.last(endingIn: UInt16(truncatingIfNeeded: newest - back)) == newest - back)
            }
            #expect(newest.last(endingIn: UInt16(truncatingIfNeeded: newest + 1)) == newest - 65_535)
        }
    }

    @Test("a 90 kHz clock that wraps every 13 hours keeps rising for a month")
    func timestamps() {
        var unwrapper = Unwrapper<UInt32>()
        var last: Int64 = -1
        for hour in Int64(0)..<720 {
            let ticks = hour * 3600 * 90_000
            let value = unwrapper.unwrap(UInt32(truncatingIfNeeded: ticks))
            #expect(value == ticks)
            #expect(value > last)
            last = value
        }
    }
}
