# One command for each thing one does here; `make help` lists them.

SWIFT ?= swift
PREFIX ?= /usr/local
ARGS ?=
# Seconds for each fuzz target.
SECONDS_EACH ?= 20
# Suites with real sockets and clocks share the machine: no more tests at a time than processors.
TEST_WIDTH ?= $(shell nproc)

# What is tested is optimised, as what is used is, with all checks that a debug build has. `TESTED=` takes a debug build, which
# is sooner built anew and runs for six times as long.
TESTED ?= -c release --toolset Scripts/tests.toolset.json
PROGRAM = $${SCREENSHARE:-$$($(SWIFT) build $(TESTED) --show-bin-path)/screenshare}

SUPPORT = netlab screensource textsource firefoxh264

# End to end most tests wait most of the time: one takes some third of a processor. Those that measure have the machine to
# themselves all the same.
E2E_WORKERS ?= $(shell expr $$(nproc) \* 2)
PYTEST = .venv/bin/python -m pytest -c Tests/EndToEnd/pytest.ini -n $(E2E_WORKERS) Tests/EndToEnd

.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: ## install, build, share this screen (or a virtual one) in room "demo"; ARGS="--size 1280x720"
	@Scripts/demo $(ARGS)

build: packages ## a debug build
	$(SWIFT) build

release: packages ## a release build with the Swift runtime in it: .build-release/release/screenshare
	SWIFT="$(SWIFT)" Scripts/build-release

build-tests: packages ## the suites, and the program and examples as they are tested
	$(SWIFT) build $(TESTED) --build-tests

test: unit e2e ## everything: unit tests, then end to end against real peers

# What is built is not built anew by `swift test`, which has other flags for an optimised build than `swift build`.
unit: build-tests ## the Swift suites; ARGS="--filter ICETests"
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TEST_WIDTH) SWIFT="$(SWIFT)" Scripts/unit-tests $(TESTED) --skip-build $(ARGS)

netlab-check: test-packages support ## whether the network emulator does what it says, by measurement; takes root, two minutes
	$(MAKE) -s -C Tests/Support/netlab check

e2e: test-packages build-tests support ## Chromium, aiortc, GStreamer and our viewer against the real program; PYTEST_ARGS="-k view"
	SCREENSHARE="$(PROGRAM)" $(PYTEST) $(PYTEST_ARGS)

# As many as a share must bear, where `make e2e` has what is quick. A thousand joins take seven minutes.
hostile: E2E_WORKERS = 1
hostile: test-packages build-tests support ## viewers and strangers that mean no good: a million forged datagrams, a thousand joins in a race
	SCREENSHARE="$(PROGRAM)" FORGED=1000000 JOINS=1000 \
	$(PYTEST)/test_hostile.py --timeout 1200 $(PYTEST_ARGS)

# A day of virtual time takes seconds.
simulation: build-tests ## two peers in virtual time: 10,000 kinds of weather, and 30 days on end
	SIMULATION_SEEDS=10000 VIRTUAL_HOURS=720 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TEST_WIDTH) \
	$(SWIFT) test $(TESTED) --skip-build --filter 'SimulationTests|LongRunTests' $(ARGS)

# XCTest itself leaks, and has no suite here; a simulated seed takes a second under a sanitizer.
asan: packages ## the Swift suites under AddressSanitizer
	SIMULATION_SEEDS=20 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TEST_WIDTH) \
	LSAN_OPTIONS="suppressions='$(CURDIR)/Tests/Support/sanitizers/lsan.supp'" \
	$(SWIFT) test --disable-xctest --sanitize address --scratch-path .build-asan $(ARGS)

tsan: packages ## the Swift suites under ThreadSanitizer
	SIMULATION_SEEDS=20 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TEST_WIDTH) TSAN_OPTIONS=halt_on_error=1 \
	$(SWIFT) test --disable-xctest --sanitize thread --scratch-path .build-tsan $(ARGS)

fuzz: packages ## each parser against a fuzzer for SECONDS_EACH=20
	SWIFT="$(SWIFT)" Scripts/fuzz $(SECONDS_EACH)

bench: test-packages release support ## the figures of the README, against GStreamer; ARGS="--only cpu,join"
	.venv/bin/python Benchmarks/run.py $(ARGS)

install: release ## into PREFIX=/usr/local: program, manual page, completions
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" SWIFT="$(SWIFT)" Scripts/install-program

clean: ## remove what was built
	rm -rf .build .build-* .venv FuzzTesting/.build
	@for tool in $(SUPPORT); do $(MAKE) -s -C Tests/Support/$$tool clean; done

# What the targets above stand on.

packages:
	@Scripts/install-packages build
	@Scripts/install-packages optional || true

test-packages:
	@Scripts/install-packages build demo test
	@Scripts/install-test-peers

support:
	@for tool in $(SUPPORT); do $(MAKE) -s -C Tests/Support/$$tool; done

.PHONY: help demo build release test unit e2e netlab-check hostile simulation asan tsan fuzz bench install clean packages test-packages support
