"""A rollout in a Parquet file against the same rollout in memory."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis import rollout_file
from symbody.errors import ModelError
from symbody.results.parquet_stream import column_of

N, STEPS, EVERY, DT = 5, 60, 4, 1e-3
CHANNELS = ["heave.q", "heave.qd"]


@pytest.fixture(scope="module")
def s():
    return sb.system(machines.model("quarter-car"))


@pytest.mark.parametrize("records", [1, 4, 100])
def test_the_file_has_the_numbers_of_one_rollout(s, tmp_path, monkeypatch, records):
    monkeypatch.setattr(rollout_file, "MEMORY", records * 8 * N * (len(CHANNELS) + 2))
    u = 0.01 * np.random.default_rng(1).normal(size=(STEPS, N, len(s.inputs)))
    whole = sb.batch(s, N, dt=DT, channels=CHANNELS).rollout(STEPS, u, every=EVERY)
    b = sb.batch(s, N, dt=DT, channels=CHANNELS)
    assert sb.batch_to_parquet(b, tmp_path / "run.parquet", STEPS, u, every=EVERY) == {}
    shape = (STEPS // EVERY + 1, N)
    np.testing.assert_allclose(column_of(tmp_path / "run.parquet", "t").reshape(shape)[:, 0], whole.t, rtol=1e-12)
    np.testing.assert_array_equal(column_of(tmp_path / "run.parquet", "state").reshape(shape)[3], np.arange(N))
    for name in CHANNELS:
        found = column_of(tmp_path / "run.parquet", name).reshape(shape)
        np.testing.assert_allclose(found, whole[name], rtol=1e-12, atol=1e-15)


def test_a_file_of_a_sweep_is_written_in_blocks(s, tmp_path, monkeypatch):
    monkeypatch.setattr("symbody.analysis.sweep.BLOCK", 70)
    k = s.parameters["k_strut"] * np.linspace(0.8, 1.2, 200)
    k[5] = np.nan
    asked = (s, {"k_strut": k}, 0.02, DT, ["max(heave.q)", "rms(heave.qd)"])
    found = sb.sweep(*asked, grid=False, workers=1, to=tmp_path / "sweep.parquet")
    whole = sb.sweep(*asked, grid=False, workers=1)
    assert len(found) == 200
    assert list(found.failures) == [5]
    assert found.failed == 1
    np.testing.assert_allclose(found.loaded().values, whole.values, rtol=1e-12)
    for one, other in zip(found.table, whole.table, strict=True):
        assert one.pop("measure") == other.pop("measure")
        assert one == pytest.approx(other, rel=1e-9)
    with pytest.raises(sb.ChannelError, match="no column 'max'"):
        found["max"]
    with pytest.raises(ModelError, match="two columns of the file"):
        sb.sweep(s, {"k_strut": k}, 0.02, DT, {"failure": "max(heave.q)"}, grid=False, to=tmp_path / "other.parquet")


def test_wrong_arguments_are_reported(s, tmp_path):
    with pytest.raises(ModelError, match="has no channels"):
        sb.batch_to_parquet(sb.batch(s, 2), tmp_path / "x.parquet", 10)
    with pytest.raises(ModelError, match="a multiple of `every`"):
        sb.batch_to_parquet(sb.batch(s, 2, channels=CHANNELS), tmp_path / "x.parquet", 10, every=3)
