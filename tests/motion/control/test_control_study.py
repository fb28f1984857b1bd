"""The experiments on control as the report shows them: orders of the document, and plots with all curves.

Tests of motion/control/control_study.py, motion/control/control_plots.py.
"""

from functools import cache

import numpy as np
import pytest

from symbody.motion.built_in_platform import platform_data
from symbody.motion.control.control_plots import gain_fitness_plot, load_error_plot, load_plot, mode_plots
from symbody.motion.control.control_study import gain_search, load_rows, load_runs, mode_rows, mode_runs

DATA = platform_data()


@cache
def modes():
    return mode_runs(DATA, lasts=1.6)


@cache
def lifts():
    return load_runs(DATA, lambda works, unit, name: works, lasts=1.0)


@pytest.mark.slow
def test_a_swarm_removes_chattering_and_acceleration_errors():
    """The order over ten descents is in test_sampled_loop.py."""
    hand, swarm = mode_rows(modes())
    assert hand["chatter_N"] > 20.0
    assert swarm["chatter_N"] < 5.0
    assert swarm["acceleration_error"] < 2.0


@pytest.mark.slow
def test_tracking_of_lifts_hardly_depends_on_the_load():
    errors = np.array([row["rms_mm"] for row in load_rows(lifts())]).reshape(2, 3)  # template × load
    assert errors.max() < 1.0
    assert np.ptp(errors, axis=1).max() < 0.15


@pytest.mark.slow
def test_legs_carry_the_weight_of_the_load_and_brake_it():
    """The way down of 0.2 m in 1 s ends with braking: inclined legs carry m (g + a)."""
    runs = lifts()["triangular"]
    more = runs[16.0].forces[-1, 2:].sum() - runs[0.0].forces[-1, 2:].sum()
    length, height = runs[0.0].q[-1, 2:].mean(), 0.40
    assert more == pytest.approx(16.0 * (9.81 + 4.0 * 0.2 / 1.0**2) * length / height, rel=0.02)


@pytest.mark.slow
def test_plots_have_all_curves():
    made = [*mode_plots(modes()), load_plot(lifts()), load_error_plot(lifts())]
    assert [plot.title for plot in made] == [
        "Errors of the table", "Motion of the table", "Forces of the table", "Errors of the legs",
        "Accelerations of the legs", "Forces of the legs", "Lifts with loads", "Errors of lifts with loads",
    ]  # fmt: skip
    for plot in made:
        for axes in plot.figure.axes:
            assert axes.lines
            assert all(np.isfinite(line.get_ydata()).all() for line in axes.lines)


@pytest.mark.slow
def test_a_search_never_becomes_worse():
    search = gain_search(DATA, particles=3, iterations=2)
    assert (np.diff(search.history) <= 0.0).all()
    assert gain_fitness_plot(search).figure.axes[0].lines
