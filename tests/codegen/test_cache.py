"""Compilers that are missing or fail, and caches that are warm, damaged, full, read-only or shared."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from random_programs import flat, random_program

from symbody.codegen import Function, build, cached, load_functions, store_functions
from symbody.codegen import cache as store
from symbody.codegen.cache import (
    MARKER,
    _touch,
    cache_folder,
    digest,
    load_entry,
    make_entry,
    recorded,
    remember,
    remembered,
)
from symbody.codegen.program import Input, Output, Program
from symbody.codegen.stripped_source import bare
from symbody.errors import CompileError
from symbody.expr.external import External, call
from symbody.expr.node import variable


def small(factor: float = 2.0) -> Program:
    return Program("f", "m", "y", {"q": Input(1)}, {"y": Output((1,), (factor * variable("q[0]"),))})


def never() -> Program:
    raise AssertionError("a warm start must not build the program")


def entries(cache: Path) -> list[Path]:
    return [p.parent for p in cache.rglob("m_f.c") if not p.parent.name.startswith(".")]


def test_warm_start_builds_nothing() -> None:
    first = cached("key", small)
    again = cached("key", never)
    assert again(np.ones(1)) == first(np.ones(1)) == 2.0
    assert (again.operations, again.compile_s) == (first.operations, first.compile_s)
    assert cached("another key", lambda: small(3.0))(np.ones(1)) == 3.0


@pytest.mark.parametrize("victim", ["symbody.so", "symbody.c", "m_f.c", "manifest.json"])
def test_damaged_entry_is_made_anew(cache: Path, victim: str) -> None:
    first = cached("key", small)
    (folder,) = entries(cache)
    assert first.path is not None
    path = (first.path.parent if victim.startswith("symbody") else folder) / victim
    del first
    data = path.read_bytes()
    path.unlink()  # not written in place: the library is still mapped by this process
    path.write_bytes(data[: len(data) // 2])
    assert cached("key", small)(np.ones(1)) == 2.0
    assert cached("key", never)(np.ones(1)) == 2.0
    assert [p for p in cache.iterdir() if p.name.startswith(".")] == []


def test_generated_code_is_kept_while_other_modules_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PACKAGE", tmp_path / "symbody")
    files = [
        tmp_path / "symbody" / name for name in ("errors.py", "system/trace.py", "stepping/rk4.c", "studio/live.py")
    ]

    def hashes() -> tuple[str, str]:
        return store.own_sources.__wrapped__(True), store.own_sources.__wrapped__(False)

    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("one")
    first = hashes()
    for file in files:
        file.write_text("other")
        now = hashes()
        assert (now[0] == first[0]) == (file.parent.name == "studio")
        assert now[1] != first[1]
        file.write_text("one")
    assert hashes() == first


def test_facts_of_generated_code_have_a_key_of_their_own(cache: Path) -> None:
    assert remember("key", {"a": 1}, generated=True)
    assert remembered("key") is None
    assert remembered("key", generated=True) == {"a": 1}


def test_functions_are_kept_under_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(random_program(1))
    facts = {"names": ["a", "b"], "x0": [0.1, 1e-300], "nothing": None}
    assert load_functions("key") is None
    first.parameters["L"] = 0.8
    assert store_functions("key", {"rates": first, "small": build(small())}, facts)
    monkeypatch.setattr("symbody.codegen.compiled.schedule", None)
    found = load_functions("key")
    assert found is not None
    assert found.facts == facts
    again = found.functions["rates"]
    assert again.parameters["L"] == 0.5  # of the program: what was set since is the caller's
    again.parameters["L"] = 0.8
    np.testing.assert_array_equal(flat(again(np.ones(4), np.ones(3))), flat(first(np.ones(4), np.ones(3))))
    assert (again.source, again.operations, again.notes) == (first.source, first.operations, first.notes)
    assert found.functions["small"](np.ones(1)) == 2.0
    assert load_functions("key", backend="python") is None
    assert load_functions("another key") is None


def test_functions_that_call_python_are_not_kept() -> None:
    twice = External("twice", 1, 1, function=lambda x: 2.0 * x)
    f = build(Program("f", "m", "y", {"q": Input(1)}, {"y": Output((1,), call(twice, [variable("q[0]")]))}))
    assert not store_functions("key", {"good": build(small()), "calls": f})
    assert load_functions("key") is None
    assert not store_functions("key", {"interpreted": build(small(), backend="python")})


def test_an_equal_program_is_neither_scheduled_nor_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(random_program(1))
    monkeypatch.setattr("symbody.codegen.compiled.schedule", None)
    again = build(random_program(1))
    assert again.source == first.source
    with pytest.raises(TypeError):  # another constant is another program
        build(random_program(1, live=False))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("int m_f(void); /* m_f */ // m_f\n\n   int m_f_call;", "int symbody(void);\nint symbody_call;"),
        ('char *s = "/* no */"; /* a\nb */ int my_m_f, m_fx;', 'char *s = "/* no */";   int my_m_f, m_fx;'),
        ("char c = '\"'; // \"\nint x;", "char c = '\"';\nint x;"),
    ],
)
def test_bare_code(text: str, left: str) -> None:
    assert bare(text, "m_f") == left + "\n"


def test_no_compiler_runs_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"install a C compiler, or `pip install symbody\[cc\]`"):
        f = build(small())
    assert f.backend == "python"
    assert f(np.ones(1)) == 2.0
    with pytest.raises(CompileError, match="no C compiler"):
        build(small(), backend="c")


@pytest.mark.posix
def test_failing_compiler_keeps_its_output(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(CompileError):
        build(small())
    broken = tmp_path / "broken-cc"
    broken.write_text("#!/bin/sh\necho 'no room for a compiler' >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    with pytest.raises(CompileError) as caught:
        build(small())
    assert "no room for a compiler" in caught.value.output
    assert [*cache.rglob("*.so"), *cache.glob(".*")] == []  # nothing half-made is left
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompileError, match="no-such-compiler"):
        build(small())


def test_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    monkeypatch.setenv("SYMBODY_CACHE", str(blocked / "cache"))
    with pytest.warns(UserWarning, match="SYMBODY_CACHE"):
        f = cached("key", small)
    assert f(np.ones(1)) == 2.0


def filled(folder: Path) -> dict[str, object]:
    (folder / "data").touch()
    return {}


def test_an_entry_that_cannot_be_replaced_is_made_elsewhere(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process puts a damaged entry there again and again."""
    name, rename, temporary = "a" * 40, os.rename, tempfile.TemporaryDirectory
    attempts, made = [], []

    def busy(old: Path, new: Path) -> None:
        if Path(new) == cache / name:
            attempts.append(new)
            Path(new).mkdir(exist_ok=True)
            raise OSError(errno.ENOTEMPTY, "not empty")
        rename(old, new)

    monkeypatch.setattr(os, "rename", busy)
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda **options: made.append(options) or temporary(**options))

    def fill(folder: Path) -> dict[str, object]:
        assert [*folder.iterdir()] == []
        return filled(folder)

    with pytest.warns(UserWarning, match="cannot be replaced"):
        folder, _ = make_entry(name, fill, cache)
    assert (folder / "data").exists()
    assert not folder.is_relative_to(cache)
    assert len(attempts) == 3
    assert made == [{"prefix": "symbody-", "ignore_cleanup_errors": True}]  # a library in use stays, as on Windows


