"""Mutants: each differs by one change, and a run of tests notices it. Tests of mutants.py and its modules."""

import ast
import importlib.util
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from mutant_results import ENDS, KNOWN, add_result, is_equivalent, once_alive, places, read_results, table
from mutant_trial import Changed, Trial, end_after, forked
from mutants import ROOT, SUBJECTS
from mutated_text import c_mutants, changed_function, difference, mutants, plain, python_mutants

PYTHON = '''
def f(x):
    """A docstring."""
    if x < 3 and not g(x):
        raise ValueError
    x += 1
    return x
'''
C = """/* a comment with < and 5; */
#include <math.h>
static int f(int x)
{
    if (x < 3 && !g(x))
        return 5;
    h(x);
    return x->y;
}
"""


def test_of_python():
    before = ast.unparse(ast.parse(PYTHON))
    changes = {difference(before, mutant.text()) for mutant in python_mutants(PYTHON)}
    line = "-    if x < 3 and (not g(x)):\n+    if "
    assert {f"{line}x <= 3 and (not g(x)):", f"{line}x < 4 and (not g(x)):", f"{line}x < 3 or not g(x):"} <= changes
    assert "-    x += 1\n+    x += 2" in changes
    assert "-    x += 1\n+    pass" in changes
    assert "-    return x\n+    pass" in changes
    assert "-        raise ValueError\n+        pass" in changes
    assert len(changes) == len(python_mutants(PYTHON)) == 8
    assert not any("docstring" in change for change in changes)


def test_every_change_is_one():
    assert not python_mutants("MOST = 1e300")


def test_a_last_return_of_none_is_not_removed():
    text = "def f(x):\n    if x:\n        return None\n    g()\n    return None"
    before = ast.unparse(ast.parse(text))
    changes = [difference(before, mutant.text()) for mutant in python_mutants(text)]
    assert changes == ["-    g()\n+    pass", "-        return None\n+        pass"]


def test_of_c():
    changes = {difference(C, mutant.text()) for mutant in c_mutants(C)}
    line = "-    if (x < 3 && !g(x))\n+    if "
    assert {f"{line}(x <= 3 && !g(x))", f"{line}(x < 3 || !g(x))", f"{line}(x < 3 && g(x))"} <= changes
    assert "-    h(x);\n+;" in changes
    assert not any("comment" in change or "include" in change for change in changes)
    assert not any("x->=y" in change for change in changes)


def test_of_c_for_other_systems():
    text = "static void f(int x)\n{\n#ifdef %s\n    g(x);\n#else\n    h(x);\n#endif\n    i(x);\n}\n"
    for name, left in (("__linux__", "gi"), ("__APPLE__", "hi"), ("ANY", "ghi")):
        changes = {difference(text % name, mutant.text()) for mutant in c_mutants(text % name)}
        assert changes == {f"-    {call}(x);\n+;" for call in left}


