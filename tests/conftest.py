"""Settings of all tests.

Tests use the quick build of the code (`SYMBODY_TIER=optimised make test` uses the optimised one). No test asserts a
duration. Tests that need POSIX are skipped on other systems. All workers share one cache of compiled code, so a
mechanism is traced and compiled once, and not again in the next run. Tests of the cache have a cache of their own.

A busy machine may keep loops, nodes, sockets and browsers waiting for longer than they promise. Their tests are marked
`clock`. If the variable CI is set, such a test that fails runs once more, and the summary lists it as RUN AGAIN. No
other test runs again.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import pytest

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

os.environ.setdefault("SYMBODY_TIER", "quick")
# A worker a core: threads of BLAS would only wait for each other, busily; a QR of 1200 rows took twenty times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests start many processes: most of their time would go into compiling the package, and as much into this one's tests.
os.environ["PYTHONDONTWRITEBYTECODE"] = ""
sys.dont_write_bytecode = False
COSTLY = frozenset(Path(__file__).with_name("costly.txt").read_text(encoding="utf-8").split())
# Hand-written C that stays optimised: the tests spent minutes in its quick code, and it is compiled in seconds.
HOT = ("loop.c", "scene.c", "rk4.c", "semi_implicit.c", "implicit_step.c")
NEW_OBJECTS = 300_000  # after which garbage is collected
CLOCK = ("realtime", "studio")  # folders whose tests wait for loops, nodes or browsers

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:  # its tests are then reported as errors; all others run
    pass
else:  # a busy machine is slow to think of examples, too
    settings.register_profile("symbody", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("symbody")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Of `-n auto`: two more than there are cores, since tests also wait for loops, browsers and other processes."""
    return 2 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@pytest.fixture(scope="session", autouse=True)
def _hot_code_is_optimised() -> Iterator[None]:
    from symbody.codegen import native, only_tier
    from symbody.codegen.compiler import find_compiler

    def chosen(name: str, *more: object) -> native._Runtime:
        fast = name in HOT and os.environ["SYMBODY_TIER"] == "quick" and find_compiler()
        with only_tier("optimised") if fast else nullcontext():
            return native._Runtime(name, *more)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_runtime", cache(chosen))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """The first worker compiles the tests and all that they import; the others wait, and read its files.

    In a fresh checkout this takes 38 s of processor time, and 14 s if the files are there.
    """
    if fcntl is None or not hasattr(session.config, "workerinput"):
        return (yield)
    shared = session.config._tmp_path_factory.getbasetemp().parent  # type: ignore[attr-defined]
    with open(shared / "collected", "a") as file:  # closed by the end of the process, too
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_size == 0:
            found = yield
            file.write("by one worker\n")
            return found
    return (yield)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    again = "CI" in os.environ and config.pluginmanager.hasplugin("rerunfailures")
    for item in items:
        if sys.platform == "win32" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs the real-time loop, signals or pipes of POSIX"))
        if item.nodeid.partition("[")[0] in COSTLY:
            item.add_marker(pytest.mark.costly)
        if item.path.parent.name in CLOCK or "chrome" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.clock)
        if again and item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(key=lambda item: item.get_closest_marker("minutes") is None)


def pytest_collection_finish() -> None:
    """Exclude all objects that exist before the first test from garbage collection, and collect between tests only.

    A worker has imported all tests, so a collection would take half a second, and much code calls one. Collections
    inside tests take processor time, and find little.
    """
    gc.collect()
    gc.freeze()
    gc.disable()


def pytest_runtest_teardown() -> None:
    if gc.get_count()[0] > NEW_OBJECTS:
        gc.collect()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.stats.get("rerun", ()):
        crash = getattr(report.longrepr, "reprcrash", None)
        why = (crash.message if crash else report.longreprtext).partition("\n")[0]
        terminalreporter.write_line(f"RUN AGAIN {report.nodeid}: {why}")
