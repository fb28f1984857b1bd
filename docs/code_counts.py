"""Count rooms, lines, headers and interfaces of the package at some commits: `python docs/code_counts.py 395b405 HEAD`.

The rows are those of docs/contributing-rooms.md. Each commit is unpacked into a temporary folder.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
MANY = 12  # parameters of a function
CHECK = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]  # as in tests/codegen/test_headers.py


def unpacked(commit: str, folder: Path) -> Path:
    """The package at a commit."""
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
    return folder / "src" / "symbody"


def lines(paths: list[Path]) -> int:
    """Lines of files, as `wc -l` counts them."""
    return sum(path.read_bytes().count(b"\n") for path in paths)


def machines(package: Path) -> dict[str, list[Path]]:
    """Python files of each folder of a machine."""
    fronts = [path for path in (package / "machines").glob("*/__init__.py") if path.parent.name != "textbook"]
    return {path.parent.name: sorted(path.parent.rglob("*.py")) for path in fronts}


def imports_of_others(folders: dict[str, list[Path]]) -> int:
    """Imports from one machine to another: (importing module, imported module), each once."""
    found = set()
    for name, paths in folders.items():
        for path in paths:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                parts = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
                if parts[:2] == ["symbody", "machines"] and len(parts) > 2 and parts[2] in folders and parts[2] != name:
                    found.add((path, node.module))
    return len(found)


def parameter_counts(package: Path) -> Iterator[int]:
    """Number of parameters of each public function, method and constructor."""
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
                names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                yield len(names) - (names[:1] in (["self"], ["cls"]))


def counts(package: Path) -> dict[str, int | str]:
    """The rows of the table."""
    python, headers, folders = list(package.rglob("*.py")), list(package.rglob("*.h")), machines(package)
    alone = sum(subprocess.run([*CHECK, str(path)], capture_output=True).returncode == 0 for path in headers)
    largest = max(folders, key=lambda name: lines(folders[name]))
    parameters = list(parameter_counts(package))
    return {
        "rooms": sum((path / "__init__.py").exists() for path in package.iterdir()),
        "modules": len(python),
        "lines of Python": lines(python),
        "lines of C": lines([path for path in package.rglob("*") if path.suffix in (".c", ".h", ".in")]),
        "headers that compile alone, of all": f"{alone} of {len(headers)}",
        "built-in machines with a folder": len(folders),
        "largest machine": f"{largest}: {lines(folders[largest])} lines, {len(folders[largest])} files",
        "machines over 1000 lines or 12 files": sum(lines(own) > 1000 or len(own) > 12 for own in folders.values()),
        "imports from one machine to another": imports_of_others(folders),
        f"functions with more than {MANY} parameters": sum(count > MANY for count in parameters),
        "most parameters of a function": max(parameters),
    }


def main(commits: list[str]) -> None:
    """Print the table."""
    columns = []
    for commit in commits:
        with TemporaryDirectory() as folder:
            columns.append(counts(unpacked(commit, Path(folder))))
    print(f"| | {' | '.join(commits)} |\n|---|{'---|' * len(commits)}")
    for row in columns[0]:
        print(f"| {row} | {' | '.join(str(column[row]) for column in columns)} |")


if __name__ == "__main__":
    main(sys.argv[1:] or ["395b405", "HEAD"])
