"""The kart on its bench: balance, its law of tyres, and what the sensors tell; kart_bench/experiment.py, report.py."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.errors import ModelError
from symbody.estimation.consistency import nees, nis, twin_figures
from symbody.estimation.estimate import estimate
from symbody.estimation.observability import observability
from symbody.machines.kart_bench.experiment import AXLE_SIDES, MODEL_ERROR, START, WANDER, WHEEL_SIDES, case
from symbody.machines.kart_bench.model import FRONT, REAR, WEIGHT, model
from symbody.machines.kart_bench.report import report
from symbody.visual.report_options import ReportOptions


def steady(steer):
    s = sb.system(machines.model("kart-bench"), outputs=["default", "*_tyre.force.*"])
    return sb.simulate(s, 6.0, 2e-3, inputs={"steer": steer})


def test_a_kart_that_is_steered_hangs_in_balance():
    """Σ of side forces is what the cell holds, and their moments about the pin cancel."""
    run = steady(0.1)
    front, rear = run["front.side"][-1], run["rear.side"][-1]
    yaw = run["yaw.q"][-1]
    assert front > 5.0
    along = sum(run[f"{name}_tyre.force.x"][-1] for name in ("front_left", "front_right", "rear_left", "rear_right"))
    aside = sum(run[f"{name}_tyre.force.y"][-1] for name in ("front_left", "front_right", "rear_left", "rear_right"))
    assert run["cell.aside"][-1] == pytest.approx(aside, rel=1e-6)
    assert run["cell.along"][-1] == pytest.approx(along, rel=1e-6)
    assert FRONT * front + REAR * rear == pytest.approx(0.0, abs=0.02 * front)
    assert abs(yaw) < 0.1


def test_tyres_never_give_more_than_friction_allows():
    run = steady(0.25)
    pairs = [run[f"front_{side}.side"] for side in ("left", "right")]
    share = (0.7 - 0.45) / 0.55 / 2.0
    for side in pairs:
        assert np.abs(side).max() < 0.8 * share * WEIGHT
    assert np.abs(pairs[0]).max() > 0.8 * 0.8 * share * WEIGHT


@pytest.mark.slow
def test_axle_forces_are_found_without_a_law_of_tyres():
    runs = case("unknown").observed(range(5))
    found = twin_figures(runs, AXLE_SIDES)
    for name in AXLE_SIDES:
        assert found["rmse_percent"][name] < 20.0
        assert found["coverage"][name] > 0.88
    assert 0.8 < nis(runs).mean.mean() < 1.2


@pytest.mark.slow
def test_four_forces_and_the_numbers_of_the_tyres_are_found_by_a_law():
    runs = case("law").observed(range(5))
    found = twin_figures(runs, [*WHEEL_SIDES, "cornering", "friction"])
    for name in WHEEL_SIDES:
        assert found["coverage"][name] > 0.85, name
        assert found["rmse_percent"][name] < 5.0
    for name, most in (("cornering", 0.5), ("friction", 0.05)):
        for one in runs:
            assert abs(one.error(name)[-1]) < 3.0 * one.sigma[-1, one.place(name)] < 3.0 * most
    assert nees(runs).mean.mean() < 1.5


def test_without_the_potentiometer_nobody_could_tell_the_axles_apart():
    """Both forces move the cell alike: the direction in which they cancel there is told by the pin's angle only."""
    s, forces = sb.system(model("unknown")), WANDER
    noise = {"cell.along": 0.3, "cell.aside": 0.3, "yaw.q": 3.5e-3}
    u = np.tile(s.u0, (200, 1))
    told = []
    for names in (["cell.along", "cell.aside"], list(noise)):
        twin = estimate(s, names, noise, MODEL_ERROR, forces=forces, dt=2e-3, start=START)
        found = observability(twin, u)
        told.append(found.learnt[found.names.index("yaw.q")])
    # one run: the second set contains the first; covariances do not depend on noise
    assert told[1] < 0.2 * told[0]


def test_tyres_that_are_none_are_named():
    with pytest.raises(ModelError, match="law or unknown"):
        model("magic")


@pytest.mark.slow
def test_its_report_has_its_plots(tmp_path):
    made = report(ReportOptions(until=2.0))
    made.save(tmp_path)
    assert [one["tyres"] for one in made.figures] == ["unknown", "law"]
    assert len(list(tmp_path.glob("*.png"))) == 6
