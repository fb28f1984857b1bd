"""What lies in the cache, and what of it goes: leftovers, what was not used for long, and the oldest beyond a size."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from symbody.codegen.cache import DAY, MANIFEST, NAME, cache_folder
from symbody.codegen.owned import open_owned, own_folder

OLDEST = 90.0 * DAY  # s without use
MEGABYTES = 2000.0  # of everything, unless $SYMBODY_CACHE_MB says otherwise
# by processes that were killed: folder in the cache, and names
LEFT_OVER = ((".", ".making-*"), (".", ".damaged-*"), ("objects", "*"), ("locks", "*"), ("keys", "tmp*"))
STAMP = "last-tidied"  # a file that says when by its own time
OTHERS = ("keys", "objects", "locks", "bench", STAMP)  # beside the entries


@dataclass(frozen=True)
class CacheEntry:
    """Something in the cache: bytes, and seconds since it was used last."""

    path: Path
    kind: str  # "code", "key" or "left over"
    size: int
    age: float


def cache_entries(root: Path | None = None) -> list[CacheEntry]:
    """Everything in the cache, what was used last first; nothing else that may lie in the same folder."""
    root = Path(os.path.realpath(root or cache_folder()))  # the folder itself may be a link of the user
    found = [*_entries("code", *(p for p in _listed(root) if NAME.fullmatch(p.name)))]
    found += _entries("key", *(p for p in _listed(root / "keys") if NAME.fullmatch(p.name)))
    left = [p for where, pattern in LEFT_OVER for p in _listed(root / where) if fnmatch(p.name, pattern)]
    found += _entries("left over", *left)
    return sorted(found, key=lambda entry: entry.age)


def evict(root: Path, megabytes: float | None = None, oldest: float = OLDEST) -> int:
    """Remove what was not used for `oldest` seconds, then the oldest until the rest fits; bytes that were freed.

    What was used within a day stays, whatever its size: a process may still read it.
    """
    if megabytes is None:
        megabytes = cache_megabytes()
    entries = cache_entries(root)
    total, freed = sum(entry.size for entry in entries), 0
    for entry in reversed(entries):
        too_old = entry.age > (DAY if entry.kind == "left over" else oldest)
        too_much = total - freed > 1e6 * megabytes and entry.age > DAY
        if (too_old or too_much) and _removed(entry.path):
            freed += entry.size
    return freed


def evict_daily(root: Path) -> None:
    """`evict`, at most once a day among all processes."""
    stamp = root / STAMP
    with suppress(OSError):
        if not stamp.exists() or time.time() - stamp.stat().st_mtime > DAY:
            own_folder(root)
            os.close(open_owned(stamp, os.O_RDWR | os.O_CREAT))
            os.utime(stamp)
            evict(root)


def clear_cache(root: Path | None = None) -> int:
    """Remove all that symbody put there, and nothing else; bytes that were freed."""
    root = Path(os.path.realpath(root or cache_folder()))  # the folder itself may be a link of the user
    entries = cache_entries(root)
    freed = sum(entry.size for entry in entries if _removed(entry.path))
    for name in OTHERS:
        size = _size(root / name)
        freed += size if _removed(root / name) else 0
    with suppress(OSError):
        root.rmdir()  # only where nothing else is in it
    return freed


def cache_megabytes() -> float:
    """How much the cache may hold (MB): $SYMBODY_CACHE_MB, or what is usual."""
    try:
        return max(0.0, float(os.environ.get("SYMBODY_CACHE_MB") or MEGABYTES))
    except ValueError:
        return MEGABYTES


def _entries(kind: str, *paths: Path) -> Iterator[CacheEntry]:
    now = time.time()
    for path in paths:
        with suppress(OSError):
            used = path / MANIFEST if (path / MANIFEST).is_file() and not path.is_symlink() else path
            yield CacheEntry(path, kind, _size(path), max(0.0, now - used.lstat().st_mtime))


def _listed(folder: Path) -> list[Path]:
    """What is in a folder; nothing where a link leads elsewhere."""
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except OSError:
        return []


def _size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; links are not followed."""
    if path.is_dir() and not path.is_symlink():
        return sum(_size(inside) for inside in _listed(path))
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _removed(path: Path) -> bool:
    with suppress(OSError):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    return not os.path.lexists(path)
