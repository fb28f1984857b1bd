"""Runs in files: exact round trips, tables of others, hostile files.

Tests of parquet_file.py, parquet_pages.py.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbody as sb
from symbody import machines
from symbody.results import csv_file, table

pytest.importorskip("pyarrow")
KINDS = ("parquet", "csv")

names = st.lists(st.text(max_size=12), max_size=5, unique=True)
floats = st.floats(allow_nan=True, allow_infinity=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def same(a, b):
    assert a.names == b.names
    assert a.units == b.units
    assert a.meta == b.meta
    np.testing.assert_array_equal(a.t.view(np.int64), b.t.view(np.int64))  # bit by bit, −0 included
    ours, theirs = (np.where(np.isnan(run.values), np.nan, run.values) for run in (a, b))
    np.testing.assert_array_equal(ours.view(np.int64), theirs.view(np.int64))


@settings(max_examples=60, deadline=None)
@given(
    st.data(),
    names,
    st.lists(floats.filter(np.isfinite), max_size=4),
    st.dictionaries(st.text(max_size=6), json_values),
)
def test_round_trips_are_exact(data, channels, times, meta):
    meta.pop("parameters", None)
    values = [[data.draw(floats) for _ in channels] for _ in times]
    units = {name: data.draw(st.text(max_size=4)) for name in channels}
    table = np.array(values, dtype=float).reshape(len(times), len(channels))
    run = sb.Run(None, np.sort(np.array(times, dtype=float)), table, names=channels, units=units, meta=meta)
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            same(sb.Run.load(run.save(Path(folder) / f"run.{kind}")), run)


@pytest.mark.parametrize("kind", KINDS)
def test_a_simulation_comes_back_with_its_model(tmp_path, kind):
    s = sb.system(machines.model("quarter-car"))
    s.parameters["k_strut"] = 3e4
    run = sb.simulate(s, 0.02, 1e-3)
    again = sb.Run.load(run.save(tmp_path / "new" / f"run.{kind}"))
    same(again, run)
    assert again.system is None
    assert again.parameters["k_strut"] == 3e4
    np.testing.assert_array_equal(again.q, run.q)
    np.testing.assert_array_equal(again.qd, run.qd)
    assert again.energy_drift == run.energy_drift
    assert list(again.model.bodies) == list(run.model.bodies)
    assert not [p.name for p in (tmp_path / "new").iterdir() if p.name != f"run.{kind}"]


def test_laws_that_are_functions_do_not_hinder(tmp_path):
    m = sb.Model("gear")
    m.body("a", joints="R3", mass=1.0, inertia=(1, 1, 1))
    m.body("b", joints="R3", mass=1.0, inertia=(1, 1, 1))
    m.constraint("gear")(lambda s, p: s.q["a"] - 2 * s.q["b"])
    m.state("lag")(lambda s, p: s.q["a"] - p.lag)
    run = sb.simulate(m, 0.01, 1e-3)
    assert sb.Run.load(run.save(tmp_path / "gear.csv")).q.shape == (11, 2)


def test_a_model_may_be_given(tmp_path):
    run = sb.simulate(machines.model("double-wishbone"), 0.01, 1e-3)
    bare = sb.Run(None, run.t, run.values, names=run.names)
    model = machines.model("double-wishbone")
    again = sb.Run.load(bare.save(tmp_path / "bare.csv"), model)
    assert again.model is model
    assert again.units["heave.qd"] == "m/s"


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    run = sb.Run(None, [0.0], [[1.0]], names=["x"])
    path = run.save(tmp_path / "x.csv")
    before = path.read_bytes()

    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", broken)
    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(KeyboardInterrupt):
        sb.Run(None, [0.0], [[2.0]], names=["x"]).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]


def test_numbers_of_numpy_in_the_metadata(tmp_path):
    run = sb.Run(None, [0.0], [[1.0]], names=["x"], meta={"n": np.int64(3), "v": np.arange(2), "p": Path("a")})
    assert sb.Run.load(run.save(tmp_path / "x.csv")).meta == {"n": 3, "v": [0, 1], "p": "a"}


# -- tables of other tools ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "t,x,y\n0,1,2\n0.5,3,\n",
        "x [m];Time (s);y\n1;0;2\n3;0,5;\n",
        "# measured on a bench\ntime\tx\ty\n0\t1\t2\n\n0.5\t3\tnan\n",
        '\ufeff"t","x","y"\r\n0,1,2\r\n0.5,3,NaN\r\n',
    ],
)
def test_csv_of_other_tools(tmp_path, text):
    path = tmp_path / "other.csv"
    path.write_text(text, encoding="utf-8", newline="")
    run = sb.Run.load(path)
    assert run.names == ["x", "y"]
    np.testing.assert_array_equal(run.t, [0, 0.5])
    np.testing.assert_array_equal(run.values, [[1, 2], [3, np.nan]])
    assert run.units["x"] == ("m" if "[m]" in text else "")


def test_parquet_of_other_tools(tmp_path):
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "other.parquet"
    columns = {
        "n": [1, None],
        "time": [0.0, 1.0],
        "on": [True, False],
        "x": pyarrow.array([1.5, 2.5], pyarrow.float32()),
    }
    parquet.write_table(pyarrow.table(columns), path)
    run = sb.Run.load(path)
    assert run.names == ["n", "on", "x"]
    np.testing.assert_array_equal(run.values, [[1, 1, 1.5], [np.nan, 0, 2.5]])
    parquet.write_table(pyarrow.table({"t": [0.0], "word": ["a"]}), path)
    with pytest.raises(sb.SymbodyError, match=r"other\.parquet: word: a column of type string"):
        sb.Run.load(path)


def test_parquet_says_units_to_other_tools(tmp_path):
    from pyarrow import parquet

    path = sb.Run(None, [0.0], [[1.0]], names=["x"], units={"x": "N m"}).save(tmp_path / "x.parquet")
    fields = parquet.read_schema(path)
    assert {f.name: f.metadata[b"unit"].decode() for f in fields} == {"t": "s", "x": "N m"}


# -- hostile files --------------------------------------------------------------------------------------------------

OURS = "# symbody run\n# format: 1\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("\n", "empty"),
        ("a,b\n1,2\n", "no times among the columns 'a', 'b'"),
        ("t,x\n0,1\n1\n", "row 2: 1 cells instead of 2"),
        ("t,x\n0,1\n1,one\n", "row 2: 'one' is not a number"),
        ("t,x\n0,1\nnan,1\n", "do not increase"),
        ("t,x\n1,1\n0,1\n", "do not increase"),
        ("time [ms],x\n0,1\n", "times are in 'ms'"),
        ("t,x,x\n0,1,2\n", "two channels have this name"),
        ('t,"x\n0,1\n', "not a table"),
        (f"{OURS}x\n0\n", "does not begin with the times"),
        ("# symbody run\n# format: 99\nt\n", "newer symbody"),
        (f"{OURS}# meta: {{\nt\n", "meta is not JSON"),
        (f"{OURS}# meta: []\nt\n", "wrong type"),
        (f"{OURS}# meta: {'[' * 100_000}\nt\n", "meta is not JSON"),
        (f'{OURS}# units: {{"x": 3}}\nt,x\n', "a unit is not text"),
        (f'{OURS}# meta: {{"parameters": {{"k": "rm"}}}}\nt\n', "a parameter is not a number"),
        (f"{OURS}# model: {json.dumps('symbody: 1')}\nt\n", "'name' is missing"),
        (f"{OURS}# model: {json.dumps('&a [*a]')}\nt\n", "anchors"),
    ],
)
def test_damaged_csv_is_refused_with_file_and_cure(tmp_path, text, problem):
    path = tmp_path / "bad.csv"
    path.write_text(text, newline="")
    with pytest.raises(sb.SymbodyError, match=problem) as caught:
        sb.Run.load(path)
    assert "bad.csv" in str(caught.value)
    assert str(caught.value).endswith(")")  # the cure


def test_bytes_that_are_not_text(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"t,x\n0,\xff\xfe\n")
    with pytest.raises(sb.SymbodyError, match="UTF-8"):
        sb.Run.load(path)


def test_reading_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "MAX_LINE", 1000)
    monkeypatch.setattr(table, "MAX_COLUMNS", 50)
    path = tmp_path / "big.csv"
    path.write_text("t," + "x" * 2000)
    with pytest.raises(sb.SymbodyError, match="a line has more than 1000"):
        sb.Run.load(path)
    path.write_text("t," + ",".join(f"x{k}" for k in range(60)))
    with pytest.raises(sb.SymbodyError, match="61 columns are too many"):
        sb.Run.load(path)
    monkeypatch.setattr(table, "MAX_VALUES", 10)
    sb.Run(None, np.arange(20.0), np.zeros((20, 1)), names=["x"]).save(tmp_path / "big.parquet")
    with pytest.raises(sb.SymbodyError, match="20 rows of 2 columns"):
        sb.Run.load(tmp_path / "big.parquet")
    monkeypatch.setattr(table, "MAX_BYTES", 10)
    with pytest.raises(sb.SymbodyError, match="larger than"):
        sb.Run.load(path)


@pytest.mark.parametrize(
    "damage", [lambda d: b"", lambda d: b"PAR1" * 30, lambda d: d[: len(d) // 2], lambda d: d[:40] + d[60:]]
)
def test_damaged_parquet_is_refused(tmp_path, damage):
    path = sb.Run(None, [0.0, 1.0], [[1.0], [2.0]], names=["x"]).save(tmp_path / "bad.parquet")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(sb.SymbodyError, match=r"bad\.parquet: the Parquet file cannot be read.*\(save it again\)"):
        sb.Run.load(path)


def test_random_damage_never_escapes_as_another_error(tmp_path):
    path = sb.Run(None, [0.0, 1.0], [[1.0], [2.0]], names=["x"]).save(tmp_path / "bad.parquet")
    whole, draw, said = path.read_bytes(), np.random.default_rng(0), []
    for _ in range(60):
        data = bytearray(whole)
        for place in draw.integers(0, len(whole), 3):
            data[place] ^= int(draw.integers(1, 256))
        path.write_bytes(data)
        try:
            sb.Run.load(path)
        except sb.SymbodyError as error:
            said.append(str(error))
    assert len(said) > 5
    assert all("bad.parquet" in text for text in said)


def test_folders_missing_files_and_other_kinds(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name, problem in (
        ("folder.csv", "not a regular file"),
        ("no.csv", "no such file"),
        ("x.xlsx", r"\.parquet or \.csv"),
    ):
        with pytest.raises(sb.SymbodyError, match=problem):
            sb.Run.load(tmp_path / name)
    run = sb.Run(None, [0.0], [[1.0]], names=["x"])
    with pytest.raises(sb.SymbodyError, match=r"\.parquet or \.csv"):
        run.save(tmp_path / "x.mat")
    for kind in KINDS:
        with pytest.raises(sb.SymbodyError, match="not valid Unicode"):
            sb.Run(None, [0.0], [[1.0]], names=["\ud800"]).save(tmp_path / f"x.{kind}")


def test_without_pyarrow_the_cure_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(sb.SymbodyError, match=r"pip install 'symbody\[parquet\]', or use \.csv"):
        sb.Run(None, [0.0], [[1.0]], names=["x"]).save(tmp_path / "x.parquet")
