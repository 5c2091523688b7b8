"""HTTP requests made inside a test's network."""

import json
import subprocess

from .paths import SYSTEM_PYTHON

# As a browser's, but of nobody: enough to be answered.
OFFER = """v=0
o=- 1 1 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m=video 9 UDP/TLS/RTP/SAVPF 96
c=IN IP4 0.0.0.0
a=mid:0
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 {fingerprint}
a=setup:actpass
a=recvonly
a=rtcp-mux
a=rtpmap:96 H264/90000
a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
""".format(fingerprint=":".join(["00"] * 32)).replace("\n", "\r\n")

REQUEST = """
import json, sys, urllib.error, urllib.request
method, url, body, headers = json.load(sys.stdin)
request = urllib.request.Request(url, body and body.encode(), headers or {}, method=method)
try:
    response = urllib.request.urlopen(request, timeout=10)
except urllib.error.HTTPError as error:
    response = error
print(json.dumps([response.status, dict(response.headers), response.read().decode()]))
"""


def http(place, method, url, body=None, headers=None):
    """Status, headers by lower-case name, and body."""
    done = subprocess.run(
        place.command([SYSTEM_PYTHON, "-c", REQUEST]),
        input=json.dumps([method, url, body, headers]),
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"{method} {url}: {done.stderr.splitlines()[-1]}")
    status, fields, text = json.loads(done.stdout)
    return status, {name.lower(): value for name, value in fields.items()}, text
