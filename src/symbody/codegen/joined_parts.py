"""Generated C with its parts pasted where they are called, for TinyCC.

TinyCC computes the address of an argument's element in three instructions, and that of a local array or value in none.
So one long function runs 1.1 to 2.3 times as fast as its parts; gcc needs the parts.
"""

from __future__ import annotations

import re

LONGEST = 40_000  # statements of one function: each has eight bytes of the stack

# Each pattern begins with fixed text: it is found faster than `^` or `\b`.
_PART = re.compile(r"PART void (\w+)\(([^{;]*)\)(;\n|\n\{\n)")
_AFTER = ("PART ", "#", "static ", "void ")  # what follows the end of a function
_CALL = re.compile(r"^(\w+)\([^;]*\);\n", re.MULTILINE)
_ARGUMENT = re.compile(r"real (w_*)\[restrict")
_OWN_ARRAY = re.compile(r"\nreal (w_*)\[\d+\];")


def joined(text: str) -> str:
    """Bare C (`stripped_source.bare`) without parts; as it is, if it has none or a function would become too long."""
    rest, passed, bodies = _without_parts(text)
    if not bodies or sum(body.count("const real ") for body in bodies.values()) > LONGEST:
        return text
    whole = _CALL.sub(lambda call: bodies.get(call[1], call[0]), rest)
    taken = set(_ARGUMENT.findall(whole))
    shared = [name for name in _OWN_ARRAY.findall(whole) if f"real {name}[restrict" in passed and name not in taken]
    return _without_workspace(whole, max(shared, key=len)) if shared else whole


def _without_parts(text: str) -> tuple[str, str, dict[str, str]]:
    """The text without parts and their prototypes; the arguments of all parts; the body of each."""
    rest, passed, bodies, end = [], [], {}, 0
    for found in _PART.finditer(text):
        start, stop = found.span()
        if text[start - 1] != "\n" or start < end:
            continue
        rest.append(text[end:start])
        if found[3] == ";\n":
            end = stop
            continue
        last = text.find("\n}\n", stop - 1)
        while last >= 0 and not text.startswith(_AFTER, last + 3):  # the end of a block inside
            last = text.find("\n}\n", last + 2)
        if last < 0:
            end = start
            continue
        passed.append(found[2])
        bodies[found[1]] = text[stop : last + 1]
        end = last + 3
    return "".join([*rest, text[end:]]), "".join(passed), bodies


def _without_workspace(text: str, w: str) -> str:
    """Values that parts hand to later ones, by their own names."""
    kept: dict[str, str] = {}

    def value(found: re.Match[str]) -> str:
        before = text[found.start() - 1]
        if before == "_" or before.isalnum():  # a longer name
            return found[0]
        place, stored = found.groups()
        if stored is None:
            return kept[place]
        kept[place] = stored
        return ""

    text = re.sub(rf"\nreal {w}\[\d+\];(?=\n)", "", text)
    return re.sub(rf"{w}\[(\d+)\](?: = (\w+);\n)?", value, text)
