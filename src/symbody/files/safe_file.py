"""Safe files: limited reading, errors that name the file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PureWindowsPath

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget

MAX_BYTES = 20_000_000  # about 50 000 bodies; a larger file is a mistake or an attack

FilePath = str | os.PathLike[str]


@contextmanager
def naming(path: FilePath) -> Iterator[None]:
    """Add the file's name to every ModelError that has none."""
    try:
        yield
    except ModelError as error:
        error.file = error.file or os.fspath(path)
        raise


def read_bytes(path: FilePath, limit: int = MAX_BYTES, budget: ReadBudget | None = None) -> bytes:
    """The content of a regular file of at most `limit` bytes, counted in the budget of the reading."""
    try:
        with open(path, "rb") as file:
            # after opening, because the name could point to another file by now
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ModelError("not a regular file", cure="give the name of a model file")
            data = file.read(min(found.st_size, limit) + 1)  # `read` reserves what it is asked
    except IsADirectoryError as error:
        raise ModelError("this is a folder", cure="give the name of a model file in it") from error
    except FileNotFoundError as error:
        raise ModelError("no such file", cure="check the name and the folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be read: {error}", cure="check the name and the permissions") from error
    if len(data) > limit:
        raise ModelError(
            f"the file is larger than {limit // 1_000_000} MB", cure="split the model, or build it in Python"
        )
    if budget is not None:
        budget.opened((found.st_dev, found.st_ino), len(data))
        budget.spend("files")
        budget.spend("bytes", len(data))
    return data


def local_name(name: str, allowed: Iterable[FilePath] = (), windows: bool = os.name == "nt") -> str:
    """A file name from a model. Raises ModelError if no file can have it, or if it is on another computer.

    Windows sends the user's credentials to \\\\server\\share. Names inside the `allowed` folders pass.
    """
    if "\0" in name or name.encode("utf-8", "replace").decode() != name:
        raise ModelError("no file can have this name", element=repr(name[:80]), cure="correct the name of the file")
    path = PureWindowsPath(name)
    if windows and path.drive.startswith("\\\\") and not any(path.is_relative_to(folder) for folder in allowed):
        raise ModelError("the file is on another computer", element=name[:80], cure="copy it next to the model")
    return name


def decode(data: bytes) -> str:
    """UTF-8 text, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"byte {error.start} is not UTF-8 text", cure="save the file in the UTF-8 encoding") from error
