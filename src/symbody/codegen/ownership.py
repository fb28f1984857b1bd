"""Checks that only this user (or root) can have written a file or folder: only such files are loaded as code."""

from __future__ import annotations

import os
import stat
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH
_CAREFUL = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class Distrusted(OSError):
    """Raised for something that others may have written, or that is not a file; the text gives the reason."""


def distrust(found: os.stat_result) -> str:
    """Why a file may be another user's work; "" if it is ours, or if the system has no owners."""
    if not hasattr(os, "geteuid"):
        return ""
    if found.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {found.st_uid}"
    return "others may write it (chmod go-w)" if found.st_mode & OTHERS else ""


def check_folder(path: Path) -> None:
    """Raise Distrusted for a folder that others may write or replace."""
    real = Path(os.path.realpath(path))
    found = real.stat()
    why = "it is not a folder" if not stat.S_ISDIR(found.st_mode) else distrust(found)
    if not why and hasattr(os, "geteuid"):
        loose = [
            str(above) for above in real.parents if above.stat().st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
        ]
        why = f"everybody may rename files in {loose[0]}" if loose else ""
    if why:
        raise Distrusted(f"{path}: {why}")


def open_owned(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a regular file of ours; links are not followed, and pipes do not block."""
    file = os.open(path, flags | _CAREFUL, 0o600)
    found = os.fstat(file)
    why = "it is not a regular file" if not stat.S_ISREG(found.st_mode) else distrust(found)
    if why:
        os.close(file)
        raise Distrusted(f"{path}: {why}")
    return file


def read_owned(path: Path) -> bytes:
    """The content of a regular file of ours."""
    with os.fdopen(open_owned(path), "rb") as file:
        return file.read()


def own_folder(path: Path) -> Path:
    """A folder for this user only, created if missing; raises Distrusted for another user's."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_folder(path)
    return path
