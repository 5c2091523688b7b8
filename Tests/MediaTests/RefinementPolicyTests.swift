import Media
import Testing

@Suite("Refinement policy")
struct RefinementPolicyTests {
    @Test("a coarse picture wants passes until it is sharp")
    func untilSharp() {
        var policy = RefinementPolicy()
        #expect(!policy.wantsPass)
        policy.encoded(quantiser: 40, isNewPicture: true)
        #expect(policy.wantsPass)
        policy.encoded(quantiser: 30, isNewPicture: false)
        #expect(policy.wantsPass)
        policy.encoded(quantiser: 20, isNewPicture: false)
        #expect(!policy.wantsPass)
        #expect(policy.passes == 2)
    }

    @Test("passes that gain nothing end it")
    func noGain() {
        var policy = RefinementPolicy()
        policy.encoded(quantiser: 40, isNewPicture: true)
        for _ in 0..<2 { policy.encoded(quantiser: 40, isNewPicture: false) }
        #expect(!policy.wantsPass)
    }

    @Test("a part that has its turn, and makes all of it coarser, is no pass that gained nothing")
    func turnOfAnotherPart() {
        var policy = RefinementPolicy()
        policy.encoded(quantiser: 33.5, isNewPicture: true)
        for quantiser in [31, 28.9, 29, 29.6] {
            policy.encoded(quantiser: quantiser, isNewPicture: false)
            #expect(policy.wantsPass)
        }
        for _ in 0..<2 { policy.encoded(quantiser: 29.6, isNewPicture: false) }
        #expect(!policy.wantsPass)
    }

    @Test("parts that have their turns for ever are bounded as well")
    func turnsForEver() {
        var policy = RefinementPolicy()
        policy.encoded(quantiser: 28, isNewPicture: true)
        var quantiser = 28.0
        while policy.wantsPass, policy.passes < 1000 {
            quantiser += 0.01
            policy.encoded(quantiser: quantiser, isNewPicture: false)
        }
        #expect(policy.passes == 200)
    }

    @Test("passes are bounded, whatever they gain")
    func bounded() {
        var policy = RefinementPolicy()
        policy.encoded(quantiser: 51, isNewPicture: true)
        var quantiser = 51.0
        while policy.wantsPass, policy.passes < 1000 {
            quantiser -= 0.1
            policy.encoded(quantiser: quantiser, isNewPicture: false)
        }
        #expect(policy.passes == 200)
    }

    @Test("a keyframe of the same picture gains nothing, and the picture is sharpened again all the same")
    func keyframes() {
        var policy = RefinementPolicy()
        policy.encoded(quantiser: 30, isNewPicture: true)
        for _ in 0..<5 {
            policy.encoded(quantiser: 51, isNewPicture: false)
            policy.keyframeMade()
        }
        #expect(policy.wantsPass)
    }

    @Test("a pass for which there were no bits does not count, and a new picture starts anew")
    func withoutBits() {
        var policy = RefinementPolicy()
        policy.encoded(quantiser: RefinementPolicy.nothingEncoded, isNewPicture: true)
        for _ in 0..<500 { policy.encoded(quantiser: RefinementPolicy.nothingEncoded, isNewPicture: false) }
        #expect(policy.wantsPass)
        #expect(policy.passes == 0)
        policy.encoded(quantiser: 40, isNewPicture: false)
        #expect(policy.passes == 1)
        policy.encoded(quantiser: 30, isNewPicture: true)
        #expect(policy.passes == 0)
        #expect(policy.totalPasses == 1)
        policy.reset()
        #expect(!policy.wantsPass)
    }
}
