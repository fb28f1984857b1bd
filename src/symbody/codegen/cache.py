"""Compiled code on disk, found by its content.

An entry is a folder whose name is a hash of all its inputs. Its manifest has the hash of each file and a hash of
itself. An entry is created under another name and then renamed, so that no process sees half an entry. A damaged entry
is made again. A second, small table maps a caller's key to entries, so that a warm start builds nothing. Files that
other users could have written are never used: see `ownership.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from symbody.codegen.ownership import OTHERS, check_folder, open_owned, own_folder, read_owned

MANIFEST = "manifest.json"
MARKER = "symbody-cache"  # an empty file: the folder was empty before, so all that has our names in it is ours
STAMP = "last-tidied"  # a file whose modification time is the last eviction
UNFINISHED = (".making-", ".damaged-")  # prefixes of folders that are renamed or removed soon
KEYS = "keys"
PARTS = (KEYS, "objects", "locks", "bench")  # folders besides the entries
NAME = re.compile(r"[0-9a-f]{40}")  # of an entry, as made by `digest`
DAY = 86400.0  # s
PACKAGE = Path(__file__).parent.parent
SOURCES = (".py", ".c", ".h", ".in")  # endings of files that decide what is computed
# Folders whose code decides what is generated from a model. They import no other folders (tests/test_layers.py).
GENERATING = ("expr", "model", "files", "codegen", "elements", "equations", "system", "stepping", "batch")
Entry = tuple[Path, dict[str, Any]]  # folder and manifest
_private: list[tempfile.TemporaryDirectory[str]] = []  # kept until the process ends
_recording: list[set[str]] = []  # of `recorded`


def cache_folder() -> Path:
    """$SYMBODY_CACHE, or else the user's cache folder of the platform."""
    chosen = os.environ.get("SYMBODY_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "symbody" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "symbody"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "symbody"


def is_cache(root: Path) -> bool:
    """Whether a folder is a cache of symbody: it has the marker, or only our names and the stamp of older versions."""
    try:
        names = {path.name for path in root.iterdir()}
    except OSError:
        return False
    if MARKER in names or STAMP not in names:
        return MARKER in names
    return all(name in (STAMP, *PARTS) or NAME.fullmatch(name) or name.startswith(UNFINISHED) for name in names)


def marked_folder(root: Path) -> Path:
    """A cache folder with its marker, created if missing. Raises OSError if the folder contains anything else."""
    own_folder(root)
    if not (root / MARKER).exists():
        if not is_cache(root) and any(root.iterdir()) and not (root / MARKER).exists():  # not even by another process
            raise OSError(f"{root} contains other files; use an empty folder")
        os.close(open_owned(root / MARKER, os.O_RDWR | os.O_CREAT))
    return root


def digest(*texts: str) -> str:
    """A name for content."""
    total = hashlib.sha256()
    for text in texts:
        data = text.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:40]


@cache
def own_sources(generating: bool) -> str:
    """Hash of symbody's own files, since another version may compute other results; generating: of `is_generating`.

    Each process needs it at its start, so it uses `os`, which is much faster than `pathlib`.
    """
    root, total = os.fspath(PACKAGE), hashlib.sha256()
    for folder, folders, names in os.walk(root):
        rooms = [name for name in folders if folder != root or not generating or name in GENERATING]
        folders[:] = sorted(rooms)
        for path in (os.path.join(folder, name) for name in sorted(names) if name.endswith(SOURCES)):
            with open(path, "rb") as file:
                data = file.read()
            total.update(f"{path[len(root) :]} {len(data)}\n".encode() + data)
    return total.hexdigest()[:40]


@cache
def _rooms() -> frozenset[str]:
    """The folders of the package."""
    return frozenset(entry.name for entry in os.scandir(PACKAGE) if entry.is_dir())


def is_generating(module: str) -> bool:
    """Whether a module decides what is generated: in a folder of `GENERATING`, or directly in the package."""
    package, _, rest = module.partition(".")
    first = rest.partition(".")[0]
    return package == PACKAGE.name and (first in GENERATING or first not in _rooms())


@contextmanager
def recorded() -> Iterator[set[str]]:
    """Names of the entries, and `keys/NAME` of the keys, that this process uses inside the block."""
    names: set[str] = set()
    _recording.append(names)
    try:
        yield names
    finally:
        _recording[:] = [one for one in _recording if one is not names]


def _record(name: str) -> None:
    for names in _recording:
        names.add(name)


# -- entries -----------------------------------------------------------------------------------------------------------


