"""The store behind pages (store.py): what is put is got, by any process, and never half of it."""

import json
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symbody.errors import ModelError
from symbody.web import store as store_module
from symbody.web.store import FileStore, data_folder

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
def test_what_is_put_is_got_by_another_store_of_the_folder(tmp_path, value):
    FileStore(tmp_path).put("a", value)
    assert FileStore(tmp_path).get("a") == value


def test_keys_are_listed_and_deleted(tmp_path):
    store = FileStore(tmp_path / "made" / "later")
    assert store.keys() == []
    assert store.get("scores", []) == []
    store.put("scores", [1])
    store.put("names", {})
    assert store.keys() == ["names", "scores"]
    store.delete("names")
    store.delete("names")
    assert store.keys() == ["scores"]
    assert [path.name for path in (tmp_path / "made" / "later").iterdir()] == ["scores.json"]  # nothing unfinished


@pytest.mark.parametrize("key", ["", "../secret", "a/b", "A", "a.b", "x" * 65, "-a", "a\n"])
def test_a_key_cannot_leave_the_folder(tmp_path, key):
    store = FileStore(tmp_path)
    for use in (store.get, store.delete, lambda key: store.put(key, 1)):
        with pytest.raises(ModelError, match="not a key"):
            use(key)


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object(), "x" * (store_module.LARGEST + 1)])
def test_what_json_cannot_hold_is_refused_and_the_old_value_stays(tmp_path, value):
    store = FileStore(tmp_path)
    store.put("a", "old")
    with pytest.raises(ModelError):
        store.put("a", value)
    assert store.get("a") == "old"


def test_no_more_than_so_many_keys(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "MOST_KEYS", 2)
    store = FileStore(tmp_path)
    store.put("a", 1)
    store.put("b", 2)
    store.put("a", 3)  # there already
    with pytest.raises(ModelError, match="delete some"):
        store.put("c", 4)


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "a.json").write_text("[1, 2")
    with pytest.raises(ModelError, match=r"a\.json"):
        FileStore(tmp_path).get("a")


def test_changes_of_many_threads_are_all_kept(tmp_path):
    store, count = FileStore(tmp_path), 8

    def add(k):
        for _ in range(10):
            store.update("rows", lambda rows: [*rows, k], [])

    threads = [threading.Thread(target=add, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(store.get("rows")) == sorted(list(range(count)) * 10)
    assert json.loads((tmp_path / "rows.json").read_text()) == store.get("rows")


def test_the_folder_of_a_user_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("SYMBODY_DATA")
    assert "symbody" in data_folder().parts
