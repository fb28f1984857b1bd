"""The cache stays within its size and age; `symbody cache` shows it, and clears it, and nothing else."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from test_cache import small

from symbody.cli import main
from symbody.codegen import cached
from symbody.codegen.cache import DAY, MANIFEST, MARKER, STAMP, is_cache, load_entry, make_entry, marked_folder
from symbody.codegen.eviction import (
    OLDEST,
    CacheEntry,
    _size,
    cache_entries,
    cache_megabytes,
    clear_cache,
    evict,
    evict_daily,
)


def entry(cache: Path, number: int, days: float, size: int = 1_000_000) -> str:
    """An entry of so many bytes that was used so many days ago."""
    name = f"{number:040x}"

    def fill(folder: Path) -> dict[str, object]:
        (folder / "data").write_bytes(bytes(size))
        return {}

    folder, _ = make_entry(name, fill, cache)
    aged(folder / MANIFEST, days)
    return name


def aged(path: Path, days: float) -> None:
    then = time.time() - DAY * days
    os.utime(path, (then, then))


def left(cache: Path) -> list[int]:
    return sorted(int(e.path.name, 16) for e in cache_entries(cache) if e.kind == "code")


def test_the_oldest_go_first_and_only_until_the_rest_fits(cache: Path) -> None:
    for number, days in enumerate([2, 30, 10, 20]):
        entry(cache, number, days)
    assert evict(cache, 10.0) == 0
    freed = evict(cache, 2.5)
    assert left(cache) == [0, 2]
    assert 2_000_000 <= freed < 2_010_000


def test_what_was_not_used_for_long_goes_and_what_is_new_stays(cache: Path) -> None:
    for number, days in enumerate([0, 0.5, 89.9, 90.1]):
        entry(cache, number, days)
    evict(cache)
    assert left(cache) == [0, 1, 2]
    evict(cache, 0.0)
    assert left(cache) == [0, 1]  # somebody may read them now


@pytest.mark.parametrize(
    ("kind", "age", "size", "goes"),
    [
        ("left over", DAY, 1, False),
        ("left over", DAY + 1.0, 1, True),
        ("code", OLDEST, 1, False),
        ("code", OLDEST + 1.0, 1, True),
        ("code", DAY + 1.0, 3_000_000, False),
        ("code", DAY + 1.0, 3_000_001, True),
        ("code", DAY, 3_000_001, False),
    ],
)
def test_the_limits_of_age_and_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, age: float, size: int, goes: bool
) -> None:
    removed: list[Path] = []
    monkeypatch.setattr("symbody.codegen.eviction.cache_entries", lambda root: [CacheEntry(root, kind, size, age)])
    monkeypatch.setattr("symbody.codegen.eviction._removed", lambda path: removed.append(path) or True)
    assert evict(tmp_path, 3.0) == goes * size
    assert removed == [tmp_path] * goes


def test_only_what_was_removed_is_freed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry(cache, 1, 100)
    monkeypatch.setattr("symbody.codegen.eviction._removed", lambda path: False)
    assert evict(cache) == clear_cache(cache) == 0
    assert _size(cache / "missing") == 0


def test_an_entry_from_the_future_has_no_age(cache: Path) -> None:
    entry(cache, 1, -1)
    assert [one.age for one in cache_entries(cache)] == [0.0]


@pytest.mark.posix  # links
def test_the_cache_may_be_elsewhere_or_behind_a_link(cache: Path) -> None:
    entry(cache, 1, 0)
    other, link = cache.parent / "other", cache.parent / "link"
    entry(other, 2, 0)
    link.symlink_to(other)
    assert left(other) == left(link) == [2]
    assert [one.path.parent for one in cache_entries()] == [cache]
    assert clear_cache(link) > 1_000_000
    assert not other.exists()
    assert left(cache) == [1]
    assert clear_cache() > 1_000_000
    assert not cache.exists()


def test_a_folder_that_is_missing_is_no_cache(cache: Path) -> None:
    assert not is_cache(cache / "missing")
    assert clear_cache(cache / "missing") == 0


def test_use_makes_it_young(cache: Path) -> None:
    names = [entry(cache, number, 50) for number in range(2)]
    assert load_entry(names[0], cache)
    evict(cache, 1.5)
    assert left(cache) == [0]


def test_what_killed_processes_left_is_swept(cache: Path) -> None:
    marked_folder(cache)
    places = [cache / ".making-x", cache / ".damaged-y", cache / "objects" / "z"]
    for path in places:
        path.mkdir(parents=True)
        (path / "file").touch()
    (cache / "keys").mkdir()
    (cache / "keys" / "tmp123").touch()
    evict(cache)
    assert all(path.exists() for path in places)  # of processes that may still run
    for path in [*places, cache / "keys" / "tmp123"]:
        aged(path, 1.1)
    evict(cache)
    assert not any(path.exists() for path in [*places, cache / "keys" / "tmp123"])


def test_it_is_tidied_once_a_day(cache: Path) -> None:
    cache.mkdir(mode=0o700)
    evict_daily(cache)
    entry(cache, 1, 91)
    evict_daily(cache)
    assert left(cache) == [1]
    aged(cache / STAMP, 1.1)
    evict_daily(cache)
    assert left(cache) == []
    entry(cache, 2, 91)
    evict_daily(cache)
    assert left(cache) == [2]


def test_a_whole_day_passes_before_it_is_tidied_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked_folder(cache)
    (cache / STAMP).touch()
    os.utime(cache / STAMP, (1000, 1000))
    now, tidied = [1000.0 + DAY], []
    monkeypatch.setattr("symbody.codegen.eviction.time.time", lambda: now[0])
    monkeypatch.setattr("symbody.codegen.eviction.evict", tidied.append)
    evict_daily(cache)
    assert tidied == []
    now[0] += 1.0
    evict_daily(cache)
    assert tidied == [cache]


def test_a_build_tidies(cache: Path) -> None:
    from symbody.codegen.tiers import _tidied

    _tidied.cache_clear()
    entry(cache, 1, 91)
    cached("key", small)
    assert 1 not in left(cache)


@pytest.mark.parametrize(("given", "megabytes"), [("", 2000.0), ("50", 50.0), ("-3", 0.0), ("much", 2000.0)])
def test_the_size_can_be_chosen(monkeypatch: pytest.MonkeyPatch, given: str, megabytes: float) -> None:
    monkeypatch.setenv("SYMBODY_CACHE_MB", given)
    assert cache_megabytes() == megabytes


@pytest.mark.posix  # links
def test_clearing_leaves_what_is_not_ours(cache: Path) -> None:
    """The folder may be one that holds other things, too."""
    entry(cache, 1, 0)
    (cache / "thesis.tex").write_text("…")
    (cache / "photos").mkdir()
    outside = cache.parent / "outside"
    outside.mkdir()
    (outside / "keep").touch()
    (cache / f"{2:040x}").symlink_to(outside)
    (cache / "objects").symlink_to(outside)
    clear_cache(cache)
    assert sorted(path.name for path in cache.iterdir()) == ["photos", MARKER, "thesis.tex"]
    assert (outside / "keep").exists()


def project(folder: Path) -> dict[str, str]:
    """A folder of a user with the names of the cache; its files."""
    made = {"objects/main.o": "object", "keys/id_rsa": "secret", "locks/door": "", "keys/tmpfile": "", f"{1:040x}": "x"}
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        aged(path, 100)
    folder.chmod(0o700)
    return made


def test_a_folder_without_the_marker_is_not_touched(cache: Path) -> None:
    """A build in a project folder removed objects/main.o, and --clear removed keys/id_rsa."""
    from symbody.codegen.tiers import _tidied

    _tidied.cache_clear()
    files = project(cache)
    with pytest.warns(UserWarning, match="contains other files; use an empty folder"):
        cached("key", small)
    evict_daily(cache)
    assert evict(cache, 0.0) == 0
    assert clear_cache(cache) == 0
    found = {str(path.relative_to(cache)): path.read_text() for path in cache.rglob("*") if path.is_file()}
    assert found == files


def test_an_empty_folder_and_a_cache_of_an_older_version_become_caches(cache: Path) -> None:
    cache.mkdir(mode=0o700)
    assert (marked_folder(cache) / MARKER).exists()
    (cache / MARKER).unlink()
    entry(cache, 1, 0)
    (cache / MARKER).unlink()
    (cache / STAMP).touch()
    assert left(cache) == [1]
    assert (marked_folder(cache) / MARKER).exists()


def test_the_command(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cached("key", small)
    (cache / ".making-x").mkdir()
    assert main(["cache", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["folder"] == str(cache)
    kinds = {row["kind"]: row for row in said["kinds"]}
    assert set(kinds) == {"code", "key", "left over"}
    assert said["MB"] == pytest.approx(sum(row["MB"] for row in kinds.values()), abs=1e-3)
    assert 0 <= kinds["code"]["oldest_days"] < 1
    assert main(["cache"]) == 0
    assert "left over" in capsys.readouterr().out
    assert main(["cache", "--clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["freed_MB"] == pytest.approx(said["MB"], rel=0.1)
    assert not cache.exists()
    assert main(["cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kinds"] == []
