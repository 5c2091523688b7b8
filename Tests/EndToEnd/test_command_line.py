"""The command line: help, versions, listings, settings by environment."""

import json
import os

import pytest
from harness import sharer
from harness.codes import OK, UNAVAILABLE, USAGE
from harness.processes import wait_until


@pytest.mark.parametrize(
    "words",
    [["--help"], ["host", "--help"], ["view", "--help"], ["serve", "--help"], ["doctor", "--help"]],
    ids=" ".join,
)
def test_help(run, words):
    done = run(*words)
    assert done.returncode == OK and "USAGE" in done.stdout


def test_the_exit_codes_are_documented(run):
    text = run("--help").stdout
    assert all(code in text for code in ("64", "69", "74", "77"))


def test_host_s_help_tells_one_default_of_the_udp_port_and_when_its_own_server_runs(run):
    text = " ".join(run("host", "--help").stdout.split())
    assert "(default: any free one)" in text and "(default: 0)" not in text
    assert "gone for five seconds. Else one runs inside this process" in text


def test_serve_s_help_says_who_may_share_there(run):
    text = " ".join(run("serve", "--help").stdout.split())
    assert "Whoever reaches it may share, in any room that is free" in text


def test_tab_offers_files_for_options_that_take_files(run):
    lines = run("--generate-completion-script", "fish").stdout.splitlines()
    for command, option in (("view", "audio"), ("view", "stats-json"), ("host", "stats-json"), ("host", "turn-ca")):
        offers = [line for line in lines if f'"screenshare {command}" {option}\'' in line]
        # `-f` keeps fish from offering files.
        assert [line.rsplit("'", 1)[1].strip() for line in offers] == ["-rF"], offers


def test_version(run):
    done = run("--version")
    assert done.returncode == OK and done.stdout.strip()


