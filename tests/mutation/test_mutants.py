"""The mutants themselves: each differs by one change, and there are those that are meant; tests of mutants.py."""

import ast
import json

import pytest
from mutants import KNOWN, ROOT, SUBJECTS, c_mutants, difference, equivalent, mutants, once_alive, python_mutants

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
    plain = ast.unparse(ast.parse(PYTHON))
    changes = {difference(plain, mutant()) for mutant in python_mutants(PYTHON)}
    line = "-    if x < 3 and (not g(x)):\n+    if "
    assert {f"{line}x <= 3 and (not g(x)):", f"{line}x < 4 and (not g(x)):", f"{line}x < 3 or not g(x):"} <= changes
    assert "-    x += 1\n+    x += 2" in changes
    assert "-    x += 1\n+    pass" in changes
    assert "-    return x\n+    pass" in changes
    assert "-        raise ValueError\n+        pass" in changes
    assert len(changes) == len(python_mutants(PYTHON)) == 8
    assert not any("docstring" in change for change in changes)


def test_of_c():
    changes = {difference(C, mutant()) for mutant in c_mutants(C)}
    line = "-    if (x < 3 && !g(x))\n+    if "
    assert {f"{line}(x <= 3 && !g(x))", f"{line}(x < 3 || !g(x))", f"{line}(x < 3 && g(x))"} <= changes
    assert "-    h(x);\n+;" in changes
    assert not any("comment" in change or "include" in change for change in changes)
    assert not any("x->=y" in change for change in changes)


def test_every_subject_has_files_tests_and_mutants():
    for subject in SUBJECTS.values():
        assert all((ROOT / test).exists() for test in subject.tests)
        for file in subject.files:
            made = mutants(ROOT / file)
            assert len(made) >= 5
            if file.endswith(".py"):
                compile(made[len(made) // 2](), file, "exec")


def test_mutants_that_once_survived_are_tried_in_every_run():
    entries = json.loads(KNOWN.read_text())["once alive"]
    tried = [made for subject in SUBJECTS.values() for made in once_alive(subject, ROOT)]
    assert len(tried) == len(entries)
    for file, mutant in tried:
        assert mutant() != (ROOT / file).read_text(encoding="utf-8")


def test_a_mutant_whose_place_is_gone_is_named(tmp_path):
    subject = SUBJECTS["gate"]
    for file in subject.files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    with pytest.raises(SystemExit, match="is not there once"):
        once_alive(subject, tmp_path)


def test_equivalent_mutants_have_a_reason(tmp_path, monkeypatch):
    assert all(entry["reason"] for entry in json.loads(KNOWN.read_text())["equivalent"])
    kept = tmp_path / "known.json"
    kept.write_text(json.dumps({"equivalent": [{"file": "a.py", "change": "-x\n+y", "reason": "no effect"}]}))
    monkeypatch.setattr("mutants.KNOWN", kept)
    assert equivalent("a.py", "-x\n+y")
    assert not equivalent("a.py", "-x\n+z")
    assert not equivalent("b.py", "-x\n+y")
