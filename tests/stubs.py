"""Stubs (.pyi) of the packages that import their names lazily, for type checkers: `python tests/stubs.py` writes them.

The table `_NAMES` in each `__init__.py` is the only list of names; tests/test_public_modules.py compares the stubs.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

LAZY = (
    "symbody",
    "symbody.elements",
    "symbody.links",
    "symbody.realtime",
    "symbody.studio",
    "symbody.terrain",
    "symbody.web",
)
WIDTH = 120
HEAD = "# Written by tests/stubs.py from the table in __init__.py.\n"


def order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order of ruff."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def wrapped(start: str, names: list[str], brackets: str) -> str:
    """A list on one line, or a name a line."""
    opening, closing = brackets
    line = f"{start}{', '.join(names)}" if opening == "(" else f"{start}{opening}{', '.join(names)}{closing}"
    if len(line) <= WIDTH:
        return line + "\n"
    return f"{start}{opening}\n" + "".join(f"    {name},\n" for name in names) + f"{closing}\n"


def stub(package: str) -> str:
    """The text of a package's stub."""
    here = import_module(package)
    names: dict[str, list[str]] = {}
    for name in here.__all__:
        names.setdefault(here._HOMES[name], []).append(name)
    text, lines = HEAD, []
    for attribute, module in here._MODULES.items():
        if attribute != "studio":
            parent = module.rpartition(".")[0]
            lines.append((parent, f"from {parent} import {attribute} as {attribute}\n"))
    for module, listed in names.items():
        lines.append((module, wrapped(f"from {module} import ", sorted(listed, key=order), "()")))
    called = "studio" in here._MODULES  # a package that can be called: no stub can say so
    text += "from typing import Any\n\n" if called else ""
    text += "".join(line for _, line in sorted(lines))
    text += "\n__version__: str\n" if hasattr(here, "__version__") else ""
    text += "studio: Any\n" if called else ""
    return text + "\n" + wrapped("__all__ = ", [f'"{name}"' for name in sorted(here.__all__, key=order)], "[]")


def path(package: str) -> Path:
    """Where a package's stub is."""
    return Path(str(import_module(package).__file__)).with_suffix(".pyi")


if __name__ == "__main__":
    for package in LAZY:
        path(package).write_text(stub(package), encoding="utf-8")
