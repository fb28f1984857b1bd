"""Libraries in this process: loaded once, and unloaded with the last function that uses them.

A process can load some thousands of them (on Linux, 65530 mappings, about eight for each library).
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary, finalize

from symbody.codegen.ownership import Distrusted, open_owned

OFTEN = 500  # libraries after which those in reference cycles are collected
_loaded: WeakValueDictionary[Path, ctypes.CDLL] = WeakValueDictionary()
_count = itertools.count(1)
_names = itertools.count(1)


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
        found = open_library(path)
    except Distrusted:
        raise
    except OSError:
        gc.collect()  # no room: unused libraries may wait for this
        found = open_library(path)
    end = finalize(found, _unload, found._handle)
    end.atexit = False  # threads may still be inside
    return found


def open_library(path: Path) -> ctypes.CDLL:
    """Load a library of ours."""
    with checked_name(path) as name:
        return ctypes.CDLL(name)


@contextmanager
def checked_name(path: Path) -> Iterator[str]:
    """A name for the loader; on Linux that of the descriptor that was checked, so that nobody exchanges the file."""
    if not sys.platform.startswith("linux"):
        yield str(path)
        return
    file = open_owned(path)
    try:
        yield _name_of(file)
    finally:
        os.close(file)


def _name_of(file: int) -> str:
    """A name of a descriptor that was never used before: the loader returns an old library for an old name."""
    steps = (("/" if bit == "0" else "/.") for bit in f"{next(_names):b}")
    return f"/proc/self/fd{''.join(steps)}/{file}"


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
