"""The page alone, with a browser's end of the connection that is scripted too: what it asks of the sound, and what it says
of a sharer who has muted it."""

import json
import re
import time

import pytest
from harness.paths import ROOT
from harness.scripted import STATE

# Connected as soon as there is an answer, and never with a picture.
PEER = """offer => {
  window.RTCPeerConnection = class extends EventTarget {
    connectionState = "new";
    addTransceiver() { return { receiver: {} }; }
    getTransceivers() { return [{ currentDirection: "recvonly" }]; }
    async createOffer() { return { type: "offer", sdp: offer }; }
    async setLocalDescription(description) { this.localDescription = description; }
    async setRemoteDescription(description) {
      this.remoteDescription = description;
      this.connectionState = "connected";
      this.dispatchEvent(new Event("connectionstatechange"));
    }
    async getStats() { return new Map(); }
    close() {}
  };
}"""


def offer_of(browser):
    """An offer that was kept, as its browser made it."""
    return (ROOT / "Tests/SDPTests/Fixtures" / f"{browser}.sdp").read_text()


@pytest.fixture
def page(scripted):
    """`page("firefox")`: the page, about to be opened, with that browser's offer."""

    def make(browser):
        scripted.page.add_init_script(f"({PEER})({json.dumps(offer_of(browser))})")
        return scripted

    return make


@pytest.mark.parametrize(("browser", "own"), [("chromium", "minptime=10"), ("firefox", "maxplaybackrate=48000")])
def test_every_browser_asks_for_two_channels_and_for_nothing_in_silence(page, browser, own):
    opened, offers = page(browser), []
    opened.page.on("request", lambda request: request.method == "POST" and offers.append(request.post_data))
    opened.open()
    opened.wait_until(lambda: offers, "an offer")
    [opus] = re.findall(r"a=rtpmap:(\d+) opus/48000/2", offers[0])
    [parameters] = re.findall(rf"a=fmtp:{opus} (.*)", offers[0])
    assert sorted(parameters.strip().split(";")) == sorted([own, "stereo=1", "usedtx=1", "useinbandfec=1"])


# What the room says, and what is read then. No two in a row read the same: what stood there before would do.
MUTED = [
    ({"audio": "on", "muted": ["microphone"]}, ["Microphone muted", "The sharer’s microphone is muted"]),
    ({"audio": "muted", "muted": ["system", "microphone"]}, ["Sound muted", "The sharer’s sound is muted"]),
    ({"audio": "on", "muted": ["applause"]}, None),
    ({"audio": "muted"}, ["Sound muted", "The sharer’s sound is muted"]),
    ({"audio": "on"}, None),
    ({"audio": "on", "muted": ["system"]}, ["Screen sound muted", "The sound of the screen is muted"]),
]

SHOWN = """() => {
  const root = document.getElementById("muted");
  return root.hidden ? null : [document.getElementById("muted-sound").textContent, root.title];
}"""


def test_the_page_says_which_sound_is_muted(page):
    opened = page("chromium")
    opened.answers["POST whep"] = {"status": 201, "headers": {"Location": "/v1/rooms/demo/whep/mine"}, "body": "v=0"}
    opened.answers["DELETE mine"] = {}
    # No stream: the state is asked for, every six seconds at least.
    opened.answers["GET events"] = {"status": 404}

    def tell(said):
        opened.answers["GET demo"] = {"json": {**STATE["json"], "state": "paused", "viewers": 1, **said}}

    tell({"audio": "on"})
    opened.open()
    opened.wait_until(lambda: opened.state == "paused", "a pause")
    for said, words in MUTED:
        tell(said)
        opened.pass_by(7)
        opened.wait_until(lambda words=words: opened.page.evaluate(SHOWN) == words, f"{words}")


# What `PEER` made last, and a track of sound that comes for it.
WATCHED = """() => {
  window.RTCPeerConnection = class extends window.RTCPeerConnection {
    constructor(...settings) { super(...settings); window.peer = this; }
  };
  // What a test asks of a page counts as a click of its person's, so that the refusal is played, too.
  const activation = { hasBeenActive: false };
  Object.defineProperty(navigator, "userActivation", { value: activation });
  addEventListener("pointerdown", () => { activation.hasBeenActive = true; }, true);
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    if (this.muted || activation.hasBeenActive) return play.call(this);
    this.pause();
    return Promise.reject(new DOMException("Not without a click", "NotAllowedError"));
  };
}"""
SOUND = """() => {
  const [track] = new AudioContext().createMediaStreamDestination().stream.getAudioTracks();
  window.peer.dispatchEvent(Object.assign(new Event("track"), { track, receiver: {} }));
}"""
BUTTON = """() => {
  const button = document.querySelector('button[data-do="sound"]');
  return [button.getAttribute("aria-label"), button.getAttribute("aria-pressed")];
}"""


@pytest.fixture
def hear(page):
    """`hear(script)`: the page of a share that is paused, in such a browser, with sound that no click has brought yet."""

    def make(*scripts):
        opened = page("chromium")
        for script in (WATCHED, *scripts):
            opened.page.add_init_script(f"({script})()")
        opened.answers["POST whep"] = {"status": 201, "headers": {"Location": "/v1/rooms/demo/whep/mine"}, "body": "v=0"}
        opened.answers["DELETE mine"] = {}
        opened.answers["GET events"] = {"status": 404}
        opened.answers["GET demo"] = {"json": {**STATE["json"], "state": "paused", "viewers": 1, "audio": "on"}}
        opened.open()
        opened.wait_until(lambda: opened.state == "paused", "a pause")
        opened.page.evaluate(SOUND)
        opened.wait_until(lambda: opened.page.is_visible('button[data-do="sound"]'), "the button for the sound")
        return opened

    return make


