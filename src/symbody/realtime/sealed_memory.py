"""Memory that processes of one user share by a name, and that nobody can truncate.

A process that reads mapped memory behind the end of its file ends with SIGBUS. Therefore the memory on Linux is a
memfd of sealed size. A link of the name leads to its descriptor, /proc/PID/fd/N. If other processes cannot open this
descriptor (macOS has no /proc; that of a Python executable with capabilities is closed), the memory is a usual file,
which must not be truncated while a loop runs.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from symbody.codegen.ownership import Distrusted, distrust, open_owned

DESCRIPTOR = re.compile(r"/proc/\d{1,10}/fd/\d{1,10}", re.ASCII)


def create_file(path: Path, size: int) -> int:
    """A descriptor of new memory of `size` bytes with the name `path`; raises FileExistsError if the name is taken."""
    if not sealable():
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        return _completed(file, lambda: _allocate(file, size), path)
    file = os.memfd_create(path.name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)

    def seal() -> None:
        import fcntl

        os.fchmod(file, 0o600)
        _allocate(file, size)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, _seals())
        path.symlink_to(f"/proc/{os.getpid()}/fd/{file}")

    return _completed(file, seal)


def open_file(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of this user's memory of the name `path`; raises Distrusted if it could be another's."""
    found = path.lstat()
    if not stat.S_ISLNK(found.st_mode):
        return open_owned(path, flags)
    if found.st_uid not in (os.geteuid(), 0):
        raise Distrusted(f"{path}: it belongs to user {found.st_uid}")
    if not DESCRIPTOR.fullmatch(target := os.readlink(path)):
        raise Distrusted(f"{path}: it is a link to another file")
    file = os.open(target, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)

    def check() -> None:
        if not _is_sealed(file, path.name):  # another process has its number now
            raise FileNotFoundError(errno.ENOENT, "its process has ended", str(path))
        if why := distrust(os.fstat(file)):
            raise Distrusted(f"{path}: {why}")

    return _completed(file, check)


def is_descriptor(path: Path) -> bool:
    """Whether `path` is a link to a descriptor of a process, which may have ended."""
    try:
        return DESCRIPTOR.fullmatch(os.readlink(path)) is not None
    except OSError:
        return False


def sealable() -> bool:
    """Whether other processes of this user can open a memfd of this one: /proc then belongs to the user."""
    try:
        return hasattr(os, "memfd_create") and os.stat("/proc/self").st_uid == os.geteuid()
    except OSError:
        return False


def _completed(file: int, finish: Callable[[], None], path: Path | None = None) -> int:
    """The descriptor after `finish()`; if this raises, the descriptor is closed and `path` removed."""
    try:
        finish()
    except OSError:
        os.close(file)
        if path:
            path.unlink()
        raise
    return file


def _allocate(file: int, size: int) -> None:
    """Give a file its memory now: a page that cannot be allocated later would end the process with SIGBUS."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)


def _seals() -> int:
    import fcntl

    return fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def _is_sealed(file: int, name: str) -> bool:
    """Whether a descriptor is a memfd of this name and of fixed size."""
    import fcntl

    try:
        sealed = fcntl.fcntl(file, fcntl.F_GET_SEALS) & _seals() == _seals()
        return sealed and os.readlink(f"/proc/self/fd/{file}").split(" ")[0] == f"/memfd:{name}"
    except OSError:  # not a memfd
        return False
