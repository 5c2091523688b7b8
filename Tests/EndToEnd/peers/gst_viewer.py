#!/usr/bin/python3
"""A GStreamer viewer (webrtcbin) that joins by WHEP and holds nothing back.

Its jitter buffer waits for nothing (latency=0), its decoder is single-threaded and its sink is not synchronised: a
picture is reported the moment its last packet is there and decoded. Writes one JSON object a line to stdout:

    {"event": "ready"}                       the offers are made; with --on-go all join at a line on stdin
    {"event": "others", "at": ...}           with --within: seconds since 1970, when all but the first begin to join
    {"event": "joined", "answerMs": ...}     POST to answer
    {"event": "first", "ms": ..., "width": ..., "height": ...}      POST to first decoded picture
    {"event": "latency", "ms": [...], "viewerMs": [...]}            with --timecode: drawn to decoded, and our own part
    {"event": "summary", "frames": ..., "fps": ..., ...}

--record writes each access unit as it arrives: eight bytes of time (microseconds since 1970), four of length, both
little-endian, and the unit in Annex B; with --rtp four bytes of RTP timestamp between length and unit. --mode 0 offers
H.264 as GStreamer itself does, without packetization-mode; --unbundled offers sound too, on a transport of its own, as
GStreamer itself does. Runs under Debian's own Python.
"""

import argparse
import itertools
import json
import signal
import struct
import sys
import threading
import time
import urllib.request
from urllib.parse import urljoin

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstVideo, GstWebRTC  # noqa: E402

from timecode_reader import age, read_timecode  # noqa: E402

H264 = "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=(int)96"
OFFERS = {
    0: H264,
    1: H264 + ",packetization-mode=(string)1,profile-level-id=(string)42e01f,level-asymmetry-allowed=(string)1",
    "high": H264 + ",packetization-mode=(string)1,profile-level-id=(string)64001f,level-asymmetry-allowed=(string)1",
}
OPUS = "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,encoding-params=(string)2,payload=(int)97"
FEEDBACK = (
    ",rtcp-fb-transport-cc=(boolean)true"
    ',extmap-3=(string)"http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"'
)
DECODER = "rtph264depay name=depay ! avdec_h264 max-threads=1 output-corrupt=false automatic-request-sync-points=true"


OUTPUT = threading.Lock()


def report(event, **values):
    with OUTPUT:
        print(json.dumps({"event": event, **values}), flush=True)


def wait(promise):
    promise.wait()
    return promise.get_reply()


