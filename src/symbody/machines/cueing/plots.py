"""Plots of cueing: responses of senses and filters, restored and felt accelerations, tilt, travel, swarm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.analysis.swarm import SwarmResult
from symbody.motion.cueing.classic import Classic
from symbody.motion.cueing.comparison import CuedRun
from symbody.motion.cueing.method import CHANNELS
from symbody.motion.cueing.optimal import Optimal
from symbody.motion.cueing.response import classic_responses, linear_response, sense_response
from symbody.motion.data import Array, PlatformData
from symbody.motion.redundancy import DirectionMotion, alpha_split, null_space_split, split_share, weighted_split
from symbody.motion.vestibular import Canal, Otolith
from symbody.results.run import Run
from symbody.visual.report import Plot
from symbody.visual.report_plots import TIME, finish

FREQUENCIES = np.logspace(-2.5, 1.5, 400)  # Hz
DIRECTION = {"x": "ahead", "y": "to the left"}


def senses_plot() -> Plot:
    """Amplitude and phase of otoliths and canals."""
    organs: dict[str, Otolith | Canal] = {"otolith": Otolith(), "canal": Canal(), "canal, K = 1": Canal(gain=1.0)}

    def draw(figure: Any) -> None:
        _bode(figure, {name: sense_response(organ, FREQUENCIES) for name, organ in organs.items()})

    return Plot("Frequency response of the senses", draw, "Felt by real specific force, and felt by real turn rate.")


def filters_plot(classic: Classic, optimal: Optimal) -> Plot:
    """Amplitude and phase from the scene's acceleration to that of hexapod, table and tilt, and to their sum."""

    def draw(figure: Any) -> None:
        parts = classic_responses(classic, FREQUENCIES)
        acceleration = linear_response(optimal.filter, FREQUENCIES)
        _bode(figure, parts | {"sum": sum(parts.values()), "optimal, sum": acceleration})

    caption = "Restored by real acceleration: the shares of hexapod, table and tilt (g θ) of classic cueing, and sums."
    return Plot("Frequency response of the filters", draw, caption)


def _bode(figure: Any, responses: Mapping[str, Any]) -> None:
    size, phase = figure.subplots(1, 2)
    for name, response in responses.items():
        size.loglog(FREQUENCIES, np.abs(response), lw=1.2, label=name)
        phase.semilogx(FREQUENCIES, np.degrees(np.unwrap(np.angle(response))), lw=1.2, label=name)
    size.set(xlabel="frequency (Hz)", ylabel="amplitude", ylim=(1e-3, None))
    phase.set(xlabel="frequency (Hz)", ylabel="phase (°)")
    finish(size, phase)


