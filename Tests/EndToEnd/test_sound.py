"""System sound and microphone, from a real sound server to real viewers."""

import functools
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

import numpy
import pytest
from harness import sharer, sound
from harness.codes import OK, UNAVAILABLE
from harness.measures import best_of
from harness.networks import Lab, Place
from harness.processes import wait_until
from harness.wakes import Wakes

# Sound breaks off where whoever plays, takes or sends it is woken late. What must be whole for a second is quiet; what some
# milliseconds show in runs alone.


@pytest.fixture
def server(start, request):
    return start(getattr(request, "param", sound.SoundServer))


with_either_server = pytest.mark.parametrize(
    "server", [sound.SoundServer, sound.PipeWire], ids=["PulseAudio", "PipeWire"], indirect=True)


@pytest.fixture
def heard(lan, artifacts, start):
    """`heard(host, seconds)`: the sound that `view` writes, and its process's length of video in seconds."""

    def listen(host, seconds, *options):
        path, video = artifacts / "out.opus", artifacts / "out.h264"
        with open(video, "wb") as output:
            command = ["--audio", path, "--duration", seconds, *options]
            viewer = start(sharer.view, lan, *command, output=output, whep=host.whep)
            assert viewer.wait(seconds + 15) == 0
        return sound.decode(path)

    return listen


def longest(flags):
    """The longest run of true values."""
    best = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        best = max(best, run)
    return best


@pytest.mark.quiet
@with_either_server
def test_what_the_machine_plays_is_heard_by_a_viewer(lan, server, share, start, heard):
    start(server.play, sound.tone(440, 30))
    host = share(lan, "--test-pattern", env=server.env)
    host.process.wait_for("Sound: Monitor of Test-Speaker", 5)
    samples = heard(host, 6)
    assert 5 < len(samples) / sound.RATE < 6.5
    # A tenth may pass until the device is open.
    assert longest(sound.is_heard(samples, 440)) > 40
    assert sound.levels(samples, 1000).max() < 0.01


def quiet_moments(samples, longer_than):
    """Where a tone is not heard for longer than so many seconds, within it."""
    still = numpy.abs(samples) < 0.004
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], still.astype(int), [0]])))
    return [(begin / sound.RATE, end / sound.RATE) for begin, end in zip(edges[::2], edges[1::2])
            if end - begin > longer_than * sound.RATE]


@pytest.mark.parametrize(
    "kind", [sound.SoundServer, functools.partial(sound.SoundServer, rewinds=True), sound.PipeWire],
    ids=["awake", "asleep at first", "PipeWire"])
@pytest.mark.alone
def test_a_tone_is_whole_once_it_is_there(lan, share, start, heard, kind):
    wakes = start(Wakes)

    def listen():
        server = start(kind)
        # A sink that rewinds, and that nobody records, sleeps for as long as its player lets it.
        player = start(server.play, sound.tone(440, 30), latency=20 if server.rewinds else 400)
        host = share(lan, "--test-pattern", env=server.env)
        begun, samples = time.time(), heard(host, 9)
        # PulseAudio itself gives nothing of what a sleeping sink had taken already.
        quiet = quiet_moments(samples[3 * sound.RATE :], 0.002)
        # Of the system's sound nothing is told once its last listener has gone.
        told = [line["sound"]["system"] for line in host.statistics.all() if "system" in line["sound"]][-1]
        is_whole = quiet == [] and told["losses"] == 0 and told["delayMs"] < 60
        # Whoever is woken later than in the last seconds leaves a gap, and holds sound back from then on.
        late = wakes.longest(begun + 1, begun + 9.5)
        assert is_whole or late, f"{quiet}, {told}, and the machine was never late"
        for made in (host, player, server):
            made.kill()
        return is_whole, quiet, told, late

    best_of(listen, lambda found: found[0])


def test_a_setting_in_the_environment_counts(lan, server, share):
    host = share(lan, "--test-pattern", env={**server.env, "SCREENSHARE_AUDIO": "none"})
    assert "No sound is shared." in host.text()


@with_either_server
def test_a_device_that_is_not_there_is_told_at_once(lan, server, run):
    tried = run("host", "--room", "demo", "--test-pattern", "--mic", "microphone", place=lan, env=server.env)
    assert tried.returncode == 69 and "did you mean pulse:microphone?" in tried.stderr
    for wrong in (("--system", "pulse:nothing"), ("--mic", "nothing"), ("--system", "nothing")):
        tried = run("host", "--room", "demo", "--test-pattern", *wrong, place=lan, env=server.env)
        assert tried.returncode == 69 and "screenshare sources" in tried.stderr


def scheduling(host):
    """The policy and the nice value of its thread of sound (proc_pid_stat(5))."""
    for task in pathlib.Path(f"/proc/{host.process.pid}/task").iterdir():
        name, _, fields = (task / "stat").read_text().partition("(")[2].rpartition(")")
        if name == "sound":
            return int(fields.split()[38]), int(fields.split()[16])
    raise AssertionError("no thread of sound")


MAY_NOT = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", "prlimit", "--rtprio=0", "--nice=0"]
# A real-time thread that does not rest for so many microseconds is killed.
IN_TIME = ["prlimit", "--rttime=200000"]


