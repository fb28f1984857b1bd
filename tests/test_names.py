"""Tests can be found by the name of what they test: the rule is in CONTRIBUTING.md."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import symbody
from syntax import parsed, statements

TESTS, PACKAGE = Path(__file__).parent, Path(symbody.__file__).parent
SHORT = 60  # lines: a module up to that is tested through those that use it
FILES = sorted(TESTS.rglob("*.py"))


@cache
def imported(path: Path) -> frozenset[str]:
    """Dotted names that a file imports: modules, and what it takes from them."""
    names: set[str] = set()
    for node in statements(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return frozenset(names)


@cache
def mentioned(path: Path) -> frozenset[str]:
    """Modules that the docstring of a file names: `order_n.py`, or from another folder `equations/order_n.py`."""
    return frozenset(re.findall(r"\b((?:\w+/)?\w+\.py)\b", ast.get_docstring(parsed(path)) or ""))


def is_found(parts: tuple[str, ...]) -> bool:
    """Whether a test file names a module, or one in the mirrored folder imports it.

    parts: ("machines", "piano", "strokes"). `test_friction.py` also tests friction_static.py, and a folder inside
    a layer has its tests under its own name: `test_piano_looks.py`.
    """
    layer, stem, dotted = parts[0], parts[-1], ".".join(("symbody", *parts))
    words = stem.split("_")
    subjects = {stem, *parts[1:-1], *("_".join(words[:k]) for k in range(1, len(words)))}
    title = re.compile(f"test_({layer}_)?({'|'.join(subjects)})(_.*)?")
    for path in FILES:
        here = path.relative_to(TESTS).parts[0] == layer
        command = layer == "cli" and any(name.startswith("symbody.cli") for name in imported(path))
        if f"{layer}/{stem}.py" in mentioned(path):
            return True
        if here and ({f"{stem}.py", "/".join(parts[-2:]) + ".py"} & mentioned(path) or dotted in imported(path)):
            return True
        if title.fullmatch(path.stem) and (here or command):
            return True
    return False


@pytest.mark.slow
def test_every_module_has_its_test():
    missing = []
    for module in sorted(PACKAGE.rglob("*.py")):
        inside = module.relative_to(PACKAGE)
        parts = inside.with_suffix("").parts
        long = len(module.read_text(encoding="utf-8").splitlines()) > SHORT
        if long and len(parts) > 1 and parts[-1] != "__init__" and not is_found(parts):
            missing.append(f"{inside}: write tests/{parts[0]}/test_{parts[-1]}.py, or name it in its test's docstring")
    assert not missing, "\n".join(["no test is found for", *missing])


def test_a_module_without_a_test_would_be_found():
    assert is_found(("expr", "substitute"))
    assert not is_found(("expr", "substitutes"))
    assert not is_found(("elements", "substitute"))


def test_docstrings_name_modules_that_exist():
    root = TESTS.parent
    paths = [path for folder in ("src", "benchmarks", "tests") for path in (root / folder).rglob("*.py")]
    known = {name for path in paths for name in (path.name, f"{path.parent.name}/{path.name}")}
    gone = {str(path.relative_to(root)): sorted(mentioned(path) - known) for path in FILES}
    assert {path: names for path, names in gone.items() if names} == {}


def test_names_of_test_files_are_unique():
    """Pytest imports test files by their bare names: a second one would hide the first."""
    places = defaultdict(list)
    for path in FILES:
        if path.name not in ("conftest.py", "__init__.py"):
            places[path.name].append(str(path.parent.relative_to(TESTS)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
