"""The page alone, in Chromium, with a server that a test scripts: silence, and words that are not the server's own."""

import json

import pytest
from harness.scripted import STATE

FOREIGN = {"body": "<h1>Not here</h1>", "content_type": "text/html"}
COUNTDOWN = '[data-card="countdown"]'

# Each stream tells a state, unless it `isHeld` back, and then nothing any more.
SILENCE = """isHeld => {
  const plain = window.fetch;
  window.streams = 0;
  window.fetch = (url, options) => {
    if (!String(url).includes("/events")) return plain(url, options);
    window.streams += 1;
    const text = new TextEncoder().encode('event: state\\ndata: {"state": "waiting"}\\n\\n');
    const body = new ReadableStream({
      start: controller => {
        if (!isHeld) controller.enqueue(text);
        options.signal.addEventListener("abort", () => controller.error(options.signal.reason));
      },
    });
    return Promise.resolve(new Response(body));
  };
}"""

# The head of an answer comes, and its body breaks off; which sessions are left is written down.
BROKEN_ANSWER = """() => {
  const plain = window.fetch;
  window.left = [];
  window.fetch = async (url, options) => {
    if (options?.method === "DELETE") {
      window.left.push(new URL(url).pathname);
      return new Response(null, { status: 204 });
    }
    const response = await plain(url, options);
    if (response.status === 201) response.text = () => Promise.reject(new TypeError("broken off"));
    return response;
  };
}"""


# The sharer is another peer of this page's. `told` is what the browser says of the connection, where a test says it.
SHARER = """() => {
  const plain = window.fetch, Plain = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Plain {
    constructor(...settings) { super(...settings); window.peer = this; }
    get connectionState() { return window.told ?? super.connectionState; }
  };
  window.fetch = async (url, options) => {
    const response = await plain(url, options);
    if (options?.method !== "POST") return response;
    const sharer = new Plain();
    await sharer.setRemoteDescription({ type: "offer", sdp: options.body });
    for (const transceiver of sharer.getTransceivers()) transceiver.direction = "sendonly";
    await sharer.setLocalDescription();
    response.text = () => Promise.resolve(sharer.localDescription.sdp);
    return response;
  };
}"""
# What an answer holds is refused when a test says so; what was asked for before and has no answer may be given up.
SLOW_REFUSAL = """() => {
  const plain = window.fetch;
  window.posts = [];
  window.fetch = (url, options) => {
    if (options?.method === "POST") window.posts.push(options.signal);
    return plain(url, options);
  };
  RTCPeerConnection.prototype.setRemoteDescription = () => new Promise((_, reject) => { window.refuse = reject; });
}"""
# A browser that makes so many connections for a page and no more, or leaves one out.
SPARING = """isMade => {
  let asked = 0;
  window.RTCPeerConnection = class extends window.RTCPeerConnection {
    constructor(...settings) {
      asked += 1;
      if (!isMade(asked)) throw new DOMException("Cannot create so many PeerConnections", "UnknownError");
      super(...settings);
    }
  };
}"""
# As Firefox is at its first start: without H.264, until a test says that it is there.
LATE_H264 = """() => {
  const plain = RTCRtpReceiver.getCapabilities;
  RTCRtpReceiver.getCapabilities = kind => {
    const told = plain.call(RTCRtpReceiver, kind);
    const codecs = told.codecs.filter(({ mimeType }) => window.hasH264 || !/h264/i.test(mimeType));
    return { ...told, codecs };
  };
}"""
TELL = """state => {
  window.told = state;
  window.peer.dispatchEvent(new Event("connectionstatechange"));
}"""


def problem(status, name):
    """A refusal as the server itself words it."""
    body = json.dumps({"type": f"urn:screenshare:problem:{name}", "title": "No.", "status": status})
    return {"status": status, "content_type": "application/problem+json", "body": body}


@pytest.mark.parametrize("status", [404, 410])
def test_a_proxy_whose_server_is_away_is_asked_again(scripted, status):
    scripted.answers = dict.fromkeys(scripted.answers, {"status": status, **FOREIGN})
    scripted.open()
    for count in range(1, 4):
        scripted.wait_for("POST whep", count)
        scripted.wait_until(lambda: scripted.state == "connecting", "trying again")
        scripted.pass_by(16)
    scripted.answers["POST whep"] = {"status": 409}
    scripted.pass_by(16)
    scripted.wait_until(lambda: scripted.state == "waiting", "a server that is back")


def test_what_the_server_itself_does_not_know_is_not_asked_for_again(scripted):
    scripted.answers["POST whep"] = problem(404, "not-found")
    scripted.open()
    scripted.wait_until(lambda: scripted.state == "refused", "a refusal")


@pytest.mark.parametrize("status", [401, 403])
def test_a_proxy_that_refuses_is_not_taken_for_a_room_that_needs_a_key(scripted, status):
    scripted.answers["POST whep"] = {"status": status, **FOREIGN}
    scripted.open()
    scripted.wait_until(lambda: scripted.state == "refused", "a refusal")
    assert scripted.title == "This room can’t be opened"


