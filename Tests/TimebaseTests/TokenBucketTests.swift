import Testing
import Timebase

@Suite("Token buckets")
struct TokenBucketTests {
    @Test("what is spent comes back at the rate, and never more than the capacity")
    func refill() {
        var bucket = TokenBucket(perSecond: 1000, capacity: 500, at: .zero)
        let value1 = bucket.spend(500, at: .zero)
        #expect(value1)
        let value2 = bucket.spend(1, at: .zero)
        #expect(!value2)
        let later = Instant.zero + .milliseconds(100)
        let value3 = bucket.spend(100, at: later)
        #expect(value3)
        let value4 = bucket.spend(1, at: later)
        #expect(!value4)
        let muchLater = Instant.zero + .seconds(100)
        let value5 = bucket.spend(500, at: muchLater)
        #expect(value5)
        let value6 = bucket.spend(1, at: muchLater)
        #expect(!value6)
    }

    @Test("a clock that steps back gives nothing")
    func backwards() {
        var bucket = TokenBucket(perSecond: 1000, capacity: 500, at: Instant(nanoseconds: 1_000_000_000))
        let value7 = bucket.spend(500, at: Instant(nanoseconds: 1_000_000_000))
        #expect(value7)
        let value8 = bucket.spend(1, at: .zero)
        #expect(!value8)
    }
}
