"""What is asked before work begins: packages that are needed at its end, and a folder that can be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from symbody.errors import ModelError

# What needs a package that is no part of a plain installation: the module, and what brings it.
EXTRAS = {
    "a picture": ("matplotlib", "symbody[plot]"),
    ".gif": ("PIL", "symbody[plot]"),
    ".mp4": ("imageio_ffmpeg", "symbody[video]"),
    ".parquet": ("pyarrow", "symbody[parquet]"),
    ".mcap": ("mcap", "symbody[mcap]"),
    "cvode": ("sksundae", "symbody[sundials]"),
    "dds": ("cyclonedds", "symbody[ros]"),
    "serial": ("serial", "symbody[serial]"),
    "a photograph": ("playwright", "symbody[dev]"),
}


def require_extra(purpose: str, instead: str = "") -> None:
    """Refuse what needs a package that is not installed; anything else passes."""
    problem = missing_extra(purpose)
    if problem:
        cure = f"pip install '{EXTRAS[purpose][1]}'" + (f", or {instead}" if instead else "")
        raise ModelError(problem, element=purpose, cure=cure)


def missing_extra(purpose: str) -> str:
    """What is not installed that a purpose needs, in words; empty where nothing is missing."""
    module = EXTRAS.get(purpose, ("",))[0]
    return f"{purpose} needs {module}, which is not installed" if module and find_spec(module) is None else ""


def free_path(path: Path) -> Path:
    """The path, or NAME-2, NAME-3 … where it is taken; the file is made at once, so that nobody else takes it."""
    for k in count(1):
        free = path if k == 1 else path.with_stem(f"{path.stem}-{k}")
        with suppress(FileExistsError):
            free.touch(exist_ok=False)
            return free
    raise AssertionError  # never: count has no end


def output_folder(path: str | Path, option: str = "-o") -> Path:
    """A folder for results, made where it is not there; refused where nothing can be written into it."""
    folder, cure = Path(path), f"give another folder with {option}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be made: {error}", element=str(folder), cure=cure) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ModelError("cannot be written", element=str(folder), cure=cure)
    return folder


@contextmanager
def results_folder(path: str | Path) -> Iterator[Path]:
    """The same for a command that may still refuse its arguments: nothing is left of an empty folder then."""
    new = not Path(path).exists()
    folder = output_folder(path)
    try:
        yield folder
    except ModelError:
        with suppress(OSError):  # what holds something stays
            if new:
                folder.rmdir()
        raise
