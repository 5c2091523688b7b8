"""A viewer's session without a WebRTC library: one socket, WHEP, ICE, DTLS-SRTP, and whatever one likes to send.

Of others' work it takes the certificate (aiortc), the STUN messages (aioice), DTLS (OpenSSL) and SRTP (libsrtp2), so
that what it sends is well encrypted however badly it is meant. One thread, no timers of its own: `handle` takes a
datagram, `tick` does what is due.
"""

import collections
import dataclasses
import re
import secrets
import socket
import struct
import time
import urllib.request
from urllib.parse import urljoin

import pylibsrtp
from aioice import stun
from aiortc.rtcdtlstransport import SRTP_PROFILES, RTCCertificate
from OpenSSL import SSL

import rtcp

MEDIA, REPAIR, NUMBERED = 97, 98, 3  # payload types, and the extension id of transport-wide numbers
FEEDBACK_SECONDS, REPORT_SECONDS, CONSENT_SECONDS = 0.05, 0.5, 4
SSRC = 0x5EE5EE
DATAGRAM = 1500


class Refused(Exception):
    """No session; the text says why."""


@dataclasses.dataclass
class Seen:
    """What came, in plaintext."""

    packets: int = 0
    bytes: int = 0
    media_bytes: int = 0
    repair_bytes: int = 0
    keyframes: int = 0
    last_keyframe: int | None = None  # its RTP timestamp
    pictures: int = 0
    last_media: float = 0
    highest: int | None = None
    repairs: list = dataclasses.field(default_factory=list)  # (time, original sequence number)


