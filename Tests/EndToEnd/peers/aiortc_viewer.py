"""An aiortc viewer that joins by WHEP, decodes, and tells what it saw: one JSON object a line on stdout.

    {"event": "ready"}                       the offer is made; with --on-go each join waits for a line on stdin
    {"event": "joined", "answerMs": ...}     POST to answer
    {"event": "first", "ms": ..., "width": ..., "height": ...}      POST to first decoded picture
    {"event": "size", "width": ..., "height": ..., "at": ...}       each change of the picture's size
    {"event": "refused", "status": ...}      in place of "joined"
    {"event": "countered"}                   a counter-offer came in place of an answer
    {"event": "closed"}                      the sharer ended the connection
    {"event": "left"}                        we ended it
    {"event": "summary", "frames": ..., ...}

As it comes, aiortc shows a picture when the next one begins to arrive; --immediate shows each at its marker bit, so
that a measurement sees the sharer and not the viewer. --audio takes the sound as well: its loudest frequency and its length stand in the summary. --joins N joins N times, one after the other. --vp8 offers only
VP8, and answers the counter-offer that comes instead of an answer.
"""

import argparse
import asyncio
import itertools
import json
import re
import signal
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urljoin

import av
import numpy
from aiortc import RTCConfiguration, RTCIceServer, RTCPeerConnection, RTCRtpReceiver, RTCSessionDescription
from aiortc.codecs import h264
from aiortc.jitterbuffer import JitterFrame
from aiortc.mediastreams import MediaStreamError


