"""Files that another user may have written are neither read nor loaded: ownership.py, cache.py."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from test_cache import entries, never, small

from symbody.codegen import cached, load_functions
from symbody.codegen.cache import MANIFEST, _sealed, _unsealed, load_entry, make_entry, remember, remembered
from symbody.codegen.loading import open_library
from symbody.codegen.ownership import (
    LINKS,
    Distrusted,
    _exchangeable,
    _is_own_group,
    _way,
    check_folder,
    distrust,
    open_owned,
    own_folder,
    read_owned,
)

pytestmark = pytest.mark.posix  # owners, modes, pipes
NAME = "0123456789" * 4
ME = os.geteuid() if hasattr(os, "geteuid") else 0


def stat_of(path: Path, **changed: int) -> os.stat_result:
    """The facts of a file with some of them changed."""
    found = path.stat()
    fields = list(found[:10])
    fields[0] = changed.get("mode", fields[0])
    fields[4] = changed.get("uid", fields[4])
    fields[5] = changed.get("gid", fields[5])
    return os.stat_result(fields)


def test_whose_it_is(tmp_path: Path) -> None:
    assert distrust(stat_of(tmp_path, mode=0o40755)) == ""
    assert distrust(stat_of(tmp_path, mode=0o40755, uid=0)) == ""
    assert distrust(stat_of(tmp_path, mode=0o40755, uid=ME + 1)) == f"it belongs to user {ME + 1}"
    for mode in (0o40775, 0o40757, 0o40777, 0o41777):
        assert "others may write it" in distrust(stat_of(tmp_path, mode=mode))


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR | os.O_CREAT])
def test_links_pipes_and_folders_are_no_files(tmp_path: Path, flags: int) -> None:
    """A pipe without another end would hang whoever opens it as usual."""
    (tmp_path / "file").write_text("ours")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "."):
        with pytest.raises(OSError):  # noqa: PT011 - a link is refused by the system, with other words
            open_owned(tmp_path / name, flags)
    (tmp_path / "file").chmod(0o600)
    assert read_owned(tmp_path / "file") == b"ours"
    (tmp_path / "file").chmod(0o666)
    held = os.listdir("/dev/fd")
    with pytest.raises(Distrusted, match="others may write it"):
        read_owned(tmp_path / "file")
    assert os.listdir("/dev/fd") == held
    os.close(open_owned(tmp_path / "new", os.O_RDWR | os.O_CREAT))
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_folders(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    tmp_path.chmod(0o757)
    with pytest.raises(Distrusted, match="everybody may rename"):
        check_folder(made)
    tmp_path.chmod(0o1757)  # as /tmp: nobody renames what is another's
    check_folder(made)
    made.chmod(0o770)
    with pytest.raises(Distrusted, match="others may write it"):
        own_folder(made)
    (tmp_path / "file").touch()
    with pytest.raises(Distrusted, match="not a folder"):
        check_folder(tmp_path / "file")


def test_a_folder_above_that_a_group_may_write(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "a" / "b")
    (tmp_path / "a").chmod(0o770)
    os.chown(tmp_path / "a", -1, 54321) if ME == 0 else None
    if ME == 0:
        with pytest.raises(Distrusted, match="group 54321 may rename"):
            check_folder(made)
    (tmp_path / "a").chmod(0o1770)  # only owners rename
    check_folder(made)


@pytest.mark.parametrize(
    ("mode", "above", "found", "own", "why"),
    [
        (0o755, ME, ME, False, ""),
        (0o755, 0, ME, False, ""),
        (0o755, ME + 1, ME, False, f"user {ME + 1} may exchange"),
        (0o775, ME, ME, True, ""),
        (0o775, ME, ME, False, "group 54321 may rename"),
        (0o777, ME, ME, True, "everybody may rename"),
        (0o757, ME, ME, False, "everybody may rename"),
        (0o1777, ME, ME, False, ""),
        (0o1777, 0, 0, False, ""),
        (0o1777, ME, ME + 1, False, "everybody may rename"),
        (0o1775, ME, ME + 1, False, "group 54321 may rename"),
    ],
)
def test_who_may_rename_what_is_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, above: int, found: int, own: bool, why: str
) -> None:
    monkeypatch.setattr("symbody.codegen.ownership._is_own_group", lambda gid: own)
    folder = stat_of(tmp_path, mode=0o40000 | mode, uid=above, gid=54321)
    said = _exchangeable(folder, stat_of(tmp_path, uid=found))
    assert said.startswith(why) if why else said == ""


USERS = {"me": (ME, 7), "friend": (ME + 1, 8)}


@pytest.mark.parametrize(
    ("gid", "members", "users", "own"),
    [
        (7, [], {}, True),
        (7, ["me"], {}, True),
        (7, ["me", "friend"], {}, False),
        (7, [], {"friend": (ME + 1, 7)}, False),
        (8, [], {"friend": (ME + 1, 9)}, False),
        (9, ["me"], {}, False),
    ],
)
def test_a_group_is_own_only_without_other_users(
    monkeypatch: pytest.MonkeyPatch, gid: int, members: list[str], users: dict[str, tuple[int, int]], own: bool
) -> None:
    known = [SimpleNamespace(pw_name=name, pw_uid=u, pw_gid=g) for name, (u, g) in (USERS | users).items()]
    monkeypatch.setattr("pwd.getpwuid", lambda uid: next(one for one in known if one.pw_uid == uid))
    monkeypatch.setattr("pwd.getpwall", lambda: known)
    monkeypatch.setattr("grp.getgrgid", lambda gid: SimpleNamespace(gr_mem=members))
    assert _is_own_group(gid) is own


def test_a_user_without_a_name_has_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert _is_own_group(os.getgid()) is False


def test_a_system_without_owners_trusts_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = stat_of(tmp_path, mode=0o40777, uid=ME + 1)
    monkeypatch.delattr(os, "geteuid")
    assert distrust(strange) == ""
    assert _exchangeable(strange, strange) == ""


def test_every_folder_and_link_of_a_path_is_passed(tmp_path: Path) -> None:
    here = tmp_path.resolve()
    above = [*reversed(here.parents)]
    (here / "real" / "deep").mkdir(parents=True)
    (here / "real" / "relative").symlink_to("../real/deep")
    (here / "absolute").symlink_to(here / "real")
    passed = [at for at, _ in _way(here / "absolute" / "relative")]
    first = [*above, here, here / "absolute", *above, here, here / "real", here / "real" / "relative"]
    assert passed == [*first, here / "real", here, here / "real", here / "real" / "deep"]


def test_as_many_links_as_the_system_follows(tmp_path: Path) -> None:
    (tmp_path.resolve() / "link0").mkdir()
    for k in range(LINKS + 1):
        (tmp_path / f"link{k + 1}").symlink_to(f"link{k}")
    check_folder(tmp_path.resolve() / "link40")
    with pytest.raises(OSError, match="Too many levels"):
        check_folder(tmp_path.resolve() / "link41")


def test_a_link_to_an_absolute_path_is_followed_from_the_root(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "real")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "link").symlink_to(made)
    check_folder(tmp_path / "deep" / "link")
    made.chmod(0o757)
    with pytest.raises(Distrusted, match="others may write it"):
        check_folder(tmp_path / "deep" / "link")


def test_links_on_the_way(tmp_path: Path) -> None:
    made = own_folder(tmp_path / "safe" / "cache")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open" / "link").symlink_to(made)
    with pytest.raises(Distrusted, match="everybody may rename"):
        check_folder(tmp_path / "open" / "link")
    (tmp_path / "relative").symlink_to("safe/../safe/cache")
    check_folder(tmp_path / "relative")
    (tmp_path / "through").symlink_to("open/link")
    with pytest.raises(Distrusted, match="everybody may rename"):
        check_folder(tmp_path / "through")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="Too many levels"):
        check_folder(tmp_path / "loop")


def test_a_library_is_loaded_from_the_file_that_was_checked(tmp_path: Path) -> None:
    """A name that is used again is another library; one that others may write is none."""
    f, g = cached("f", lambda: small(2.0)), cached("g", lambda: small(3.0))
    assert [float(one(np.ones(1))[0]) for one in (f, g)] == [2.0, 3.0]
    assert f.path is not None
    copied = tmp_path / "copied.so"
    shutil.copy(f.path, copied)
    copied.chmod(0o722)
    with pytest.raises(Distrusted, match="others may write it"):
        open_library(copied)


# -- the cache ---------------------------------------------------------------------------------------------------------


def planted(cache: Path, **more: object) -> Path:
    """An entry with one file, whole and sealed."""

    def fill(folder: Path) -> dict[str, object]:
        (folder / "a.so").write_bytes(b"code")
        return {"library": "a.so", **more}

    folder, _ = make_entry(NAME, fill, cache)
    assert load_entry(NAME, cache)
    return folder


def reseal(folder: Path, **changed: object) -> None:
    """Change a manifest, with a seal that fits."""
    manifest = _unsealed((folder / MANIFEST).read_bytes())
    (folder / MANIFEST).write_bytes(_sealed(manifest | changed))


@pytest.mark.parametrize("file", ["a.so", MANIFEST])
def test_one_changed_byte_is_noticed(cache: Path, file: str) -> None:
    folder = planted(cache, signature=[1, 2, 3])
    whole = (folder / file).read_bytes()
    for place in range(len(whole)):
        (folder / file).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert load_entry(NAME, cache) is None
    (folder / file).write_bytes(whole)
    assert load_entry(NAME, cache)


def test_facts_are_a_mapping() -> None:
    assert _unsealed(_sealed({"a": 1})) == {"a": 1}
    for facts in ([1], "text", None):
        with pytest.raises(ValueError, match="not a mapping"):
            _unsealed(_sealed(facts))  # type: ignore[arg-type]


def test_a_library_that_was_changed_is_not_loaded(cache: Path) -> None:
    """Another function's library in the place of this one, which would load and give other numbers."""
    wrong, right = cached("wrong", lambda: small(5.0)), cached("right", lambda: small(2.0))
    assert wrong.path is not None
    assert right.path is not None
    place = right.path
    evil = wrong.path.read_bytes()
    del right, wrong
    place.unlink()
    place.write_bytes(evil)
    assert cached("right", lambda: small(2.0))(np.ones(1)) == 2.0


