"""Files and folders that nobody but this user (or root) can have written: what is loaded as code is nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH
_CAREFUL = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class Distrusted(OSError):
    """Something that others may have written, or that is no file; its text says what."""


def distrust(found: os.stat_result) -> str:
    """Why what was found may be another user's work; "" where it is ours, or where the system has no owners."""
    if not hasattr(os, "geteuid"):
        return ""
    if found.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {found.st_uid}"
    return "others may write it (chmod go-w)" if found.st_mode & OTHERS else ""


def check_folder(path: Path) -> None:
    """Refuse a folder that others may write, or that others may put another in the place of."""
    real = Path(os.path.realpath(path))
    found = real.stat()
    why = "it is no folder" if not stat.S_ISDIR(found.st_mode) else distrust(found)
    if not why and hasattr(os, "geteuid"):
        loose = [
            str(above) for above in real.parents if above.stat().st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
        ]
        why = f"everybody may rename what is in {loose[0]}" if loose else ""
    if why:
        raise Distrusted(f"{path}: {why}")


def open_owned(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of an ordinary file of ours; no link is followed, and nothing waits for the other end of a pipe."""
    file = os.open(path, flags | _CAREFUL, 0o600)
    found = os.fstat(file)
    why = "it is no ordinary file" if not stat.S_ISREG(found.st_mode) else distrust(found)
    if why:
        os.close(file)
        raise Distrusted(f"{path}: {why}")
    return file


def read_owned(path: Path) -> bytes:
    """What an ordinary file of ours holds."""
    with os.fdopen(open_owned(path), "rb") as file:
        return file.read()


def own_folder(path: Path) -> Path:
    """A folder for this user alone, made where it is not there; another's is refused."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_folder(path)
    return path
