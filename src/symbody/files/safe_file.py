"""Safe files: limited reading, atomic writing, errors that name the file."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget

MAX_BYTES = 20_000_000  # about 50 000 bodies; a larger file is a mistake or an attack
SHORT = 40  # characters of a name that start the name of its unfinished file

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
            data = file.read(limit + 1)
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


def decode(data: bytes) -> str:
    """UTF-8 text, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"byte {error.start} is not UTF-8 text", cure="save the file in the UTF-8 encoding") from error


@contextmanager
def replacing(path: FilePath) -> Iterator[Path]:
    """A temporary file that replaces `path` in one step after the block. Missing folders are created.

    No reader sees half a file. The temporary file has the same suffix. It keeps the permissions of the old file; a new
    file gets those of the umask.
    """
    try:
        target = Path(os.path.realpath(path))  # follows a symbolic link: the link stays
        partial = target.with_name(f".{target.stem[:SHORT]}.{secrets.token_hex(8)}{target.suffix}")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            old = target.exists()
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if old else 0o666))
            yield partial
            if old:
                shutil.copymode(target, partial)
            partial.replace(target)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise
    except (OSError, ValueError) as error:
        cure = "check the folder, its permissions and the free space"
        raise ModelError(f"cannot be written: {error}", cure=cure, file=os.fspath(path)) from error


def write_text(path: FilePath, text: str) -> None:
    """Replace a file in an existing folder by a text, after that text is safe on the disk."""
    folder = os.path.dirname(os.fspath(path)) or os.curdir
    if not os.path.isdir(folder):
        cure = "check the name, or create the folder"
        raise ModelError(f"cannot be written: the folder '{folder}' does not exist", cure=cure, file=os.fspath(path))
    with replacing(path) as partial, open(partial, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
