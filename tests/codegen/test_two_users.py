"""Two real users: what one of them puts into the cache of the other is never run. Needs root, which becomes both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_cache import small

from symbody.codegen import cached
from symbody.codegen.loading import open_library

pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become two users"),
]
VICTIM, ATTACKER, GROUP = 41001, 41002, 41003


def run_as(user: int, act: Callable[[], Any]) -> Any:
    """What a function returns in a child of this process that belongs to a user and to the shared group."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([GROUP])
            os.setgid(user)
            os.setuid(user)
            os.write(writing, json.dumps(act()).encode())
        except BaseException:
            os.write(writing, json.dumps(traceback.format_exc()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the way to which every other folder is safe."""
    monkeypatch.setenv("SYMBODY_TIER", "optimised")
    cached("warm", lambda: small(7.0))(np.ones(1))  # all modules are imported: the users may not read them
    made = Path(tempfile.mkdtemp(dir="/tmp"))
    made.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", "/tmp")
    monkeypatch.chdir("/")
    yield made
    shutil.rmtree(made)


def build(cache: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[float, bool, Path]:
    """Value of a function that the victim builds, whether he was told that it is not kept, and where its library is."""
    monkeypatch.setenv("SYMBODY_CACHE", str(cache))

    def act() -> tuple[float, bool, str]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            f = cached("key", lambda: small(2.0))
            text = " ".join(str(one.message) for one in said)
            return float(f(np.ones(1))[0]), "cannot be stored" in text, str(f.path)

    answer = run_as(VICTIM, act)
    assert isinstance(answer, list), answer
    return answer[0], answer[1], Path(answer[2])


def test_a_cache_of_its_own_is_used_and_kept(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = shared / "home"
    home.mkdir()
    os.chown(home, VICTIM, VICTIM)
    first, again = (build(home / "cache", monkeypatch) for _ in range(2))
    assert first == again
    assert first[:2] == (2.0, False)
    assert home in first[2].parents


@pytest.mark.parametrize(
    "way", ["a group may write the folder above", "the folder above is another's", "behind a link"]
)
def test_a_cache_that_another_user_can_exchange_is_not_used(
    shared: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The attacker proves that he can exchange the folder; the victim then neither loads from it nor writes to it."""
    above, real = shared / "above", shared / "real"
    cache, evil = above / "cache", above / "evil"
    above.mkdir()
    (cache if way != "behind a link" else real).mkdir(mode=0o700)
    os.chown(cache if way != "behind a link" else real, VICTIM, VICTIM)
    if way == "the folder above is another's":
        os.chown(above, ATTACKER, ATTACKER)
    else:
        os.chown(above, VICTIM, GROUP)
        above.chmod(0o775)
    if way == "behind a link":
        cache.symlink_to(real)
    assert run_as(ATTACKER, lambda: (os.rename(cache, evil), os.rename(evil, cache), "exchanged")[2]) == "exchanged"
    value, warned, path = build(cache, monkeypatch)
    assert (value, warned) == (2.0, True)
    assert not {above, real} & {*path.parents}
    assert not any(cache.iterdir())


def test_a_library_of_another_user_is_not_loaded(shared: Path) -> None:
    """In its place, or behind a link: what the loader sees if the file was exchanged after the check of its folder."""
    source, library, link = shared / "empty.c", shared / "a.so", shared / "link.so"
    source.write_text("int empty;")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    link.symlink_to(library)

    def load(path: Path) -> str:
        return str(run_as(VICTIM, lambda: str(open_library(path))))

    os.chown(library, VICTIM, VICTIM)
    assert load(library).startswith("<CDLL")
    assert "OSError" in load(link)
    os.chown(library, ATTACKER, ATTACKER)
    assert f"belongs to user {ATTACKER}" in load(library)
