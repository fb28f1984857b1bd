"""Libraries are unloaded when nothing calls them any more, and not before."""

from __future__ import annotations

import ctypes
import gc
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from random_programs import random_program
from test_cache import small

from symbody.codegen import build
from symbody.codegen.loading import OFTEN, load_library
from symbody.codegen.stripped_source import SYMBOL

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mappings are looked up in /proc")


def mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_a_library_goes_with_its_last_function() -> None:
    f, g = build(small()), build(small())
    path = f.path
    assert path is not None
    assert g.path == path
    del f
    gc.collect()
    assert mapped(path)
    assert g(np.ones(1)) == 2.0
    del g
    gc.collect()
    assert not mapped(path)
    assert build(small())(np.ones(1)) == 2.0


def test_the_quick_library_stays_as_long_as_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may be inside it when the optimised one takes its place."""
    monkeypatch.setenv("SYMBODY_TIER", "auto")
    f = build(random_program(7, 200))
    quick = f.path
    assert quick is not None
    assert f.wait_optimised(60.0)
    assert f.path is not None
    assert f.path != quick
    assert mapped(quick)
    best = f.path
    f(np.ones((3, 4)), np.ones(3))
    del f
    gc.collect()
    assert not mapped(quick)
    assert not mapped(best)


@pytest.mark.slow
def test_threads_that_build_call_and_forget() -> None:
    """Many threads, few libraries: one is loaded by somebody while somebody else unloads it."""
    wrong: list[object] = []

    def work(seed: int) -> None:
        for k in range(20):
            factor = 2.0 + (seed + k) % 3
            value = build(small(factor))(np.ones(1))
            if value != factor:
                wrong.append(value)
            if k % 5 == 0:
                gc.collect()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def mapped_in(folder: Path) -> int:
    """Number of files of a folder that this process maps, also those that are deleted."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return len({line.split(maxsplit=5)[5] for line in lines if str(folder) in line})


def load_copies(folder: Path, count: int) -> Iterator[ctypes.CDLL]:
    """Copies of one library, as the same file would be loaded only once."""
    f = build(small())
    assert f.path is not None
    for k in range(count):
        copy = folder / f"{k}.so"
        shutil.copy(f.path, copy)
        yield load_library(copy)
        copy.unlink()


def test_a_process_has_room_for_any_number_of_them(tmp_path: Path) -> None:
    """Some 8000 at once are the most that Linux maps."""
    for k, library in enumerate(load_copies(tmp_path, 2 * OFTEN)):
        assert library[f"{SYMBOL}_call"]
        assert k % 50 or mapped_in(tmp_path) <= OFTEN


def test_functions_in_cycles_make_room_too(tmp_path: Path) -> None:
    """As functions are: their parameters refer to them; only the garbage collector finds them."""
    gc.disable()
    try:
        most = 0
        for k, library in enumerate(load_copies(tmp_path, 2 * OFTEN + 50)):
            circle: list[object] = [library]
            circle.append(circle)
            most = max(most, mapped_in(tmp_path)) if k % 50 == 0 else most
    finally:
        gc.enable()
    assert OFTEN / 2 < most <= OFTEN + 2
