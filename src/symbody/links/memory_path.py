"""The file of a shared memory by name."""

from __future__ import annotations

import tempfile
from pathlib import Path

from symbody.errors import ModelError
from symbody.safe_name import file_name


def memory_path(name: str) -> Path:
    """The file of a loop: in /dev/shm if it exists, which is memory only."""
    if file_name(name) != name:
        cure = f"use letters, digits, '_', '-' and '.', for example '{file_name(name)}'"
        raise ModelError("not a valid name for a loop", element=name, cure=cure)
    shm = Path("/dev/shm")
    return (shm if shm.is_dir() else Path(tempfile.gettempdir())) / f"symbody-{name}"