@pytest.mark.quiet
@pytest.mark.parametrize("limits", [[], MAY_NOT, IN_TIME], ids=["as it is", "not allowed", "limited in time"])
def test_the_thread_of_sound_goes_ahead_of_others_where_it_may(lan, server, share, start, heard, limits):
    place = Place([*lan.place.prefix, *limits], lan.address)
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    is_timed = limits == IN_TIME or resource.getrlimit(resource.RLIMIT_RTTIME)[0] != resource.RLIM_INFINITY
    tried = subprocess.run(place.command(["chrt", "--rr", "1", "true"]), capture_output=True, check=False)
    start(server.play, sound.tone(440, 30))
    host = share(place, "--test-pattern", "--audio", "system", env=server.env)
    assert longest(sound.is_heard(heard(host, 5), 440)) > 30
    policy, nice = scheduling(host)
    if limits == MAY_NOT:
        assert tried.returncode != 0 and (policy, nice) == (os.SCHED_OTHER, usual)
    elif is_timed:
        assert policy == os.SCHED_OTHER and nice <= usual
    else:
        assert (policy == os.SCHED_RR) == (tried.returncode == 0 and usual == 0)


def is_captured(server):
    """Whether anybody takes sound from the server."""
    listed = server.control("list", "source-outputs")
    assert listed.returncode == 0, listed.stderr
    return "Shared sound" in listed.stdout


@with_either_server
def test_a_viewer_that_asks_for_no_sound_gets_none(lan, server, share, start, artifacts):
    host = share(lan, "--test-pattern", env=server.env)
    with open(artifacts / "out.h264", "wb") as output:
        viewer = start(sharer.view, lan, output=output, whep=host.whep)
        viewer.statistics.wait(lambda line: line["frames"] > 30, 15, "pictures")
        # Nobody listens: the device is not even open.
        assert not is_captured(server)
        assert viewer.stop() == 0
    with open(artifacts / "out.h264", "wb") as output:
        start(sharer.view, lan, "--audio", artifacts / "out.opus", output=output, whep=host.whep)
        wait_until(lambda: is_captured(server), 10, "a device that is open once somebody listens")


@pytest.mark.quiet
@with_either_server
def test_microphone_and_system_are_mixed(lan, server, share, start, heard):
    start(server.play, sound.tone(440, 30, 0.3))
    start(server.play, sound.tone(1000, 30, 0.3), "cable")
    host = share(lan, "--test-pattern", "--audio", "both", "--mic-gain=-6", env=server.env)
    samples = heard(host, 5)
    both = sound.is_heard(samples, 440, 0.3) & sound.is_heard(samples, 1000, 0.15)
    # A build without optimisation may wake too late once, and holds sound back a little more from then on.
    assert both.sum() > 40


def test_without_a_sound_server_the_picture_goes_on(lan, share, start, artifacts):
    nowhere = {"PULSE_SERVER": "unix:/nonexistent", "HOME": "/nonexistent"}
    host = share(lan, "--test-pattern", env=nowhere)
    assert "No sound is shared." in host.text()
    host.kill()
    asked = share(lan, "--test-pattern", "--audio", "system", env=nowhere)
    with open(artifacts / "out.h264", "wb") as output:
        command = ["--audio", artifacts / "out.opus", "--duration", 3]
        viewer = start(sharer.view, lan, *command, output=output, whep=asked.whep)
        assert viewer.wait(15) == 0
    assert (artifacts / "out.h264").stat().st_size > 10_000
    asked.process.wait_for("Silence is sent in place of the system", 5)


@pytest.mark.quiet
@with_either_server
def test_a_sound_server_that_dies_and_comes_back_is_heard_again(lan, server, share, start, artifacts):
    start(server.play, sound.tone(440, 60))
    host = share(lan, "--test-pattern", env=server.env)
    path = artifacts / "out.opus"
    with open(artifacts / "out.h264", "wb") as output:
        viewer = start(sharer.view, lan, "--audio", path, "--duration", 14, output=output, whep=host.whep)
        viewer.wait_for("First picture", 10)
        wait_until(lambda: path.exists() and path.stat().st_size > 30_000, 10, "some seconds of sound")
        server.kill()
        host.process.wait_for("Silence is sent in place of the system", 5)
        server.start()
        start(server.play, sound.tone(1000, 60))
        host.process.wait_for("There is sound of the system again", 8)
        assert viewer.wait(30) == 0
    samples = sound.decode(path)
    before, after = sound.is_heard(samples, 440), sound.is_heard(samples, 1000)
    assert longest(before) > 10 and longest(after) > 10
    assert numpy.flatnonzero(before).max() < numpy.flatnonzero(after).max()
    # The clock goes on through the silence.
    assert 13 < len(samples) / sound.RATE < 14.5