def test_a_stored_system_that_was_changed_is_not_loaded(cache: Path) -> None:
    cached("key", small)
    cached("other", lambda: small(5.0))
    assert load_functions("key") is not None
    one, two = (path for path in (cache / "keys").iterdir() if b'"functions"' in path.read_bytes())
    facts = json.loads(one.read_bytes().partition(b"\n")[2])
    for text in (two.read_bytes().partition(b"\n")[2], json.dumps(facts).encode(), b"{}", b""):
        seal = one.read_bytes().partition(b"\n")[0]
        one.write_bytes(seal + b"\n" + text)
        two.write_bytes(two.read_bytes())
        assert sum(load_functions(key) is None for key in ("key", "other")) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"library": "/tmp/evil.so"},
        {"library": "../evil.so"},
        {"library": "b.so"},  # there is no hash of it
        {"files": {"../evil.so": "0"}},
        {"files": {"a.so": None}},
        {"files": ["a.so"]},
        {"files": None},
    ],
)
def test_manifests_name_files_of_their_entry_only(cache: Path, changed: dict[str, object]) -> None:
    folder = planted(cache)
    reseal(folder, **changed)
    assert load_entry(NAME, cache) is None


def test_a_file_outside_its_entry_is_not_loaded_even_with_its_hash(cache: Path) -> None:
    folder = planted(cache)
    evil = cache / "evil.so"
    evil.write_bytes(b"code")
    evil.chmod(0o600)
    sound = hashlib.sha256(b"code").hexdigest()
    for name in ("../evil.so", str(evil)):
        reseal(folder, files={"a.so": sound, name: sound}, library=name)
        assert load_entry(NAME, cache) is None
    reseal(folder, files={"a.so": sound}, library="a.so")
    assert load_entry(NAME, cache)


