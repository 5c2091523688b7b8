"""The page alone while it shows pictures, which a test draws and counts for it: what it does meanwhile."""

import pytest
from test_page import STATE
from test_page_sound import page, scripted  # noqa: F401

# What `PEER` made last; what the browser counts of it, which grows unless a test says `isSilent`; the states that were shown.
WATCHED = """() => {
  let packets = 0;
  window.RTCPeerConnection = class extends window.RTCPeerConnection {
    constructor(...settings) { super(...settings); window.peer = this; }
    async getStats() {
      if (!window.isSilent) packets += 10;
      const timestamp = performance.now();
      return new Map([["video", { type: "inbound-rtp", kind: "video", timestamp, packetsReceived: packets }]]);
    }
  };
  Object.defineProperty(document, "hidden", { get: () => window.isAway === true });
  window.states = [];
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => window.states.push(document.body.dataset.state))
      .observe(document.body, { attributeFilter: ["data-state"] });
  });
}"""
# The screens a browser was asked to keep on.
LOCKS = """() => {
  window.locks = [];
  const request = async kind => {
    if (window.isUnclicked) throw new DOMException("Not without a click", "NotAllowedError");
    const lock = { kind, released: false, release: async () => { lock.released = true; } };
    window.locks.push(lock);
    return lock;
  };
  Object.defineProperty(navigator, "wakeLock", { value: { request } });
}"""
HELD = "() => window.locks.filter(lock => lock.kind === 'screen' && !lock.released).length"
TRACK = """() => {
  const canvas = document.createElement("canvas");
  window.picture = canvas.getContext("2d");
  const [track] = canvas.captureStream().getTracks();
  window.peer.dispatchEvent(Object.assign(new Event("track"), { track, receiver: {} }));
}"""
DRAW = """() => {
  window.drawn = (window.drawn ?? 0) + 1;
  window.picture.fillStyle = `hsl(${window.drawn * 40} 80% 50%)`;
  window.picture.fillRect(0, 0, 300, 150);
}"""
# The person goes to another tab, which takes a page's locks, and comes back.
LOOK_AWAY = """isAway => {
  window.isAway = isAway;
  if (isAway) window.locks.forEach(lock => lock.release());
  document.dispatchEvent(new Event("visibilitychange"));
}"""


class Watching:
    """A page that shows a share, at a server that pushes nothing: the state is asked for."""

    def __init__(self, scripted):  # noqa: F811
        self.scripted = scripted
        self.page = scripted.page
        for script in (WATCHED, LOCKS):
            self.page.add_init_script(f"({script})()")
        scripted.answers |= {
            "POST whep": {"status": 201, "headers": {"Location": "/v1/rooms/demo/whep/mine"}, "body": "v=0"},
            "DELETE mine": {},
            "GET events": {"status": 404},
        }
        self.tell("live")

    def open(self):
        self.scripted.open()
        self.scripted.wait_until(lambda: self.page.evaluate("window.peer?.connectionState") == "connected", "a connection")
        self.page.evaluate(TRACK)
        self.draw_until("live")

    def tell(self, state):
        """What the room says when it is asked."""
        self.scripted.answers["GET demo"] = {"json": {**STATE["json"], "state": state, "viewers": 1}}

    def ask(self, seconds):
        """Time passes until the page asks the room, and has its word."""
        count = self.scripted.asked.count("GET demo")
        with self.page.expect_event("requestfinished", lambda request: request.url.partition("?")[0].endswith("/demo")):
            self.scripted.pass_by(seconds)
            self.scripted.wait_for("GET demo", count + 1)

    def draw_until(self, state):
        self.scripted.wait_until(lambda: self.page.evaluate(DRAW) or self.scripted.state == state, state)

    def wait_for_locks(self, count):
        self.scripted.wait_until(lambda: self.page.evaluate(HELD) == count, f"{count} locks")


@pytest.fixture
def watching(page):  # noqa: F811
    return Watching(page("chromium"))


def test_the_screen_stays_on_while_a_share_is_watched(watching):
    watching.open()
    watching.wait_for_locks(1)
    watching.page.evaluate(LOOK_AWAY, True)
    watching.wait_for_locks(0)
    watching.page.evaluate(LOOK_AWAY, False)
    watching.wait_for_locks(1)
    watching.tell("waiting")
    watching.ask(7)
    watching.page.evaluate("window.isSilent = true")
    watching.page.clock.run_for(5_000)
    watching.scripted.wait_until(lambda: watching.scripted.state == "ended", "the end")
    watching.wait_for_locks(0)


def test_a_browser_that_keeps_the_screen_on_after_a_click_only_is_asked_again_then(watching):
    watching.page.add_init_script("window.isUnclicked = true")
    watching.open()
    watching.page.evaluate("window.isUnclicked = false")
    assert watching.page.evaluate(HELD) == 0
    watching.page.mouse.click(200, 300)
    watching.wait_for_locks(1)
