"""The page alone while it shows pictures, which a test draws and counts for it: what it does meanwhile, and when they stop."""

import pytest
from harness.scripted import STATE
from test_page_layout import FILLS
from test_page_sound import page  # noqa: F401

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
# The window is told of no new size, as Safari's where a display of another scale makes it no larger.
UNTOLD = "addEventListener('resize', event => event.target === window && event.stopImmediatePropagation(), true)"
# A window that can be moved to a display of another scale: Chromium without a display says nothing to who asked for it.
DISPLAYS = """
  let scale = 1;
  Object.defineProperty(window, "devicePixelRatio", { get: () => scale });
  const own = window.matchMedia.bind(window);
  window.matchMedia = (query) =>
    query.includes("resolution") ? (window.asked = Object.assign(new EventTarget(), { query })) : own(query);
  window.moveTo = (other) => {
    scale = other;
    window.asked.dispatchEvent(new Event("change"));
  };
"""


class Watching:
    """A page that shows a share, at a server that pushes nothing: the state is asked for."""

    def __init__(self, scripted):
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
        self.page.clock.run_for(3_000)
        self.scripted.wait_until(lambda: self.page.evaluate("window.screenshareViewer.stats !== null"), "figures")

    def tell(self, state):
        """What the room says when it is asked."""
        self.scripted.answers["GET demo"] = {"json": {**STATE["json"], "state": state, "viewers": 1}}

    @property
    def questions(self):
        return self.scripted.asked.count("GET demo")

    def ask(self):
        """Time passes until the page asks the room by itself."""
        count = self.questions
        self.scripted.wait_until(lambda: self.scripted.pass_by(2) or self.questions > count, "a question")

    def stop_the_clock(self):
        """From now on no time passes but what a test lets pass."""
        self.page.clock.pause_at(self.page.evaluate("Date.now()") / 1000 + 0.1)

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
    watching.ask()
    watching.ask()  # the first one's answer has been taken
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


@pytest.mark.parametrize("is_away", [False, True], ids=["looked at", "in another tab"])
def test_a_pause_that_the_room_has_not_told_of_yet_is_asked_for_before_anything_is_mended(watching, is_away):
    watching.open()
    watching.page.evaluate(LOOK_AWAY, is_away)
    for _ in range(3):  # the room is asked less and less often
        watching.ask()
    watching.stop_the_clock()
    watching.tell("paused")
    watching.page.evaluate("() => { window.isSilent = true; window.states = []; }")
    watching.page.clock.run_for(4_500)
    watching.scripted.wait_until(lambda: watching.scripted.state == "paused", "a pause")
    watching.page.clock.run_for(3_000)
    assert "reconnecting" not in watching.page.evaluate("window.states")
    assert "PATCH mine" not in watching.scripted.asked


def test_a_silence_that_is_no_pause_is_mended_two_seconds_later(watching):
    watching.scripted.answers["PATCH mine"] = {"status": 404}
    watching.open()
    for _ in range(3):
        watching.ask()
    watching.stop_the_clock()
    count = watching.questions
    watching.page.evaluate("window.isSilent = true")
    watching.page.clock.run_for(4_500)
    watching.scripted.wait_for("GET demo", count + 1)
    assert watching.scripted.state == "live"
    watching.page.clock.run_for(2_000)
    watching.scripted.wait_until(lambda: watching.scripted.state == "reconnecting", "an interruption")


def test_pictures_end_a_pause_whose_end_the_room_has_not_told_of_yet(watching):
    watching.open()
    watching.tell("paused")
    watching.ask()
    watching.scripted.wait_until(lambda: watching.scripted.state == "paused", "a pause")
    watching.stop_the_clock()
    watching.tell("live")
    watching.draw_until("live")


def test_actual_size_follows_a_display_of_another_scale(watching):
    watching.page.add_init_script(UNTOLD)
    watching.page.add_init_script(DISPLAYS)
    watching.open()
    watching.page.keyboard.press("1")
    for scale, width in [(1, "300px"), (2, "150px"), (1.5, "200px")]:
        watching.page.evaluate("moveTo", scale)
        watching.scripted.wait_until(
            lambda width=width: watching.page.evaluate("document.getElementById('video').style.width") == width, width)
    assert watching.page.evaluate("asked.query") == "(resolution: 1.5dppx)"


def test_with_a_picture_fullscreen_is_on_also_where_it_is_the_pictures_alone(watching):
    watching.page.add_init_script(f"({FILLS})(false)")
    watching.open()
    assert watching.page.get_attribute('[data-do="fullscreen"]', "aria-disabled") == "false"


def test_a_browser_without_the_newest_of_arrays_counts_what_arrives(watching):
    watching.page.add_init_script("Array.prototype.at = undefined")  # Safari before 15.4
    watching.open()
    assert watching.page.evaluate("window.screenshareViewer.stats.packetsReceived") > 0
