"""Sections of docstrings in NumPy's form: which public names have them, and which need them.

`python tests/docstring_sections.py` prints the table and what is missing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Container, Iterable
from enum import Enum
from functools import cache
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
    """Names of the parameters of a function or class, without *, ** and private ones."""
    if inspect.isclass(found) and issubclass(found, Enum):
        return []
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        p.name for p in signature.parameters.values() if p.kind not in kinds and p.name != "self" and p.name[0] != "_"
    ]


def _returns(found: Any) -> bool:
    try:
        returned = inspect.signature(found).return_annotation
    except (TypeError, ValueError):
        return False
    return returned not in (None, "None", inspect.Signature.empty)


def _raises(found: Any) -> bool:
    """Whether its own code has a `raise` of an error."""
    try:
        return bool(re.search(r"^\s+raise \w+\(", inspect.getsource(found), re.MULTILINE))
    except (OSError, TypeError):
        return False


def needed(found: Any) -> set[str]:
    """The sections that the docstring of a public name needs."""
    if not callable(found) or (inspect.isclass(found) and issubclass(found, BaseException)):
        return set()
    function = not inspect.isclass(found)
    wanted = {
        "Parameters": bool(parameters(found)),
        "Returns": function and _returns(found),
        "Raises": function and _raises(found),
        "Examples": True,
    }
    return {title for title, asked in wanted.items() if asked}


def example_names(text: str) -> set[str]:
    """Names in the lines of a docstring that Python runs."""
    return set(re.findall(r"\w+", "\n".join(re.findall(r"^\s*(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE))))


def missing(found: Any, used: Container[str] = ()) -> dict[str, str]:
    """The sections that are missing, or have no entry for a parameter: the reason by title.

    used: names in the examples of its module; one of them needs no examples of its own.
    """
    have = sections(found.__doc__ or "")
    lacking = dict.fromkeys(needed(found) - have.keys(), "no section")
    if found.__name__ in used:
        lacking.pop("Examples", None)
    if "Parameters" in needed(found) & have.keys():
        lost = [name for name in parameters(found) if name not in documented(have["Parameters"])]
        lacking |= {"Parameters": ", ".join(lost)} if lost else {}
    return lacking


def coverage(names: Iterable[tuple[str, Any]]) -> dict[str, dict[str, tuple[int, int]]]:
    """For each module and section: names that have it, names that need it."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for module, member in names:
        lost = missing(member, module_examples().get(module, ()))
        row = found.setdefault(module, dict.fromkeys(SECTIONS, (0, 0)))
        for title in needed(member):
            have, need = row[title]
            row[title] = have + (title not in lost), need + 1
    return found


def table(found: dict[str, dict[str, tuple[int, int]]]) -> str:
    """The coverage as text."""
    lines = [f"{'module':34}" + "".join(f"{title:>14}" for title in SECTIONS)]
    for module, row in found.items():
        lines.append(f"{module:34}" + "".join(f"{have:>8} / {need:<3}" for have, need in row.values()))
    totals = [[sum(row[title][k] for row in found.values()) for k in (0, 1)] for title in SECTIONS]
    lines.append(f"{'all':34}" + "".join(f"{have:>8} / {need:<3}" for have, need in totals))
    return "\n".join(lines)


def public_members() -> list[tuple[str, Any]]:
    """Each public function and class once, with its first module."""
    from test_public_modules import MODULES, NAMES

    seen: dict[int, tuple[str, Any]] = {}
    for module, name in NAMES:
        member = getattr(MODULES[module], name)
        if callable(member) and not name.isupper():
            seen.setdefault(id(member), (module, member))
    return list(seen.values())


@cache
def module_examples() -> dict[str, set[str]]:
    """For each public module: names in the examples of its docstring and of the names that it lists first.

    The front door `symbody` is left out: each of its names has examples of its own.
    """
    from test_public_modules import MODULES

    found = {module: example_names(vars(MODULES[module]).get("__doc__") or "") for module in MODULES}
    for module, member in public_members():
        found[module] |= example_names(member.__doc__ or "")
    return {module: names for module, names in found.items() if module != "symbody"}


if __name__ == "__main__":
    for module, member in public_members():
        if lost := missing(member, module_examples().get(module, ())):
            print(f"{module}.{member.__name__}: {lost}")
    print(table(coverage(public_members())))
