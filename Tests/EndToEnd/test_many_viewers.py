"""Twenty viewers at once cost the sharer one encoder and at most one keyframe."""

from harness import sharer


VIEWERS = 20
# Each viewer is a handshake on either side, and all of them wait for the processor.
LIMIT_MS = 3000


def test_twenty_joining_within_a_second(lan, display, share, start):
    screen = display(1280, 720, "type")
    host = share(lan, "--display", screen.name)
    options = ["--viewers", VIEWERS, "--within", 1, "--no-decode", "--on-go", "--duration", "4"]
    crowd = start(sharer.gstreamer, lan, host.whep, *options, stdin=-1)
    crowd.event("ready", 30)
    # One viewer who is watching already, so that the lane and its first keyframe are not counted.
    start(sharer.aiortc, lan, host.whep, "--duration", "40").event("first")
    before = host.statistics.wait(lambda line: line["viewers"] == 1, 5, "one viewer")
    crowd.go()
    joined = host.statistics.wait(lambda line: line["viewers"] == VIEWERS + 1, 15, "everyone in")
    for number in range(VIEWERS):
        assert crowd.nth_event("first", number + 1, 10)["ms"] < LIMIT_MS
    assert joined["lanes"] == 1
    # Each of them asks for a keyframe once more when its first packet comes.
    crowd.event("summary", 20)
    assert host.statistics.last["keyframes"] - before["keyframes"] <= 1


def test_one_too_many_is_refused(lan, share, start):
    host = share(lan, "--test-pattern", "--max-viewers", "1")
    start(sharer.aiortc, lan, host.whep, "--duration", "30").event("first")
    refused = start(sharer.aiortc, lan, host.whep, "--duration", "5")
    assert refused.event("refused")["status"] == 503
