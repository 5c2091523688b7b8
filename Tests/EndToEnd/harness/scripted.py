"""The viewer page in a browser, with a server that a test scripts."""

import time
from urllib.parse import urlsplit

from .paths import ROOT

SOURCE = ROOT / "Signaling/SignalingServer/Page"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
STATE = {"json": {"room": "demo", "state": "waiting", "viewers": 0, "tokenRequired": False}}


class Scripted:
    """The page of room "demo"; time is moved by `pass_by`."""

    def __init__(self, browser):
        # Nobody shares, unless a test says otherwise; None: no answer ever comes.
        self.answers = {"HEAD whep": {}, "POST whep": {"status": 409}, "GET demo": STATE, "GET events": None}
        self.asked = []
        self.page = browser.new_page(service_workers="block")
        self.page.clock.install()
        self.page.route("**/*", self.answer)

    def open(self):
        self.page.goto("http://page.test/r/demo")

    def answer(self, route):
        path = urlsplit(route.request.url).path
        name = path.rpartition("/")[2]
        if path.startswith("/v1/"):
            what = f"{route.request.method} {name}"
            self.asked.append(what)
            if self.answers[what] is not None:
                route.fulfill(**self.answers[what])
            return
        file = SOURCE / ("viewer.html" if path.startswith("/r/") else name)
        route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])

    @property
    def state(self):
        return self.page.evaluate("document.body.dataset.state")

    @property
    def title(self):
        return self.page.text_content('[data-card="title"]')

    def pass_by(self, seconds):
        self.page.clock.fast_forward(round(seconds * 1000))

    def wait_until(self, condition, what):
        deadline = time.monotonic() + 5
        while not condition():
            assert time.monotonic() < deadline, f"{what}: {self.state}, {self.asked}"
            self.page.wait_for_timeout(20)

    def wait_for(self, what, count):
        self.wait_until(lambda: self.asked.count(what) >= count, f"{what}, {count} times")