def _rows(
    figure: Any,
    runs: Mapping[str, CuedRun],
    signals: Sequence[tuple[str, str]],
    reference: str = "",
    scale: float = 1.0,
) -> None:
    """One plot below another: a signal of all runs, and a signal of the scene as a thick line."""
    grid = figure.subplots(len(signals), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (signal, label) in zip(grid, signals, strict=True):
        for k, (name, one) in enumerate(runs.items()):
            if k == 0 and reference:
                given = reference.format(signal.rpartition(".")[2])
                axes.plot(one.run.t, scale * one.run[given], "k", lw=2.2, label="scene")
            axes.plot(one.run.t, scale * one.run[signal], lw=1.0, label=name)
        axes.set(ylabel=label)
    grid[-1].set(xlabel=TIME)
    finish(*grid)


def restored_plot(title: str, runs: Mapping[str, CuedRun]) -> Plot:
    """Acceleration of the scene and restored by some methods."""
    signals = [(f"restored.{c.axis}", f"{DIRECTION[c.axis]} (m/s²)") for c in CHANNELS]
    caption = "Acceleration of the scene, and of the platform with its tilt."
    return Plot(f"Acceleration, {title}", lambda figure: _rows(figure, runs, signals, "given.{}"), caption, 6.0)


def felt_plot(title: str, runs: Mapping[str, CuedRun]) -> Plot:
    """What a passenger feels in the scene and on the platform."""
    signals = [(f"felt.{c.axis}", f"{DIRECTION[c.axis]} (m/s²)") for c in CHANNELS]
    caption = "Specific force as the otoliths report it, in the scene and on the platform."
    return Plot(
        f"Felt acceleration, {title}", lambda figure: _rows(figure, runs, signals, "scene.felt.{}"), caption, 6.0
    )


def felt_errors_plot(title: str, runs: Mapping[str, CuedRun]) -> Plot:
    """Felt on the platform minus felt in the scene."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(len(CHANNELS), 1, sharex=True)
        for axes, channel in zip(grid, CHANNELS, strict=True):
            for name, one in runs.items():
                error = one.run[f"felt.{channel.axis}"] - one.run[f"scene.felt.{channel.axis}"]
                axes.plot(one.run.t, error, lw=1.0, label=name)
            axes.set(ylabel=f"{DIRECTION[channel.axis]} (m/s²)")
        grid[-1].set(xlabel=TIME)
        finish(*grid)

    return Plot(f"Felt error, {title}", draw, "Felt on the platform minus felt in the scene.", 6.0)


def tilt_plot(title: str, runs: Mapping[str, CuedRun]) -> Plot:
    """Pitch and its rate."""
    signals = [("pitch", "pitch (°)"), ("pitch.rate", "pitch rate (°/s)")]
    degrees = float(np.degrees(1.0))
    return Plot(
        f"Tilt, {title}", lambda figure: _rows(figure, runs, signals, scale=degrees), "Pitch and its rate.", 6.0
    )


def travel_plot(title: str, runs: Mapping[str, CuedRun]) -> Plot:
    """Position, speed and acceleration of hexapod and table ahead."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, 2, sharex=True)
        for column, axis, label in zip(grid.T, ("x", "table.x"), ("hexapod", "table"), strict=True):
            for axes, suffix, unit in zip(column, ("", ".rate", ".second"), ("m", "m/s", "m/s²"), strict=True):
                for name, one in runs.items():
                    axes.plot(one.run.t, one.run[f"{axis}{suffix}"], lw=1.0, label=name)
                axes.set(ylabel=f"{label} ({unit})")
            column[-1].set(xlabel=TIME)
        finish(*grid.flat)

    return Plot(f"Travel, {title}", draw, "Position, speed and acceleration of hexapod and table, ahead.", 7.0)


def lack_plot(lacks: Mapping[str, tuple[Array, Array, Array, Array]]) -> Plot:
    """Acceleration that the hexapod does not restore, and the travel of a table that would restore it."""

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, 1, sharex=True)
        for name, (t, *values) in lacks.items():
            for axes, value in zip(grid, values, strict=True):
                axes.plot(t, value, lw=1.0, label=name)
        for axes, label in zip(grid, ("m/s²", "m/s", "m"), strict=True):
            axes.set(ylabel=label)
        grid[-1].set(xlabel=TIME)
        finish(*grid)

    caption = "Motion of a table that would restore all that the hexapod alone does not restore, ahead."
    return Plot("Travel for the missing acceleration", draw, caption, 6.0)


def split_plot(run: Run, data: PlatformData) -> Plot:
    """The whole translation ahead of a run in the parts of table and hexapod, by three resolutions."""
    whole = DirectionMotion(*(run["x" + end] + run["table.x" + end] for end in ("", ".rate", ".second")))
    table, hexapod, dt = data.limits["table.x"], data.limits["x"], float(run.t[1] - run.t[0])
    parts = {
        "α-split": alpha_split(whole, table),
        "weighted": weighted_split(whole, dt, table, hexapod),
        "null space": null_space_split(whole, dt),
    }

    def draw(figure: Any) -> None:
        grid = figure.subplots(3, 2, sharex=True)
        for column, part in zip(grid.T, ("table", "hexapod"), strict=True):
            for axes, what, unit in zip(column, DirectionMotion._fields, ("m", "m/s", "m/s²"), strict=True):
                axes.plot(run.t, getattr(whole, what), color="0.8", lw=1.6, label="together")
                for name, one in parts.items():
                    axes.plot(run.t, getattr(getattr(one, part), what), lw=1.0, label=name)
                axes.set(ylabel=f"{part} ({unit})")
            column[-1].set(xlabel=TIME)
        finish(*grid.flat)

    share = split_share(*whole, table)
    caption = f"The same translation ahead in the parts of table and hexapod; the α-split has α = {share:.3f}."
    return Plot("Split of the translation", draw, caption, 7.0)


def fitness_plot(searches: Mapping[str, SwarmResult]) -> Plot:
    """The best cost of the swarms over their iterations."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for name, search in searches.items():
            axes.semilogy(np.arange(1, len(search.history) + 1), search.history, ".-", lw=1.2, label=name)
        axes.set(xlabel="iteration", ylabel="cost of the best particle")
        finish(axes)

    return Plot("Fitness of the swarm", draw, "Smaller is better; the first particle has the numbers set by hand.")