@pytest.mark.parametrize(
    "words",
    [
        ["host", "--room", "demo", "--fps", "31"],
        ["host", "--room", "demo", "--size", "huge"],
        ["host", "--room", "../etc"],
        ["host", "--room", "demo", "--monitor", "a", "--window", "b"],
        ["host", "--room", "demo", "--display", ":987", "--test-pattern"],
        ["host", "--room", "demo", "--bitrate", "-1"],
        ["host", "--room", "demo", "--signaling", "example.org"],
        ["host", "--room", "demo", "--signaling", "http://127.0.0.1:99999"],
        ["host", "--room", "demo", "--signaling", "http://example.org", "--allow-host", "example.org"],
        ["host", "--room", "demo", "--interface", "nope"],
        ["host", "--room", "demo", "--relay-only"],
        ["host", "--room", "demo", "--turn-user", "a"],
        ["serve", "--turn-user", "a", "--turn-password", "p"],
        ["doctor", "--turn-secret", "s"],
        ["host", "--room", "demo", "--audio", "system", "--mic-gain", "6"],
        ["host", "--room", "demo", "--stun", "stun.example.org"],
        ["serve", "--stun", "nonsense"],
        ["serve", "--allow-host", "*"],
        ["serve", "--turn-ca", "/nonexistent/ca.pem"],
        ["doctor", "--stun", "stun.example.org"],
        ["host", "--room", "demo", "--turn-secret", "s", "--turn-user", "a", "--turn-password", "p"],
        ["serve", "--turn", "turn:example.org"],
        ["doctor", "--signaling", "example.org"],
        ["doctor", "--signaling", "http://127.0.0.1:99999"],
        ["doctor", "--signaling", "http://[::1"],
        ["doctor", "--signaling", "http://example.org", "--listen", "8080"],
        ["doctor", "--room", "../etc"],
        ["doctor", "--audio", "loud"],
        ["view"],
        ["view", "--whep", "ftp://example.org/whep"],
        ["view", "--whep", "http://127.0.0.1:65536/whep"],
        ["view", "--room", "demo", "--signaling", "http://127.0.0.1:99999"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_wrong_use(run, words):
    done = run(*words)
    assert done.returncode == USAGE and done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bitrate", "64k"], "100k…100M"),
        (["--bitrate", "4"], "100k…100M"),
        (["--udp-port", "99999"], "1…65535"),
        (["--size", "641x361"], "even"),
        (["--size", "9000x16"], "16…8192"),
        (["--region", "1x1+0+0"], "2…8192"),
        (["--region", "10x10+40000+0"], "0…32767"),
        (["--max-pixels", "many"], "256…35651584"),
        (["--mode", "film"], "'motion' or 'text'"),
        (["--listen", "::1"], "[IPv6]:port"),
        (["--duration", "9999999999"], "below 1000000000"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_refused_value_is_answered_with_what_is_taken(run, words, said):
    done = run("host", "--room", "demo", *words)
    assert done.returncode == USAGE and said in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--room", "demo", "--whep", "http://127.0.0.1:9/whep"], "--room or --whep, not both"),
        (["--room", "demo", "--duration", "0"], "--duration takes seconds above 0"),
        (["--room", "demo", "--wait", "-1"], "--wait"),
        (["--room", "demo", "--wait", "9999999999"], "below 1000000000"),
        ([], "--room or a --whep"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_view_says_which_of_its_options_do_not_go(run, words, said):
    done = run("view", *words)
    assert done.returncode == USAGE and said in done.stderr


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("turn:alice:wonder@example.org:0", "port"),
        ("turn:alice:wonder@", "no host"),
        ("turn:alice:wonder@example.org?transport=sctp", "transport=udp"),
        ("turns:alice:wonder@example.org?transport=udp", "TCP"),
        ("stun:alice:wonder@example.org", "no TURN server"),
        ("turn:wonder@example.org", "password"),
        # The host was forgotten.
        ("turn:alice:wonder", "turn:alice… needs a user name and a password"),
        ("alice:wonder", "password"),
    ],
)
@pytest.mark.parametrize("command", ["host", "view", "serve", "doctor"])
def test_a_malformed_turn_server_is_told_without_its_password(run, command, address, words):
    room = [] if command in ("serve", "doctor") else ["--room", "demo"]
    done = run(command, *room, "--turn", address)
    assert done.returncode == USAGE and words in done.stderr
    assert "wonder" not in done.stderr


def test_sources_are_listed(display, painter, run):
    screen = display(1280, 720)
    screen.add_monitor("left", 0, 0, 640, 720)
    painter(screen).window("a window to share", 10, 10, 300, 200, (255, 0, 0))
    done = run("sources", "--json", "--display", screen.name)
    assert done.returncode == OK, done.stderr
    listed = json.dumps(json.loads(done.stdout))
    for expected in ("left", "a window to share", "1280", "720"):
        assert expected in listed
    assert "a window to share" in run("sources", "--display", screen.name).stdout


SOUND_SIGNS = ["/dev/snd", "/etc/asound.conf", "/run/pulse/native", f"/run/user/{os.getuid()}/pulse/native"]


@pytest.mark.skipif(any(map(os.path.exists, SOUND_SIGNS)), reason="there are signs of sound")
def test_sources_have_no_complaint_of_a_library_s_where_there_is_neither_sound_nor_a_home(display, run):
    homeless = {"PATH": "/usr/bin:/bin", "HOME": "/proc/nobody"}
    done = run("sources", "--display", display(640, 480).name, env=homeless)
    assert done.returncode == OK and done.stderr == ""


def test_no_display_is_a_clear_error(run):
    # Nor is there sound, wherever this runs.
    silent = {"PULSE_SERVER": "unix:/nowhere", "ALSA_CONFIG_PATH": "/dev/null"}
    done = run("sources", env={"PATH": "/usr/bin:/bin", **silent})
    assert done.returncode == UNAVAILABLE and "set DISPLAY" in done.stderr and "--display" in done.stderr


@pytest.mark.parametrize(
    ("variables", "is_advised"),
    [({}, True), ({"DISPLAY": ""}, True), ({"DISPLAY": ":987"}, False), ({"SCREENSHARE_DISPLAY": ":987"}, False)],
)
def test_who_has_named_a_display_is_not_told_to_name_one(run, variables, is_advised):
    done = run("host", "--room", "demo", "--audio", "none", env={"PATH": "/usr/bin:/bin", **variables})
    assert done.returncode == UNAVAILABLE and ("Name one by --display" in done.stderr) == is_advised, done


def test_settings_by_environment_yield_to_flags(lan, share, start, tmp_path):
    share(lan, "--test-pattern", listen="127.0.0.1:8082")
    environment = {"SCREENSHARE_SIGNALING": "http://127.0.0.1:8082"}
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, lan, "--frames", "5", output=file, signaling=None, env=environment)
    assert viewer.wait(15) == OK, viewer.describe()
    wrong = {"SCREENSHARE_SIGNALING": "http://127.0.0.1:9"}
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, lan, "--frames", "5", output=file, signaling="http://127.0.0.1:8082", env=wrong)
    assert viewer.wait(15) == OK, viewer.describe()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"SCREENSHARE_ROOM": "demo"}, ["view", "--whep", "http://127.0.0.1:9/whep"]),
        ({"SCREENSHARE_WHEP": "http://127.0.0.1:9/whep"}, ["view", "--room", "demo"]),
        ({"SCREENSHARE_AUDIO": "none"}, ["view", "--room", "demo"]),
        ({"SCREENSHARE_STATS_JSON": "-"}, ["view", "--room", "demo"]),
        ({"SCREENSHARE_CONTAINER": "mkv"}, ["view", "--room", "demo", "--audio", "x.opus"]),
        ({"SCREENSHARE_AUDIO": "x.opus"}, ["view", "--room", "demo", "--container", "mkv"]),
        ({"SCREENSHARE_TURN_SECRET": "s", "SCREENSHARE_TURN_CA": "ca.pem"}, ["view", "--room", "demo"]),
    ],
    ids=str,
)
def test_settings_meant_for_another_command_or_of_no_use_here_do_not_stop_this_one(
    run, lan, environment, words, tmp_path
):
    done = run(*words, "--wait", "0", place=lan, env={"PATH": "/usr/bin:/bin", **environment}, cwd=tmp_path)
    assert done.returncode == UNAVAILABLE, done.stderr


