"""Runs of a subject's tests, each in a forked process: a mutant costs no start of an interpreter.

One process has collected the tests of the unchanged modules. Each of its forks exchanges the code of the functions that
a mutant changes, or compiles the changed C. Another process has imported what the tests need, except the changed
modules and the modules that import them. Its forks collect the tests again: for changes outside of functions, and for
those that no test noticed.
One run of the unchanged tests measures the lines that each test reaches, another one the time of each test.

A test takes too long by its processor time, so other programs do not change a result. A test that waits for ever uses
none: it ends after a time in which no other test has ended. This time does not pass while the command is stopped
(SIGSTOP).
"""

import ast
import atexit
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
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType

import coverage
import pytest

LARGEST = {resource.RLIMIT_AS: 16 << 30, resource.RLIMIT_FSIZE: 4 << 30}  # bytes: a mutant may ignore every limit
LEAST, TIMES = 2.0, 5.0  # s and times its usual processor time: a test may use as much
BLOCKED, STARVED = 30.0, 10.0  # s and times the longest usual processor time: a test that has not ended waits for ever
LONG = 0.5  # s of processor time: such tests come at the end
POLL = 0.005  # s
NOT_HERE = 71  # status: a change that is not one of functions only


class Watch:
    """Pytest's plugin: runs the chosen tests in their order and limits, and writes down how they start and end.

    limits: processor time of each test (s); None: all tests, without limits.
    """

    def __init__(self, report: Path, limits: Mapping[str, float] | None) -> None:
        self.file, self.limits = report.open("a"), limits
        self.used = 0.0

    def write(self, *values: object) -> None:
        print(json.dumps(values), file=self.file, flush=True)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.limits is not None:
            ranks = {test: k for k, test in enumerate(self.limits)}
            items[:] = sorted((one for one in items if one.nodeid in ranks), key=lambda one: ranks[one.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.write(nodeid)
        self.used = _used()
        if self.limits is not None:
            end_after(self.limits[nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        took, self.used = (now := _used()) - self.used, now
        self.write(report.nodeid, report.when, took, report.failed, "clock" in report.keywords)

    def pytest_unconfigure(self) -> None:
        files = [(name, str(getattr(one, "__file__", ""))) for name, one in list(sys.modules.items())]
        Path(self.file.name).with_suffix(".modules").write_text(json.dumps(files))


def _used() -> float:
    """The processor time of this process and of those that it has waited for (s)."""
    return sum(os.times()[:4])


def end_after(seconds: float) -> None:
    """End this process by SIGPROF when it has used this processor time from now on (s)."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


@dataclass
class Run:
    """How a run of tests ended: its status (None: it waited for ever), and what its tests took."""

    status: int | None
    seconds: Counter[str] = field(default_factory=Counter)  # processor time of each test, without its fixtures
    fixtures: Counter[str] = field(default_factory=Counter)  # processor time of the fixtures of each file
    longest: float = 0.0  # processor time of a test, or of its fixtures
    last: str = ""  # the test that failed, or that ran at the end
    failed: bool = False
    clock: bool = False  # the failed test waits for a loop, a node or a browser

    @property
    def passed(self) -> bool:
        return self.status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)

    @property
    def ended(self) -> str:
        """How a mutant was caught."""
        if self.failed:
            return "test"
        return {None: "blocked", -signal.SIGPROF: "time"}.get(self.status, "crash")


def forked(act: Callable[[], int], limit: float, signs: Path | None = None) -> int | None:
    """The status of a function in a forked process; None after `limit` (s) in which the file `signs` did not grow.

    What the process has started ends with it.
    """
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
    ended, waited, size = None, 0.0, 0
    try:
        while ended is None and waited < limit:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                ended = os.waitstatus_to_exitcode(status)
                continue
            time.sleep(POLL)
            waited += POLL  # not by the clock: this process may have been stopped
            if signs and (now := signs.stat().st_size) != size:
                waited, size = 0.0, now
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if ended is None:
            os.kill(child, signal.SIGKILL)  # it may not have come to its setsid
            os.waitpid(child, 0)
    return ended


class Changed:
    """The functions of the changed modules that live in this process, and their code, to exchange it for a mutant's."""

    def __init__(self, tree: Path, files: Sequence[str]) -> None:
        self.tree = tree
        self.before = {file: _codes(ast.unparse(ast.parse(_text(tree / file)))) for file in files}
        self.living: defaultdict[tuple[str, str], list[FunctionType]] = defaultdict(list)
        gc.unfreeze()
        for one in gc.get_objects():
            if type(one) is FunctionType:  # an object may have a class of its own choice, or none
                self.living[one.__code__.co_filename, one.__code__.co_qualname].append(one)
        gc.freeze()

    def exchange(self, file: str) -> bool:
        """Exchange the functions that the file on the disk has otherwise; whether that is the whole change."""
        if not file.endswith(".py"):  # no change, or one of C, which tests compile
            return True
        before, after = self.before[file], _codes(_text(self.tree / file))
        names = Counter(code.co_qualname for code in before)
        if len(before) != len(after):
            return False
        for old, new in zip(before, after, strict=True):
            functions = self.living[str(self.tree / file), new.co_qualname]
            if not new.co_flags & CO_OPTIMIZED:  # of a module or a class: it has run already
                if _own(old) != _own(new):
                    return False
            elif old != new and functions:
                if names[new.co_qualname] > 1:
                    return False
                for one in functions:
                    one.__code__ = new
        return True


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _codes(text: str) -> list[CodeType]:
    """The code of a module, and of all functions and classes in it."""
    found = [compile(text, "", "exec")]
    for code in found:
        found += [one for one in code.co_consts if isinstance(one, CodeType)]
    return found


def _own(code: CodeType) -> tuple[object, ...]:
    """A code without that of the functions and classes in it."""
    consts = [repr(one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, consts, code.co_names


class Collected:
    """Pytest's plugin of the process that has collected the tests: forks itself for each request, until a pipe ends."""

    def __init__(self, tree: Path, files: Sequence[str], watch: Watch, requests: int, answers: int) -> None:
        self.tree, self.files, self.watch, self.requests, self.answers = tree, files, watch, requests, answers

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        changed, items = Changed(self.tree, self.files), {item.nodeid: item for item in session.items}
        os.write(self.answers, b"ready\n")
        with os.fdopen(self.requests) as requests:
            for line in requests:
                file, limits, patience = json.loads(line)
                act = partial(self.tested, session, changed, file, items, limits)
                status = forked(act, patience, Path(self.watch.file.name))
                os.write(self.answers, f"{json.dumps(status)}\n".encode())
        return True

    def tested(
        self,
        session: pytest.Session,
        changed: Changed,
        file: str,
        items: Mapping[str, pytest.Item],
        limits: Mapping[str, float],
    ) -> int:
        try:
            if not changed.exchange(file):
                return NOT_HERE
        except (SyntaxError, ValueError):  # other free variables
            return NOT_HERE
        self.watch.limits = limits
        chosen = [items[test] for test in limits]
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return int(pytest.ExitCode.TESTS_FAILED)
        return 0


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

    def __init__(self, tree: Path, files: Sequence[str], tests: Sequence[str], marks: str = "not slow") -> None:
        self.tree, self.files, self.tests, self.marks, self.report = tree, files, tests, marks, tree / "report.json"
        self.caught: dict[str, Counter[str]] = defaultdict(Counter)  # of a file: mutants by the test that caught them
        python = [file for file in files if file.endswith(".py")]
        for file in python:  # the bytecode of a mutant is known by its content: its size and time may be the same
            py_compile.compile(str(tree / file), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        settings = f"[run]\nparallel = true\npatch = subprocess, _exit\ndata_file = {tree}/reached\ninclude =\n"
        (tree / "coverage.ini").write_text(settings + "".join(f"    {tree / file}\n" for file in python))
        options = ("--cov", f"--cov-config={tree}/coverage.ini", "--cov-context=test") if python else ()
        self.unchanged = Run(None, longest=50.0)  # s, with an empty cache of compiled code
        self.measure(partial(self.run, None, options))
        data = coverage.CoverageData(str(tree / "reached"))
        data.read()
        self.reached: dict[str, dict[int, set[str]]] = {}  # file → line → tests, and "" for an import or a process
        for file in python:
            lines = data.contexts_by_lineno(str(tree / file)).items()
            self.reached[file] = {line: {test.rpartition("|")[0] for test in tests} for line, tests in lines}
        self.preload()
        self.collect(python)
        self.measure(partial(self.exchanged, "", list(self.unchanged.seconds)))

    def measure(self, run: Callable[[], Run]) -> None:
        """Run the unchanged tests; on a busy machine one that waits for a clock may fail, so another run may follow."""
        for _ in range(3):
            if (done := run()).passed:
                self.unchanged = done
                return
        printed = (self.tree / "printed.txt").read_text(errors="replace")
        raise SystemExit(f"unchanged tests fail: {done.last or done.status}\n{printed[-3000:]}")

    def limits(self, order: Sequence[str]) -> dict[str, float]:
        """The processor time that each test may use (s), with the fixtures of its file."""
        usual = self.unchanged
        return {test: LEAST + TIMES * (usual.seconds[test] + usual.fixtures[_file(test)]) for test in order}

    @property
    def patience(self) -> float:
        """How long a test may last by the clock (s)."""
        return BLOCKED + STARVED * self.unchanged.longest

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
        for name in sorted(sys.modules):  # a module without its package would be imported in another order
            if name.startswith("symbody.") and name.rpartition(".")[0] not in sys.modules:
                del sys.modules[name]
        gc.collect()
        gc.freeze()

    def collect(self, files: Sequence[str]) -> None:
        """Start the process that has collected the tests."""
        (read, self._requests), (answers, write) = os.pipe(), os.pipe()
        collecting = os.fork()
        if collecting == 0:
            status = 70
            try:
                os.close(self._requests)
                os.close(answers)
                watch = Watch(self.report, None)
                served = Collected(self.tree, files, watch, read, write)
                status = self.pytest(("-s", "--tb=no", *self.tests), [watch, served])
            finally:
                os._exit(status)
        os.close(read)
        os.close(write)
        self._answers = os.fdopen(answers)
        atexit.register(os.kill, collecting, signal.SIGTERM)
        if self._answers.readline() != "ready\n":
            raise SystemExit(f"tests cannot be collected:\n{(self.tree / 'printed.txt').read_text(errors='replace')}")

    def exchanged(self, file: str, order: Sequence[str]) -> Run:
        """Run tests after the functions that a file has otherwise were exchanged; no file: unchanged tests."""
        self.report.write_text("")
        os.write(self._requests, f"{json.dumps([file, self.limits(order), self.patience])}\n".encode())
        return self.reported(json.loads(self._answers.readline()))

    def pytest(self, options: Sequence[str], plugins: Sequence[object]) -> int:
        os.chdir(self.tree)
        quiet = os.open("printed.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(quiet, stream)
        for kind, size in LARGEST.items():
            resource.setrlimit(kind, (size, size))
        fixed = ["-x", "-q", "-m", self.marks, "-p", "no:cacheprovider", f"--basetemp={self.tree}/temporary"]
        return int(pytest.main([*fixed, *options], plugins=[*plugins]))

    def run(self, order: Sequence[str] | None, options: Sequence[str] = ()) -> Run:
        """Collect the tests of an order (None: all) and run them."""
        tests = self.tests if order is None else sorted({_file(test) for test in order})
        limits = None if order is None else self.limits(order)
        self.report.write_text("")
        status = forked(
            lambda: self.pytest((*options, *tests), [Watch(self.report, limits)]), self.patience, self.report
        )
        return self.reported(status)

    def reported(self, status: int | None) -> Run:
        """How the last run ended."""
        run = Run(status)
        for line in self.report.read_text().splitlines():
            run.last, *values = json.loads(line)
            if values:
                when, took, failed, clock = values
                run.longest = max(run.longest, took)
                run.seconds[run.last] += took if when == "call" else 0.0
                run.fixtures[_file(run.last)] += 0.0 if when == "call" else took
                if failed:
                    run.failed, run.clock = True, clock
                    break
        return run

    def ordered(self, tests: Collection[str], file: str) -> list[str]:
        """First what has caught most mutants of a file, then the fastest; tests of one file follow each other.

        Tests that take long come at the end.
        """
        seconds = self.unchanged.seconds
        order = sorted(tests, key=lambda test: (-self.caught[file][test], seconds[test]))
        files = list(dict.fromkeys(_file(test) for test in order))
        return sorted(order, key=lambda test: (seconds[test] > LONG, files.index(_file(test))))

    def failed(self, file: str, lines: range) -> tuple[str, str] | None:
        """What notices the present change of some lines: 'test', 'crash', 'time', 'blocked', and the test; or nothing.

        Tests that reach the lines run first, then the others of their files, since tests share fixtures. Of C, and of
        lines that an import or a process reaches, they are all tests. A test that waits for a clock must fail twice.
        """
        everything = chosen = set(self.unchanged.seconds)
        if file in self.reached:
            here = defaultdict(set, self.reached[file])
            found = set().union(*(here[line] for line in lines))
            if not found:
                return None
            if "" not in found:
                files = {_file(test) for test in found}
                everything = {test for test in everything if _file(test) in files}
            chosen = found & everything
        for run in (partial(self.exchanged, file), self.run):
            if ended := self._ended(run, (chosen, everything - chosen), file):
                return ended
        return None

    def _ended(self, run: Callable[..., Run], groups: Sequence[set[str]], file: str) -> tuple[str, str] | None:
        """What notices a change in the first group of tests, or in the next; None: nothing, or it is not a run."""
        passed: set[str] = set()
        for tests in groups:
            while tests - passed:
                done = run(self.ordered(tests - passed, file))
                if done.status == NOT_HERE:
                    return None
                if done.passed:
                    passed |= tests
                elif done.clock and run([done.last]).passed:
                    passed.add(done.last)
                else:
                    self.caught[file][done.last] += 1
                    return done.ended, done.last
        return None
