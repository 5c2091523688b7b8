"""What `host` and `view` are told of the sound, by options and by keys."""

import pytest
from harness import sharer, sound
from harness.codes import OK, UNAVAILABLE, USAGE

VIEW = ["view", "--room", "demo"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--audio-bitrate", "32k"], "--audio"),
        (["--audio-bitrate", "32k", "--container", "h264"], "--container mkv"),
        (["--audio", "x.opus", "--audio-bitrate", "5999"], "6k…510k"),
        (["--audio", "x.opus", "--audio-bitrate", "511k"], "6k…510k"),
        (["--container", "mkv", "--audio-bitrate", "loud"], "6k…510k"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_bit_rate_of_sound_that_cannot_be_asked_for_is_wrong_use(run, words, said):
    done = run(*VIEW, *words)
    assert done.returncode == USAGE and said in done.stderr


@pytest.mark.parametrize(
    "words", [["--audio", "x.wav"], ["--container", "mkv"], []], ids=lambda words: " ".join(words) or "without sound"
)
def test_a_bit_rate_of_sound_in_the_environment_is_for_who_asks_for_sound(run, lan, words, tmp_path):
    environment = {"PATH": "/usr/bin:/bin", "SCREENSHARE_AUDIO_BITRATE": "loud"}
    # Nobody shares.
    done = run(*VIEW, *words, "--wait", "0", place=lan, env=environment, cwd=tmp_path)
    assert done.returncode == (USAGE if words else UNAVAILABLE), done.stderr


def test_a_viewer_that_asks_for_less_sound_gets_less_and_the_other_all_of_it(lan, share, start, artifacts):
    server = start(sound.SoundServer)
    start(server.play, sound.tone(440, 40))
    host = share(lan, "--test-pattern", env=server.env)
    viewers = []
    for rate in ("16k", "510k"):
        path = artifacts / f"{rate}.opus"
        with open(artifacts / f"{rate}.h264", "wb") as video:
            words = ["--audio", path, "--audio-bitrate", rate, "--duration", 6]
            viewers.append((path, start(sharer.view, lan, *words, output=video, whep=host.whep)))
    for path, viewer in viewers:
        assert viewer.wait(30) == OK, viewer.describe()
        assert sound.is_heard(sound.decode(path), 440).sum() > 30
    little, all_of_it = (path.stat().st_size for path, _ in viewers)
    assert little < all_of_it / 2


def test_a_key_for_sound_that_is_not_shared_says_so_and_mutes_nothing(lan, share):
    host = share(lan, "--test-pattern", "--audio", "none", terminal=True)
    for key, name in (("m", "the microphone"), ("s", "the system")):
        host.type(key)
        host.process.wait_for(f"Sound of {name} is not shared", 5)
    assert "Muted" not in host.text()
