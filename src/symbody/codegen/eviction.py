"""The content of the cache and its eviction: leftovers, entries without recent use, and the oldest beyond a size."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from symbody.codegen.cache import DAY, MANIFEST, MARKER, NAME, PARTS, STAMP, cache_folder, is_cache, marked_folder
from symbody.codegen.ownership import open_owned

OLDEST = 90.0 * DAY  # s without use
MEGABYTES = 2000.0  # in total, unless $SYMBODY_CACHE_MB is set
# left by processes that were killed: folder in the cache, and names
LEFT_OVER = ((".", ".making-*"), (".", ".damaged-*"), ("objects", "*"), ("locks", "*"), ("keys", "tmp*"))


@dataclass(frozen=True)
class CacheEntry:
    """A file or folder in the cache: bytes, and seconds since its last use."""

    path: Path
    kind: str  # "code", "key" or "left over"
    size: int
    age: float


def cache_entries(root: Path | None = None) -> list[CacheEntry]:
    """Everything in the cache, the most recently used first; empty if the folder has no marker."""
    root = Path(os.path.realpath(root or cache_folder()))  # the folder itself may be a link of the user
    if not is_cache(root):
        return []
    found = [*_entries("code", *(p for p in _listed(root) if NAME.fullmatch(p.name)))]
    found += _entries("key", *(p for p in _listed(root / "keys") if NAME.fullmatch(p.name)))
    left = [p for where, pattern in LEFT_OVER for p in _listed(root / where) if fnmatch(p.name, pattern)]
    found += _entries("left over", *left)
    return sorted(found, key=lambda entry: entry.age)


def evict(root: Path, megabytes: float | None = None, oldest: float = OLDEST) -> int:
    """Remove entries without use for `oldest` seconds, then the oldest until the rest fits; returns the bytes freed.

    Entries used within a day stay, whatever their size: a process may still read them.
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
    """`evict`, at most once a day over all processes."""
    stamp = root / STAMP
    with suppress(OSError):
        if not stamp.exists() or time.time() - stamp.stat().st_mtime > DAY:
            marked_folder(root)
            os.close(open_owned(stamp, os.O_RDWR | os.O_CREAT))
            os.utime(stamp)
            evict(root)


def clear_cache(root: Path | None = None) -> int:
    """Remove everything that symbody put there, and nothing else; returns the bytes freed."""
    root = Path(os.path.realpath(root or cache_folder()))  # the folder itself may be a link of the user
    if not is_cache(root):
        return 0
    entries = cache_entries(root)
    freed = sum(entry.size for entry in entries if _removed(entry.path))
    for name in (*PARTS, STAMP):
        size = _size(root / name)
        freed += size if _removed(root / name) else 0
    if [path.name for path in _listed(root)] == [MARKER] and _removed(root / MARKER):
        with suppress(OSError):
            root.rmdir()
    return freed


def cache_megabytes() -> float:
    """Size limit of the cache (MB): $SYMBODY_CACHE_MB, or the default."""
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
    """The content of a folder; empty if it is a link."""
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
