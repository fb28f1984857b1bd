"""Generated C with its parts pasted where they are called, for TinyCC.

TinyCC computes the address of an argument's element in three instructions, and that of a local array or value in none.
So one long function runs 1.1 to 2.3 times as fast as its parts; gcc needs the parts.
"""

from __future__ import annotations

import re

LONGEST = 40_000  # statements of one function: each has eight bytes of the stack

_PROTOTYPE = re.compile(r"^PART void \w+\([^{;]*\);\n", re.MULTILINE)
_PART = re.compile(r"^PART void (\w+)\(([^{;]*)\)\n\{\n(.*?)^\}\n(?=PART |#|static |void )", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^(\w+)\([^;]*\);\n", re.MULTILINE)
_ARGUMENT = re.compile(r"\b(w_*)\[restrict")
_OWN_ARRAY = re.compile(r"^real (w_*)\[\d+\];\n", re.MULTILINE)


def joined(text: str) -> str:
    """Bare C (`stripped_source.bare`) without parts; as it is, if it has none or a function would become too long."""
    found = list(_PART.finditer(text))
    bodies = {part[1]: part[3] for part in found}
    if not found or sum(body.count("const real ") for body in bodies.values()) > LONGEST:
        return text
    whole = _CALL.sub(lambda call: bodies.get(call[1], call[0]), _PART.sub("", _PROTOTYPE.sub("", text)))
    passed, taken = "".join(part[2] for part in found), set(_ARGUMENT.findall(whole))
    shared = [name for name in _OWN_ARRAY.findall(whole) if f"real {name}[restrict" in passed and name not in taken]
    return _without_workspace(whole, max(shared, key=len)) if shared else whole


def _without_workspace(text: str, w: str) -> str:
    """Values that parts hand to later ones, by their own names."""
    kept: dict[str, str] = {}

    def value(found: re.Match[str]) -> str:
        place, stored = found.groups()
        if stored is None:
            return kept[place]
        kept[place] = stored
        return ""

    text = re.sub(rf"^real {w}\[\d+\];\n", "", text, flags=re.MULTILINE)
    return re.sub(rf"\b{w}\[(\d+)\](?: = (\w+);\n)?", value, text)
