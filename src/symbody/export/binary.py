"""The shared library of an FMU, for the platform on which it is exported."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from symbody.codegen.compiler import CURE, find_compiler, flags, run
from symbody.errors import CompileError

_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}
_SYSTEM = {"win32": "windows", "darwin": "darwin"}
_FMI2 = {"win32": "win", "darwin": "darwin"}


def binary_place(version: int, name: str) -> str:
    """The path of the library for this platform in the FMU."""
    if version == 2:
        folder = f"{_FMI2.get(sys.platform, 'linux')}{'64' if sys.maxsize > 2**32 else '32'}"
    else:
        machine = platform.machine().lower()
        word = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}.get(machine, machine)
        folder = f"{word}-{_SYSTEM.get(sys.platform, 'linux')}"
    return f"binaries/{folder}/{name}{_SUFFIX.get(sys.platform, '.so')}"


def shared_library(sources: Mapping[str, str], jobs: Mapping[str, tuple[int, str]]) -> bytes:
    """Compile C files into a library for any processor of this architecture.

    jobs: for each file to compile, the number of units it may be divided into, and the level of optimisation.
    """
    compiler = find_compiler()
    if compiler is None:
        raise CompileError(f"no C compiler was found for the binary of the FMU ({CURE}; or use binary=False)")
    with tempfile.TemporaryDirectory(prefix="symbody-fmu-") as name:
        folder = Path(name)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        hidden = [] if sys.platform == "win32" else ["-fvisibility=hidden"]  # two FMUs may have equal internal names
        commands, objects = [], []
        for file, (units, level) in jobs.items():
            for unit in range(units):
                cut = [f"-DSYMBODY_UNIT={unit}"] if units > 1 else []
                objects.append(str(folder / f"{file}.{unit}.o"))
                commands.append([*compiler, *flags(level), *hidden, *cut, "-c", str(folder / file), "-o", objects[-1]])
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(run, commands))
        library = folder / "library"
        run([*compiler, "-shared", *objects, "-o", str(library), "-lm"])
        return library.read_bytes()
