"""C functions of the package, called by themselves: no clock, no model, and numbers that have no rounding errors."""

from __future__ import annotations

import tempfile
from pathlib import Path

from symbody.codegen.cache import digest
from symbody.codegen.includes import ROOT, TranslationUnit
from symbody.codegen.loading import open_library
from symbody.codegen.mirror import check_layout, layout_table
from symbody.codegen.tiers import Code, library


def c_functions(file, text, *structures, before=""):
    """A library of a C file of the package (`motion/control/hold.h`), text before it, and functions that use it."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "functions.c")
        whole.write_text(f'{before}\n#include "{ROOT / file}"\n{text}\n{layout_table(structures)}')
        pasted = TranslationUnit().paste(whole)
    made, _ = library(Code(digest(pasted), lambda: {"functions.c": pasted}, 1000))
    loaded = open_library(made.path)
    check_layout(loaded, file, structures)
    return loaded


def same(found, wanted):
    """Whether numbers are the same but for rounding; NaN is NaN."""
    pairs = zip(found, wanted, strict=True)
    return all(a == b or abs(a - b) <= 1e-12 * max(1.0, abs(b)) or (a != a and b != b) for a, b in pairs)


def eight(rng, *values):
    """Eight of these values, by chance."""
    return rng.choice(values, 8).tolist()