def test_every_subject_has_files_tests_and_mutants():
    for subject in SUBJECTS.values():
        assert all((ROOT / test).exists() for test in subject.tests)
        for file in subject.files:
            made = mutants(ROOT / file)
            assert len(made) >= 5
            if file.endswith(".py"):
                compile(made[len(made) // 2].text(), file, "exec")


def test_mutants_that_once_survived_are_tried_in_every_run():
    entries = json.loads(KNOWN.read_text())["once alive"]
    tried = [made for subject in SUBJECTS.values() for made in once_alive(subject.files, ROOT)]
    assert len(tried) == len(entries)
    for place in tried:
        assert place.mutant.text() != plain(place.file, (ROOT / place.file).read_text(encoding="utf-8"))


def test_a_mutant_whose_place_is_gone_is_named(tmp_path):
    files = SUBJECTS["gate"].files
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    with pytest.raises(SystemExit, match="is not there once"):
        once_alive(files, tmp_path)


def test_lines_of_a_mutant_are_those_of_its_statement():
    lines = {difference(ast.unparse(ast.parse(PYTHON)), one.text()): one.lines for one in python_mutants(PYTHON)}
    assert lines["-    x += 1\n+    pass"] == range(6, 7)
    assert lines["-        raise ValueError\n+        pass"] == range(5, 6)
    assert lines["-    if x < 3 and (not g(x)):\n+    if x <= 3 and (not g(x)):"] == range(4, 5)
    text = "def f(\n    a=1,\n):\n    return (\n        a\n        + 2\n    )\n"
    assert {one.lines for one in python_mutants(text)} == {range(1, 4), range(4, 8)}


def test_the_function_of_a_change_is_named():
    made = {difference(C, mutant.text()): changed_function(C, mutant.text()) for mutant in c_mutants(C)}
    assert set(made.values()) == {"f"}
    text = "LIMIT = 1\n\nclass A:\n\n    def f(self):\n        return g(1)\n\n    async def h(self):\n        return 5"
    found = [
        changed_function(text, text.replace(old, new)) for old, new in (("= 1", "= 2"), ("(1)", "(2)"), ("5", "6"))
    ]
    assert found == ["", "f", "h"]


PART = "def f(x):\n    x += 1\n    x += 1\n    return x > 5\n"
PLUS, NUMBER = "-    x += 1\n+    x += 2", "-    return x > 5\n+    return x > 6"
LEFT_OUT = "-    x += 1\n+    pass"


@pytest.fixture
def part(tmp_path, monkeypatch):
    """A file, and its mutants by what they change."""
    kept = tmp_path / "known.json"
    equivalents = [
        {"file": "part.py", "in": "f", "change": NUMBER, "reason": "no effect"},
        {"file": "part.py", "in": "f", "change": LEFT_OUT, "copy": 1, "reason": "the other tells"},
    ]
    once = [{"file": "part.py", "old": "x > 5", "new": "x > 9"}, {"file": "part.py", "old": "> 5", "new": ">= 5"}]
    kept.write_text(json.dumps({"once alive": once, "equivalent": equivalents}))
    monkeypatch.setattr("mutant_results.KNOWN", kept)
    (tmp_path / "part.py").write_text(PART)
    return {(place.change, place.copy): place for place in places(["part.py"], tmp_path)}


def test_mutants_are_known_by_their_change(part):
    assert {change for change, copy in part if copy == 1} == {PLUS, LEFT_OUT}
    assert part[PLUS, 0].mutant.text() != part[PLUS, 1].mutant.text()
    assert len(part) == 8  # one that once survived is among the seven of this text, and one is not
    assert ("-    return x > 5\n+    return x > 9", 0) in part
    assert all(place.function == "f" for place in part.values())


def test_equivalent_mutants_have_a_reason(part):
    assert all(entry["reason"] for entry in json.loads(KNOWN.read_text())["equivalent"])
    place = part[NUMBER, 0]
    assert is_equivalent(place)
    assert is_equivalent(part[LEFT_OUT, 1])
    assert not is_equivalent(part[LEFT_OUT, 0])
    assert not is_equivalent(part[PLUS, 0])
    assert not is_equivalent(replace(place, function="g"))
    assert not is_equivalent(replace(place, file="b.py"))


def test_the_last_result_of_each_mutant_counts(part, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    add_result(first, part[PLUS, 0], "survives", "")
    add_result(first, part[PLUS, 1], "time", "test_f")
    add_result(first, part[NUMBER, 0], "survives", "")
    add_result(second, part[PLUS, 0], "test", "test_f")
    ended = read_results(part.values(), [first, second])
    assert ended == {part[PLUS, 0]: "test", part[PLUS, 1]: "time", part[NUMBER, 0]: "equivalent"}  # by the present list
    rows = table({"part": part.values()}, ended)
    assert ENDS == ("test", "crash", "time", "blocked", "equivalent", "survives")
    assert rows.splitlines()[2:] == ["| part | 8 | 3 | 1 | 0 | 1 | 0 | 1 | 0 |"]
    both = table({"a": [part[PLUS, 0]], "b": [part[PLUS, 1]]}, {part[PLUS, 1]: "survives"})
    assert both.splitlines()[-1] == "| all | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 1 |"


def test_equivalent_mutants_are_changes_of_the_present_text():
    for entry in json.loads(KNOWN.read_text())["equivalent"]:
        text = plain(entry["file"], (ROOT / entry["file"]).read_text(encoding="utf-8")).splitlines()
        assert {line[1:] for line in entry["change"].splitlines() if line[0] == "-"} <= set(text), entry


@pytest.mark.posix
def test_a_forked_process_ends_with_its_status_or_its_time():
    assert forked(lambda: 3, 60.0) == 3
    assert forked(signal.pause, 0.2) is None


@pytest.mark.posix
def test_a_forked_process_that_gives_signs_of_life_has_time(tmp_path):
    signs = tmp_path / "signs"
    signs.touch()

    def act():
        with signs.open("a") as file:
            for _ in range(8):
                time.sleep(0.1)
                print("here", file=file, flush=True)
        return 3

    assert forked(act, 0.2) is None
    assert forked(act, 60.0, signs) == 3


@pytest.mark.posix
def test_only_processor_time_counts():
    def busy():
        while True:
            pass

    def act(then):
        end_after(0.05)
        time.sleep(0.2)  # uses none
        then()
        return 3

    assert forked(lambda: act(lambda: None), 60.0) == 3
    assert forked(lambda: act(busy), 60.0) == -signal.SIGPROF


LIVING = """LIMIT = 3

def adder(n=1):

    def add(x):
        return x + n
    return add

class Box:
    size = 2

    def volume(self):
        return self.size ** 3
"""


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ("x + n", "x - n", True),
        ("** 3", "** 4", True),
        ("LIMIT = 3", "LIMIT = 4", False),
        ("n=1", "n=2", False),
        ("size = 2", "size = 3", False),
        ("    return add", "    return lambda x: n", False),
    ],
)
def test_code_of_functions_is_exchanged_and_other_changes_are_not(tmp_path, old, new, whole):
    file = tmp_path / "part.py"
    file.write_text(LIVING)
    spec = importlib.util.spec_from_file_location("part", file)
    part = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(part)
    add, box = part.adder(5), part.Box()
    changed = Changed(tmp_path, ["part.py"])
    assert changed.exchange("part.py")
    assert (add(1), part.adder()(1), box.volume()) == (6, 2, 8)
    file.write_text(LIVING.replace(old, new))
    assert changed.exchange("part.py") is whole
    expected = {"x + n": (-4, 0, 8), "** 3": (6, 2, 16)}.get(old)
    assert not whole or (add(1), part.adder()(1), box.volume()) == expected


TESTS = """
import os
import pytest
from part import f

@pytest.fixture(scope="module")
def two():
    return f(1)

def test_first():
    assert f(0) == 1

def test_fixture(two):
    assert two == 2

def test_other():
    assert True

def test_busy():
    while f(0) > 6:
        pass

def test_signal():
    assert f(0) != 5 or os.kill(os.getpid(), 9)
"""


@pytest.mark.posix
def test_what_notices_a_change(tmp_path):
    """In a process of its own, since the trial imports modules of its tree."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_part.py").write_text(TESTS)
    part = tmp_path / "src" / "part.py"
    part.write_text("def f(x):\n    return x + 1\n\ndef g():\n    return 5\n")

    def act():
        sys.path.insert(0, str(tmp_path / "src"))
        trial = Trial(tmp_path, ["src/part.py"], ["tests/test_part.py"])
        found = [set(trial.reached["src/part.py"]), trial.failed("src/part.py", range(2, 3))]
        for text in ("def f(x):\n    return 1\n\ndef g():\n    return 5\n", "def f(x):\n    return 2\n", "def"):
            part.write_text(text)
            found.append(trial.failed("src/part.py", range(2, 3)))
        found.append(trial.failed("src/part.py", range(5, 6)))
        for number, test in ((5, "signal"), (7, "busy")):
            part.write_text(f"def f(x):\n    return {number}\n")
            trial.caught.clear()
            trial.caught["src/part.py"][f"tests/test_part.py::test_{test}"] = 1  # it runs first
            found.append(trial.failed("src/part.py", range(2, 3)))
        names = [one and (one[0], one[1].rpartition("_")[2]) for one in found[1:]]
        caught = [("test", "fixture"), ("test", "first"), ("crash", ""), None, ("crash", "signal"), ("time", "busy")]
        return found[0] != {1, 2, 4} or names != [None, *caught]

    assert forked(act, 300.0) == 0


@pytest.mark.posix
def test_the_command_resumes_and_merges(tmp_path):
    """Without a tree and tests: every mutant of this subject has a result."""
    results, files = tmp_path / "results", SUBJECTS["homing"].files
    for place in places(files, ROOT):
        add_result(results, place, "test", "")
    command = [sys.executable, ROOT / "tests" / "mutation" / "mutants.py", "--only", "homing", "--all"]
    for options in (["--json", results], ["--merge", results]):
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
        assert "| survive |\n" in done.stdout
        row = done.stdout.splitlines()[-1].split(" | ")
        assert row[1] == row[2] != "0"
        assert row[-1] == "0 |"
