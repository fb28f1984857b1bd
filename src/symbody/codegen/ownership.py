"""Checks that only this user (or root) can have written a file or folder: only such files are loaded as code."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

LINKS = 40  # in one path, as in Linux
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
    """Raise Distrusted for a folder that others may write, or may exchange through a folder or a link in its path."""
    folder, above = None, None
    for at, found in _way(Path(path).absolute()):
        why = _exchangeable(above, found) if above else ""
        if why:
            raise Distrusted(f"{path}: {why} ({at.parent})")
        folder, above = found, found if stat.S_ISDIR(found.st_mode) else above
    assert folder is not None
    why = distrust(folder) if stat.S_ISDIR(folder.st_mode) else "it is not a folder"
    if why:
        raise Distrusted(f"{path}: {why}")


def _way(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every folder and link that the system passes while it resolves a path, from the root on."""
    here, names, links = Path(path.anchor), [*reversed(path.parts[1:])], 0
    yield here, here.lstat()
    while names:
        name = names.pop()
        if name == "..":
            here = here.parent
            yield here, here.lstat()
            continue
        at = here / name
        found = at.lstat()
        yield at, found
        if not stat.S_ISLNK(found.st_mode):
            here = at
            continue
        links += 1
        if links > LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = Path(os.readlink(at))
        here = Path(target.anchor) if target.is_absolute() else here
        yield here, here.lstat()
        names += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def _exchangeable(above: os.stat_result, found: os.stat_result) -> str:
    """Why others could rename or replace something in the folder above it; "" if they cannot."""
    if not hasattr(os, "geteuid"):
        return ""
    trusted = (os.geteuid(), 0)
    if above.st_uid not in trusted:
        return f"user {above.st_uid} may exchange what is in the folder above"
    everybody = above.st_mode & stat.S_IWOTH
    if not everybody and not (above.st_mode & stat.S_IWGRP and not _is_own_group(above.st_gid)):
        return ""
    kept = above.st_mode & stat.S_ISVTX and found.st_uid in trusted  # as in /tmp: only owners rename
    who = "everybody" if everybody else f"group {above.st_gid}"
    return "" if kept else f"{who} may rename files in the folder above"


def _is_own_group(gid: int) -> bool:
    """Whether a group is this user's alone, as many systems make one for each user."""
    import grp
    import pwd

    try:
        me, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid).gr_mem
    except KeyError:
        return False
    others = any(user.pw_gid == gid and user.pw_uid != me.pw_uid for user in pwd.getpwall())
    return gid == me.pw_gid and not others and set(members) <= {me.pw_name}


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
