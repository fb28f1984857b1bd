"""`symbody estimate` (cli/estimate.py) on logs in files, and its picture (visual/bands.py)."""

import json

import numpy as np
import pytest

import symbody as sb
from symbody.cli import main
from symbody.realtime.record import Recorder

NOISE = 0.02
SAID = ["--sensors", "arm.q", "--noise", "arm.q=0.02", "--model-error", "arm.qd=0.05", "--dt", "0.005", "--json"]


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimate")
    m = sb.Model("swing")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.8)], mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    sb.save(m, folder / "swing.yaml")
    truth = sb.simulate(m, 1.0, 5e-3)
    seen = truth["arm.q"] + NOISE * np.random.default_rng(0).normal(size=len(truth))
    return folder, truth, seen


def printed_estimate(capsys, folder, log, *more):
    assert main(["estimate", str(folder / "swing.yaml"), "--log", str(log), *SAID, *more, "-o", str(folder)]) == 0
    return json.loads(capsys.readouterr().out)


def test_degrees_in_a_csv_and_a_picture(pendulum, capsys):
    folder, truth, seen = pendulum
    rows = "".join(f"{t},{np.degrees(q)}\n" for t, q in zip(truth.t, seen, strict=True))
    (folder / "log.csv").write_text(f"time,arm.q [deg]\n{rows}")
    said = printed_estimate(capsys, folder, folder / "log.csv")
    assert said["trusted"]
    table = sb.Run.load(said["table"])
    error = np.abs(table["arm.q"] - truth["arm.q"])
    assert error[100:].max() < NOISE
    assert np.mean(error < 3 * table["arm.q.sigma"]) > 0.9
    assert (folder / "swing-estimate.png").read_bytes()[:4] == b"\x89PNG"


def test_parquet_and_mcap_tell_the_same(pendulum, capsys):
    folder, truth, seen = pendulum
    run = sb.Run(None, truth.t, seen[:, np.newaxis], names=["arm.q"])
    other = printed_estimate(capsys, folder, run.save(folder / "log.parquet"), "--no-picture")
    with Recorder(folder / "log.mcap", {"swing": ["arm.q"]}) as recorder:
        for t, q in zip(truth.t, seen, strict=True):
            recorder.write("swing", np.array([q]), round(1e9 * t))
    said = printed_estimate(capsys, folder, folder / "log.mcap", "--no-picture")
    assert said["picture"] is None
    assert [row["estimate"] for row in said["final"]] == pytest.approx([row["estimate"] for row in other["final"]])


def test_wrong_words_are_named(pendulum, capsys):
    folder, truth, seen = pendulum
    sb.Run(None, truth.t, seen[:, np.newaxis], names=["arm.q"]).save(folder / "log.csv")
    words = ["estimate", str(folder / "swing.yaml"), "--log", str(folder / "log.csv"), "-o", str(folder)]
    for more, answer in (
        (["--sensors", "amr.q"], "did you mean arm.q"),
        (["--sensors", "arm.q"], "noise is not given"),
        (["--sensors", "arm.qd", "--noise", "arm.qd=1"], "no such column"),
        (["--sensors", "arm.q", "--noise", "arm.q=1", "--model-error", "much"], "is not a number"),
    ):
        assert main([*words, *more]) == 2
        assert answer in capsys.readouterr().err