def load_entry(name: str, root: Path | None = None) -> Entry | None:
    """Folder and manifest of an entry, if it exists, is undamaged and ours; `root` is the cache folder."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return None
    folder = (root or cache_folder()) / name
    try:
        check_folder(folder.parent)
        if folder.is_symlink():
            return None
        check_folder(folder)
        manifest = _unsealed(read_owned(folder / MANIFEST))
        sound = all(_inside(file) and _hash(folder / file) == value for file, value in manifest["files"].items())
        sound = sound and manifest.get("library") in (None, *manifest["files"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not sound:
        return None
    _touch(folder / MANIFEST)
    _record(name)
    return folder, manifest


def make_entry(name: str, fill: Callable[[Path], dict[str, Any]], root: Path | None = None) -> Entry:
    """Let `fill` write files into a folder and return the manifest; then the folder is moved into place in one step."""
    root = root or cache_folder()
    try:
        folder = Path(tempfile.mkdtemp(prefix=UNFINISHED[0], dir=marked_folder(root)))
    except OSError as problem:
        return _without_cache(problem, fill)
    try:
        manifest = _filled(folder, fill)
        _record(name)
        return _put_in_place(folder, root / name), manifest
    except OSError as problem:
        return _without_cache(problem, fill)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _filled(folder: Path, fill: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    manifest = fill(folder)
    for path in folder.iterdir():  # compilers set permissions from the user's umask
        path.chmod(path.stat().st_mode & ~OTHERS)
    manifest["files"] = {path.name: _hash(path) for path in sorted(folder.iterdir())}
    (folder / MANIFEST).write_bytes(_sealed(manifest))
    (folder / MANIFEST).chmod(0o600)
    return manifest


def _put_in_place(folder: Path, place: Path) -> Path:
    """Rename into place. An entry that another process put there is kept, unless it is damaged."""
    for _ in range(3):
        try:
            os.rename(folder, place)
            return place
        except OSError:
            if load_entry(place.name, place.parent):
                return place
            if not os.path.lexists(place):
                raise
            aside = tempfile.mkdtemp(prefix=UNFINISHED[1], dir=place.parent)
            try:
                os.rename(place, Path(aside) / "entry")
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    raise OSError(f"{place} cannot be replaced")


def _without_cache(problem: OSError, fill: Callable[[Path], dict[str, Any]]) -> Entry:
    """A folder for this process only."""
    warnings.warn(
        f"compiled code cannot be stored in {cache_folder()} ({problem}), so every run compiles again "
        "(set SYMBODY_CACHE to a folder that only you can write)",
        stacklevel=2,
    )
    _private.append(tempfile.TemporaryDirectory(prefix="symbody-", ignore_cleanup_errors=True))
    folder = Path(_private[-1].name)
    return folder, _filled(folder, fill)


def _inside(file: str) -> bool:
    return Path(file).name == file


def _hash(path: Path) -> str:
    return hashlib.sha256(read_owned(path)).hexdigest()


# -- facts with a hash -------------------------------------------------------------------------------------------------


def _sealed(facts: dict[str, Any]) -> bytes:
    """Facts as JSON, after a line with their hash."""
    text = json.dumps(facts, indent=1).encode()
    return hashlib.sha256(text).hexdigest().encode() + b"\n" + text


def _unsealed(data: bytes) -> dict[str, Any]:
    """The facts; raises ValueError if a byte has changed."""
    seal, _, text = data.partition(b"\n")
    if seal != hashlib.sha256(text).hexdigest().encode():
        raise ValueError("the hash does not match")
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise ValueError("the content is not a mapping")
    return facts


def remembered(key: str, generated: bool = False) -> dict[str, Any] | None:
    """The facts stored under this key by the same version of symbody; generated: as in `remember`."""
    place = _place(key, generated)
    try:
        check_folder(place.parent)
        facts = _unsealed(read_owned(place))
    except (OSError, ValueError, RecursionError):
        return None
    _touch(place)
    _record(f"{KEYS}/{place.name}")
    return facts


def remember(key: str, facts: dict[str, Any], generated: bool = False) -> bool:
    """Store facts (JSON) under a key; returns False if the cache cannot be written.

    generated: the facts follow from the key and from modules that `is_generating` names, so they stay valid if other
    modules change.
    """
    return keep_key(_place(key, generated).name, _sealed(facts))


def keep_key(name: str, data: bytes) -> bool:
    """Store sealed facts under the name of a key; returns False if the cache cannot be written."""
    place = cache_folder() / KEYS / name
    _record(f"{KEYS}/{name}")
    try:
        marked_folder(cache_folder())
        handle, temporary = tempfile.mkstemp(dir=own_folder(place.parent))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, place)
    except OSError:
        return False
    return True


def _place(key: str, generated: bool) -> Path:
    return cache_folder() / KEYS / digest(key, own_sources(generated))


def _touch(path: Path) -> None:
    """Record its use, once a day: entries without use are removed first."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)
