"""What all tests share.

They build quickly and always the same code (`SYMBODY_TIER=optimised make test` runs them in optimised code); no clock
decides whether one passes; what needs POSIX is skipped where there is none. All workers share the usual cache of code,
so that a mechanism is traced and compiled once, and not at all in the next run; tests of the cache have their own.

A busy machine may keep loops, nodes, sockets and browsers waiting for longer than they promise. Their tests are marked
`clock`: where CI is set, one of them that fails is run once more, and that is told. No other test ever is.
"""

from __future__ import annotations

import gc
import os
import sys

import pytest

os.environ.setdefault("SYMBODY_TIER", "quick")
# A worker a core: threads of BLAS would only wait for each other, busily; a QR of 1200 rows took twenty times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests start many processes: most of their time would go into compiling the package, and as much into this one's tests.
os.environ["PYTHONDONTWRITEBYTECODE"] = ""
sys.dont_write_bytecode = False
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
    """Of `-n auto`: one more than there are cores, since tests also wait for loops, browsers and other processes."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    again = "CI" in os.environ and config.pluginmanager.hasplugin("rerunfailures")
    for item in items:
        if sys.platform == "win32" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs the real-time loop, signals or pipes of POSIX"))
        if item.path.parent.name in CLOCK or "chrome" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.clock)
        if again and item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_collection_finish() -> None:
    """What is there before the first test stays: no garbage collection looks through it again.

    A worker has imported all tests: a collection took half a second, and much code asks for one.
    """
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.stats.get("rerun", ()):
        crash = getattr(report.longrepr, "reprcrash", None)
        why = (crash.message if crash else report.longreprtext).partition("\n")[0]
        terminalreporter.write_line(f"RUN AGAIN {report.nodeid}: {why}")
