"""The viewer page in a browser, with a server that a test scripts."""

import time
from urllib.parse import urlsplit

from .paths import ROOT

SOURCE = ROOT / "Signaling/SignalingServer/Page"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
STATE = {"json": {"room": "demo", "state": "waiting", "viewers": 0, "tokenRequired": False}}
# What the server makes one of: the style sheets, and the modules that the last of them loads.
STYLES = ("viewer.css", "controls.css", "panels.css", "card.css")


def written(path, name):
    """A file of the page, as it is written."""
    if path.startswith("/r/"):
        name = "viewer.html"
    if name == "page.js":
        return 'import "/assets/main.js";'
    if name == "page.css":
        return "".join((SOURCE / style).read_text() for style in STYLES)
    return (SOURCE / name).read_bytes()


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
        route.fulfill(body=written(path, name), content_type=TYPES.get(path[path.rfind("."):], "text/html"))

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
