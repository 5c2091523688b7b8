"""The examples, as someone who reads them would run them."""

from urllib.parse import urljoin

from harness import sharer
from harness.examples import Example
from harness.web import OFFER, http


def test_both_participants_of_the_conference_are_seen_on_its_page(lan, start, artifacts):
    backend = start(Example, lan, "ConferenceBackend")
    page = backend.process.wait_for(r"Open (http://\S+)", 15, key="out")[1]
    browser = start(sharer.chromium, lan, page, "--duration", "6", "--screenshot", artifacts / "conference.png")
    summary = browser.event("summary", 30)
    assert summary["problems"] == []
    ada, ben = summary["videos"]
    assert (ada["width"], ada["height"], ben["width"], ben["height"]) == (1280, 720, 640, 480)
    assert ada["frames"] > 60 and ben["frames"] > 30


def test_nobody_is_sent_away_from_the_conference_by_who_counts(lan, start):
    backend = start(Example, lan, "ConferenceBackend")
    page = backend.process.wait_for(r"Open (http://\S+)", 15, key="out")[1]
    status, headers, _ = http(lan, "POST", f"{page}participants/ada", OFFER, {"Content-Type": "application/sdp"})
    assert status == 201
    assert http(lan, "DELETE", f"{page}participants/ada/viewer-1")[0] == 404
    assert http(lan, "DELETE", urljoin(page, headers["location"]))[0] == 204


def test_the_ten_line_start_shares_its_pattern(lan, start):
    server = start(sharer.Server, lan)
    example = start(Example, lan, "TestPattern")
    example.process.wait_for("Open http", 15, key="out")
    viewer = start(sharer.aiortc, lan, f"{server.base}/v1/rooms/demo/whep", "--frames", "30")
    assert viewer.event("summary", 20)["frames"] >= 30
