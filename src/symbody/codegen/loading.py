"""Libraries in this process: loaded once, and unloaded when the last function of theirs is gone.

A process has room for some thousands of them (on Linux, 65530 mappings, some eight for each library).
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary, finalize

OFTEN = 500  # libraries after which those in cycles of references are looked for
_loaded: WeakValueDictionary[Path, ctypes.CDLL] = WeakValueDictionary()
_count = itertools.count(1)


def load_library(path: Path) -> ctypes.CDLL:
    """A library that stays as long as it, or a function `library[name]` of it, is referred to.

    Take functions by `library[name]`: `library.name` would refer to itself and stay until the next garbage collection.
    """
    found = _loaded.get(path)
    if found is None:
        if next(_count) % OFTEN == 0:
            gc.collect()
        found = _loaded[path] = _opened(path)  # two threads may load it twice, and unload it twice
    return found


def _opened(path: Path) -> ctypes.CDLL:
    try:
        found = ctypes.CDLL(str(path))
    except OSError:
        gc.collect()  # no room: perhaps others are only waiting for that
        found = ctypes.CDLL(str(path))
    end = finalize(found, _unload, found._handle)
    end.atexit = False  # threads may still be inside
    return found


def _unload(handle: int) -> None:
    _closing()(handle)


@cache
def _closing() -> Any:
    """dlclose, or what Windows has for it."""
    if sys.platform == "win32":
        from _ctypes import FreeLibrary

        return FreeLibrary
    from _ctypes import dlclose

    return dlclose
