"""What is asked before work begins: packages that are needed at its end, and a folder that can be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
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
    module, extra = EXTRAS.get(purpose, ("", ""))
    if module and find_spec(module) is None:
        cure = f"pip install '{extra}'" + (f", or {instead}" if instead else "")
        raise ModelError(f"{purpose} needs {module}, which is not installed", element=purpose, cure=cure)


def output_folder(path: str | Path) -> Path:
    """A folder for results, made where it is not there; refused where nothing can be written into it."""
    folder, cure = Path(path), "give another folder with -o"
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
