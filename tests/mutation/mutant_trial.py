"""Runs of a subject's tests, each in a forked process: a mutant costs no start of an interpreter.

The process that forks has imported what the tests need, except the changed modules and the modules that import them.
One run of the unchanged tests measures the lines that each test reaches, another one the time of each test.
"""

import gc
import json
import os
import py_compile
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import coverage
import pytest

LARGEST = {resource.RLIMIT_AS: 16 << 30, resource.RLIMIT_FSIZE: 4 << 30}  # bytes: a mutant may ignore every limit
UNCHANGED = 900.0  # s, for the unchanged tests


class Watch:
    """Pytest's plugin: runs the chosen tests in their order, and writes down how they end and what was imported."""

    def __init__(self, report: Path, order: Sequence[str] | None, without: Collection[str]) -> None:
        self.file = report.open("w")
        self.ranks = None if order is None else {test: k for k, test in enumerate(order)}
        self.without = without

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        ranks = self.ranks
        items[:] = [x for x in items if x.nodeid not in self.without and (ranks is None or x.nodeid in ranks)]
        if ranks:
            items.sort(key=lambda x: ranks[x.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        line = [report.nodeid, report.duration, report.failed, "clock" in report.keywords]
        print(json.dumps(line), file=self.file, flush=True)

    def pytest_unconfigure(self) -> None:
        files = [(name, str(getattr(one, "__file__", ""))) for name, one in list(sys.modules.items())]
        Path(self.file.name).with_suffix(".modules").write_text(json.dumps(files))


@dataclass
class Run:
    """How a run of tests ended: its status (None: not in its time), the time of each test (s), and the failed test."""

    status: int | None
    seconds: Counter[str] = field(default_factory=Counter)
    failed: str = ""
    clock: bool = False  # the failed test waits for a loop, a node or a browser

    @property
    def passed(self) -> bool:
        return self.status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def forked(act: Callable[[], int], limit: float) -> int | None:
    """The status of a function in a forked process; None after `limit` (s). What it has started ends with it."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setsid()
            status = act()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    end, ended = time.monotonic() + limit, None
    try:
        while ended is None and time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                ended = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.005)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if ended is None:
            os.waitpid(child, 0)
    return ended


class Blocked(BaseException):
    """A module that is changed, or one that imports it."""


@dataclass
class Blocker:
    """An importer that stops at changed modules."""

    names: Collection[str]

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self.names:
            raise Blocked(name)


def _file(test: str) -> str:
    return test.partition("::")[0]


class Trial:
    """The tests of a subject in a copy of the tree: their times and the lines that they reach."""

    def __init__(self, tree: Path, files: Sequence[str], tests: Sequence[str]) -> None:
        self.tree, self.files, self.tests = tree, files, tests
        self.caught: dict[str, Counter[str]] = defaultdict(Counter)  # of a file: mutants by the test that caught them
        python = [file for file in files if file.endswith(".py")]
        for file in python:  # the bytecode of a mutant is known by its content: its size and time may be the same
            py_compile.compile(str(tree / file), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        settings = f"[run]\nparallel = true\npatch = subprocess, _exit\ndata_file = {tree}/reached\ninclude =\n"
        (tree / "reached.ini").write_text(settings + "".join(f"    {tree / file}\n" for file in python))
        options = ("--cov", f"--cov-config={tree}/reached.ini", "--cov-context=test")
        measured = self.run(None, options=options if python else ())
        self._need(measured)
        data = coverage.CoverageData(str(tree / "reached"))
        data.read()
        self.reached: dict[str, dict[int, set[str]]] = {}  # file → line → tests, and "" for an import or a process
        for file in python:
            lines = data.contexts_by_lineno(str(tree / file)).items()
            self.reached[file] = {line: {test.rpartition("|")[0] for test in tests} for line, tests in lines}
        self.preload()
        began = time.monotonic()
        unchanged = self.run(list(measured.seconds))
        self._need(unchanged)
        self.seconds = unchanged.seconds
        self.start = time.monotonic() - began - self.seconds.total()

    def _need(self, run: Run) -> None:
        if not run.passed:
            printed = (self.tree / "printed.txt").read_text(errors="replace")
            raise SystemExit(f"unchanged tests fail: {run.failed or run.status}\n{printed[-3000:]}")

    def preload(self) -> None:
        """Import what the tests have imported, except what depends on the changed modules."""
        for name in [name for name in sys.modules if name.partition(".")[0] in ("symbody", "symbody_bench")]:
            del sys.modules[name]
        names = [file.removeprefix("src/").removesuffix(".py").replace("/", ".") for file in self.files]
        blocker = Blocker([name.removesuffix(".__init__") for name in names])
        sys.meta_path.insert(0, blocker)
        for name, file in json.loads((self.tree / "report.modules").read_text()):
            if not file.startswith(str(self.tree / "tests")):
                with suppress(Exception, Blocked):
                    import_module(name)
        sys.meta_path.remove(blocker)
        if "symbody.codegen.cache" in sys.modules:  # compiled code of the unchanged files is good for all mutants
            sys.modules["symbody.codegen.cache"].own_sources()
        gc.collect()
        gc.freeze()

    def run(
        self,
        order: Sequence[str] | None,
        without: Collection[str] = (),
        limit: float = UNCHANGED,
        options: Sequence[str] = (),
    ) -> Run:
        """Run the tests of an order (None: all), without some."""
        report = self.tree / "report.json"
        tests = self.tests if order is None else sorted({_file(test) for test in order})

        def act() -> int:
            os.chdir(self.tree)
            quiet = os.open("printed.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for stream in (1, 2):
                os.dup2(quiet, stream)
            for kind, size in LARGEST.items():
                resource.setrlimit(kind, (size, size))
            fixed = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", f"--basetemp={self.tree}/temporary"]
            if order is not None:  # of a mutant: nobody reads why a test fails
                os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
                fixed.append("--tb=no")
            return int(pytest.main([*fixed, *options, *tests], plugins=[Watch(report, order, without)]))

        report.write_text("")
        run = Run(forked(act, limit))
        for line in report.read_text().splitlines():
            name, seconds, failed, clock = json.loads(line)
            run.seconds[name] += seconds
            if failed:
                run.failed, run.clock = name, clock
        return run

    def ordered(self, tests: Collection[str], file: str) -> list[str]:
        """First what has caught most mutants of a file, then the fastest; tests of one file follow each other."""
        order = sorted(tests, key=lambda test: (-self.caught[file][test], self.seconds[test]))
        files = list(dict.fromkeys(_file(test) for test in order))
        return sorted(order, key=lambda test: files.index(_file(test)))

    def failed(self, file: str, lines: range) -> str | None:
        """What notices the present change of some lines: a test, 'import', 'time', or nothing.

        Tests that reach the lines run first, then the others of their files, since tests share fixtures. Of C, and of
        lines that an import or a process reaches, they are all tests. A test that waits for a clock must fail twice.
        """
        everything = chosen = set(self.seconds)
        if file in self.reached:
            here = defaultdict(set, self.reached[file])
            found = set().union(*(here[line] for line in lines))
            if not found:
                return None
            if "" not in found:
                files = {_file(test) for test in found}
                everything = {test for test in everything if _file(test) in files}
            chosen = found & everything or everything
        passed: set[str] = set()
        first = _file(self.ordered(chosen, file)[0])  # alone: no other file is imported
        alone = {test for test in chosen if _file(test) == first}
        for tests in (alone, chosen - alone, everything - chosen):
            while tests - passed:
                left = self.ordered(tests - passed, file)
                limit = 10.0 + 5.0 * (self.start + sum(self.seconds[test] for test in left))
                run = self.run(left, limit=limit)
                if run.passed:
                    passed |= tests
                elif run.clock and self.run([run.failed], limit=limit).passed:
                    passed.add(run.failed)
                else:
                    self.caught[file][run.failed] += 1
                    return run.failed or ("time" if run.status is None else "import")
        return None
