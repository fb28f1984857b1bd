"""Mutants: each differs by one change, and a run of tests notices it. Tests of mutants.py and its modules."""

import ast
import importlib.util
import json
import signal
import sys

import pytest
from mutant_trial import Changed, Trial, forked
from mutants import KNOWN, ROOT, SUBJECTS, equivalent, once_alive
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
    tried = [made for subject in SUBJECTS.values() for made in once_alive(subject, ROOT)]
    assert len(tried) == len(entries)
    for file, mutant in tried:
        assert mutant.text() != (ROOT / file).read_text(encoding="utf-8")


def test_a_mutant_whose_place_is_gone_is_named(tmp_path):
    subject = SUBJECTS["gate"]
    for file in subject.files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    with pytest.raises(SystemExit, match="is not there once"):
        once_alive(subject, tmp_path)


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


def test_equivalent_mutants_have_a_reason(tmp_path, monkeypatch):
    assert all(entry["reason"] for entry in json.loads(KNOWN.read_text())["equivalent"])
    kept = tmp_path / "known.json"
    entry = {"file": "a.py", "in": "f", "change": "-x\n+y", "reason": "no effect"}
    kept.write_text(json.dumps({"equivalent": [entry]}))
    monkeypatch.setattr("mutants.KNOWN", kept)
    assert equivalent("a.py", "f", "-x\n+y")
    assert not equivalent("a.py", "f", "-x\n+z")
    assert not equivalent("a.py", "g", "-x\n+y")
    assert not equivalent("b.py", "f", "-x\n+y")


def test_equivalent_mutants_are_changes_of_the_present_text():
    for entry in json.loads(KNOWN.read_text())["equivalent"]:
        text = plain(entry["file"], (ROOT / entry["file"]).read_text(encoding="utf-8")).splitlines()
        assert {line[1:] for line in entry["change"].splitlines() if line[0] == "-"} <= set(text), entry


@pytest.mark.posix
def test_a_forked_process_ends_with_its_status_or_its_time():
    assert forked(lambda: 3, 60.0) == 3
    assert forked(signal.pause, 0.2) is None


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
        test = "tests/test_part.py::test_"
        return found != [{1, 2, 4}, None, f"{test}fixture", f"{test}first", "import", None]

    assert forked(act, 300.0) == 0
