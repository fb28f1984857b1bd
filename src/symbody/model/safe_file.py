"""Files at arm's length: bounded reading, atomic writing, errors that name the file."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from symbody.errors import ModelError

MAX_BYTES = 20_000_000  # some 50 000 bodies; a larger file is a mistake or an attack

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


def write_text(path: FilePath, text: str) -> None:
    """Replace the file in one step, so that no reader ever meets half of it."""
    target = Path(os.path.realpath(path))  # through a symbolic link: the link stays
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            else:
                os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:
        cure = "check that the folder exists and may be written"
        raise ModelError(f"cannot be written: {error}", cure=cure, file=os.fspath(path)) from error


def _umask() -> int:
    mask = os.umask(0)  # the only portable way to read it is to set it
    os.umask(mask)
    return mask
