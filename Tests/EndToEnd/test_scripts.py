"""The scripts behind `make`, with stand-ins for what takes long."""

import os
import shutil
import stat
import subprocess

import pytest
from harness.codes import OK
from harness.paths import ROOT


@pytest.fixture
def install(tmp_path):
    """Of a stand-in for the program, with a stand-in for Swift."""
    place = tmp_path / "a b"
    (place / "Scripts").mkdir(parents=True)
    shutil.copy(ROOT / "Scripts/install-program", place / "Scripts")
    for file, source in (
        (place / ".build-release/release/screenshare", "/bin/true"),
        (place / ".build/plugins/GenerateManual/outputs/ScreenShareCLI/screenshare.1", "/etc/hostname"),
    ):
        file.parent.mkdir(parents=True)
        shutil.copy(source, file)

    def run(swift="true", **variables):
        environment = {"PATH": os.environ["PATH"], "SWIFT": swift, **variables}
        settings = {"env": environment, "cwd": tmp_path, "umask": 0o077, "timeout": 20}
        return subprocess.run(
            ["bash", place / "Scripts/install-program"], capture_output=True, text=True, **settings)

    return run


def test_all_is_made_before_anything_is_installed_and_all_may_read_it(install, tmp_path):
    target = tmp_path / "to here"
    variables = {"DESTDIR": str(target), "PREFIX": "/usr"}
    assert install("false", **variables).returncode != OK and not target.exists()
    # The second time into what is there.
    for _ in range(2):
        done = install(**variables)
        assert done.returncode == OK, done.stderr
    program, manual = target / "usr/bin/screenshare", target / "usr/share/man/man1/screenshare.1"
    assert stat.S_IMODE(program.stat().st_mode) == 0o755 and stat.S_IMODE(manual.stat().st_mode) == 0o644
    assert len([path for path in target.rglob("*screenshare*") if path.is_file()]) == 5


@pytest.mark.parametrize(
    ("destination", "prefix", "place"),
    [("", "out", "out"), ("stage", "/usr", "stage/usr"), ("stage", "usr", "stage/usr"), ("./-s/", "/", "-s")],
)
def test_relative_folders_are_found_from_where_one_installs(install, tmp_path, destination, prefix, place):
    done = install(DESTDIR=destination, PREFIX=prefix)
    assert done.returncode == OK, done.stderr
    assert done.stdout == f"installed {tmp_path}/{place}/bin/screenshare\n"
    assert (tmp_path / place / "bin/screenshare").exists()
    assert (tmp_path / place / "share/man/man1/screenshare.1").exists()


def test_packages_are_left_to_whoever_has_another_system():
    command = ["/bin/bash", ROOT / "Scripts/install-packages", "build"]
    done = subprocess.run(command, env={"PATH": "/nonexistent"}, capture_output=True, text=True, timeout=20)
    assert done.returncode == OK and "not a Debian system" in done.stderr
    # git, which fetches the Swift packages, only recommends the last.
    assert {"libx264-dev", "git", "ca-certificates"} <= set(done.stderr.split())


@pytest.mark.parametrize("name", ["./a program", "program"])
def test_a_program_for_the_demo_is_named_from_where_one_is(tmp_path, name):
    program = tmp_path / name
    program.write_text("#!/bin/sh\necho shares: \"$@\"\n")
    program.chmod(0o755)
    # One without a slash is looked for as any other.
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SCREENSHARE": name, "DISPLAY": ":987"}
    command = ["bash", ROOT / "Scripts/demo", "--fps", "24"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=20)
    assert done.returncode == OK and done.stdout == "shares: host --room demo --fps 24\n", done