def report(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


class MarkerBuffer:
    """In place of aiortc's jitter buffer: an access unit is out as soon as its last packet is in, in order."""

    def __init__(self):
        self.expected, self.packets = None, []

    def add(self, packet):
        lost = self.expected is not None and packet.sequence_number != self.expected
        self.expected = (packet.sequence_number + 1) & 0xFFFF
        if self.packets and (lost or self.packets[0].timestamp != packet.timestamp):
            self.packets = []
        self.packets.append(packet)
        if not packet.marker:
            return lost, None
        unit = JitterFrame(b"".join(p._data for p in self.packets), packet.timestamp)
        self.packets = []
        return lost, unit


def decode_without_delay(decoder):
    decoder.codec = av.CodecContext.create("h264", "r")
    decoder.codec.thread_count = 1
    decoder.codec.options = {"flags": "low_delay"}


class Viewer:
    """One connection, from offer to DELETE."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.connect()
        self.session = self.posted = self.first_frame_ms = self.last = None
        self.stamps, self.keyframes, self.size = [], 0, None
        self.samples = []
        self.done = asyncio.Event()

    def connect(self):
        servers = [RTCIceServer(self.arguments.stun)] if self.arguments.stun else []
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=servers))
        self.connection.on("track", self.track_added)

    async def make_offer(self):
        transceiver = self.connection.addTransceiver("video", direction="recvonly")
        if self.arguments.vp8:
            codecs = RTCRtpReceiver.getCapabilities("video").codecs
            transceiver.setCodecPreferences([codec for codec in codecs if codec.mimeType == "video/VP8"])
        if self.arguments.immediate:
            # aiortc has no setting for this: the buffer is a private field of its receiver.
            setattr(transceiver.receiver, "_RTCRtpReceiver__jitter_buffer", MarkerBuffer())
        if self.arguments.audio:
            self.connection.addTransceiver("audio", direction="recvonly")
        await self.connection.setLocalDescription(await self.connection.createOffer())

    async def join(self):
        self.posted = time.monotonic()
        if self.arguments.vp8:
            return await self.join_by_counter_offer()
        answer = await asyncio.get_running_loop().run_in_executor(None, self.post)
        self.answer_ms = (time.monotonic() - self.posted) * 1000
        report("joined", answerMs=round(self.answer_ms, 1))
        await self.connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))

    async def join_by_counter_offer(self):
        try:
            await asyncio.to_thread(self.post)
        except urllib.error.HTTPError as refusal:
            if refusal.code != 406:
                raise
            report("countered")
            self.session, tag = urljoin(self.arguments.whep, refusal.headers["Location"]), refusal.headers["ETag"]
            await self.connection.close()
            self.connect()
            await self.connection.setRemoteDescription(RTCSessionDescription(refusal.read().decode(), "offer"))
            await self.connection.setLocalDescription(await self.connection.createAnswer())
            answer = self.connection.localDescription.sdp.encode()
            (await asyncio.to_thread(self.request, self.session, "PATCH", answer, {"If-Match": tag})).close()

    def request(self, url, method, body=None, more=None):
        headers = {"Content-Type": "application/sdp"} if body else {}
        headers |= more or {}
        if self.arguments.token:
            headers["Authorization"] = f"Bearer {self.arguments.token}"
        return urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=10)

    def post(self):
        offer = self.connection.localDescription.sdp
        if self.arguments.at_most:
            offer = re.sub(r"(m=video.*\r\nc=.*\r\n)", rf"\g<1>b=TIAS:{self.arguments.at_most}\r\n", offer)
        with self.request(self.arguments.whep, "POST", offer.encode()) as response:
            self.session = urljoin(self.arguments.whep, response.headers["Location"])
            return response.read().decode()

    def track_added(self, track):
        if track.kind == "audio":
            self.listener = asyncio.ensure_future(self.listen(track))
            return
        self.reader = asyncio.ensure_future(self.read(track))

    async def read(self, track):
        try:
            while True:
                self.picture(await track.recv())
        except MediaStreamError:
            report("closed")
            self.done.set()

    async def listen(self, track):
        try:
            while True:
                frame = await track.recv()
                self.samples.append(frame.to_ndarray().reshape(-1)[::2])
        except MediaStreamError:
            pass

    def picture(self, frame):
        now = time.monotonic()
        self.stamps.append(now)
        self.keyframes += frame.key_frame
        self.last = frame
        if self.size not in (None, (frame.width, frame.height)):
            report("size", width=frame.width, height=frame.height, at=now)
        self.size = frame.width, frame.height
        if self.first_frame_ms is None:
            self.first_frame_ms = (now - self.posted) * 1000
            report("first", ms=round(self.first_frame_ms, 1), width=frame.width, height=frame.height)
        if self.arguments.frames and len(self.stamps) >= self.arguments.frames:
            self.done.set()

    async def leave(self):
        await self.connection.close()
        if self.session:
            try:
                self.request(self.session, "DELETE").close()
            except (OSError, urllib.error.HTTPError) as reason:
                report("problem", text=f"DELETE: {reason}")

    def summary(self):
        span = self.stamps[-1] - self.stamps[0] if len(self.stamps) > 1 else 0
        # Up to now: one that stands still to the end has the longest of all.
        gaps = [b - a for a, b in itertools.pairwise([*self.stamps, time.monotonic()])]
        return {
            "frames": len(self.stamps),
            "fps": round((len(self.stamps) - 1) / span, 2) if span else 0,
            "keyframes": self.keyframes,
            "firstFrameMs": self.first_frame_ms and round(self.first_frame_ms, 1),
            "longestGapMs": round(max(gaps) * 1000, 1) if gaps else None,
            "width": self.last and self.last.width,
            "height": self.last and self.last.height,
            **self.sound(),
        }

    def sound(self):
        """Of the last second."""
        if not self.samples:
            return {}
        samples = numpy.concatenate(self.samples)
        last = samples[-48_000:]
        return {
            "soundSeconds": len(samples) / 48_000,
            "frequency": float(numpy.abs(numpy.fft.rfft(last)).argmax() * 48_000 / len(last)),
        }

    def save_i420(self, path):
        # As an array it is the three planes below one another, without padding.
        with open(path, "wb") as file:
            file.write(self.last.to_ndarray(format="yuv420p").tobytes())


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whep", required=True)
    parser.add_argument("--token")
    parser.add_argument("--stun", metavar="URL", help="stun:host:port")
    parser.add_argument("--duration", type=float, default=10, help="seconds after the answer")
    parser.add_argument("--frames", type=int, default=0, help="end after so many pictures")
    parser.add_argument("--joins", type=int, default=1)
    parser.add_argument("--pause", type=float, default=1.2, help="seconds between joins")
    parser.add_argument("--on-go", action="store_true", help="join when a line comes on stdin")
    parser.add_argument("--immediate", action="store_true", help="hold nothing back")
    parser.add_argument("--audio", action="store_true", help="take the sound as well")
    parser.add_argument("--vp8", action="store_true", help="offer what the sharer has not")
    parser.add_argument("--at-most", type=int, metavar="BITS", help="bits of video per second the offer asks for (b=)")
    parser.add_argument("--save", metavar="PATH", help="write the last picture as raw I420")
    return parser.parse_args()


async def main():
    arguments = parse()
    if arguments.immediate:
        h264.H264Decoder.__init__ = decode_without_delay
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    for join in range(arguments.joins):
        viewer = Viewer(arguments)
        await viewer.make_offer()
        report("ready")
        if arguments.on_go and not await asyncio.to_thread(sys.stdin.readline):
            return
        if join:
            await asyncio.sleep(arguments.pause)
        try:
            await viewer.join()
        except urllib.error.HTTPError as refusal:
            report("refused", status=refusal.code, retryAfter=refusal.headers["Retry-After"])
            return await viewer.connection.close()
        waits = [asyncio.ensure_future(event.wait()) for event in (ended, viewer.done)]
        await asyncio.wait(waits, timeout=arguments.duration, return_when=asyncio.FIRST_COMPLETED)
        report("summary", **viewer.summary())
        if arguments.save and viewer.last:
            viewer.save_i420(arguments.save)
        await viewer.leave()
        report("left")
        if ended.is_set():
            return


if __name__ == "__main__":
    asyncio.run(main())
