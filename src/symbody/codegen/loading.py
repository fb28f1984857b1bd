"""Libraries in this process: loaded once, and unloaded with the last function that uses them.

A process can load some thousands of them (on Linux, 65530 mappings, about eight for each library).
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

OFTEN = 500  # libraries after which those in reference cycles are collected
_loaded: WeakValueDictionary[Path, ctypes.CDLL] = WeakValueDictionary()
_count = itertools.count(1)


def load_library(path: Path) -> ctypes.CDLL:
    """A library that stays loaded as long as it, or a function `library[name]` of it, is referenced.

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
        gc.collect()  # no room: unused libraries may wait for this
        found = ctypes.CDLL(str(path))
    end = finalize(found, _unload, found._handle)
    end.atexit = False  # threads may still be inside
    return found


def _unload(handle: int) -> None:
    _closing()(handle)


@cache
def _closing() -> Any:
    """dlclose, or its equivalent on Windows."""
    if sys.platform == "win32":
        from _ctypes import FreeLibrary

        return FreeLibrary
    from _ctypes import dlclose

    return dlclose
