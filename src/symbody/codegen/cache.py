"""Compiled code kept on disk, found again by its content.

An entry is a folder named by a hash of all that went into it, with a manifest that holds the hash of each file. It is
made beside its place and renamed into it, so that nobody ever sees half an entry; whoever finds a damaged one makes it
anew. A second, small table leads from a caller's key straight to entries, so that a warm start builds nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
Entry = tuple[Path, dict[str, Any]]  # folder and manifest
_private: list[tempfile.TemporaryDirectory[str]] = []  # kept until the process ends


def cache_folder() -> Path:
    """$SYMBODY_CACHE, else the user's cache folder of the platform."""
    chosen = os.environ.get("SYMBODY_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "symbody" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "symbody"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "symbody"


def digest(*texts: str) -> str:
    """A name for content."""
    total = hashlib.sha256()
    for text in texts:
        data = text.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:40]


@cache
def own_sources() -> str:
    """Hash of symbody's own files: another version may generate something else from the same model."""
    root = Path(__file__).parent.parent
    files = sorted(p for p in root.rglob("*") if p.suffix in (".py", ".c", ".h"))
    return digest(*(f"{p.relative_to(root)}\n{p.read_text(encoding='utf-8')}" for p in files))


def load_entry(name: str, root: Path | None = None) -> Entry | None:
    """Folder and manifest of an entry, if it is there and undamaged; `root` is the cache's folder."""
    folder = (root or cache_folder()) / name
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        sound = all(_hash(folder / file) == value for file, value in manifest["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return (folder, manifest) if sound else None


def make_entry(name: str, fill: Callable[[Path], dict[str, Any]], root: Path | None = None) -> Entry:
    """Let `fill` write files into a folder and give the manifest; the folder then takes its place in one step."""
    root = root or cache_folder()
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".making-", dir=root))
    except OSError as problem:
        return _without_cache(problem, fill)
    try:
        manifest = _filled(folder, fill)
        return _put_in_place(folder, root / name), manifest
    except OSError as problem:
        return _without_cache(problem, fill)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _filled(folder: Path, fill: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    manifest = fill(folder)
    manifest["files"] = {path.name: _hash(path) for path in sorted(folder.iterdir())}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return manifest


def _put_in_place(folder: Path, place: Path) -> Path:
    """Rename into place; what another process put there meanwhile is as good, unless it is damaged."""
    for _ in range(3):
        try:
            os.rename(folder, place)
            return place
        except OSError:
            if load_entry(place.name, place.parent):
                return place
            if not place.exists():
                raise
            aside = tempfile.mkdtemp(prefix=".damaged-", dir=place.parent)
            try:
                os.rename(place, Path(aside) / "entry")
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    raise OSError(f"{place} cannot be replaced")


def _without_cache(problem: OSError, fill: Callable[[Path], dict[str, Any]]) -> Entry:
    """A folder for this process alone."""
    warnings.warn(
        f"compiled code cannot be kept in {cache_folder()} ({problem}); it is compiled anew in every run "
        "(set SYMBODY_CACHE to a folder that can be written)",
        stacklevel=2,
    )
    _private.append(tempfile.TemporaryDirectory(prefix="symbody-", ignore_cleanup_errors=True))
    folder = Path(_private[-1].name)
    return folder, _filled(folder, fill)


def sweep(root: Path, age: float = 86400.0) -> None:
    """Remove what processes that were killed left unfinished so many seconds ago."""
    for pattern in (".making-*", ".damaged-*", "objects/*", "locks/*"):
        for path in root.glob(pattern):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > age:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def remembered(key: str) -> dict[str, Any] | None:
    """What was kept under this key by the same symbody."""
    try:
        facts = json.loads(_place(key).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) else None


def remember(key: str, facts: dict[str, Any]) -> bool:
    """Keep facts that JSON can hold under a key; False where the cache cannot be written."""
    text, place = json.dumps(facts), _place(key)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, place)
    except OSError:
        return False
    return True


def _place(key: str) -> Path:
    return cache_folder() / "keys" / digest(key, own_sources())
