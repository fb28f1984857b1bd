"""Output files: written in one step, never through a link that somebody else may have planted.

A link in place of the file is replaced. A relative path must not pass through a folder that is a link: a downloaded
project could have planted it. Absolute paths are used as they are, because no project knows them.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from symbody.errors import ModelError

SHORT = 40  # characters of a name that start the name of its unfinished file
_CURE = "check the folder, its permissions and the free space"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file that replaces `path` in one step after the block. Missing folders are created.

    No reader sees half a file. The temporary file has the same suffix. It keeps the permissions of the old file; a new
    file, or one in place of a link, gets those of the umask.
    """
    try:
        target = Path(path)
        partial = target.with_name(f".{target.stem[:SHORT]}.{secrets.token_hex(8)}{target.suffix}")
        make_folder(target.parent)
        try:
            old = target.exists() and not target.is_symlink()
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
        raise ModelError(f"cannot be written: {error}", cure=_CURE, file=os.fspath(path)) from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Replace a file in an existing folder by a text, after that text is safe on the disk."""
    folder = os.path.dirname(os.fspath(path)) or os.curdir
    if not os.path.isdir(folder):
        cure = "check the name, or create the folder"
        raise ModelError(f"cannot be written: the folder '{folder}' does not exist", cure=cure, file=os.fspath(path))
    with replacing(path) as partial, open(partial, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def make_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder for output files. Raises ModelError if a relative path passes through a link."""
    folder = Path(path)
    for part in () if folder.is_absolute() else (folder, *folder.parents):
        if part.is_symlink():
            cure = f"give the absolute path of the folder that you mean, such as {os.path.realpath(part)}"
            raise ModelError("the folder is a link, which could lead anywhere", element=str(part), cure=cure)
    folder.mkdir(parents=True, exist_ok=True)
