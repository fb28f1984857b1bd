"""C functions of the package, called by themselves: no clock, no model, and numbers that have no rounding errors."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from symbody.codegen.cache import digest
from symbody.codegen.compiler import find_compiler
from symbody.codegen.includes import ROOT, TranslationUnit
from symbody.codegen.loading import open_library
from symbody.codegen.mirror import check_layout, layout_table
from symbody.codegen.tiers import Code, library

CHECKED = (
    "-std=gnu99", "-O1", "-shared", "-fPIC", "-fsanitize=bounds", "-fsanitize-undefined-trap-on-error",
)  # fmt: skip


def c_functions(file, text, *structures, before="", checked=False):
    """A library of a C file of the package (`motion/control/hold.h`), text before it, and functions that use it.

    checked: a process ends at an index beyond an array. This needs a compiler.
    """
    with tempfile.TemporaryDirectory() as folder:
        whole, made = Path(folder, "functions.c"), Path(folder, "functions.so")
        whole.write_text(f'{before}\n#include "{ROOT / file}"\n{text}\n{layout_table(structures)}')
        if checked:
            command = find_compiler() or pytest.skip("needs a C compiler")
            subprocess.run([*command, *CHECKED, "-o", str(made), str(whole), "-lm"], check=True)
            loaded = ctypes.CDLL(str(made))
        else:
            pasted = TranslationUnit().paste(whole)
            code = Code(digest(pasted), lambda: {"functions.c": pasted}, 1000)
            loaded = open_library(library(code)[0].path)
    check_layout(loaded, file, structures)
    return loaded


def ends_well(act):
    """Whether a function returns in a forked process."""
    child = os.fork()
    if child == 0:
        status = 1
        with suppress(BaseException):
            act()
            status = 0
        os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def same(found, wanted):
    """Whether numbers are the same but for rounding; NaN is NaN."""
    pairs = zip(found, wanted, strict=True)
    return all(a == b or abs(a - b) <= 1e-12 * max(1.0, abs(b)) or (a != a and b != b) for a, b in pairs)


def eight(rng, *values):
    """Eight of these values, by chance."""
    return rng.choice(values, 8).tolist()
