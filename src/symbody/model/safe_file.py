"""Files at arm's length: bounded reading, atomic writing, errors that name the file."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from symbody.errors import ModelError

MAX_BYTES = 20_000_000  # some 50 000 bodies; a larger file is a mistake or an attack
SHORT = 40  # characters of a name that the name of its unfinished file begins with

FilePath = str | os.PathLike[str]


@contextmanager
def naming(path: FilePath) -> Iterator[None]:
    """Give the file's name to every ModelError that passes without one."""
    try:
        yield
    except ModelError as error:
        error.file = error.file or os.fspath(path)
        raise


def read_bytes(path: FilePath, limit: int = MAX_BYTES) -> bytes:
    """The content of an ordinary file of at most `limit` bytes."""
    try:
        with open(path, "rb") as file:
            # only after opening: a name checked before could be another file by now
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ModelError("not an ordinary file", cure="give the name of a model file")
            data = file.read(limit + 1)
    except IsADirectoryError as error:
        raise ModelError("this is a folder", cure="give the name of a model file in it") from error
    except FileNotFoundError as error:
        raise ModelError("no such file", cure="check the name and the folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be read: {error}", cure="check the name and the permissions") from error
    if len(data) > limit:
        raise ModelError(f"larger than {limit // 1_000_000} MB", cure="split the model, or build it in Python")
    return data


def decode(data: bytes) -> str:
    """UTF-8 text, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"byte {error.start} is not UTF-8 text", cure="save the file in the UTF-8 encoding") from error


@contextmanager
def replacing(path: FilePath) -> Iterator[Path]:
    """A file to be written that takes the place of another in one step, when all of it is there; folders are made.

    No reader ever meets half of it. It ends as the other does and keeps its rights; a new one has those of the umask.
    """
    try:
        target = Path(os.path.realpath(path))  # through a symbolic link: the link stays
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
        cure = "check the folder, its permissions and the space left"
        raise ModelError(f"cannot be written: {error}", cure=cure, file=os.fspath(path)) from error


def write_text(path: FilePath, text: str) -> None:
    """Replace a file in a folder that is there by a text, once that is safe on the disk."""
    folder = os.path.dirname(os.fspath(path)) or os.curdir
    if not os.path.isdir(folder):
        cure = "check the name, or make the folder"
        raise ModelError(f"cannot be written: there is no folder '{folder}'", cure=cure, file=os.fspath(path))
    with replacing(path) as partial, open(partial, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