@pytest.mark.parametrize("name", ["../elsewhere", "/etc", "", ".", "keys", NAME[:-1], None, 5, ["a"]])
def test_names_of_entries_are_hashes(cache: Path, name: object) -> None:
    planted(cache)
    assert load_entry(name, cache) is None  # type: ignore[arg-type]


def test_what_others_may_write_is_not_loaded(cache: Path) -> None:
    folder = planted(cache)
    for path in (folder / "a.so", folder / MANIFEST, folder, cache):
        mode = path.stat().st_mode
        path.chmod(mode | 0o020)
        assert load_entry(NAME, cache) is None
        path.chmod(mode)
    cache.chmod(0o1777)  # others may create entries there
    assert load_entry(NAME, cache) is None
    cache.chmod(0o700)
    assert load_entry(NAME, cache)
    elsewhere = cache.parent / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    assert load_entry(NAME, cache) is None


@pytest.mark.parametrize("victim", ["a.so", MANIFEST])
def test_a_pipe_in_the_cache_does_not_hang(cache: Path, victim: str) -> None:
    folder = planted(cache)
    (folder / victim).unlink()
    os.mkfifo(folder / victim)
    assert load_entry(NAME, cache) is None
    planted(cache)  # and is made anew


def test_a_pipe_for_a_key_does_not_hang(cache: Path) -> None:
    assert remember("key", {"a": 1})
    (place,) = (cache / "keys").iterdir()
    place.unlink()
    os.mkfifo(place)
    assert remembered("key") is None
    assert remember("key", {"a": 2})
    assert remembered("key") == {"a": 2}
    (cache / "keys").chmod(0o777)
    assert remembered("key") is None


def test_a_cache_that_others_may_write_is_not_used(cache: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cached("key", small)
    cache.chmod(0o777)
    with pytest.warns(UserWarning, match="others may write it"):
        f = cached("key", small)
    assert f(np.ones(1)) == 2.0
    assert f.path is not None
    assert cache not in f.path.parents
    assert remember("key", {}) is False
    cache.chmod(0o700)
    assert cached("key", never)(np.ones(1)) == 2.0


def test_a_generous_umask_makes_no_generous_cache(cache: Path) -> None:
    before = os.umask(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cached("key", small)
            assert cached("key", never)(np.ones(1)) == 2.0
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in cache.rglob(MANIFEST)} == {0o600}
    assert entries(cache)
    assert not [path for path in [cache, *cache.rglob("*")] if path.stat().st_mode & 0o022]