@pytest.mark.parametrize("status, name", [(401, "token-required"), (403, "token-rejected")])
def test_a_server_that_wants_a_key_has_the_page_ask_for_it(scripted, status, name):
    scripted.answers["POST whep"] = problem(status, name)
    scripted.open()
    scripted.wait_until(lambda: scripted.state == "refused", "a refusal")
    assert scripted.title == "This room needs a key"
    # Smaller text has iPhones zoom in.
    assert scripted.page.evaluate("parseFloat(getComputedStyle(document.getElementById('key')).fontSize)") >= 16


def test_the_keyboard_stays_at_the_card_when_what_was_typed_into_it_goes_away(scripted):
    scripted.answers["POST whep"] = problem(401, "token-required")
    scripted.open()
    scripted.wait_until(lambda: scripted.state == "refused", "a refusal")
    scripted.page.fill("#key", "a-key")
    scripted.answers["POST whep"] = problem(403, "token-rejected")
    scripted.page.keyboard.press("Enter")
    scripted.wait_until(lambda: scripted.title == "The key wasn’t accepted", "another refusal")
    scripted.page.wait_for_timeout(100)
    assert scripted.page.evaluate("document.activeElement.id") == "card"


@pytest.mark.parametrize("status", [429, 503])
def test_a_proxy_that_lets_nobody_through_says_nothing_of_the_room(scripted, status):
    scripted.answers["POST whep"] = {"status": status, **FOREIGN}
    scripted.open()
    scripted.wait_until(lambda: scripted.title == "No answer yet", "no answer")
    scripted.answers["POST whep"] = problem(503, "sharer-silent")
    scripted.pass_by(16)
    scripted.wait_until(lambda: scripted.state == "waiting", "the server's own word")


def loads_of(page):
    """A list that grows by each time the page is loaded."""
    loads = []
    page.on("request", lambda request: request.is_navigation_request() and loads.append(request.url))
    return loads


def test_a_page_whose_browser_makes_no_more_connections_is_loaded_anew_and_tries_on(scripted):
    loads = loads_of(scripted.page)
    scripted.answers |= {
        "POST whep": problem(503, "room-full"),
        "GET demo": {"json": {**STATE["json"], "state": "live"}},
        "GET events": {"status": 404},
    }
    scripted.page.add_init_script(f"({SPARING})(asked => asked === 1)")
    scripted.open()
    scripted.wait_for("POST whep", 2)
    assert len(loads) > 1


def test_a_connection_that_the_browser_did_not_make_is_tried_again_where_there_is_no_server_to_load_the_page_from(scripted):
    loads = loads_of(scripted.page)
    scripted.answers = dict.fromkeys(scripted.answers, {"status": 502, **FOREIGN})
    scripted.page.add_init_script(f"({SPARING})(asked => asked !== 2)")
    scripted.open()
    scripted.wait_until(lambda: scripted.pass_by(2) or scripted.asked.count("POST whep") > 1, "another try")
    assert len(loads) == 1 and scripted.title == "No answer yet"


def test_a_session_whose_answer_breaks_off_is_left(scripted):
    session = "/v1/rooms/demo/whep/1"
    scripted.answers["POST whep"] = {"status": 201, "headers": {"Location": session, "ETag": '"1"'}, "body": "v=0"}
    scripted.page.add_init_script(f"({BROKEN_ANSWER})()")
    scripted.open()
    scripted.wait_for("POST whep", 1)
    scripted.wait_until(lambda: session in scripted.page.evaluate("window.left"), "a goodbye")


def test_an_attempt_that_was_begun_while_an_earlier_answer_is_looked_at_is_given_up_with_that(scripted):
    scripted.answers["POST whep"] = {"status": 502, **FOREIGN}
    scripted.page.add_init_script(f"({SLOW_REFUSAL})()")
    scripted.open()
    scripted.wait_until(lambda: scripted.title == "No answer yet", "no answer")
    scripted.answers["POST whep"] = {"status": 201, "headers": {"Location": "/v1/rooms/demo/whep/1"}, "body": "v=0"}
    scripted.answers["DELETE 1"] = {}
    scripted.page.click("text=Try now")
    scripted.wait_until(lambda: scripted.page.evaluate("window.refuse !== undefined"), "an answer")
    scripted.answers["POST whep"] = None
    scripted.page.click("text=Try now")
    scripted.wait_for("POST whep", 3)
    scripted.page.evaluate("window.refuse(new TypeError('no picture'))")
    scripted.wait_until(lambda: scripted.state == "unsupported", "a refusal")
    assert scripted.page.evaluate("window.posts.at(-1).aborted")


