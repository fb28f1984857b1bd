"""Forces and parameters come to the truth within their own bands, over seeds: four-bar, crane, car."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.estimation import NoisySensor, TwinCase
from symbody.machines.car_observer.experiment import case as car_case

SEEDS = range(5)


def within(runs, name, most):
    """Whether the last estimates of all seeds hold the truth, as χ² of them has it, and are as sure as `most`."""
    k = runs[0].place(name)
    errors, sigma = np.array([[one.error(name)[-1], one.sigma[-1, k]] for one in runs]).T
    # one run: a bound
    assert np.all(sigma < most), (name, sigma)
    assert np.sum((errors / sigma) ** 2) < 11.07 * 1.5, (name, errors / sigma)  # 95 % of χ² with five degrees
    return errors / sigma


@pytest.fixture(scope="module")
def four_bar():
    return sb.system(machines.model("four-bar"), outputs=["*.q", "*.qd"])


def test_a_torque_on_the_four_bar_is_found(four_bar):
    """By the rocker's angle only, through the loop; the torque swings."""
    sensors = [NoisySensor("rocker.q", 2e-4)]
    case = TwinCase(
        four_bar, 2.0, 2e-3, sensors, {"torque": lambda t: 0.1 * np.sin(4.0 * t)}, forces={"torque": 0.1},
        model_error={"crank.qd": 0.01, "friction": 2.5e-4}, start={"crank.q": 0.02, "crank.qd": 0.1},
    )  # fmt: skip
    runs = case.observed(SEEDS)
    within(runs, "torque", 0.03)
    assert np.mean([one.coverage("torque") for one in runs]) > 0.9


@pytest.mark.slow
def test_mass_and_friction_of_the_four_bar_are_found(four_bar):
    sensors = [NoisySensor("crank.q", 1e-3), NoisySensor("rocker.q", 1e-3)]
    case = TwinCase(
        four_bar, 3.0, 2e-3, sensors, {"torque": lambda t: 0.1 * np.sin(6.0 * t)},
        wrong={"density": 0.9, "friction": 0.008}, parameters={"density": 0.15, "friction": 3e-3},
        model_error={"crank.qd": 0.01}, start={"crank.q": 5e-3, "crank.qd": 0.02},
    )  # fmt: skip
    runs = case.observed(SEEDS)
    within(runs, "density", 0.03)
    within(runs, "friction", 5e-4)


@pytest.mark.slow
def test_friction_stiffness_and_forces_of_the_car_are_found():
    runs = car_case().observed(SEEDS)
    within(runs, "friction", 0.02)
    within(runs, "cornering", 1.0)
    for name in ("slip", "front.side", "rear.side", "friction", "cornering"):
        assert np.mean([one.coverage(name) for one in runs]) > 0.85, name
    truth = runs[0].truth
    assert np.mean([one.rmse("slip") for one in runs]) < np.radians(0.3)
    assert np.abs(truth[:, runs[0].place("slip")]).max() > np.radians(2.0)
