"""Which tests cost most: `PYTHONPATH=tests python -m pytest -p cpu_times` prints the processor time of the largest.

It includes fixtures, and processes that a test started and that ended before it did. Unlike `--durations`, it hardly
depends on what else the machine does. `--write-costly` writes costly.txt: the tests that `make test` leaves out, see
conftest.py. Use it with an empty cache of compiled code, and with all tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

MOST = 40  # tests that are printed
COSTLY = 0.4  # s of processor time, of the largest case of a test
LIST = Path(__file__).with_name("costly.txt")
NAME = "cpu_seconds"


def spent() -> float:
    """Processor time (s) of this process and of its children that have ended."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-costly", action="store_true", help="write the tests that take much processor time")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    item.user_properties.append((NAME, -spent()))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    try:
        return (yield)
    finally:
        item.user_properties.append((NAME, spent()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    totals = {
        report.nodeid: sum(value for name, value in report.user_properties if name == NAME)
        for report in reports
        if getattr(report, "when", "") == "teardown"
    }
    largest = sorted(totals, key=lambda test: -totals[test])[:MOST]
    terminalreporter.section(f"processor time: {sum(totals.values()):.0f} s, the {len(largest)} largest")
    for test in largest:
        terminalreporter.write_line(f"{totals[test]:8.2f} s  {test}")
    if terminalreporter.config.getoption("write_costly"):
        costly = {test.partition("[")[0] for test, seconds in totals.items() if seconds > COSTLY}
        LIST.write_text("\n".join(sorted(costly)) + "\n", encoding="utf-8")
