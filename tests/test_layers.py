"""The rooms of docs/architecture.md: no import points up, none goes in a circle, no class name is used twice."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import stubs
import symbody
from symbody.codegen.cache import GENERATING, is_generating
from syntax import parsed, size, statements

ROOT = Path(symbody.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
BELOW = (
    "errors",
    "html_text",
    "lazy_imports",
    "suggestions",
    "safe_name",
    "output_file",
    "stages",
    "units",
    "version",
)  # single modules that all may import
ROW = re.compile(r"\| `(\w+)/` \| [^|]* \| ([^|]*) \| (\d+) \| (\d*) \|")
STALE = 0.15  # largest relative error of a size in the table
MACHINE_FILES, MACHINE_LINES = 12, 1000  # of Python in the folder of a machine


@dataclass(frozen=True)
class Room:
    """A row of the table: what a folder may import, and its lines of Python and of C."""

    imports: set[str]
    python: int
    c: int


def rooms() -> dict[str, Room]:
    """The table of docs/architecture.md."""
    found: dict[str, Room] = {}
    for name, imports, python, c in ROW.findall(PAGE.read_text(encoding="utf-8")):
        named = set(re.findall(r"`(\w+)`", imports))
        allowed = set(found) - named if imports.startswith("all above") else named
        assert named <= set(found), f"{name} may import {named - set(found)}, which stands below it"
        found[name] = Room(allowed | {name, *BELOW}, int(python), int(c or 0))
    return found


def lines(folder: Path, *suffixes: str) -> int:
    paths = [path for path in folder.rglob("*") if path.suffix in suffixes]
    return sum(size(path) for path in paths)


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name, but the one that starts the command."""
    found = {}
    for path in set(ROOT.rglob("*.py")) - {ROOT / "__main__.py"}:
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> dict[str, int]:
    """Modules of the package that a file imports, anywhere in it, and the line."""
    found = {}
    for node in statements(parsed(path)):
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
    assert {layer(name) for name in modules()} - {""} == {*rooms(), *BELOW}


def test_every_folder_says_what_it_is():
    folders = {path.parent for path in modules().values()}
    fronts = {folder: folder / "__init__.py" for folder in folders}
    assert [folder for folder, front in fronts.items() if not front.exists()] == []
    assert [folder for folder, front in fronts.items() if not ast.get_docstring(parsed(front))] == []


def test_sizes_are_as_the_table_has_them():
    for name, room in rooms().items():
        assert lines(ROOT / name, ".py") == pytest.approx(room.python, rel=STALE), f"lines of Python in {name}/"
        c = lines(ROOT / name, ".c", ".h", ".in")
        assert c == pytest.approx(room.c, rel=STALE, abs=60), f"lines of C in {name}/"


@pytest.mark.slow
def test_imports_point_down():
    known, table = modules(), rooms()
    for name, path in known.items():
        here = layer(name)
        if not here:
            continue
        allowed = table[here].imports if here in table else set(BELOW)
        for other, line in imports(path, known).items():
            front_door = here == "cli" and other == "symbody"  # the command prints its version
            assert layer(other) in allowed or front_door, f"{path}:{line}: {here} imports {layer(other) or 'symbody'}"


def machine_folders() -> list[Path]:
    """Folders of machines; `textbook/` is a collection of small models."""
    return [path.parent for path in sorted((ROOT / "machines").glob("*/__init__.py")) if path.parent.name != "textbook"]


def too_big(folder: Path) -> str | None:
    """Why a machine's folder breaks the limits of files and lines; None if it keeps them."""
    files, count = len(list(folder.rglob("*.py"))), lines(folder, ".py")
    if files > MACHINE_FILES or count > MACHINE_LINES:
        return f"{folder.name}: {files} files, {count} lines (move shared code into a room)"
    return None


def foreign_machines(name: str, imported: Iterable[str]) -> list[str]:
    """Modules of other machines among the imports of a module of `symbody.machines`."""
    own = name.split(".")[2]
    folders = {path.name for path in (*machine_folders(), ROOT / "machines" / "textbook")}
    parts = [other.split(".") for other in imported if other.startswith("symbody.machines.")]
    return [".".join(one) for one in parts if one[2] in folders and one[2] != own]


def test_machines_are_small():
    assert [reason for folder in machine_folders() if (reason := too_big(folder))] == []


def test_no_machine_imports_another():
    known = modules()
    inside = {
        name: path for name, path in known.items() if name.count(".") > 2 and name.startswith("symbody.machines.")
    }
    found = {name: foreign_machines(name, imports(path, known)) for name, path in inside.items()}
    assert {name: others for name, others in found.items() if others} == {}


