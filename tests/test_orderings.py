"""Tests of the tests: orderings fail with exchanged names, and no test compares methods in one run (orderings.py)."""

import ast
from pathlib import Path

import pytest

from orderings import SEEDS, Ordering, check
from syntax import parsed

TESTS = Path(__file__).parent
FOLDERS = (
    "analysis", "batch", "bench", "elements", "equations", "estimation", "haptics", "machines", "motion", "stepping",
    "system", "terrain", "validate", "vehicles",
)  # fmt: skip
ONE_RUN = "# one run: "  # the reason why a comparison in a test is not an ordering of rivals
TRIVIAL = {"abs", "float", "len", "max", "mean", "median", "min", "np", "ptp", "set", "sum"}
VALUES = {"good": 1.0, "bad": 2.0}


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
    return [path for folder in FOLDERS for path in sorted((TESTS / folder).rglob("test_*.py"))]


def calls(node, *names):
    """Whether one of these functions is called in it."""
    found = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(isinstance(function, ast.Name) and function.id in names for function in found)


def declared(tree):
    """Names of the lists of orderings of a module."""
    lists = [node for node in tree.body if isinstance(node, ast.Assign) and calls(node.value, "Ordering")]
    return {t.id for node in lists for t in node.targets if isinstance(t, ast.Name)}


def checked(tree):
    """Names over which tests that check orderings are parametrised."""
    tests = [n for n in tree.body if isinstance(n, ast.FunctionDef) and calls(n, "check", "check_ordering")]
    decorators = [decorator for test in tests for decorator in test.decorator_list]
    return {n.id for d in decorators for n in ast.walk(d) if isinstance(n, ast.Name)}


def left_over(tree):
    """Functions that make orderings and check none."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and calls(node, "Ordering")]
    return {node.name for node in functions if not calls(node, "check", "check_ordering")}


# -- comparisons that are orderings ------------------------------------------------------------------------------------


def varies(node):
    """Whether an expression has something else than numbers and constants (names in capitals)."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - TRIVIAL
    return any(not name.isupper() for name in names)


def measured(node):
    """An expression without constant factors and terms."""
    while isinstance(node, ast.BinOp) and varies(node.left) != varies(node.right):
        node = node.left if varies(node.left) else node.right
    return node


def measures(node):
    """Names of the attributes and functions of an expression."""
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    functions = {n.func.id for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return (attributes | functions) - TRIVIAL


def shape(node):
    """An expression without its names and numbers: `a.end` for every `x.end`, `f(a)` for every `f(x, y)`."""
    match node:
        case ast.Name() | ast.Constant():
            return "a"
        case ast.Attribute():
            return f"{shape(node.value)}.{node.attr}"
        case ast.Call():
            return f"{node.func.id if isinstance(node.func, ast.Name) else shape(node.func)}(a)"
        case ast.Subscript():
            return f"{shape(node.value)}[a]"
    return type(node).__name__ + "".join(shape(one) for one in ast.iter_child_nodes(node))


def same_measure(a, b):
    """Whether both sides are one measure of two things."""
    a, b = measured(a), measured(b)
    if not (varies(a) and varies(b)) or ast.unparse(a) == ast.unparse(b):
        return False
    return shape(a) == shape(b) or (bool(measures(a)) and measures(a) == measures(b))


def compared(test):
    """Assertions of a test that order one measure of two things, as in `penalty.end < 0.5 * without.end`."""
    for node in [n for n in ast.walk(test) if isinstance(n, ast.Assert)]:
        for one in [n for n in ast.walk(node.test) if isinstance(n, ast.Compare)]:
            sides = [one.left, *one.comparators]
            for a, op, b in zip(sides, one.ops, sides[1:], strict=False):
                if isinstance(op, (ast.Lt, ast.Gt)) and same_measure(a, b):
                    yield ast.unparse(one)


def explained(path, test):
    """Whether a test has its reason for a comparison in one run."""
    lines = path.read_text(encoding="utf-8").split("\n")[test.lineno - 1 : test.end_lineno]
    return any(len(line.partition(ONE_RUN)[2]) > 5 for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        'depth["impulse"] < 0.4 * depth["penalty"]',
        "penalty.end < 0.5 * without.end",
        "drift(2, True) + 1.0 < drift(2, False)",
        "errors[1] < 0.1 * errors[0]",
        "np.all(both.deviations[:3] < alone.deviations)",
        "0.0 < after < before",
        "all(b < 0.7 * a for a, b in pairwise(errors))",
        'peak(run(s, bar=0.0), "roll") > 1.3 * peak(usual, "roll")',
    ],
)
def test_the_search_finds_an_ordering(text):
    assert len(list(compared(ast.parse(f"assert {text}")))) == 1


@pytest.mark.parametrize(
    "text", ['depth["impulse"] < 3.0', "run.end < LIMIT", "drift < 1e-6 * run.work", "error.max() < 2.0 * sigma[3]"]
)
def test_the_search_passes_bounds(text):
    assert list(compared(ast.parse(f"assert {text}"))) == []


def test_declared_orderings_are_checked():
    trees = {path.name: parsed(path) for path in modules_of_tests()}
    assert {name: found for name, tree in trees.items() if (found := declared(tree) - checked(tree))} == {}
    assert {name: found for name, tree in trees.items() if (found := left_over(tree))} == {}
    assert sum(bool(declared(tree)) for tree in trees.values()) >= 12


def test_no_test_orders_methods_in_a_single_run():
    """Two entries, runs or results are compared by `check` over ten seeds, or `# one run: ` gives the reason."""
    functions = [
        (path, node) for path in modules_of_tests() for node in parsed(path).body if isinstance(node, ast.FunctionDef)
    ]
    unexplained = {
        f"{path.name}: {text}" for path, test in functions if not explained(path, test) for text in compared(test)
    }
    assert unexplained == set()
