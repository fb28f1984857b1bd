"""Sections of docstrings in NumPy's form: which public names have them, and which need them.

`python tests/docstring_sections.py` prints the table.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

SECTIONS = ("Parameters", "Returns", "Raises", "Examples")


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring, by title."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(section: str) -> set[str]:
    """Names that a section of parameters describes."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for line in lines for name in line.split(" : ")[0].split(",")}


def parameters(found: Any) -> list[str]:
    """Names of the parameters of a function or class without * and **."""
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [p.name for p in signature.parameters.values() if p.kind not in kinds and p.name != "self"]


def gives(found: Any) -> bool:
    """Whether a function returns something."""
    try:
        returned = inspect.signature(found).return_annotation
    except (TypeError, ValueError):
        return False
    return returned not in (None, "None", inspect.Signature.empty)


def missing(name: str, found: Any) -> Iterator[str]:
    """What the docstring of a public name lacks."""
    have = sections(found.__doc__ or "")
    if inspect.isclass(found) and issubclass(found, BaseException):
        return
    wanted = parameters(found)
    if wanted and (lost := [p for p in wanted if p not in documented(have.get("Parameters", ""))]):
        yield f"Parameters: {', '.join(lost)}"
    if not inspect.isclass(found) and gives(found) and "Returns" not in have and "Yields" not in have:
        yield "Returns"
    if "Examples" not in have:
        yield "Examples"


def table(names: Iterable[tuple[str, str, Any]]) -> str:
    counts: dict[str, list[int]] = {}
    for module, name, found in names:
        lacks = [x.split(":")[0] for x in missing(name, found)]
        for s in ("Parameters", "Returns", "Examples"):
            c = counts.setdefault(f"{module} {s}", [0, 0])
            c[1] += 1
            c[0] += s not in lacks
    return "\n".join(f"{k:50} {a}/{b}" for k, (a, b) in counts.items())


if __name__ == "__main__":
    from test_public_modules import MODULES, NAMES

    seen: dict[int, tuple[str, str, Any]] = {}
    for module, name in NAMES:
        found = getattr(MODULES[module], name)
        if callable(found) and not name.isupper():
            seen.setdefault(id(found), (module, name, found))
    print(table(seen.values()))
    print(len(seen), dataclasses.__name__)
