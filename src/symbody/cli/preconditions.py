"""Checks before long work: required packages are installed, and the output folder is writable."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from symbody.errors import ModelError
from symbody.output_file import make_folder

# Purposes that need an optional package: the module, and the name to install.
EXTRAS = {
    "a picture": ("matplotlib", "symbody[plot]"),
    ".gif": ("PIL", "symbody[plot]"),
    ".mp4": ("imageio_ffmpeg", "symbody[video]"),
    ".parquet": ("pyarrow", "symbody[parquet]"),
    ".mcap": ("mcap", "symbody[mcap]"),
    "cvode": ("sksundae", "symbody[sundials]"),
    "dds": ("cyclonedds", "symbody[ros]"),
    "serial": ("serial", "symbody[serial]"),
    "canopen": ("canopen", "symbody[canopen]"),
    "a photograph": ("playwright", "symbody[dev]"),
}


def require_extra(purpose: str, instead: str = "") -> None:
    """Raise if the purpose needs a package that is not installed. Purposes outside EXTRAS pass."""
    problem = missing_extra(purpose)
    if problem:
        cure = f"pip install '{EXTRAS[purpose][1]}'" + (f", or {instead}" if instead else "")
        raise ModelError(problem, element=purpose, cure=cure)


def missing_extra(purpose: str) -> str:
    """A sentence that names the missing package of a purpose; empty if nothing is missing."""
    module = EXTRAS.get(purpose, ("",))[0]
    return f"{purpose} needs {module}, which is not installed" if module and find_spec(module) is None else ""


def free_path(path: Path) -> Path:
    """The path, or NAME-2, NAME-3 … if it exists. The file is created at once, so that no other process takes it."""
    for k in count(1):
        free = path if k == 1 else path.with_stem(f"{path.stem}-{k}")
        with suppress(FileExistsError):
            free.touch(exist_ok=False)
            return free
    raise AssertionError  # unreachable: count() never ends


def output_folder(path: str | Path, option: str = "-o") -> Path:
    """The folder for results; it is created if needed. Raises if it cannot be created or is not writable."""
    folder, cure = Path(path), f"give another folder with {option}"
    try:
        make_folder(folder)
    except (OSError, ValueError) as error:
        raise ModelError(f"the folder cannot be created: {error}", element=str(folder), cure=cure) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ModelError("the folder is not writable", element=str(folder), cure=cure)
    return folder


@contextmanager
def results_folder(path: str | Path) -> Iterator[Path]:
    """`output_folder` for a command that may still reject its arguments: a new, empty folder is then removed."""
    new = not Path(path).exists()
    folder = output_folder(path)
    try:
        yield folder
    except ModelError:
        with suppress(OSError):  # a folder with files stays
            if new:
                folder.rmdir()
        raise
