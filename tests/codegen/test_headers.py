"""Every header of the C runtime compiles alone and may be included twice; every type is declared once."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import symbody
from symbody.codegen.compiler import find_compiler
from symbody.codegen.stripped_source import without_comments

ROOT = Path(symbody.__file__).parent
HEADERS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.h"))
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
OF_SYSTEM = "codegen/runtime/tiny/"  # in place of the system's, for TinyCC
TYPE = re.compile(r"typedef struct \w* ?\{[^{}]*\} (\w+);|typedef [^;{}]*?\(?\*?(\b\w+)\)?(?:\([^;]*\))?;")


def check(*arguments: str, text: str | None = None) -> str:
    """What the compiler complains about."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    done = subprocess.run([*compiler, *STRICT, *arguments], input=text, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def test_there_are_headers():
    assert len(HEADERS) > 50


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone_and_twice(header):
    assert check(str(ROOT / header)) == ""
    twice = f'#include "{ROOT / header}"\n' * 2
    assert check("-x", "c", "-", text=twice) == ""


def test_types_are_declared_once():
    declared: Counter[str] = Counter()
    for path in [*ROOT.rglob("*.h"), *ROOT.rglob("*.c")]:
        if OF_SYSTEM not in path.as_posix() and path.name not in ("caller.c", "xla.c"):
            text = without_comments(path.read_text(encoding="utf-8"))
            declared.update({struct or other for struct, other in TYPE.findall(text)})
    repeated = {name: count for name, count in declared.items() if count > 1}
    assert {"scene_t", "fixed_t", "advance_t", "advance_from_t", "stepper_t", "generated"} <= set(declared)
    assert not repeated
