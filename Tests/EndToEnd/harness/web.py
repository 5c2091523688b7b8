"""HTTP requests made inside a test's network."""

import json
import subprocess

from .paths import SYSTEM_PYTHON

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