class Session:
    """From offer to BYE. `feedback` is `transport-cc`, `goog-remb` or none; the sharer is the DTLS server where `setup`
    is `active`."""

    def __init__(self, whep, address, *, sock=None, setup="actpass", feedback="", candidates=None, token=None):
        self.whep, self.setup, self.feedback, self.token = whep, setup, feedback, token
        self.socket = sock or socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if sock is None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
            self.socket.bind((address, 0))
        self.socket.setblocking(False)
        self.own = self.socket.getsockname()
        self.candidates = [f"{self.own[0]} {self.own[1]}"] if candidates is None else candidates
        self.certificate = RTCCertificate.generateCertificate()
        self.ufrag, self.password = secrets.token_hex(4), secrets.token_hex(16)
        self.remote = self.secured = None
        self.answered = self.ended = False
        self.silent = False  # neither asks nor answers
        self.kept = {"stun": [], "dtls": [], "srtcp": []}  # datagrams as they left
        self.heard = []  # and the last that came
        self.seen = Seen()
        self.arrivals, self.feedbacks = [], 0
        self.honest = True
        # What reports say of the way: how much of 256 is lost, and the seconds that it takes.
        self.told_loss, self.told_delay = 0, 0.0
        self.sender_reports = collections.deque(maxlen=5)  # (middle of its NTP time, when it came)
        self.due = {"check": 0.0, "feedback": 0.0, "report": 0.0}

    # Signaling

    def offer(self):
        digest = self.certificate.getFingerprints()[0]
        lines = [
            "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0",
            f"m=video 9 UDP/TLS/RTP/SAVPF {MEDIA} {REPAIR}", "c=IN IP4 0.0.0.0", "a=mid:0", "a=recvonly", "a=rtcp-mux",
            "a=rtcp-rsize", f"a=setup:{self.setup}", f"a=ice-ufrag:{self.ufrag}", f"a=ice-pwd:{self.password}",
            f"a=fingerprint:{digest.algorithm} {digest.value}",
            f"a=rtpmap:{MEDIA} H264/90000",
            f"a=fmtp:{MEDIA} profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1",
            f"a=rtcp-fb:{MEDIA} nack", f"a=rtcp-fb:{MEDIA} nack pli", f"a=rtcp-fb:{MEDIA} ccm fir",
            f"a=rtpmap:{REPAIR} rtx/90000", f"a=fmtp:{REPAIR} apt={MEDIA}",
        ]  # fmt: skip
        if self.feedback:
            lines.append(f"a=rtcp-fb:{MEDIA} {self.feedback}")
        if self.feedback == "transport-cc":
            uri = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
            lines.append(f"a=extmap:{NUMBERED} {uri}")
        lines += [f"a=candidate:{n} 1 udp {2**30 - n} {where} typ host" for n, where in enumerate(self.candidates, 1)]
        return "\r\n".join([*lines, "a=end-of-candidates", ""])

    def request(self, url, method, body=None, kind="application/sdp", more=None):
        headers = {"Content-Type": kind, **(more or {})} if body else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = body.encode() if body else None
        return urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=10)

    def join(self):
        """The offer is answered: from now on it is known where the sharer is."""
        with self.request(self.whep, "POST", self.offer()) as response:
            self.resource, self.tag = urljoin(self.whep, response.headers["Location"]), response.headers["ETag"]
            answer = response.read().decode()
        value = lambda name: re.search(rf"a={name}:(\S+)", answer)[1]  # noqa: E731
        self.theirs = value("ice-ufrag"), value("ice-pwd")
        self.media_ssrc = int(value("ssrc"))
        # The sharer's first address of our family.
        found = re.findall(r"a=candidate:\S+ 1 udp \d+ (\d+\.\d+\.\d+\.\d+) (\d+) typ host", answer, re.IGNORECASE)
        host = next((one for one in found if one[0] == self.own[0]), found[0])
        self.remote = host[0], int(host[1])
        self.begin_handshake()

    def trickle(self, addresses):
        lines = [f"a=ice-ufrag:{self.ufrag}", f"a=ice-pwd:{self.password}", "m=video 9 UDP/TLS/RTP/SAVPF 0", "a=mid:0"]
        lines += [f"a=candidate:t{n} 1 udp {2**30 - n} {where} typ host" for n, where in enumerate(addresses)]
        body = "\r\n".join([*lines, ""])
        self.request(self.resource, "PATCH", body, "application/trickle-ice-sdpfrag", {"If-Match": self.tag}).close()

    # DTLS

    def begin_handshake(self):
        self.tls = SSL.Connection(self.certificate._create_ssl_context(SRTP_PROFILES))
        if self.setup == "active":
            self.tls.set_connect_state()
        else:
            self.tls.set_accept_state()

    def handshake(self):
        if self.secured:
            return
        try:
            self.tls.do_handshake()
        except SSL.WantReadError:
            return self.send_records()
        except SSL.Error as reason:
            raise Refused(f"DTLS: {reason}") from None
        self.send_records()
        name = self.tls.get_selected_srtp_profile()
        profile = next(one for one in SRTP_PROFILES if one.openssl_profile == name)
        keys = self.tls.export_keying_material(
            b"EXTRACTOR-dtls_srtp", 2 * (profile.key_length + profile.salt_length)
        )
        ours = 0 if self.setup == "active" else 1
        self.outbound = self.srtp(profile, keys, ours, pylibsrtp.Policy.SSRC_ANY_OUTBOUND)
        self.inbound = self.srtp(profile, keys, 1 - ours, pylibsrtp.Policy.SSRC_ANY_INBOUND)
        self.secured = time.monotonic()

    @staticmethod
    def srtp(profile, keys, side, kind):
        policy = pylibsrtp.Policy(
            key=profile.get_key_and_salt(keys, side), ssrc_type=kind, srtp_profile=profile.libsrtp_profile
        )
        policy.window_size = 1024
        return pylibsrtp.Session(policy)

    def send_records(self):
        while True:
            try:
                self.send(self.tls.bio_read(DATAGRAM), "dtls")
            except SSL.Error:
                return

    # Out

    def send(self, datagram, kind=None):
        if kind and len(self.kept[kind]) < 200:
            self.kept[kind].append(datagram)
        try:
            self.socket.sendto(datagram, self.remote)
        except BlockingIOError:
            pass

    def send_rtcp(self, plain, keep=True):
        self.send(self.outbound.protect_rtcp(plain), "srtcp" if keep else None)

    def check(self):
        """A Binding request that nominates."""
        request = stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.REQUEST)
        request.attributes["USERNAME"] = f"{self.theirs[0]}:{self.ufrag}"
        request.attributes["PRIORITY"] = 2**30
        request.attributes["ICE-CONTROLLING"] = 2**63
        request.attributes["USE-CANDIDATE"] = None
        request.add_message_integrity(self.theirs[1].encode())
        request.add_fingerprint()
        return bytes(request)

    def tick(self, now):
        if self.silent:
            return
        if now >= self.due["check"]:
            self.due["check"] = now + (CONSENT_SECONDS if self.secured else 0.1)
            self.send(self.check(), "stun")
            if self.answered and not self.secured:
                self.tls.DTLSv1_handle_timeout()
                self.send_records()
        if not self.secured or not self.honest:
            return
        if now >= self.due["report"]:
            self.due["report"] = now + REPORT_SECONDS
            self.send_rtcp(self.report())
        if now >= self.due["feedback"] and self.feedback == "transport-cc" and self.arrivals:
            self.due["feedback"] = now + FEEDBACK_SECONDS
            came, self.arrivals = self.arrivals, []
            if self.told_loss:
                came = [one for one in came if one[0] * self.told_loss % 256 >= self.told_loss] or came[:1]
            self.send_rtcp(rtcp.truthful(SSRC, self.media_ssrc, self.feedbacks, came))
            self.feedbacks += 1

    def report(self):
        last, elapsed, now = 0, 0, time.monotonic()
        # The newest of the sender's reports that has been here for `told_delay`: for so long it was under way.
        for compact, came in self.sender_reports:
            if now - came >= self.told_delay:
                last, elapsed = compact, int((now - came - self.told_delay) * 65536)
        return rtcp.receiver_report(SSRC, self.media_ssrc, self.told_loss, self.seen.highest or 0, last, elapsed)

    def goodbye(self):
        self.send_rtcp(self.report() + rtcp.bye(SSRC))
        self.ended = True

    # In

    def drain(self, limit=64):
        """What waits on the socket."""
        for _ in range(limit):
            try:
                datagram, source = self.socket.recvfrom(2048)
            except (BlockingIOError, ConnectionRefusedError):
                return
            if source == self.remote and not self.silent:
                self.handle(datagram)

    def handle(self, datagram):
        first = datagram[0]
        if first <= 3:
            self.keep_heard(datagram)
            return self.handle_stun(datagram)
        if 20 <= first <= 63:
            self.keep_heard(datagram)
            self.tls.bio_write(datagram)
            return self.handshake()
        if not self.secured or first >> 6 != 2:
            return None
        try:
            if 192 <= datagram[1] <= 223:
                self.keep_heard(datagram)
                return self.handle_rtcp(self.inbound.unprotect_rtcp(datagram))
            return self.handle_rtp(self.inbound.unprotect(datagram))
        except pylibsrtp.Error:
            return None

    def keep_heard(self, datagram):
        self.heard = [*self.heard[-30:], datagram]

    def handle_stun(self, datagram):
        message = stun.parse_message(datagram)
        if message.message_class == stun.Class.RESPONSE and not self.answered:
            self.answered = time.monotonic()
            if self.setup == "active":
                self.handshake()
        if message.message_class != stun.Class.REQUEST or self.ended:
            return
        if not message.attributes.get("USERNAME", "").startswith(self.ufrag + ":"):
            return
        reply = stun.Message(
            message_method=stun.Method.BINDING,
            message_class=stun.Class.RESPONSE,
            transaction_id=message.transaction_id,
        )
        reply.attributes["XOR-MAPPED-ADDRESS"] = self.remote
        reply.add_message_integrity(self.password.encode())
        reply.add_fingerprint()
        self.send(bytes(reply), "stun")

    def handle_rtcp(self, plain):
        for kind, _, body in rtcp.packets(plain):
            if kind == rtcp.SENDER_REPORT and struct.unpack_from("!L", body)[0] == self.media_ssrc:
                self.sender_reports.append((struct.unpack_from("!L", body, 6)[0], time.monotonic()))
            if kind == rtcp.BYE:
                self.ended = True

    def handle_rtp(self, plain):
        marker_type, number = struct.unpack_from("!xBH", plain)
        start, numbered = rtcp.payload(plain, NUMBERED)
        payload = plain[start:]
        seen, now = self.seen, time.monotonic()
        seen.packets += 1
        seen.bytes += len(plain)
        if numbered is not None:
            self.arrivals.append((numbered, now))
        if marker_type & 127 == REPAIR:
            seen.repair_bytes += len(plain)
            seen.repairs.append((now, struct.unpack_from("!H", payload)[0]))
            return
        seen.media_bytes += len(plain)
        seen.last_media = now
        timestamp = struct.unpack_from("!L", plain, 4)[0]
        if timestamp != seen.last_keyframe and rtcp.begins_keyframe(payload):
            seen.keyframes += 1
            seen.last_keyframe = timestamp
        seen.pictures += marker_type >> 7
        if seen.highest is None or (number - seen.highest) & 0xFFFF < 0x8000:
            seen.highest = number
