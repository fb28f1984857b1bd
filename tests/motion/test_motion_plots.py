"""Plots of workspace, singularities, motors and identification have the right axes and values."""

import numpy as np
import pytest

from symbody.machines.platform.data import platform_data
from symbody.machines.platform.plots import drive_plot
from symbody.motion.data import ACTUATORS
from symbody.motion.drives import check
from symbody.motion.excitation import sampled
from symbody.motion.identification import exciting, identify_platform
from symbody.motion.identification_plots import identification_plots
from symbody.motion.platform_log import synthetic_log
from symbody.motion.singularity_plots import singularity_plots
from symbody.motion.workspace import scan, work_range_grid
from symbody.motion.workspace_plots import workspace_plots

DATA = platform_data()


def labels(plot):
    return {axes.get_xlabel() for axes in plot.figure.axes} | {axes.get_ylabel() for axes in plot.figure.axes}


def test_workspace_and_singularities_are_drawn():
    found = scan(DATA, work_range_grid(DATA, (9, 9, 8), (2, 2, 1)))
    space, sections = workspace_plots(found, DATA)
    assert {"x (cm)", "z (cm)", "share of orientations"} <= labels(sections)
    assert space.figure.axes[0].get_zlabel() == "z (cm)"
    shares = np.ma.getdata(sections.figure.axes[0].collections[0].get_array())
    assert shares.max() == found.allowed[:, 4].max() / len(found.grid.angles)
    titles = [plot.title for plot in singularity_plots(DATA)]
    assert len(titles) == 4
    assert {"pitch (°)", "roll (°)"} <= labels(singularity_plots(DATA)[0])


def test_motors_are_drawn_with_their_limits():
    motion = sampled(exciting(DATA, moves=2).moves, 1e-2, DATA)
    speed, current = drive_plot(check(motion), DATA).figure.axes
    assert [line.get_label() for line in current.lines][: len(ACTUATORS)] == list(ACTUATORS)
    assert any(np.allclose(line.get_ydata(), 3500.0) for line in speed.lines)


@pytest.mark.slow
def test_identification_is_drawn():
    log, _ = synthetic_log(exciting(DATA, moves=24).moves, DATA)
    fit = identify_platform(log, DATA)
    drawn = identification_plots(fit, log, {"instruments": fit})
    assert len(drawn) == 4
    assert "work of all actuators (J)" in labels(drawn[2])
    assert "friction of rod4 (N)" in labels(drawn[3])
    for axes in drawn[3].figure.axes:  # dashed: identified; solid: of the data
        for true, found in zip(axes.lines[::2], axes.lines[1::2], strict=True):
            force = true.get_ydata()
            np.testing.assert_allclose(found.get_ydata(), force, atol=0.25 * np.abs(force).max())