@with_either_server
def test_chromium_plays_the_sound_in_stereo_and_mutes_it_by_a_key(lan, server, share, start):
    start(server.play, sound.apart(440, 1000, 60))
    host = share(lan, "--test-pattern", env=server.env)
    viewer = start(sharer.chromium, lan, host.link, "--duration", "40", stdin=-1)
    viewer.wait_for_state("live", 20)

    def listen():
        viewer.command_line("sound")
        return viewer.events("sound")[-1]

    def is_apart():
        sides = listen()["sides"]
        return len(sides) == 2 and all(
            abs(side["frequency"] - frequency) < 30 and side["level"] > 0.2
            for side, frequency in zip(sides, (440, 1000)))

    wait_until(is_apart, 10, "the low tone on the left and the high one on the right")
    viewer.command_line("click")
    assert not listen()["muted"]
    viewer.command_line("key m")
    assert listen()["muted"]
    viewer.command_line("key m")
    assert not listen()["muted"]
    viewer.command_line("quit")


def test_aiortc_hears_the_sound(lan, server, share, start):
    start(server.play, sound.tone(1000, 60))
    host = share(lan, "--test-pattern", env=server.env)
    summary = start(sharer.aiortc, lan, host.whep, "--audio", "--duration", 4).event("summary", 20)
    assert summary["frames"] > 20
    assert abs(summary["frequency"] - 1000) < 30
    assert summary["soundSeconds"] > 2


def test_a_muted_share_is_silent_and_its_page_says_so(lan, server, share, start, artifacts):
    start(server.play, sound.tone(1000, 60))
    host = share(lan, "--test-pattern", env=server.env, terminal=True)
    viewer = start(sharer.chromium, lan, host.link, "--duration", "40", stdin=-1)
    viewer.wait_for_state("live", 20)

    def listen():
        viewer.command_line("sound")
        return viewer.events("sound")[-1]

    wait_until(lambda: listen()["level"] > 0.05, 10, "the tone")
    assert not listen()["saysMuted"]
    host.type("s")
    host.process.wait_for("Muted: the system", 5)
    wait_until(lambda: (found := listen())["level"] < 0.001 and found["saysMuted"], 5, "silence, and the page saying so")
    viewer.command_line(f"screenshot {artifacts / 'muted.png'}")
    host.type("s")
    wait_until(lambda: (found := listen())["level"] > 0.05 and not found["saysMuted"], 5, "the tone again")
    viewer.command_line("quit")
    host.stop(signal.SIGINT)


@with_either_server
def test_sources_lists_devices_with_names_people_read(server, display, run):
    screen = display(640, 480)
    listed = run("sources", "--json", "--display", screen.name, env={**server.env, "PATH": "/usr/bin:/bin"})
    assert "pulse:speaker.monitor" in listed.stdout and "Monitor of Test-Speaker" in listed.stdout
    assert "pulse:microphone" in listed.stdout and "Test-Microphone" in listed.stdout


def test_sound_is_listed_where_there_is_no_display(server, run):
    environment = {**server.env, "PATH": "/usr/bin:/bin"}
    listed = run("sources", "--json", env=environment)
    assert listed.returncode == OK and "DISPLAY" in listed.stderr
    found = json.loads(listed.stdout)
    assert found["displays"] == found["monitors"] == found["windows"] == []
    assert "pulse:microphone" in [device["id"] for device in found["audio"]]
    listed = run("sources", env=environment)
    assert listed.returncode == OK and "DISPLAY" in listed.stderr
    assert "pulse:microphone" in listed.stdout and "Displays" not in listed.stdout
    # One that was named has to be there.
    assert run("sources", "--display", ":4711", env=environment).returncode == UNAVAILABLE


def test_a_device_s_name_does_not_steer_the_terminal(server, display, run):
    name = "sink_properties=device.description=\x1b[2JRude"
    assert server.control("load-module", "module-null-sink", "sink_name=rude", name).returncode == 0
    # The devices are listed where there is no display, too.
    for shown in (["--display", display(640, 480).name], []):
        listed = run("sources", *shown, env={**server.env, "PATH": "/usr/bin:/bin"})
        assert "[2JRude" in listed.stdout and "\x1b" not in listed.stdout


@pytest.mark.quiet
@pytest.mark.long
def test_sound_is_heard_where_the_path_takes_hardly_more_than_all_of_it(lab, server, share, start, tmp_path):
    """96 kbit/s, and 24 of headers."""
    start(server.play, sound.tone(440, 90))
    link = lab("both", "delay=20ms")
    host = share(link["a"], "--test-pattern", "--audio", "system", "--open", listen="0.0.0.0:8080", env=server.env)
    whep = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"
    with open(tmp_path / "out.h264", "wb") as output:
        command = ["--audio", tmp_path / "out.opus", "--duration", 60]
        viewer = start(sharer.view, link["b"], *command, output=output, whep=whep)
        viewer.wait_for("First picture", 15)
        link.set("both", "rate=100kbit", "queue=16kb")
        # Its queue, of more than a second, empties by what pictures leave.
        time.sleep(20)
        before = viewer.statistics.last
        time.sleep(10)
        after, peer = viewer.statistics.last, host.statistics.last["peers"][0]
        assert after["soundLost"] - before["soundLost"] < 0.5
        assert after["frames"] - before["frames"] > 60 and peer["queueDelayMs"] < 700, peer
        viewer.kill()