def test_view_says_where_it_looks_for_what(lan, run):
    done = run("view", "--room", "demo", "--wait", "0", place=lan)
    assert done.returncode == UNAVAILABLE and 'in room "demo" at http://127.0.0.1:8080' in done.stderr


def test_where_view_puts_the_sound_does_not_stop_who_shares_and_a_typing_error_does(lan, start, run, tmp_path):
    where = {"SCREENSHARE_AUDIO": "out.opus"}
    command = [sharer.screenshare(), "host", "--room", "demo", "--test-pattern", "--duration", "1"]
    host = start(sharer.Process, lan.command(command), name="host", env=where, cwd=tmp_path)
    assert host.wait(10) == OK, host.describe()
    # There is no display.
    done = run("doctor", place=lan, env={"PATH": "/usr/bin:/bin", **where})
    assert done.returncode == UNAVAILABLE, done.stderr
    for words in (command[1:], ["doctor"]):
        done = run(*words, place=lan, env={"PATH": "/usr/bin:/bin", "SCREENSHARE_AUDIO": "sytem"})
        assert done.returncode == USAGE and "sytem" in done.stderr


@pytest.mark.parametrize(
    ("environment", "words", "told"),
    [
        ({"FRAMES": "0"}, ["view", "--room", "demo"], "SCREENSHARE_FRAMES"),
        ({"FRAMES": "many"}, ["view", "--room", "demo"], "SCREENSHARE_FRAMES"),
        ({"AUDIO": "o.opus", "CONTAINER": "mkv"}, ["view", "--room", "demo"], "SCREENSHARE_AUDIO, SCREENSHARE_CONTAINER"),
        ({"STUN": "stun:a.example,stun.example"}, ["host", "--room", "demo"], "SCREENSHARE_STUN"),
        ({"FRAMES": "5"}, ["view", "--room", "demo", "--frames", "0"], None),
        ({"ROOM": "demo"}, ["view", "--help"], None),
    ],
    ids=str,
)
def test_wrong_use_in_the_environment_is_told_by_its_variables(run, environment, words, told):
    variables = {f"SCREENSHARE_{name}": value for name, value in environment.items()}
    done = run(*words, env={"PATH": "/usr/bin:/bin", **variables})
    lines = [line for line in done.stderr.splitlines() if "from the environment" in line]
    assert lines == ([f"screenshare: from the environment: {told}"] if told else []), done.stderr
    assert done.returncode == (OK if "--help" in words else USAGE)


def test_a_device_in_the_environment_yields_to_the_sound_that_is_asked_for(lan, start):
    command = [sharer.screenshare(), "host", "--room", "demo", "--test-pattern", "--audio", "none", "--duration", "1"]
    host = start(sharer.Process, lan.command(command), name="host", env={"SCREENSHARE_MIC": "pulse:x"})
    assert host.wait(10) == OK, host.describe()


def test_a_token_that_no_server_would_take_is_wrong_use(run):
    done = run("view", "--whep", "http://127.0.0.1:9/whep", "--token", "two words")
    assert done.returncode == USAGE and "token" in done.stderr


ANSWERS_ALL = """
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"<html>")
http.server.HTTPServer(("127.0.0.1", 8080), Page).serve_forever()
"""


def test_another_web_server_at_the_port_is_not_taken_for_a_signaling_server(lan, start):
    other = start(sharer.Process, lan.command(["python3", "-c", ANSWERS_ALL]), name="another web server")
    host_command = lan.command([sharer.screenshare(), "host", "--room", "demo", "--test-pattern"])
    wait_until(lambda: ":8080" in lan.place.run("ss", "-ltn"), 10, "the other server's port")
    host = start(sharer.Process, host_command, name="host")
    assert host.wait(10) == UNAVAILABLE, host.describe()
    assert "Another program listens" in host.text() and "--listen" in host.text()
    assert other.running


def test_host_statistics_on_stdout_are_json_and_nothing_else_is(lan, start):
    from harness.paths import screenshare
    from harness.processes import Peer

    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--stats-json", "-", "--duration", "3"]
    host = start(Peer, lan.command(command))
    assert host.wait(10) == OK
    lines = host.text("out").splitlines()
    assert len(lines) >= 2
    fields = {"time", "state", "viewers", "fps", "bitrate", "framesEncoded", "framesDropped", "keyframes", "cpu"}
    fields |= {"rssBytes", "lossFraction", "lanes", "datagramsRefused", "peers"}
    assert all(fields <= set(json.loads(line)) for line in lines)


def test_a_log_holds_how_things_stand_only_where_that_changes(lan, start):
    command = [sharer.screenshare(), "host", "--room", "demo", "--test-pattern", "--duration", "4"]
    host = start(sharer.Process, lan.command(command), name="host")
    assert host.wait(10) == OK, host.describe()
    assert [line for line in host.text().splitlines() if "0 viewers" in line] == ["live · 0 viewers"]
