"""A small store of values by key, such as the entries of a leaderboard; `FileStore` keeps each value as a JSON file."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from symbody.errors import ModelError
from symbody.output_file import make_folder, write_text

LARGEST = 1_000_000  # characters of a value as JSON
MOST_KEYS = 1000
_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_SUFFIX = ".json"


class KeyValueStore(Protocol):
    """Values by key: whatever JSON can hold. Another implementation may keep them in a database."""

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default."""

    def put(self, key: str, value: Any) -> None:
        """Keep a value; readers see the old one or the new one, never a part."""

    def update(self, key: str, change: Callable[[Any], Any], default: Any = None) -> None:
        """Keep `change(value)` in place of a value; no other change comes between."""

    def delete(self, key: str) -> None:
        """Forget a key; one that is not there is no error."""

    def keys(self) -> list[str]:
        """All keys, sorted."""


class FileStore(KeyValueStore):
    """A folder with one file for each key, replaced in one step.

    Parameters
    ----------
    folder : str or path
        Made when the first value is kept.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)
        self._lock = threading.RLock()

    def get(self, key: str, default: Any = None) -> Any:
        path = self._path(key)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return default
        except (OSError, ValueError) as error:
            cure = "repair or remove this file"
            raise ModelError(f"the value of {key!r} cannot be read: {error}", file=str(path), cure=cure) from error

    def put(self, key: str, value: Any) -> None:
        path = self._path(key)
        try:
            text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            cure = "give numbers, texts, lists and dictionaries"
            raise ModelError(f"a value that JSON cannot hold: {error}", element=key, cure=cure) from error
        if len(text) > LARGEST:
            raise ModelError(f"a value of {len(text)} characters", element=key, cure=f"keep at most {LARGEST}")
        with self._lock:
            make_folder(self.folder)
            if not path.exists() and len(self.keys()) >= MOST_KEYS:
                raise ModelError(f"{MOST_KEYS} values are kept already", element=key, cure="delete some of them")
            write_text(path, text)

    def update(self, key: str, change: Callable[[Any], Any], default: Any = None) -> None:
        with self._lock:
            self.put(key, change(self.get(key, default)))

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def keys(self) -> list[str]:
        found = self.folder.glob(f"*{_SUFFIX}") if self.folder.is_dir() else ()
        return sorted(path.stem for path in found if _KEY.fullmatch(path.stem))

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            cure = "give up to 64 small letters, digits, - and _"
            raise ModelError("not a key of the store", element=repr(key), cure=cure)
        return self.folder / f"{key}{_SUFFIX}"


def data_folder() -> Path:
    """$SYMBODY_DATA, or else the folder of the platform for data of a user."""
    if chosen := os.environ.get("SYMBODY_DATA"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "symbody" / "data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "symbody"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "symbody"