def test_an_entry_is_put_in_place_once_and_then_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, renamed, folders = os.rename, [], []

    def noting(old: Path, new: Path) -> None:
        renamed.append(Path(new))
        rename(old, new)

    def fill(folder: Path) -> dict[str, object]:
        folders.append(folder)
        return filled(folder)

    monkeypatch.setattr(os, "rename", noting)
    first, _ = make_entry("a" * 40, fill, cache)
    assert renamed == [first] == [cache / ("a" * 40)]
    made = first.stat().st_ino
    again, _ = make_entry("a" * 40, fill, cache)  # as another process that was slower
    assert again.stat().st_ino == made
    assert all(folder.parent == cache and folder.name.startswith(".making-") for folder in folders)


def test_an_entry_that_cannot_be_renamed_gives_the_reason(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.rename

    def full(old: Path, new: Path) -> None:
        if Path(new) == cache / ("a" * 40):
            raise OSError(errno.ENOSPC, "No space left on device")
        rename(old, new)

    monkeypatch.setattr(os, "rename", full)
    with pytest.warns(UserWarning, match="No space left"):
        make_entry("a" * 40, filled, cache)


def test_a_damaged_entry_that_cannot_be_removed_is_replaced(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its name is needed. An eviction removes the rest."""

    def refused(folder: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise PermissionError(folder)

    folder, _ = make_entry("a" * 40, filled, cache)
    (folder / "data").write_bytes(b"damaged")
    monkeypatch.setattr(shutil, "rmtree", refused)
    assert make_entry("a" * 40, filled, cache)[0] == folder
    assert load_entry("a" * 40, cache)


def test_another_folder_than_the_usual_one_can_be_chosen(cache: Path) -> None:
    other = cache.parent / "other"
    folder, _ = make_entry("a" * 40, filled, other)
    assert folder.parent == other
    assert load_entry("a" * 40, other)
    assert load_entry("a" * 40) is None
    assert make_entry("a" * 40, filled)[0].parent == cache
    assert load_entry("a" * 40)


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/caches"}, "/caches/symbody"),
        ("linux", {"XDG_CACHE_HOME": ""}, "/home/me/.cache/symbody"),
        ("darwin", {}, "/home/me/Library/Caches/symbody"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/symbody/cache"),
        ("win32", {"SYMBODY_CACHE": "/mine"}, "/mine"),
    ],
)
def test_the_folder_of_the_platform(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], folder: str
) -> None:
    monkeypatch.setattr("symbody.codegen.cache.sys", SimpleNamespace(platform=platform))
    for name, value in ({"SYMBODY_CACHE": ""} | variables).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder() == Path(folder)


def test_a_name_depends_on_the_bounds_of_its_texts() -> None:
    """Each text follows its length in eight bytes."""
    content = bytes(7) + b"\2ab" + bytes(7) + b"\1c"
    assert digest("ab", "c") == hashlib.sha256(content).hexdigest()[:40]
    assert digest("ab", "c") != digest("a", "bc")


def test_a_use_is_recorded_once_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.touch()
    os.utime(path, (1000, 1000))
    for age, old in ((86_400, True), (86_401, False)):
        monkeypatch.setattr("symbody.codegen.cache.time.time", lambda age=age: 1000.0 + age)
        _touch(path)
        assert (path.stat().st_mtime == 1000) is old


def test_a_key_that_is_read_counts_as_used(cache: Path) -> None:
    assert remember("key", {})
    assert (cache / MARKER).exists()
    (place,) = (cache / "keys").iterdir()
    os.utime(place, (1000, 1000))
    with recorded() as names:
        assert remembered("key") == {}
    assert names == {f"keys/{place.name}"}
    assert place.stat().st_mtime > 1000


def test_names_are_recorded_inside_a_block_only(cache: Path) -> None:
    with recorded() as outer:
        make_entry("a" * 40, filled, cache)
        with recorded() as inner:
            assert load_entry("a" * 40, cache)
            remember("key", {})
        assert remembered("key") == {}
        make_entry("b" * 40, filled, cache)
    make_entry("c" * 40, filled, cache)
    key = next((cache / "keys").iterdir()).name
    assert inner == {"a" * 40, f"keys/{key}"}
    assert outer == {"a" * 40, "b" * 40, f"keys/{key}"}


def test_full_disk(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(UserWarning, match="No space left"):
        f = cached("key", small)
    assert f(np.ones(1)) == 2.0
    assert entries(cache) == []


@pytest.mark.slow
def test_two_processes_at_once(cache: Path) -> None:
    command = (
        "import numpy as np; from random_programs import random_program; from symbody.codegen import cached;"
        "f = cached('key', lambda: random_program(3));"
        "print(f(np.ones(4), np.ones(3)).c.sum())"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    both = [subprocess.Popen([sys.executable, "-c", command], env=env, stdout=subprocess.PIPE) for _ in range(2)]
    results = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert results[0] == results[1] != b""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = cached("key", never)
    assert isinstance(f, Function)
    assert [p for p in cache.iterdir() if p.name.startswith(".")] == []
