"""Which test file tests which module: `python tests/module_tests.py` brings the table of CONTRIBUTING.md up to date.

A module has a test file of its own name in the folder of its room, or a row in the table. A row holds as long as the
test file uses the module: it imports it, imports a name that the module defines, or runs it as a command. It may also
import it through others and name it in its docstring, or have the name of the module's folder: `test_piano.py`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import symbody
from symbody.cli import COMMANDS
from syntax import parsed, size, statements

TESTS, PACKAGE = Path(__file__).parent, Path(symbody.__file__).parent
PAGE = TESTS.parent / "CONTRIBUTING.md"
HEADING = "## Where a module is tested\n"
ROOTS = {"symbody": PACKAGE, "symbody_bench": TESTS.parent / "benchmarks" / "symbody_bench"}
SHORT = 60  # lines: a module up to that is tested through the modules that use it
ROW = re.compile(r"^\| `(tests/[^`]+)` \| (.*) \|$", re.MULTILINE)

Parts = tuple[str, ...]  # of a module's path: ("machines", "piano", "strokes")


@cache
def modules() -> dict[Parts, Path]:
    """All modules of the package, but `__init__.py` and `__main__.py`."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if not path.stem.startswith("__"))
    return {path.relative_to(PACKAGE).with_suffix("").parts: path for path in paths}


@cache
def files_of_tests() -> tuple[Path, ...]:
    return tuple(sorted(TESTS.rglob("test_*.py")))


def long_modules() -> list[Parts]:
    return [p for p, path in modules().items() if size(path) > SHORT]


def own_test(parts: Parts) -> Path | None:
    """The test file of a module's own name: tests/ROOM/test_MODULE.py, also with a folder's name before MODULE."""
    names = {f"test_{parts[-1]}", *(f"test_{folder}_{parts[-1]}" for folder in parts[:-1])}
    room = TESTS.joinpath(*parts[:1]) if len(parts) > 1 else TESTS
    return next((path for path in files_of_tests() if path.stem in names and path.is_relative_to(room)), None)


# -- what a file uses ------------------------------------------------------------------------------------------------