def test_relays_are_asked_for_anew_before_ice_is_restarted(scripted):
    def relay(user):
        return {"headers": {"Link": f'<turn:127.0.0.1:9>; rel="ice-server"; username="{user}"; credential="x"'}}

    def users():
        return scripted.page.evaluate("window.peer.getConfiguration().iceServers.map(server => server.username)")

    session = "/v1/rooms/demo/whep/1"
    scripted.answers |= {
        # Without an entity tag, so that no candidates are sent.
        "POST whep": {"status": 201, "headers": {"Location": session, **relay("early")["headers"]}, "body": "v=0"},
        "PATCH 1": {"body": "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\n"},
        "DELETE 1": {},
        "GET demo": {"json": {**STATE["json"], "state": "live"}},
    }
    scripted.page.add_init_script(f"({SHARER})()")
    scripted.open()
    scripted.wait_until(lambda: scripted.page.evaluate("window.peer?.remoteDescription != null"), "an answer")
    assert users() == ["early"]
    scripted.answers["HEAD whep"] = relay("late")
    scripted.page.evaluate(TELL, "disconnected")
    scripted.pass_by(1.1)
    scripted.wait_for("PATCH 1", 1)
    assert users() == ["late"]


def pause(scripted, state):
    """A page that is connected while its room says `state`, and takes that for a pause; what the server answers."""
    scripted.answers = {
        "HEAD whep": {},
        "POST whep": {"status": 201, "headers": {"Location": "/v1/rooms/demo/whep/1"}, "body": "v=0"},
        "DELETE 1": {},
        "GET demo": {"json": {**STATE["json"], "state": state}},
        "GET events": {"status": 404},
    }
    scripted.page.add_init_script(f"({SHARER})()")
    scripted.open()
    scripted.wait_until(lambda: scripted.page.evaluate("window.peer?.remoteDescription != null"), "an answer")
    scripted.page.evaluate(TELL, "connected")
    scripted.pass_by(7)
    scripted.wait_until(lambda: scripted.state == "paused", "a pause")
    return scripted.answers


def test_a_state_that_only_a_later_server_knows_is_taken_for_a_pause(scripted):
    pause(scripted, "interrupted")


@pytest.mark.parametrize("status", [200, 400, 403, 405])
def test_a_page_that_reconnects_outlasts_a_stranger_who_answers_in_the_servers_place(scripted, status):
    served = pause(scripted, "paused")
    scripted.answers = dict.fromkeys(served, {"status": status, **FOREIGN})
    scripted.page.evaluate(TELL, "failed")
    for count in (2, 3):
        scripted.pass_by(1.1)
        scripted.wait_for("POST whep", count)
        scripted.wait_until(lambda: scripted.page.text_content(COUNTDOWN), "trying again")
    assert scripted.title == "Reconnecting"
    scripted.answers = served
    scripted.pass_by(16)
    scripted.wait_for("POST whep", 4)


def streams_of(scripted):
    return scripted.page.evaluate("window.streams")


def test_a_stream_that_does_not_begin_is_not_waited_for(scripted):
    scripted.open()
    scripted.wait_for("GET events", 1)
    scripted.pass_by(1.1)
    scripted.wait_for("GET demo", 1)
    scripted.pass_by(5)
    scripted.wait_for("GET demo", 2)
    scripted.pass_by(6.5)
    scripted.wait_for("GET events", 2)


def test_a_stream_that_falls_silent_is_opened_anew_after_fifteen_seconds(scripted):
    scripted.page.add_init_script(f"({SILENCE})(false)")
    scripted.open()
    scripted.wait_until(lambda: streams_of(scripted) == 1, "a stream")
    scripted.pass_by(10)
    scripted.page.wait_for_timeout(100)
    assert streams_of(scripted) == 1
    scripted.pass_by(5.5)
    scripted.wait_until(lambda: streams_of(scripted) == 2, "the next stream")


def test_a_stream_of_which_only_the_head_comes_is_not_waited_for(scripted):
    scripted.page.add_init_script(f"({SILENCE})(true)")
    scripted.open()
    scripted.wait_until(lambda: streams_of(scripted) == 1, "a stream")
    scripted.pass_by(1.1)
    scripted.wait_for("GET demo", 1)
    scripted.pass_by(4.5)
    scripted.wait_for("GET demo", 2)
    scripted.pass_by(1.5)
    scripted.wait_until(lambda: streams_of(scripted) == 2, "the next stream")
    scripted.pass_by(1.1)
    scripted.wait_for("GET demo", 3)


@pytest.mark.parametrize("name", ["a%20b", "a:b", "x" * 65])
def test_an_address_that_names_no_room_is_said_to_be_none_and_nobody_is_asked(scripted, name):
    scripted.page.goto(f"http://page.test/r/{name}")
    scripted.wait_until(lambda: scripted.state == "refused", "a refusal")
    assert scripted.title == "This address names no room"
    assert scripted.asked == []


def test_an_address_that_names_no_room_stays_one_when_the_browser_gets_its_video_format(scripted):
    scripted.page.add_init_script(f"({LATE_H264})()")
    scripted.page.goto("http://page.test/r/a%20b")
    scripted.wait_until(lambda: scripted.state == "refused", "a refusal")
    scripted.page.evaluate("window.hasH264 = true")
    scripted.pass_by(4)
    assert scripted.title == "This address names no room"
