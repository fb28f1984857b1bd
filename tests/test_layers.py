"""The rooms of docs/architecture.md: no import points up, none goes in a circle, no class name is used twice."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import symbody

ROOT = Path(symbody.__file__).parent
# Each line may import those before it; folders on one line know nothing of each other.
LAYERS = [
    ["errors", "version"], ["expr", "model"], ["codegen", "elements"], ["equations"], ["system"], ["stepping"],
    ["results"], ["visual"], ["analysis", "export"], ["realtime"], ["studio"], ["machines"], ["cli"],
]  # fmt: skip
RANK = {name: k for k, line in enumerate(LAYERS) for name in line}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> dict[str, int]:
    """Modules of the package that a file imports, anywhere in it, and the line."""
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [f"{node.module}.{a.name}" for a in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            module = name if name in known else name.rpartition(".")[0]
            if module in known:
                found[module] = node.lineno
    return found


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_every_folder_has_its_place():
    assert {layer(name) for name in modules()} - {""} == set(RANK)


def test_imports_point_down():
    known = modules()
    for name, path in known.items():
        here = layer(name)
        for other, line in imports(path, known).items():
            there = layer(other)
            if here and there:
                beside = here == there or RANK[there] < RANK[here]
                assert beside, f"{path}:{line}: {here} imports {there}"
            assert there or not here, f"{path}:{line}: {name} imports the front door"


def test_imports_make_no_cycle():
    known = modules()
    graph = {name: set(imports(path, known)) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_a_cycle_would_be_found():
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()


def test_class_names_are_unique():
    found: dict[str, list[str]] = {}
    for name, path in modules().items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(name)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_graph_and_model_know_nothing_of_each_other():
    for folder, foreign in (("expr", "symbody.model"), ("model", "symbody.expr")):
        for path in (ROOT / folder).rglob("*.py"):
            assert foreign not in path.read_text(encoding="utf-8"), path


def test_what_is_slow_to_import_waits_until_it_is_needed():
    code = "import sys, symbody; print([name for name in ('scipy', 'matplotlib', 'websockets') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
