"""Fixtures: a network of the test's own, displays, sharers and viewers, all of which end with the test."""

import collections
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import browsers, networks, processes, sharer, turns  # noqa: E402
from harness.displays import Display  # noqa: E402
from harness.painter import Painter  # noqa: E402
from harness.paths import ARTIFACTS, MissingBinary, screenshare  # noqa: E402
from harness.scripted import Scripted  # noqa: E402


def is_marked(item, name):
    return item.get_closest_marker(name) is not None


def kind(item):
    if is_marked(item, "alone"):
        return turns.Kind.ALONE
    return turns.Kind.QUIET if is_marked(item, "quiet") else turns.Kind.SHARED


def pytest_collection_modifyitems(items):
    """Those who share the machine come first, in one go, and of each kind those that take long, so that none is left for the
    end. Tests of one file are apart from each other: what runs at the same time is not all floods, or all browsers."""
    alike = collections.defaultdict(list)
    for item in items:
        alike[kind(item), not is_marked(item, "long"), item.path].append(item)
    places = {
        item: (*key[:2], (number + 0.5) / len(group)) for key, group in alike.items() for number, item in enumerate(group)}
    items.sort(key=places.get)


# Outside of everything: to wait for a turn is no part of a test's time.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    if kind(item) != turns.Kind.SHARED:
        browsers.end()
    item.turn = turns.Turn(kind(item))
    try:
        return (yield)
    finally:
        item.turn.end()


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    item.time_limit = settings


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """What is tried a second time has the machine to itself, and all the time that a test has."""
    if getattr(item, "execution_count", 1) > 1:
        browsers.end()
        item.turn.take(turns.Kind.ALONE)
        if limit := getattr(item, "time_limit", None):
            item.ihook.pytest_timeout_set_timer(item=item, settings=limit)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    """What is to be tried a second time waits for that, and nobody for it."""
    try:
        return (yield)
    finally:
        item.ihook.pytest_timeout_cancel_timer(item=item)
        item.turn.give_back()


def pytest_sessionfinish():
    browsers.end()


def pytest_sessionstart():
    """Without the program under test nothing here means anything."""
    try:
        screenshare()
    except MissingBinary as reason:
        pytest.exit(str(reason), returncode=2)


@pytest.fixture(scope="session")
def program():
    return screenshare()


@pytest.fixture
def artifacts(request):
    """A folder for what people should look at: screenshots, decoded pictures, recordings."""
    folder = ARTIFACTS / "e2e" / request.node.name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def no_process_left():
    """Ends what a test's helpers started and lost sight of, as when one failed before it was ready."""
    yield
    for process in [process for process in list(processes.alive) if process.running]:
        process.kill()


@pytest.fixture
def after(request):
    """`after(process.kill)`: done at the end of the test, in reverse order."""

    def add(undo):
        request.addfinalizer(undo)

    return add


@pytest.fixture
def lan(after):
    """One machine: loopback and one more address, cut off from everything else."""
    if reason := networks.lacking():
        pytest.skip(f"NO NETWORK NAMESPACE: {reason}")
    made = networks.Lan()
    after(made.close)
    return made


@pytest.fixture
def lab(after):
    """`lab("both", "loss=5%")`: two machines and a bad link between them."""

    def make(*options):
        try:
            made = networks.Lab(*options)
        except networks.NoNamespaces as reason:
            pytest.skip(f"NO EMULATED LINK: {reason}")
        after(made.close)
        return made

    return make


@pytest.fixture
def display(after):
    """`display(1280, 720, "type")`: an X server and what it shows."""

    def make(width=1280, height=720, mode=None, *options, depth=24, server=()):
        made = Display(width, height, depth, server)
        after(made.close)
        if mode:
            made.show(mode, *options)
        return made

    return make


@pytest.fixture
def painter(after):
    """`painter(display)`: known colours and windows on a display."""

    def make(where):
        made = Painter(where.name)
        after(made.close)
        return made

    return make


@pytest.fixture
def start(after, request):
    """`start(sharer.Sharer, lan, ...)`: anything with kill(), ended with the test and described if it fails."""
    started = []

    def begin(kind, *arguments, **settings):
        made = kind(*arguments, **settings)
        started.append(made)
        after(made.kill)
        return made

    request.node.started = started
    return begin


@pytest.fixture
def share(start):
    """`share(lan, "--test-pattern")`: `screenshare host`, ready for viewers."""

    def begin(place, *options, **settings):
        return start(sharer.Sharer, place, *options, **settings)

    return begin


@pytest.fixture
def run(program):
    """`run("sources", "--json")`: the program, to its end."""

    def to_end(*arguments, place=None, timeout=20, **settings):
        command = [program, *map(str, arguments)]
        return subprocess.run(
            place.command(command) if place else command,
            capture_output=settings.pop("capture_output", True),
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
            **settings,
        )

    return to_end


@pytest.fixture
def scripted(request):
    """Its parameter, where it has one: more of the browser's options."""
    made = Scripted(browsers.browser(*getattr(request, "param", [])))
    yield made
    made.page.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A failed test shows what its processes said."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        for made in getattr(item, "started", []):
            process = getattr(made, "process", made)
            if process is None:
                continue
            report.sections.append((process.name, process.describe()))
