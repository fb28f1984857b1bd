"""Tests can be found by the name of what they test: the rule and the table are in CONTRIBUTING.md."""

import ast
import itertools
from collections import defaultdict

import pytest

from module_tests import TESTS, evidence, faults, files_of_tests, long_modules, named, own_test, table


@pytest.mark.slow
def test_every_module_has_its_test():
    found = faults()
    assert not found, "\n".join(
        [*found, "python tests/module_tests.py writes the table; a module without a row needs a test"]
    )


def test_a_module_without_a_test_would_be_found():
    assert own_test(("expr", "substitute")) == TESTS / "expr" / "test_substitute.py"
    assert own_test(("model", "plain_numbers"))
    assert own_test(("expr", "substitutes")) is None
    assert own_test(("elements", "substitute")) is None


def test_a_file_that_does_not_use_a_module_is_no_evidence():
    fit = TESTS / "analysis" / "test_fit.py"
    assert evidence(fit, ("analysis", "fit_log"))  # imported
    assert evidence(fit, ("analysis", "fit_search"))  # named in the docstring, imported through another
    assert evidence(fit, ("cli", "fit"))
    assert not evidence(fit, ("analysis", "modal"))
    assert not evidence(fit, ("haptics", "settings"))
    assert evidence(TESTS / "cli" / "test_cli.py", ("cli", "generate"))  # run as a command
    assert not evidence(TESTS / "expr" / "test_substitute.py", ("cli", "generate"))


def test_the_table_has_only_modules_that_need_a_row():
    rows = table()
    assert set(rows) <= set(long_modules())
    assert not [parts for parts in rows if own_test(parts)]


def test_docstrings_name_modules_that_exist():
    root = TESTS.parent
    paths = [path for folder in ("src", "benchmarks", "tests") for path in (root / folder).rglob("*.py")]
    known = {name for path in paths for name in (path.name, f"{path.parent.name}/{path.name}")}
    gone = {str(path.relative_to(root)): sorted(named(path) - known) for path in files_of_tests()}
    assert {path: names for path, names in gone.items() if names} == {}


def test_names_of_test_files_are_unique():
    """Pytest imports test files by their bare names: a second one would hide the first."""
    places = defaultdict(list)
    for path in TESTS.rglob("*.py"):
        if path.name not in ("conftest.py", "__init__.py"):
            places[path.name].append(str(path.parent.relative_to(TESTS)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_costly_tests_exist():
    listed = (TESTS / "costly.txt").read_text(encoding="utf-8").split()
    assert listed == sorted(set(listed))
    for file, rows in itertools.groupby(listed, key=lambda name: name.partition("::")[0]):
        tree = ast.parse((TESTS.parent / file).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        missing = {name.rpartition("::")[2] for name in rows} - defined
        assert not missing, f"{file}: {missing} (remove it from costly.txt, or measure again: see CONTRIBUTING.md)"