def test_a_machine_that_is_too_big_or_imports_another_would_be_found(tmp_path):
    for k in range(MACHINE_FILES + 1):
        (tmp_path / f"part{k}.py").write_text("")
    assert "13 files" in too_big(tmp_path)
    (tmp_path / "part0.py").unlink()
    assert too_big(tmp_path) is None
    (tmp_path / "part1.py").write_text("x = 1\n" * (MACHINE_LINES + 1))
    assert "1001 lines" in too_big(tmp_path)
    imported = ["symbody.machines.crane.model", "symbody.machines.car.model", "symbody.machines.twin_plots"]
    assert foreign_machines("symbody.machines.car.page", imported) == ["symbody.machines.crane.model"]


GENERAL = {  # parts of machines in a room that one machine uses so far
    "machines.platform_calibration": "pages of any hexapod; they need the studio, which `motion/` may not import",
    "vehicles.drive_line": "diesel, clutch, gears and brakes of any vehicle",
    "vehicles.obstacle": "an obstacle with its contact law, for any vehicle with the contour of a car",
    "vehicles.preview_driver": "a driver of any vehicle with a steering wheel",
    "vehicles.pedals": "throttle and brake of any vehicle",
    "vehicles.road_scenery": "looks of a road with its obstacle",
    "vehicles.suspension_energy": "account of the energy of any suspension",
    "vehicles.wheel_looks": "looks of any wheel",
}


def users_of_rooms(graph: dict[str, set[str]], machines: Iterable[str]) -> dict[str, set[str]]:
    """The machines that import each module between the rooms and the machines, directly or through other modules."""
    found: dict[str, set[str]] = {}
    for name in graph:
        owner = name.split(".")[2] if name.startswith("symbody.machines.") else ""
        if owner not in machines:
            continue
        queue, seen = [name], set()
        while queue:
            for other in graph[queue.pop()] - seen:
                seen.add(other)
                queue.append(other)
        for other in seen:
            found.setdefault(other, set()).add(owner)
    return found


def test_a_part_of_one_machine_in_a_room_is_general():
    """Code for one machine stays with that machine, unless other machines of its kind could use it."""
    known = modules()
    graph = {name: set(imports(path, known)) - {name} for name, path in known.items()}
    folders = {path.name for path in (*machine_folders(), ROOT / "machines" / "textbook")}
    users = users_of_rooms(graph, folders)
    parts = [name for name in known if re.match(r"symbody\.((vehicles|hydraulics)\.\w+|machines\.\w+)$", name)]
    alone = {name.removeprefix("symbody.") for name in parts if len(users.get(name, ())) == 1}
    assert alone - {f"machines.{folder}" for folder in folders} == set(GENERAL)


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
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(name)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_modules_that_generate_code_import_no_others():
    """The keys of generated code contain these modules only."""
    known = modules()
    generating = [name for name in known if is_generating(name) and "." in name]
    assert {layer(name) for name in generating} >= set(GENERATING)
    fronts = {"symbody", "symbody.lazy_imports"}
    found = {
        name: [o for o in imports(known[name], known) if not is_generating(o) and o not in fronts]
        for name in generating
    }
    assert {name: others for name, others in found.items() if others} == {}


def test_graph_and_model_know_nothing_of_each_other():
    for folder, foreign in (("expr", "symbody.model"), ("model", "symbody.expr")):
        for path in (ROOT / folder).rglob("*.py"):
            assert foreign not in path.read_text(encoding="utf-8"), path


def fresh(code: str) -> str:
    """What a new Python prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_what_is_slow_to_import_waits_until_it_is_needed():
    late = ("numpy", "scipy", "matplotlib", "websockets", "yaml")
    assert fresh(f"import sys, symbody; print([name for name in {late} if name in sys.modules])") == "[]\n"
    serving = "import sys, symbody.studio.server; from symbody.cli import parser; parser(['studio'])"
    assert fresh(f"{serving}; print([x for x in ('numpy', 'yaml', 'scipy') if x in sys.modules])") == "[]\n"
    every = "import sys, symbody; [getattr(symbody, name) for name in symbody.__all__]"
    assert fresh(f"{every}; print([x for x in ('scipy', 'matplotlib') if x in sys.modules])") == "[]\n"


@pytest.mark.parametrize("package", stubs.LAZY)
def test_type_checkers_see_the_names_of_the_table(package):
    """`python tests/stubs.py` writes the stubs again."""
    assert stubs.path(package).read_text(encoding="utf-8") == stubs.stub(package)


def test_a_package_does_not_take_the_place_of_a_function():
    code = "import symbody as sb; import symbody.system.trace; print(callable(sb.system), sb.system.__name__)"
    assert fresh(code) == "True system\n"
    assert fresh("from symbody import *; print(system.__name__, fit.__name__)") == "system fit\n"
