#!/usr/bin/python3
"""The reference that figures are held against: a screen shared by GStreamer.

    ximagesrc ! videoconvert ! x264enc tune=zerolatency speed-preset=ultrafast ! webrtcbin

Viewers join by WHEP at http://LISTEN/v1/rooms/demo/whep, as they do with `screenshare host`; one encoder serves them
all. Prints "READY URL" when it listens. Runs under Debian's own Python, which has the GStreamer bindings.
"""

import argparse
import re
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402
from whep_server import Refused, serve  # noqa: E402


def mode_one_payload_type(offer):
    """The payload type of the first H.264 with packetization-mode 1."""
    names = dict(re.findall(r"a=rtpmap:(\d+) ([^/\s]+)/90000", offer))
    for number, parameters in re.findall(r"a=fmtp:(\d+) (\S+)", offer):
        if names.get(number) == "H264" and "packetization-mode=1" in parameters:
            return number
    raise Refused("no H.264 with packetization-mode 1")


def keep_only(payload_type, offer, repair=False):
    """The offer with one payload type left: webrtcbin answers the first it sees, whatever it can send."""
    lines, kept = [], [payload_type]
    if repair:
        kept += re.findall(rf"a=fmtp:(\d+) apt={payload_type}\b", offer)
    for line in offer.splitlines():
        about = re.match(r"a=(?:rtpmap|fmtp|rtcp-fb):(\d+) ", line)
        if line.startswith("m=video"):
            line = " ".join(line.split()[:3] + kept)
        if not about or about[1] in kept:
            lines.append(line)
    return "\r\n".join(lines) + "\r\n"


def wait(promise):
    promise.wait()
    return promise.get_reply()


def serialised(value):
    """As gst-launch writes it."""
    return value.to_string() if isinstance(value, Gst.Caps) else str(value)


class Viewer:
    """One webrtcbin and the payloader before it."""

    def __init__(self, pipeline, tee, number, repair):
        self.pipeline, self.tee, self.number, self.repair = pipeline, tee, number, repair
        self.gathered = threading.Event()
        self.elements = []

    def answer(self, offer):
        payload_type = mode_one_payload_type(offer)
        self.build(payload_type)
        _, message = GstSdp.SDPMessage.new_from_text(keep_only(payload_type, offer, self.repair))
        kind = GstWebRTC.WebRTCSDPType
        self.exchange("set-remote-description", GstWebRTC.WebRTCSessionDescription.new(kind.OFFER, message))
        promise = Gst.Promise.new()
        self.webrtc.emit("create-answer", None, promise)
        reply = wait(promise)  # owns what it holds: must outlive its use
        self.exchange("set-local-description", reply.get_value("answer"))
        if not self.gathered.wait(5):
            raise Refused("no candidates gathered")
        self.start()
        return self.webrtc.get_property("local-description").sdp.as_text()

    def exchange(self, signal, description):
        promise = Gst.Promise.new()
        self.webrtc.emit(signal, description, promise)
        wait(promise)

    def build(self, payload_type):
        queue = self.element("queue", max_size_buffers=3, max_size_time=0, max_size_bytes=0, leaky=2)
        payloader = self.element(
            "rtph264pay", pt=int(payload_type), mtu=1200, config_interval=-1, aggregate_mode="zero-latency"
        )
        caps = self.element(
            "capsfilter",
            caps=Gst.Caps.from_string(
                "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
                f"packetization-mode=(string)1,payload={payload_type}"
            ),
        )
        self.webrtc = self.element("webrtcbin", bundle_policy="max-bundle")
        self.webrtc.connect("notify::ice-gathering-state", self.gathering_changed)
        queue.link(payloader)
        payloader.link(caps)
        caps.get_static_pad("src").link(self.webrtc.request_pad_simple("sink_0"))
        transceiver = self.webrtc.emit("get-transceiver", 0)
        transceiver.set_property("direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
        transceiver.set_property("do-nack", self.repair)
        for element in reversed(self.elements):
            element.sync_state_with_parent()

    def start(self):
        """Once negotiated: caps that flow earlier, with the profile in them, would match no offer."""
        self.source = self.tee.request_pad_simple("src_%u")
        self.source.link(self.elements[0].get_static_pad("sink"))

    def element(self, kind, **properties):
        element = Gst.ElementFactory.make(kind)
        for name, value in properties.items():
            Gst.util_set_object_arg(element, name.replace("_", "-"), serialised(value))
        self.pipeline.add(element)
        self.elements.append(element)
        return element

    def gathering_changed(self, webrtc, _):
        if webrtc.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def remove(self):
        """Takes the branch out once no buffer is passing through the tee's pad."""
        done = threading.Event()

        def blocked(pad, _info):
            pad.unlink(self.elements[0].get_static_pad("sink"))
            done.set()
            return Gst.PadProbeReturn.REMOVE

        self.source.add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM, blocked)
        done.wait(2)
        self.tee.release_request_pad(self.source)
        for element in self.elements:
            element.set_state(Gst.State.NULL)
            self.pipeline.remove(element)


class Sharer:
    """The pipeline up to the encoder, and its viewers."""

    def __init__(self, display, fps, bitrate, size, repair):
        self.repair = repair
        scale = f"videoscale ! video/x-raw,width={size[0]},height={size[1]} ! " if size else ""
        self.pipeline = Gst.parse_launch(
            f"ximagesrc display-name={display} ! video/x-raw,framerate={fps}/1 ! {scale}videoconvert ! "
            f"x264enc tune=zerolatency speed-preset=ultrafast bitrate={bitrate // 1000} ! "
            "video/x-h264,profile=constrained-baseline ! tee name=out allow-not-linked=true"
        )
        self.tee = self.pipeline.get_by_name("out")
        self.viewers, self.lock, self.joined = {}, threading.Lock(), 0

    def join(self, offer):
        with self.lock:
            self.joined += 1
            viewer = Viewer(self.pipeline, self.tee, self.joined, self.repair)
            answer = viewer.answer(offer)
            self.viewers[str(viewer.number)] = viewer
            return viewer.number, answer

    def leave(self, number):
        with self.lock:
            viewer = self.viewers.pop(number, None)
            if viewer:
                viewer.remove()
            return viewer is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--display", required=True)
    parser.add_argument("--listen", default="127.0.0.1:8090")
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--bitrate", type=int, default=4_000_000)
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))))
    parser.add_argument("--repair", action="store_true", help="send again what viewers say they miss")
    arguments = parser.parse_args()
    Gst.init(None)
    sharer = Sharer(arguments.display, arguments.fps, arguments.bitrate, arguments.size, arguments.repair)
    serve(arguments.listen, sharer.join, sharer.leave)
    if sharer.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
        sys.exit("the pipeline does not start")
    loop = GLib.MainLoop()
    bus = sharer.pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message::error", lambda _, message: (print(message.parse_error()[0], file=sys.stderr), loop.quit()))
    print(f"READY http://{arguments.listen}/v1/rooms/demo/whep", flush=True)
    try:
        loop.run()
    except KeyboardInterrupt:
        pass
    sharer.pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
