"""The two-track car: steady cornering and loads beside the textbook; its filter is in test_convergence.py."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.machines.car_observer.experiment import case
from symbody.machines.car_observer.model import CENTRE, UNSPRUNG, WHEELS, load
from symbody.machines.car_observer.report import report
from symbody.vehicles.axles import WHEELBASE
from symbody.visual.report_options import ReportOptions

G = 9.81


@pytest.fixture(scope="module")
def gentle():
    """A steady curve with little slip."""
    s = sb.system(machines.model("car-observer"), outputs=["default", "tyres.*"])
    return s, sb.simulate(s, 8.0, 5e-3, inputs={"steer": 0.004, "drive": 26.0})


def test_in_a_gentle_curve_it_turns_as_the_bicycle_model(gentle):
    """ψ̇ = v δ/(L + (m v²/L)(b/C_f − a/C_r)), with stiffnesses of the tyres under their loads."""
    s, run = gentle
    p = s.parameters
    mass = p["body_mass"] + UNSPRUNG
    ahead = p["body_mass"] * CENTRE / mass
    v = run["x.qd"][-1] * np.cos(run["yaw.q"][-1]) + run["y.qd"][-1] * np.sin(run["yaw.q"][-1])
    a, b = WHEELBASE / 2 - ahead, WHEELBASE / 2 + ahead
    weights = mass * G * b / WHEELBASE, mass * G * a / WHEELBASE
    front, rear = (p["cornering"] * w / np.sqrt(1.0 + (w / 2.0 / 6000.0) ** 2) for w in weights)
    expected = v * 0.004 / (WHEELBASE + mass / WHEELBASE * (b / front - a / rear) * v * v)
    assert run["yaw.qd"][-1] == pytest.approx(expected, rel=0.03)


def test_side_forces_balance_the_centrifugal_force(gentle):
    s, run = gentle
    mass = s.parameters["body_mass"] + UNSPRUNG
    lateral = run["yaw.qd"][-1] * np.hypot(run["x.qd"][-1], run["y.qd"][-1])
    assert run["front.side"][-1] + run["rear.side"][-1] == pytest.approx(mass * lateral, rel=0.02)
    pairs = sum(run[f"{name}.side"][-1] for name in WHEELS)
    assert pairs == pytest.approx(run["front.side"][-1] + run["rear.side"][-1], rel=1e-12)


def test_loads_are_the_weight_and_go_to_the_outer_wheels(gentle):
    s, _ = gentle

    class Motion:
        q, qd = {"roll": 0.03}, {"roll": 0.0}  # leaning to the right

    p = type("Numbers", (), dict(s.parameters))
    loads = {name: load(Motion, p, name) for name in WHEELS}
    assert sum(loads.values()) == pytest.approx(G * (s.parameters["body_mass"] + UNSPRUNG))
    # one run: loads of a car that leans to the right
    assert loads["front_right"] > loads["front_left"]
    moment = sum(-y * loads[name] for name, (_, y) in WHEELS.items())
    assert moment == pytest.approx(s.parameters["roll_stiffness"] * 0.03)


@pytest.mark.slow
def test_friction_is_not_told_before_tyres_slide():
    """The band of the friction stays wide in the gentle curve, and is narrow after the swerve."""
    (run,) = case().observed([0])
    sigma = run.sigma[:, run.place("friction")]
    before, after = np.searchsorted(run.t, 4.4), -1
    # one run: one band at three times
    assert sigma[before] > 0.5 * sigma[0]
    assert sigma[after] < 0.1 * sigma[0]


@pytest.mark.slow
def test_its_report_has_its_plots(tmp_path):
    report(ReportOptions(until=1.5)).save(tmp_path)
    assert len(list(tmp_path.glob("*.png"))) == 3
