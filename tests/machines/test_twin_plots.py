"""Plots of a twin: what stands in them is what the run has; twin_plots.py."""

import numpy as np
import pytest

from symbody.estimation.twin import TwinRun
from symbody.machines.twin_plots import consistency_plot, errors_plot, estimates_plot
from symbody.results.compare import WITHIN

T = np.linspace(0.1, 1.0, 10)


def twin(seed=0):
    """Of one state in rad, estimated to 0.1."""
    rng, truth = np.random.default_rng(seed), np.sin(T)[:, np.newaxis]
    mean = truth + 0.1 * rng.normal(size=truth.shape)
    nees = ((mean - truth) / 0.1)[:, 0] ** 2
    return TwinRun(T, ["arm.q"], truth, mean, np.full_like(truth, 0.1), {}, nees, nees[:, np.newaxis], 1, {})


SHOWN = {"arm.q": ("arm", "°")}


def test_errors_stand_within_their_band_in_the_unit_of_the_axis():
    run = twin()
    (axes,) = errors_plot(run, SHOWN, "Errors", "").figure.axes
    (line,) = axes.lines
    assert np.allclose(line.get_ydata(), np.degrees(run.error("arm.q")))
    edge = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert edge.max() == pytest.approx(np.degrees(WITHIN * 0.1))
    assert axes.get_ylabel() == "arm (°)"


def test_estimates_stand_beside_the_truth_and_other_ways():
    run = twin()
    (axes,) = estimates_plot(run, SHOWN, "Arm", "", {"arm.q": {"naive": 0.0 * T}}).figure.axes
    by_label = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert set(by_label) == {"naive", "estimate", "truth"}
    assert np.allclose(by_label["truth"], np.degrees(np.sin(T)))
    low, high = axes.get_ylim()
    assert low < np.degrees(run.mean).min()
    assert high > np.degrees(run.mean).max()


def test_consistency_has_nees_only_where_the_truth_tells_all_states():
    runs = [twin(0), twin(1)]
    assert len(consistency_plot(runs, "Consistency").figure.axes) == 2
    untold = [TwinRun(*(vars(one) | {"nees": np.full(len(T), np.nan)}).values()) for one in runs]
    assert len(consistency_plot(untold, "Consistency").figure.axes) == 1
