"""Tests of the tests: orderings fail with exchanged names, and no test compares methods in one run (orderings.py)."""

import ast
import re
from pathlib import Path

import pytest

from orderings import SEEDS, Ordering, check
from syntax import parsed

TESTS = Path(__file__).parent
FOLDERS = ("haptics", "motion", "estimation", "machines")
VALUES = {"good": 1.0, "bad": 2.0}
# Files in which two entries are compared that are not methods, or whose runs are too long for ten seeds.
OTHERS = {
    "test_twin.py": "rank and size of one matrix",
    "test_car_observer.py": "loads of the wheels in a curve",
    "test_estimator_page.py": "an error and its standard deviation",
    "test_haptic_bench_stability.py": "the ends of a map over damping, rate and delay",
    "test_hydraulic_figures.py": "a figure and its bound",
    "test_platform_report.py": "a volume and a part of it",
}


def by_name(name, seed):
    return VALUES[name] + 0.1 * seed


def test_an_ordering_holds_and_fails_with_exchanged_names():
    right = Ordering("error", "good", "bad", by_name)
    check(right)
    with pytest.raises(AssertionError, match="error: bad < good, seed 0: 2, 1"):
        check(right.exchanged)


def test_one_seed_that_differs_breaks_an_ordering():
    once = Ordering("error", "good", "bad", lambda name, seed: by_name(name, seed) if seed != 7 else 1.0)
    with pytest.raises(AssertionError, match="seed 7"):
        check(once)


@pytest.mark.parametrize("measure", [lambda name, seed: 1.0, lambda name, seed: float("nan")])
def test_a_measure_that_ignores_its_name_or_is_no_number_orders_nothing(measure):
    with pytest.raises(AssertionError):
        check(Ordering("error", "good", "bad", measure))


def test_too_few_seeds_and_factors_above_one_are_refused():
    with pytest.raises(ValueError, match="9 seeds"):
        Ordering("error", "good", "bad", by_name, seeds=range(9))
    with pytest.raises(ValueError, match="1 seeds"):
        Ordering("error", "good", "bad", by_name, seeds=[0] * 10)
    with pytest.raises(ValueError, match="factor"):
        Ordering("error", "good", "bad", by_name, 1.1)
    assert len(SEEDS) == 10


# -- where orderings are declared --------------------------------------------------------------------------------------


def modules_of_tests():
    """Test modules of the folders in which methods are compared."""
    return [path for folder in FOLDERS for path in sorted((TESTS / folder).glob("test_*.py"))]


def declared(tree):
    """Names of the lists of orderings of a module."""
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    return {t.id for t in targets if isinstance(t, ast.Name) and t.id.startswith("ORDERINGS")}


def checked(tree):
    """Names of the lists over which a test that calls `check` is parametrised."""
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    calling = [test for test in tests if re.search(r"\bcheck(_ordering)?\(", ast.unparse(test))]
    decorators = [decorator for test in calling for decorator in test.decorator_list]
    return {n.id for d in decorators for n in ast.walk(d) if isinstance(n, ast.Name) and n.id.startswith("ORDERINGS")}


def keys(node):
    """(mapping, key) of the entries with constant keys in an expression."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)]
    return {(ast.unparse(n.value), n.slice.value) for n in found if isinstance(n.slice.value, str)}


def compared_entries(tree):
    """Assertions that order two entries of one mapping, as in `depth["impulse"] < depth["penalty"]`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assert):
            continue
        for one in [n for n in ast.walk(node.test) if isinstance(n, ast.Compare)]:
            sides = [one.left, *one.comparators]
            for a, op, b in zip(sides, one.ops, sides[1:], strict=False):
                if isinstance(op, (ast.Lt, ast.Gt)) and any(
                    x[0] == y[0] and x[1] != y[1] for x in keys(a) for y in keys(b)
                ):
                    yield ast.unparse(one)


def test_the_search_finds_an_ordering_of_two_entries():
    tree = ast.parse('assert depth["impulse"] < 0.4 * depth["penalty"]\nassert a["x"] < 3.0\nassert a["x"] < b["x"]')
    assert list(compared_entries(tree)) == ["depth['impulse'] < 0.4 * depth['penalty']"]


def test_declared_orderings_are_checked():
    trees = {path.name: parsed(path) for path in modules_of_tests()}
    assert {name: declared(tree) for name, tree in trees.items()} == {n: checked(tree) for n, tree in trees.items()}
    assert sum(bool(declared(tree)) for tree in trees.values()) >= 4


def test_no_test_orders_methods_in_a_single_run():
    files = [path for path in modules_of_tests() if path.name not in OTHERS]
    assert {f"{path.name}: {text}" for path in files for text in compared_entries(parsed(path))} == set()