@pytest.fixture
def heard(hear):
    return hear()


def test_the_button_for_the_sound_is_called_mute_and_is_pressed_while_nothing_is_heard(heard):
    assert heard.page.evaluate(BUTTON) == ["Mute", "true"]
    heard.page.click('button[data-do="sound"]')
    heard.wait_until(lambda: heard.page.evaluate(BUTTON) == ["Mute", "false"], "sound")
    heard.page.click('button[data-do="sound"]')
    heard.wait_until(lambda: heard.page.evaluate(BUTTON) == ["Mute", "true"], "silence")


def test_that_a_click_brings_the_sound_is_said_until_there_was_one(heard):
    heard.wait_until(lambda: heard.page.is_visible("#silent"), "a word of it")
    # What a live picture does with the bars after three seconds.
    heard.page.evaluate("document.body.dataset.idle = 'true'")
    assert heard.page.evaluate("getComputedStyle(document.getElementById('header')).pointerEvents") == "auto"
    heard.page.mouse.click(200, 300)
    heard.wait_until(lambda: heard.page.is_hidden("#silent"), "sound")
    assert heard.page.evaluate(BUTTON) == ["Mute", "false"]


def test_who_mutes_by_the_browsers_own_button_stays_muted_until_the_page_is_asked_for_sound(heard):
    heard.page.mouse.click(200, 300)
    heard.wait_until(lambda: heard.page.evaluate(BUTTON) == ["Mute", "false"], "sound")
    heard.page.evaluate("document.getElementById('video').muted = true")
    heard.wait_until(lambda: heard.page.evaluate(BUTTON) == ["Mute", "true"], "silence")
    assert heard.page.is_hidden("#silent")
    heard.page.mouse.click(200, 300)
    heard.page.keyboard.press("Tab")
    assert heard.page.evaluate("document.getElementById('video').muted")
    heard.page.click('button[data-do="sound"]')
    heard.wait_until(lambda: heard.page.evaluate(BUTTON) == ["Mute", "false"], "sound")


# As iPads have it: what is set can be read for a moment, and is gone then.
KEYS_VOLUME = """() => Object.defineProperty(HTMLMediaElement.prototype, "volume", {
  get() { return this.setVolume ?? 1; },
  set(volume) {
    this.setVolume = volume;
    setTimeout(() => { delete this.setVolume; });
  },
})"""


@pytest.mark.parametrize(("scripts", "is_there"), [([], True), ([KEYS_VOLUME], False)],
                         ids=["by the page", "by the device's keys alone"])
def test_a_slider_is_there_for_a_volume_that_can_be_set(hear, scripts, is_there):
    opened = hear(*scripts)
    opened.wait_until(lambda: opened.page.is_visible("#volume") == is_there, "a slider where it does something")


# Picture and sound that come without a test's word, and what becomes of each attempt to play them.
UNTOUCHED = """() => {
  window.RTCPeerConnection = class extends window.RTCPeerConnection {
    async setRemoteDescription(description) {
      await super.setRemoteDescription(description);
      const picture = document.createElement("canvas").getContext("2d");
      setInterval(() => picture.fillRect(Math.random() * 300, Math.random() * 150, 9, 9), 50);
      const sound = new AudioContext().createMediaStreamDestination().stream;
      for (const track of [...picture.canvas.captureStream().getTracks(), ...sound.getTracks()]) {
        this.dispatchEvent(Object.assign(new Event("track"), { track, receiver: {} }));
      }
    }
  };
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    const played = play.call(this);
    played.then(() => console.log(this.muted ? "silent" : "aloud"), error => console.log(error.name));
    return played;
  };
}"""
ANYWAY = "--autoplay-policy=no-user-gesture-required"


@pytest.mark.parametrize(("scripted", "outcome"), [([], "silent"), ([ANYWAY], "aloud")], indirect=["scripted"],
                         ids=["a browser that wants a click", "a browser that wants none"])
def test_sound_is_heard_without_a_click_where_the_browser_plays_it(page, outcome):
    opened, said = page("chromium"), []
    opened.page.add_init_script(f"({UNTOUCHED})()")
    opened.page.on("console", lambda message: said.append(message.text))
    opened.answers["POST whep"] = {"status": 201, "headers": {"Location": "/v1/rooms/demo/whep/mine"}, "body": "v=0"}
    opened.answers["DELETE mine"] = {}
    opened.answers["GET demo"] = {"json": {**STATE["json"], "state": "live", "viewers": 1, "audio": "on"}}
    opened.page.goto("http://page.test/r/demo", wait_until="commit")
    # Nothing is asked of the page before that is over: the browser would take it for a click.
    deadline = time.monotonic() + 5
    while outcome not in said:
        assert time.monotonic() < deadline, said
        opened.page.wait_for_timeout(20)
    assert ("NotAllowedError" in said) == (outcome == "silent")
    opened.wait_until(lambda: opened.state == "live", "a picture")
    assert opened.page.evaluate("document.getElementById('video').muted") == (outcome == "silent")
    assert opened.page.is_visible("#silent") == (outcome == "silent")
    assert opened.page.is_hidden("#card")
