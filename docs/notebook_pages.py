"""Notebooks of docs/notebooks, run from a clean start: as pages with their outputs for the site, and by the tests.

Cells run in one namespace, in order, in an empty folder; nothing of Jupyter is needed. Outputs are what a cell prints,
the value of its last line, and the figures that it draws.
"""

from __future__ import annotations

import ast
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent / "notebooks"


@dataclass
class Cell:
    """A cell: Markdown, or code with what it printed and drew."""

    kind: str
    text: str
    printed: str = ""
    figures: list[bytes] = field(default_factory=list)


def cells(notebook: Path) -> list[Cell]:
    """The cells of a notebook."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [Cell(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]


def lacking(notebook: Path) -> list[str]:
    """Modules and distributions that a notebook needs (`symbody.needs` of its metadata) and that are not installed."""
    metadata = json.loads(notebook.read_text(encoding="utf-8")).get("metadata", {})
    return [name for name in metadata.get("symbody", {}).get("needs", ()) if not _installed(name)]


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None or bool(distribution(name))
    except (ModuleNotFoundError, PackageNotFoundError):
        return False


def run_notebook(notebook: Path, folder: Path) -> list[Cell]:
    """All cells with their outputs; an error names the notebook and the cell."""
    import matplotlib

    matplotlib.use("Agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    found = cells(notebook)
    with _inside(folder):
        for k, cell in enumerate(found, 1):
            if cell.kind != "code":
                continue
            told = io.StringIO()
            try:
                with redirect_stdout(told):
                    _run(cell.text, names, f"{notebook.name}, cell {k}")
            except Exception as error:
                raise RuntimeError(f"{notebook.name}, cell {k}: {error}") from error
            cell.printed, cell.figures = told.getvalue(), list(_figures())
    return found


def page(found: list[Cell], name: str, folder: Path) -> str:
    """A notebook as Markdown; its figures are written beside it."""
    parts = []
    for k, cell in enumerate(found, 1):
        if cell.kind == "markdown":
            parts.append(cell.text)
            continue
        parts.append(f"```python\n{cell.text}\n```")
        if cell.printed.strip():
            parts.append(f"```text\n{cell.printed.rstrip()}\n```")
        for n, figure in enumerate(cell.figures, 1):
            picture = f"{name}-{k}-{n}.png"
            (folder / picture).write_bytes(figure)
            parts.append(f"![what cell {k} draws]({picture})")
    return "\n\n".join(parts) + "\n"


def write_pages(folder: Path, work: Path) -> None:
    """All notebooks as pages in a folder."""
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        missing = lacking(notebook)
        text = page(cells(notebook) if missing else run_notebook(notebook, work), notebook.stem, folder)
        if missing:
            text += f"\nThis page shows no results: {', '.join(missing)} was not installed when it was made.\n"
        (folder / f"{notebook.stem}.md").write_text(text, encoding="utf-8")


def _run(text: str, names: dict[str, Any], title: str) -> None:
    """Run a cell; the value of a last line that is an expression is printed, as a notebook shows it."""
    tree = ast.parse(text, title)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, title, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), title, "eval"), names)
        drawing = (
            text.rstrip().endswith(";") or type(value).__module__.startswith("matplotlib") or isinstance(value, list)
        )
        if value is not None and not drawing:
            print(value)


def _figures() -> Iterator[bytes]:
    """The figures that are open, as PNG; they are closed."""
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        held = io.BytesIO()
        plt.figure(number).savefig(held, dpi=80)
        yield held.getvalue()
    plt.close("all")


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