def imports(path: Path) -> Iterator[tuple[str, str, str]]:
    """(module, name or "", name in the file) of each import of the package or of benchmarks, wherever it stands."""
    for node in statements(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in ROOTS:
            yield from ((node.module, alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in ROOTS:
                    yield alias.name, "", alias.asname or alias.name


@cache
def home(module: str, name: str) -> str:
    """The dotted module that defines a name, though it may be imported from another; empty if there is none."""
    try:
        found = getattr(import_module(module), name) if name else import_module(module)
    except (ImportError, AttributeError):
        return f"{module}.{name}".rstrip(".")
    if isinstance(found, ModuleType):
        return found.__name__
    defined = found.__module__ if isinstance(found, type | FunctionType) else ""
    return defined if defined.startswith("symbody.") else module  # a constant does not know its module


@cache
def uses(path: Path) -> Counter[str]:
    """How often a test file uses each module: its imports, and each place where a name from there stands."""
    found: Counter[str] = Counter()
    origin: dict[str, str] = {}
    whole = {"symbody"}  # names of the package itself: `sb`
    for module, name, here in imports(path):
        origin[here] = home(module, name)
        found[origin[here]] += 1
        if not name and module == "symbody":
            whole.add(here)
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Name) and node.id in origin:
            found[origin[node.id]] += 1
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in whole:
            found[home("symbody", node.attr)] += 1
    return found


@cache
def words(path: Path) -> frozenset[str]:
    """All texts in a file."""
    nodes = (node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant))
    return frozenset(text for text in nodes if isinstance(text, str))


@cache
def commands(path: Path) -> frozenset[str]:
    """Modules of the commands that a test file names, if it runs any."""
    ran = any(module.startswith("symbody.cli") for module in uses(path))
    return frozenset(f"symbody.cli.{name}" for name in COMMANDS if ran and name in words(path))


@cache
def below(dotted: str) -> frozenset[str]:
    """Modules that a module imports: by name, or any of its room where a computed name is imported."""
    root, *parts = dotted.split(".")
    folder = ROOTS[root].joinpath(*parts)
    path = next((p for p in (folder.with_suffix(".py"), folder / "__init__.py") if p.exists()), None)
    if path is None:
        return frozenset()
    found = {dotted for module, name, _ in imports(path) for dotted in (module, home(module, name))}
    computed = parts and re.search(r"import_module\((f\"|self\.)", path.read_text(encoding="utf-8"))
    room = {".".join(("symbody", *p)) for p in modules() if p[0] == parts[0]} if computed else set()
    return frozenset(found | room)


@cache
def reached(path: Path) -> frozenset[str]:
    """Modules that a test file imports, directly or through others."""
    seen: set[str] = set()
    skipped = {text for text in words(path) if re.fullmatch(r"symbody(_bench)?(\.\w+)+", text)}  # pytest.importorskip
    waiting = [*uses(path), *commands(path), *skipped]
    while waiting:
        dotted = waiting.pop()
        if dotted not in seen:
            seen.add(dotted)
            waiting += below(dotted)
    return frozenset(seen)


@cache
def named(path: Path) -> frozenset[str]:
    """Modules that the docstring of a file names: `order_n.py`, or from another folder `equations/order_n.py`."""
    return frozenset(re.findall(r"\b((?:\w+/)?\w+\.py)\b", ast.get_docstring(parsed(path)) or ""))


def evidence(path: Path, parts: Parts) -> int:
    """How often a test file uses a module.

    It also counts, once, that it runs the module as a command, that its docstring names the module, and that it has the
    name of the module's folder.
    """
    dotted = ".".join(("symbody", *parts))
    here = path.relative_to(TESTS).parts[0] == parts[0]
    names = {"/".join(parts[-2:]) + ".py", *([f"{parts[-1]}.py"] if here else [])}
    titles = [re.compile(f"test_{folder}(_.*)?") for folder in parts[1:-1]]  # test_piano_looks.py: of machines/piano
    meant = names & named(path) or (here and any(title.fullmatch(path.stem) for title in titles))
    return uses(path)[dotted] + (dotted in commands(path)) + bool(meant and dotted in reached(path))


# -- the table -------------------------------------------------------------------------------------------------------


def table() -> dict[Parts, Path]:
    """The table of CONTRIBUTING.md: the test file of each module in it."""
    text = PAGE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    found = {}
    for file, listed in ROW.findall(text):
        for module in re.findall(r"`([^`]+)\.py`", listed):
            found[tuple(module.split("/"))] = TESTS.parent / file
    return found


def best(parts: Parts) -> Path | None:
    """The test file that uses a module most: one that imports it comes first, then one of its room; None: none does."""
    dotted = ".".join(("symbody", *parts))

    def rank(path: Path) -> tuple[bool, bool, int]:
        found, here = evidence(path, parts), path.relative_to(TESTS).parts[0] == parts[0]
        return bool(uses(path)[dotted]), bool(found and here), found

    most = max(files_of_tests(), key=rank)
    return most if evidence(most, parts) else None


def faults() -> list[str]:
    """What is wrong with the table, a line each."""
    rows, wrong = table(), []
    for parts in long_modules():
        module = "/".join(parts) + ".py"
        if own_test(parts) is None and parts not in rows:
            wrong.append(f"{module}: no test file of its name, and no row in the table")
    for parts, path in rows.items():
        module, file = "/".join(parts) + ".py", path.relative_to(TESTS.parent)
        if parts not in modules():
            wrong.append(f"{module}: is in the table, but not in the package")
        elif (own := own_test(parts)) is not None:
            wrong.append(f"{module}: needs no row, since {own.relative_to(TESTS.parent)} tests it")
        elif not path.exists():
            wrong.append(f"{module}: {file} does not exist")
        elif not evidence(path, parts):
            wrong.append(f"{module}: {file} neither uses it nor names it in its docstring")
    return wrong


def renewed() -> tuple[dict[Path, list[str]], list[str]]:
    """Rows by test file, and modules without a test; rows that hold are kept."""
    kept, rows, missing = table(), {}, []
    for parts in sorted({*long_modules(), *(p for p in kept if p in modules())}):
        path = kept.get(parts)
        if own_test(parts) is not None:
            continue
        if path is None or not path.exists() or not evidence(path, parts):
            path = best(parts)
        if path is None:
            missing.append("/".join(parts) + ".py")
        else:
            rows.setdefault(path, []).append("/".join(parts) + ".py")
    return rows, missing


def write() -> list[str]:
    """Write the table into CONTRIBUTING.md; returns the modules without a test."""
    rows, missing = renewed()
    before, heading, after = PAGE.read_text(encoding="utf-8").partition(HEADING)
    if not heading:
        raise SystemExit(f"CONTRIBUTING.md has no heading {HEADING.strip()!r}")
    words = after.partition("\n|")[0]
    rest = re.search(r"\n## .*", after, re.DOTALL)
    lines = [
        f"| `{path.relative_to(TESTS.parent).as_posix()}` | {', '.join(f'`{module}`' for module in rows[path])} |"
        for path in sorted(rows)
    ]
    made = "\n".join(["| test file | modules |", "|---|---|", *lines])
    PAGE.write_text(f"{before}{heading}{words}\n{made}\n{rest[0] if rest else ''}", encoding="utf-8")
    return missing


if __name__ == "__main__":
    for module in write():
        print(f"{module}: no test file uses it; write one")