class Viewer:
    """One webrtcbin, from offer to decoded pictures."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.frames, self.bytes, self.first_frame_ms = 0, 0, None
        self.latencies, self.own, self.stamps = [], [], []
        self.width = self.height = None
        self.last_drawn = self.session = self.timestamp = None
        self.posted = self.arrived = self.last_picture = None
        self.finished = threading.Event()
        self.gathered = threading.Event()
        self.linked = threading.Event()
        self.record = open(arguments.record, "wb") if arguments.record else None
        self.pipeline = Gst.Pipeline()
        self.webrtc = Gst.ElementFactory.make("webrtcbin")
        if not arguments.unbundled:
            self.webrtc.set_property("bundle-policy", "max-bundle")
        self.webrtc.set_property("latency", arguments.repair)
        self.webrtc.connect("notify::ice-gathering-state", self.gathering_changed)
        self.webrtc.connect("pad-added", self.pad_added)
        self.pipeline.add(self.webrtc)
        direction = GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY
        offer = OFFERS["high" if arguments.high else arguments.mode]
        caps = Gst.Caps.from_string(offer + (FEEDBACK if arguments.feedback else ""))
        transceiver = self.webrtc.emit("add-transceiver", direction, caps)
        if arguments.repair:
            transceiver.set_property("do-nack", True)
        if arguments.unbundled:
            self.webrtc.emit("add-transceiver", direction, Gst.Caps.from_string(OPUS))
        self.pipeline.set_state(Gst.State.PLAYING)

    def gathering_changed(self, webrtc, _):
        if webrtc.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def make_offer(self):
        promise = Gst.Promise.new()
        self.webrtc.emit("create-offer", None, promise)
        reply = wait(promise)  # owns what it holds: must outlive its use
        self.exchange("set-local-description", reply.get_value("offer"))
        if not self.gathered.wait(5):
            raise RuntimeError("no candidates gathered")
        self.offer = self.webrtc.get_property("local-description").sdp.as_text()

    def exchange(self, signal_name, description):
        promise = Gst.Promise.new()
        self.webrtc.emit(signal_name, description, promise)
        wait(promise)

    def join(self):
        headers = {"Content-Type": "application/sdp", "Accept": "application/sdp"}
        if self.arguments.token:
            headers["Authorization"] = f"Bearer {self.arguments.token}"
        request = urllib.request.Request(self.arguments.whep, self.offer.encode(), headers, method="POST")
        self.posted = time.monotonic()
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = response.read().decode()
            self.session = urljoin(self.arguments.whep, response.headers["Location"])
        self.answer_ms = (time.monotonic() - self.posted) * 1000
        _, message = GstSdp.SDPMessage.new_from_text(answer)
        kind = GstWebRTC.WebRTCSDPType.ANSWER
        self.exchange("set-remote-description", GstWebRTC.WebRTCSessionDescription.new(kind, message))
        report("joined", answerMs=round(self.answer_ms, 1))

    def pad_added(self, _, pad):
        if pad.direction != Gst.PadDirection.SRC:
            return
        if self.arguments.no_decode:
            stream = "video/x-h264,stream-format=byte-stream,alignment=au"
            chain = Gst.parse_bin_from_description(f"rtph264depay name=depay ! {stream} ! fakesink sync=false", True)
        else:
            chain = Gst.parse_bin_from_description(f"{DECODER} ! appsink name=sink sync=false", True)
            appsink = chain.get_by_name("sink")
            appsink.set_property("emit-signals", True)
            appsink.connect("new-sample", self.picture_decoded)
        self.pipeline.add(chain)
        depay = chain.get_by_name("depay")
        depay.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.unit_arrived)
        if self.arguments.rtp:
            depay.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.packet_arrived)
        chain.sync_state_with_parent()
        pad.link(chain.get_static_pad("sink"))
        self.linked.set()
        pad.send_event(GstVideo.video_event_new_upstream_force_key_unit(Gst.CLOCK_TIME_NONE, True, 0))  # a PLI

    def packet_arrived(self, _pad, info):
        """Its timestamp is that of the unit which its marker bit completes."""
        self.timestamp = info.get_buffer().extract_dup(4, 4)[::-1]
        return Gst.PadProbeReturn.OK

    def unit_arrived(self, _pad, info):
        """An access unit is complete, not yet decoded."""
        self.arrived = time.monotonic()
        buffer = info.get_buffer()
        self.bytes += buffer.get_size()
        if self.record:
            self.record.write(struct.pack("<QI", time.time_ns() // 1000, buffer.get_size()))
            if self.timestamp:
                self.record.write(self.timestamp)
            self.record.write(buffer.extract_dup(0, buffer.get_size()))
            self.record.flush()
        if self.arguments.no_decode:
            self.count_picture(self.arrived)
        return Gst.PadProbeReturn.OK

    def picture_decoded(self, appsink):
        now, real = time.monotonic(), time.time() * 1000
        sample = appsink.emit("pull-sample")
        buffer = sample.get_buffer()
        caps = sample.get_caps().get_structure(0)
        self.width, self.height = caps.get_int("width")[1], caps.get_int("height")[1]
        self.count_picture(now)
        if self.arguments.timecode:
            self.measure(buffer, real, now)
        self.last_picture = sample
        return Gst.FlowReturn.OK

    def count_picture(self, now):
        self.frames += 1
        self.stamps.append(now)
        if self.first_frame_ms is None:
            self.first_frame_ms = (now - self.posted) * 1000
            report("first", ms=round(self.first_frame_ms, 1), width=self.width, height=self.height)
        if self.arguments.frames and self.frames >= self.arguments.frames:
            self.finished.set()

    def measure(self, buffer, real, now):
        meta = GstVideo.buffer_get_video_meta(buffer)
        offset, stride = (meta.offset[0], meta.stride[0]) if meta else (0, (self.width + 3) // 4 * 4)
        drawn = read_timecode(buffer, offset, stride, self.width)
        if drawn is None or drawn == self.last_drawn:
            return
        if self.last_drawn is not None:  # the first picture may be an old one
            self.latencies.append(round(age(drawn, real), 2))
            self.own.append(round((now - self.arrived) * 1000, 2))
        self.last_drawn = drawn

    def leave(self):
        if self.session:
            request = urllib.request.Request(self.session, method="DELETE")
            if self.arguments.token:
                request.add_header("Authorization", f"Bearer {self.arguments.token}")
            try:
                urllib.request.urlopen(request, timeout=5).close()
            except OSError as reason:
                report("problem", text=f"DELETE: {reason}")
        self.pipeline.set_state(Gst.State.NULL)

    def summary(self):
        span = self.stamps[-1] - self.stamps[0] if len(self.stamps) > 1 else 0
        gaps = [b - a for a, b in itertools.pairwise(self.stamps)]
        return {
            "frames": self.frames,
            "fps": round((self.frames - 1) / span, 2) if span else 0,
            "bytes": self.bytes,
            "bitrate": round(self.bytes * 8 / span) if span else 0,
            "firstFrameMs": self.first_frame_ms and round(self.first_frame_ms, 1),
            "longestGapMs": round(max(gaps) * 1000, 1) if gaps else None,
            "width": self.width,
            "height": self.height,
        }

    def save_i420(self, path):
        """The last picture's planes, without padding."""
        buffer, (width, height) = self.last_picture.get_buffer(), (self.width, self.height)
        meta = GstVideo.buffer_get_video_meta(buffer)
        info = GstVideo.VideoInfo.new_from_caps(self.last_picture.get_caps())
        strides, offsets = (meta.stride, meta.offset) if meta else (info.stride, info.offset)
        data = buffer.extract_dup(0, buffer.get_size())
        with open(path, "wb") as file:
            for plane, (w, h) in enumerate(((width, height),) + ((width // 2, height // 2),) * 2):
                for row in range(h):
                    start = offsets[plane] + row * strides[plane]
                    file.write(data[start : start + w])


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whep", required=True)
    parser.add_argument("--token")
    parser.add_argument("--mode", type=int, choices=(0, 1), default=1, help="packetization-mode offered")
    parser.add_argument("--duration", type=float, default=10, help="seconds after the answer")
    parser.add_argument("--frames", type=int, default=0, help="end after so many pictures")
    parser.add_argument("--viewers", type=int, default=1)
    parser.add_argument("--no-decode", action="store_true", help="count access units")
    parser.add_argument("--high", action="store_true", help="offer High profile, as browsers do beside the others")
    parser.add_argument("--unbundled", action="store_true", help="offer sound too, each on a transport of its own")
    parser.add_argument("--feedback", action="store_true", help="tell when each packet came (transport-wide feedback)")
    parser.add_argument("--record", metavar="PATH", help="with --no-decode: write what arrives, and when")
    parser.add_argument("--rtp", action="store_true", help="with --record: RTP timestamps too")
    parser.add_argument("--repair", type=int, default=0, metavar="MS", help="wait so long for what is sent again")
    parser.add_argument("--timecode", action="store_true", help="read screensource's clock from each picture")
    parser.add_argument("--on-go", action="store_true", help="join when a line comes on stdin")
    parser.add_argument("--within", type=float, default=0, metavar="SECONDS", help="all but the first join within these")
    parser.add_argument("--pause", type=float, default=0, metavar="SECONDS", help="between the first and the others")
    parser.add_argument("--save", metavar="PATH", help="write the last picture as raw I420")
    return parser.parse_args()


def watch(viewers, arguments):
    """Until the time is up, every viewer has its pictures, or someone ends us."""
    over = time.monotonic() + arguments.duration
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while time.monotonic() < over and not ended.is_set():
        if all(viewer.finished.is_set() for viewer in viewers):
            break
        ended.wait(0.02)


def join_all(viewers, seconds, pause):
    """The first alone until its pad is there, as the bindings learn that type then; the others within so many seconds."""
    viewers[0].join()
    if len(viewers) > 1:
        viewers[0].linked.wait(5)
        time.sleep(pause)
        report("others", at=time.time())
    joins = [threading.Thread(target=viewer.join) for viewer in viewers[1:]]
    began = time.monotonic()
    for number, join in enumerate(joins):
        time.sleep(max(0, began + number * seconds / len(joins) - time.monotonic()))
        join.start()
    for join in joins:
        join.join()


def main():
    arguments = parse()
    Gst.init(None)
    loop = GLib.MainLoop()
    threading.Thread(target=loop.run, daemon=True).start()
    viewers = [Viewer(arguments) for _ in range(arguments.viewers)]
    for viewer in viewers:
        viewer.make_offer()
    report("ready")
    if arguments.on_go and not sys.stdin.readline():
        return
    join_all(viewers, arguments.within, arguments.pause)
    watch(viewers, arguments)
    for viewer in viewers:
        if viewer.latencies:
            report("latency", ms=viewer.latencies, viewerMs=viewer.own)
        if arguments.save and viewer.last_picture:
            viewer.save_i420(arguments.save)
        report("summary", **viewer.summary())
        viewer.leave()


if __name__ == "__main__":
    main()
