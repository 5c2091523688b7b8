"""Who watches: each joins over the link, and tells afterwards what it got to see and when.

`view` (the one for figures) and GStreamer hold nothing back; their units are stamped as they come and decoded after
the run. Chromium decodes and shows by itself, with a jitter buffer before that; the clock is read in the page.
"""

from pages import recorded
from shown import Picture, pictures

from harness import sharer
from harness.paths import scratch_file
from harness.recorder import Recorder
from timecode import age_ms

# The time that GStreamer's jitter buffer may wait for what is sent again.
GSTREAMER_REPAIR_MS = 300


class View:
    def __init__(self, place, host, _seconds):
        self.recorder = Recorder()
        self.process = sharer.view(place, output=self.recorder.output, whep=host.whep)
        self.kill = self.process.kill
        self.recorder.output.close()

    def wait(self):
        self.process.statistics.wait(lambda line: line["frames"] > 15, 20, "pictures")

    def begin(self):
        """Called when what is measured begins, and `end` when it is over."""

    def end(self):
        last = self.process.statistics.last
        keys = ("lost", "recovered", "skipped", "keyframeRequests", "joins", "firstFrameMs")
        return {key: last.get(key) for key in keys}

    def corrected(self, found):
        """What the viewer knows better than its pictures tell."""
        return found

    def pictures(self):
        self.process.stop(timeout=10)
        self.recorder.wait()
        return list(pictures(self.recorder.units()))


class GStreamer:
    OPTIONS = ()

    def __init__(self, place, host, seconds):
        self.path = scratch_file(".record")
        options = ("--no-decode", "--record", self.path, "--repair", GSTREAMER_REPAIR_MS, "--duration", seconds)
        self.process = sharer.gstreamer(place, host.whep, *options, *self.OPTIONS)
        self.kill = self.process.kill

    def wait(self):
        self.process.event("first", 20)

    def begin(self):
        pass

    def end(self):
        return {}

    def corrected(self, found):
        return found

    def pictures(self):
        self.process.stop(timeout=10)
        # Keyframes are told by their parameter sets.
        return list(pictures((at / 1e6, unit, unit[4] & 31 in (5, 7)) for at, unit in recorded(self.path)))


class GStreamerWithFeedback(GStreamer):
    """It tells when each packet came, for each picture, but all of them only when its session may send RTCP."""

    OPTIONS = ("--feedback",)


class Chromium:
    """Of its own figures (W3C webrtc-stats) what was added while measured."""

    KEYS = (
        "framesReceived", "framesDecoded", "framesDropped", "keyFramesDecoded", "freezeCount", "totalFreezesDuration",
        "jitterBufferDelay", "jitterBufferEmittedCount", "totalDecodeTime", "packetsLost", "nackCount", "pliCount",
        "framesAssembledFromMultiplePackets", "totalAssemblyTime", "retransmittedPacketsReceived",
    )

    def __init__(self, place, host, seconds):
        self.process = sharer.chromium(place, host.page, "--timecode", "--duration", seconds, stdin=-1)
        self.kill = self.process.kill

    def wait(self):
        self.process.event("first", 40)

    def look(self):
        self.process.command_line("inbound")
        return self.process.events("inbound")[-1]["report"]

    def begin(self):
        self.before = self.look()

    def end(self):
        after = self.look()
        pairs = {key: (self.before.get(key, 0), after.get(key, 0)) for key in self.KEYS}
        # Freezes are counted anew when the sharer says that the kind of its content is another.
        self.added = {key: new - old if new >= old else new for key, (old, new) in pairs.items()}
        self.added["seconds"] = (after["timestamp"] - self.before["timestamp"]) / 1000
        emitted = self.added["jitterBufferEmittedCount"]
        buffered = self.added["jitterBufferDelay"] / emitted * 1000 if emitted else None
        return self.added | {"jitterBufferMs": buffered and round(buffered, 1)}

    def corrected(self, found):
        """A page gets to see some of the pictures that are shown: enough for ages, not for counts."""
        decoded, seconds = self.added["framesDecoded"], self.added["seconds"]
        sent = found["framesSent"]
        return found | {
            "fps": round(decoded / seconds, 2), "freezes": self.added["freezeCount"],
            "frozen": round(self.added["totalFreezesDuration"] / seconds, 4), "sampled": found["fps"],
            # Those sent are counted without the last second.
            "shown": round(min(1.0, decoded / seconds / sent * (found["seconds"] - 1)), 4) if sent else None,
        }

    def pictures(self):
        self.process.command_line("pictures")
        found, last = [], None
        for at, drawn in self.process.events("pictures")[-1]["pictures"]:
            latency = age_ms(drawn, at) if drawn is not None else float("nan")
            found.append(Picture(at / 1000, at / 1000, drawn, latency, 0, False, drawn != last))
            last = drawn if drawn is not None else last
        return found


KINDS = {"view": View, "gst": GStreamer, "gst-feedback": GStreamerWithFeedback, "chromium": Chromium}
