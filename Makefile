# `make run` and `make test` do everything on a machine with Python 3.11+, a C compiler and make; Node comes through pip.
# With CI set, `make test` also runs the slow tests (the first time they build C++ peers for some ten minutes), and prints
# how many lines of each folder were run; Python 3.12 and later count them at hardly any cost.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp per set of extras: nothing is installed again until pyproject.toml changes.
RUN_READY := $(VENV)/.ready-run
TEST_READY := $(VENV)/.ready-test
# A browser that draws; where there is none, or nobody at a terminal, the piano is computed, and ends by itself.
CAN_SHOW := import sys; from symbody.visual.browser import browser; sys.exit(browser() is None)
COUNTER := import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")

.PHONY: run test front bench docs screenshots fuzz hostile mutants clean
run: $(RUN_READY)
	@if test -t 1 && $(BIN)/python -c '$(CAN_SHOW)'; then $(BIN)/symbody demo piano; \
	else $(BIN)/symbody demo piano --headless --report out/piano; fi

test: $(TEST_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python frontend/build.py check
ifdef CI
	COVERAGE_CORE=$$($(BIN)/python -c '$(COUNTER)') $(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=
	$(BIN)/python tests/coverage_table.py
else
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"
endif

# The pages of the browser, where their sources are newer; `make test` also checks types, habits and unit tests of them.
front: $(TEST_READY)
	$(BIN)/python frontend/build.py

bench: $(TEST_READY)
	$(BIN)/symbody bench -o out/bench

docs: $(TEST_READY)
	$(BIN)/sphinx-build -q -W -b html docs site

# The pictures of the studio in docs/images: desktop, dark, phone; needs Chromium.
screenshots: $(TEST_READY)
	$(BIN)/python docs/screenshots.py

# Hostile inputs for every parser, an hour of them unless told: make fuzz MINUTES=5
MINUTES ?= 60
fuzz: $(TEST_READY)
	$(BIN)/python tests/fuzz/fuzz.py --minutes $(MINUTES)

# The table of docs/trust.md: so many hostile inputs over all surfaces. A million takes some hours.
TRIES ?= 100000
hostile: $(TEST_READY)
	$(BIN)/python tests/fuzz/attacks.py --tries $(TRIES)

# Small faults in what safety rests upon: would the tests notice? So many of each subject.
COUNT ?= 30
mutants: $(TEST_READY)
	$(BIN)/python tests/mutation/mutants.py --count $(COUNT)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN_READY): pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV): a minute or some, the first time only."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot,studio]'
	touch $@

$(TEST_READY): pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) with all that tests need: some minutes, the first time only."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(RUN_READY)

clean:
	rm -rf $(VENV) out frontend/node_modules src/symbody/visual/web .pytest_cache .mypy_cache .ruff_cache .coverage .coverage.*
