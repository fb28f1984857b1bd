# `make run` and `make test` do everything on a machine with Python 3.11+, a C compiler and make; Node comes through pip.
# With CI set, `make test` runs all tests in one run, without it those that take little time (tests/costly.txt). On Python
# 3.12 and later it then prints the line coverage of each folder by the tests that are not slow; Python 3.11 is almost three
# times as slow while it counts lines: `make coverage` does it on request.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp per set of extras: make installs again only after pyproject.toml changes. Python compiles a package when it is
# first imported; most of the 13 000 installed files never are.
RUN_READY := $(VENV)/.ready-run
TEST_READY := $(VENV)/.ready-test
# Without a browser or a terminal, `make run` computes the piano and ends.
CAN_SHOW := import sys; from symbody.visual.browser import browser; sys.exit(browser() is None)
COUNTS := import sys; sys.exit(sys.version_info < (3, 12))

# uv installs ten times as fast as pip. It does not read the settings of pip: where it cannot reach its index, pip installs.
COMMA := ,
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
INSTALL = $(PIP) uv && $(BIN)/python -m uv pip install --quiet --python $(BIN)/python -e $(1) || $(PIP) -e $(1)

PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Not as a call of make: make would run the whole line of such a call even with --dry-run. These lines set `failed`.
COVER = failed=0; $(PYTEST) -m "not slow" --cov --cov-report= || failed=1; $(BIN)/python tests/coverage_table.py || failed=1
EVERYTHING = if $(BIN)/python -c '$(COUNTS)'; then export COVERAGE_CORE=sysmon; $(COVER); $(PYTEST) -m slow || failed=1; \
	else failed=0; $(PYTEST) || failed=1; fi
TESTS = $(if $(CI),$(EVERYTHING),failed=0; $(PYTEST) -m "not slow and not costly" || failed=1)

.PHONY: run test coverage ready types pages front bench docs pictures fuzz hostile mutants mechanisms rides clean
run: $(RUN_READY)
	@if test -t 1 && $(BIN)/python -c '$(CAN_SHOW)'; then $(BIN)/symbody demo --start piano; \
	else $(BIN)/symbody demo piano --headless --report out/piano; fi

# mypy takes one core for a minute or more, so it runs beside the tests. It is printed if it finds something.
test: $(TEST_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy > $(VENV)/types.txt 2>&1 & types=$$!; \
	$(BIN)/python frontend/build.py check && { $(TESTS); } || failed=1; \
	wait $$types || { cat $(VENV)/types.txt; failed=1; }; exit $$failed

# The tests that are not slow, and how many lines of each folder they run.
coverage: $(TEST_READY)
	$(COVER); exit $$failed

ready: $(TEST_READY)

types: $(TEST_READY)
	$(BIN)/mypy

pages: $(TEST_READY)
	$(BIN)/python frontend/build.py check

# Build the web pages if their sources are newer; `make test` also checks their types, lint and unit tests.
front: $(TEST_READY)
	$(BIN)/python frontend/build.py

bench: $(TEST_READY)
	$(BIN)/symbody bench -o out/bench

docs: $(TEST_READY)
	$(BIN)/sphinx-build -q -W -b html docs site

# All pictures of the docs: plots, reports, screenshots (needs Chromium). Some take minutes: make pictures ONLY='studio*'
# `.venv/bin/python docs/pictures.py --list` prints each picture with its command.
pictures: $(TEST_READY)
	$(BIN)/python docs/pictures.py $(ONLY)

# Hostile inputs for every parser, for an hour by default: make fuzz MINUTES=5
MINUTES ?= 60
fuzz: $(TEST_READY)
	$(BIN)/python tests/fuzz/fuzz.py --minutes $(MINUTES)

# The table of docs/trust.md: TRIES hostile inputs over all surfaces. A million takes about an hour of one processor;
# all processors work on it.
TRIES ?= 100000
hostile: $(TEST_READY)
	$(BIN)/python tests/fuzz/attacks.py --tries $(TRIES)

# Random closed mechanisms by all methods and closures against independent equations. 10 000 take a night: N=10000 SEED=1
N ?= 200
SEED ?= 0
mechanisms: $(TEST_READY)
	$(BIN)/symbody validate --mechanisms $(N) --seed $(SEED)

# Hostile streams, trajectories and fast stops of the motion platform: do they keep all limits? N=10000: docs/ride-control.md has its table.
rides: $(TEST_READY)
	$(BIN)/python tests/hostile_rides.py $(N)

# Small faults in safety-critical code: do the tests notice? COUNT of each subject, others with another SEED; ALL=1: all
# that can be tried in five hours.
COUNT ?= 30
mutants: $(TEST_READY)
	$(BIN)/python tests/mutation/mutants.py --count $(COUNT) --seed $(SEED) $(if $(ALL),--all --minutes 300)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN_READY): pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV): under a minute, the first time only."
	$(call INSTALL,'.[plot$(COMMA)studio]')
	touch $@

$(TEST_READY): pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) with everything the tests need: some minutes, the first time only."
	$(call INSTALL,'.[dev]')
	touch $@ $(RUN_READY)

clean:
	rm -rf $(VENV) out frontend/node_modules src/symbody/visual/web .pytest_cache .mypy_cache .ruff_cache .coverage .coverage.*
