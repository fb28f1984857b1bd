"""Structures of the C runtime that Python mirrors; offset and size of every field are compared with C at load."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from symbody.errors import CompileError

_TABLE = "mirrored_layout"


class Mirror(ctypes.Structure):
    """A structure of C in Python: `c_type` is its type there, and its fields have the same names."""

    c_type: ClassVar[str]


def layout_table(structures: Sequence[type[Mirror]]) -> str:
    """C that exports the layout of structures and of those within them: size, then offset and size of each field."""
    if not structures:
        return ""
    rows = []
    for kind in _each_once(structures):
        fields = [f"offsetof({kind.c_type}, {name}), sizeof((({kind.c_type} *)0)->{name})" for name, _ in _fields(kind)]
        rows.append(",\n    ".join([f"sizeof({kind.c_type})", *fields]))
    listed = ",\n    ".join(rows)
    return f"\n#include <stddef.h>\n#include <stdint.h>\nconst int64_t {_TABLE}[] = {{\n    {listed}\n}};\n"


def layout_assertions(structures: Sequence[type[Mirror]]) -> str:
    """C++ that compiles only if structures have the layout of their mirrors, for libraries that export no table."""
    rows = []
    for kind in _each_once(structures):
        for name, of in _fields(kind):
            offset, bytes_ = getattr(kind, name).offset, ctypes.sizeof(of)
            rows.append(f"__builtin_offsetof({kind.c_type}, {name}) == {offset}")
            rows.append(f"sizeof((({kind.c_type} *)0)->{name}) == {bytes_}")
        rows.append(f"sizeof({kind.c_type}) == {ctypes.sizeof(kind)}")
    return "".join(f'static_assert({row}, "{row} in Python");\n' for row in rows)


def check_layout(library: ctypes.CDLL, file: str, structures: Sequence[type[Mirror]]) -> None:
    """Raise an error that names the first field whose place in the library is not that in Python."""
    if not structures:
        return
    kinds = list(_each_once(structures))
    table = (ctypes.c_int64 * sum(1 + 2 * len(_fields(kind)) for kind in kinds)).in_dll(library, _TABLE)
    numbers = iter(table)
    for kind in kinds:
        size = next(numbers)
        for name, of in _fields(kind):
            c = next(numbers), next(numbers)
            python = getattr(kind, name).offset, ctypes.sizeof(of)
            if c != python:
                raise CompileError(
                    f"{file}: the field '{name}' of {kind.c_type} has offset {c[0]} and {c[1]} bytes in C, "
                    f"but offset {python[0]} and {python[1]} bytes in its mirror {kind.__name__}"
                )
        if size != ctypes.sizeof(kind):
            raise CompileError(
                f"{file}: {kind.c_type} has {size} bytes in C, but {ctypes.sizeof(kind)} in its mirror {kind.__name__}"
            )


def _fields(kind: type[Mirror]) -> list[tuple[str, Any]]:
    return [(field[0], field[1]) for field in kind._fields_]


def _each_once(structures: Sequence[type[Mirror]]) -> Iterator[type[Mirror]]:
    """Structures, and the structures that their fields are or contain."""
    found: dict[type[Mirror], None] = {}
    queue = list(structures)
    while queue:
        kind = queue.pop(0)
        if kind in found:
            continue
        found[kind] = None
        for _, of in _fields(kind):
            while issubclass(of, ctypes.Array):
                of = of._type_
            if issubclass(of, ctypes.Structure):
                assert issubclass(of, Mirror), f"{of.__name__} in {kind.__name__} is not checked"
                queue.append(of)
    return iter(found)
