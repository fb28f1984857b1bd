"""Optimisation against closed solutions; interruptions and failures keep what was found."""

import numpy as np
import pytest

import symbody as sb
from symbody.analysis import optimise as module
from symbody.analysis.optimise import optimise

M, K, START = 2.0, 8.0, 0.5
RUN = {"until": 24.0, "dt": 2e-2}


@pytest.fixture(scope="module")
def damped():
    """m ẍ + c ẋ + k x = 0 from rest: ∫x² dt = x₀² (m/2c + c/2k), least at c = √(km); ∫ẋ² dt = k x₀²/2c."""
    m = sb.Model("damped", gravity=(0, 0, 0))
    m.parameter("c", 1.0)
    m.body("cart", joints=[sb.Joint("cart", "T1", q0=(START,))], mass=M)
    m.joint_force("cart")(lambda q, qd, p: -K * q - p.c * qd)
    return sb.system(m)


def test_the_best_damping_of_an_oscillator(damped):
    found = optimise(damped, "cart.q**2", {"c": (0.5, 10.0)}, **RUN)
    assert found.finished
    assert found.parameters["c"] == pytest.approx(np.sqrt(K * M), rel=1e-4)
    assert found.value == pytest.approx(START**2 * np.sqrt(M / K), rel=1e-4)
    assert damped.parameters["c"] == 1.0  # as before
    assert found.table[0]["before"] == 1.0
    assert len(found.history) < 20  # gradients: a handful of runs


def test_a_constraint_that_binds(damped):
    bound = 0.6 * K * START**2 / (2 * np.sqrt(K * M))
    limits = {"speed": ("cart.qd**2", (None, bound))}
    found = optimise(damped, lambda s, p: s.q["cart"] * s.q["cart"], {"c": (0.5, 20.0)}, constraints=limits, **RUN)
    assert found.parameters["c"] == pytest.approx(K * START**2 / (2 * bound), rel=1e-4)
    assert found.best.values["speed"] == pytest.approx(bound, rel=1e-5)


def test_bounds_hold_and_the_plot_shows_each_run(damped):
    found = optimise(damped, "cart.q**2", {"c": (0.5, 3.0)}, **RUN)
    assert found.parameters["c"] == pytest.approx(3.0)
    axes = found.plot()
    assert len(axes.lines[0].get_ydata()) == len(found.history)


def stopping(monkeypatch, after, error):
    real, calls = module.sensitivity, []

    def run(*arguments, **options):
        calls.append(options["values"])
        if len(calls) == after:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(module, "sensitivity", run)


def test_an_interrupted_search_keeps_the_best_so_far(damped, monkeypatch):
    stopping(monkeypatch, 3, KeyboardInterrupt())
    found = optimise(damped, "cart.q**2", {"c": (0.5, 10.0)}, **RUN)
    assert not found.finished
    assert len(found.history) == 2
    assert found.value == min(trial.values["psi"] for trial in found.history)
    assert "interrupted" in repr(found)
    assert damped.parameters["c"] == 1.0


def test_a_failed_run_is_recorded_and_the_search_goes_on(damped, monkeypatch):
    stopping(monkeypatch, 2, sb.DivergenceError("it flew away"))
    found = optimise(damped, "cart.q**2", {"c": (0.5, 10.0)}, **RUN)
    assert found.history[1].failure == "it flew away"
    assert found.parameters["c"] == pytest.approx(np.sqrt(K * M), rel=1e-3)


def test_what_cannot_be_searched_is_refused(damped):
    for parameters, words in (
        ({}, "nothing"),
        ({"c": (3.0, 1.0)}, "lower one first"),
        ({"d": (0.0, 1.0)}, "there|are c"),
    ):
        with pytest.raises(sb.ModelError, match=words):
            optimise(damped, "cart.q**2", parameters, **RUN)
