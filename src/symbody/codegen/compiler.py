"""Finding and running the machine's C compiler."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from symbody.codegen.ownership import open_owned
from symbody.errors import CompileError

CURE = "install a C compiler, or `pip install symbody[cc]`"
# fused multiply-adds are wanted; NaN and inf must stay visible, so never -ffast-math
NUMERICS = ("-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
LIBRARY = ".dll" if sys.platform == "win32" else ".so"
TIME_LIMIT = 3600.0  # seconds for one call of the compiler
LONG = 6000  # statements above which compile time matters more than the last percents of speed


def find_compiler() -> list[str] | None:
    """Command of the C compiler: $CC, cc, gcc, clang, or the pip-installable one; None if there is none."""
    chosen = os.environ.get("CC")
    if chosen:
        words = shlex.split(chosen)
        if shutil.which(words[0]) is None:
            raise CompileError(f"$CC is {chosen!r}, which cannot be run ({CURE})")
        return words
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    return [sys.executable, "-m", "ziglang", "cc"] if importlib.util.find_spec("ziglang") else None


def identity(command: Sequence[str]) -> str:
    """What a compiled file depends on besides its source: the compiler file and the processor."""
    program = Path(shutil.which(command[0]) or command[0]).resolve()
    stat = program.stat()
    zig = _zig_version() if "ziglang" in command else ""
    return repr((list(command), str(program), stat.st_size, stat.st_mtime_ns, zig, _processor()))


def _zig_version() -> str:
    from importlib.metadata import version  # here, because this import takes a while

    return version("ziglang")


@cache
def _processor() -> str:
    """Name and features of the processor, as used by `-march=native`."""
    wanted = ("model name", "flags", "features", "cpu implementer", "cpu part", "cpu variant", "isa")
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").lower().splitlines()
    except OSError:
        lines = []
    facts = sorted({line for line in lines if line.startswith(wanted)})
    return f"{sys.platform} {platform.machine()} {platform.processor()} {facts}"


def run(command: Sequence[str], **how: Any) -> None:
    """Run a compiler; `how`: options of `subprocess.run`. Its output is in the error."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=TIME_LIMIT, **how
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise CompileError(f"the C compiler could not be run: {' '.join(command)}", str(problem)) from problem
    if done.returncode:
        raise CompileError(
            f"the C compiler failed ({done.returncode}): {' '.join(command)}", (done.stdout + done.stderr)[-20000:]
        )


# Optimisation levels. Long programs skip the most expensive passes. gcc forms fused multiply-adds in
# -fexpensive-optimizations, which is worth 20 % of the speed.
LEVELS = {"full": ["-O3"], "light": ["-O1", "-fexpensive-optimizations", "-ftree-vectorize"]}


def level_of(statements: int) -> str:
    """The optimisation level of a program with this many statements."""
    return "full" if statements <= LONG else "light"


def flags(level: str) -> list[str]:
    return [*LEVELS[level], "-std=gnu99", *NUMERICS, *([] if sys.platform == "win32" else ["-fPIC"])]


Step = tuple[Sequence[str], Path]  # a command, and the file that it makes


def build_library(
    command: Sequence[str],
    source: Path,
    library: Path,
    level: str,
    units: int,
    include: Sequence[Path] = (),
    objects: Path | None = None,
    make_all: Callable[[Sequence[Step]], None] | None = None,
) -> None:
    """Compile one source into a shared library, its units in parallel; without -march=native if that is not supported.

    objects: a folder for the compiled units, which may have those of an earlier try; make_all: runs steps in any order.
    """
    more = [f"-I{path}" for path in include]
    if include and sys.platform == "darwin":
        more += ["-undefined", "dynamic_lookup"]  # for a Python extension, found in the process
    for native in (["-march=native"], ["-mcpu=native"], []):
        options = [*flags(level), *more, *native]
        try:
            return _build(command, source, library, options, units, objects or source.parent, make_all or _side_by_side)
        except CompileError:
            if not native or _accepts(command, native):
                raise
    return None


def _side_by_side(steps: Sequence[Step]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda step: run([*step[0], "-o", str(step[1])]), steps))


def _accepts(command: Sequence[str], options: Sequence[str]) -> bool:
    """Whether a trivial program compiles with these options, so that the source is the cause of a failure."""
    done = subprocess.run(
        [*command, *options, "-x", "c", "-E", "-"], input="int x;", capture_output=True, text=True, timeout=TIME_LIMIT
    )
    return done.returncode == 0


def _is_ours(path: Path) -> bool:
    """Whether a compiled unit of an earlier try is there, and nobody else may have written it."""
    try:
        os.close(open_owned(path))
    except FileNotFoundError:
        return False
    except OSError:
        path.unlink()
        return False
    return True


def _build(
    command: Sequence[str],
    source: Path,
    library: Path,
    options: Sequence[str],
    units: int,
    objects: Path,
    make_all: Callable[[Sequence[Step]], None],
) -> None:
    link = [*command, *options, "-shared"]
    if units == 1:
        return make_all([([*link, str(source), "-lm"], library)])
    compile = [*command, *options, "-c", str(source)]
    made = [objects / f"{i}.o" for i in range(units)]
    make_all([([*compile, f"-DSYMBODY_UNIT={i}"], path) for i, path in enumerate(made) if not _is_ours(path)])
    make_all([([*link, *map(str, made), "-lm"], library)])
    for path in made:
        path.unlink()
    return None
