"""Ends that are not the wanted ones: a full disk, an objective that is not finite; what was computed is kept."""

import errno
import os

import numpy as np
import pytest

import symbody as sb
from symbody import machines


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_full_disk_leaves_the_old_file_and_the_run(tmp_path, monkeypatch, kind):
    run = sb.simulate(machines.model("four-bar"), 0.05, 1e-3)
    path = run.save(tmp_path / f"run.{kind}")
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(sb.SymbodyError, match="No space left"):
        run.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert np.isfinite(run["crank.q"]).all()


def test_an_objective_that_is_not_finite_is_told():
    def impossible(s, p):
        return sb.functions.log(-1.0 - s.q["crank"] ** 2)

    with pytest.raises(sb.SymbodyError, match=r"diverged|gives|not finite"):
        sb.sensitivity(machines.model("four-bar"), impossible, ["friction"], until=0.1)
    with pytest.raises(sb.SymbodyError, match=r"diverged|gives|not finite"):
        sb.optimise(machines.model("four-bar"), impossible, {"friction": (0.001, 0.1)}, until=0.1, dt=1e-3)
