"""The general report of a model: contents, motion from its initial state, coordinates and energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symbody.analysis.simulate import simulate
from symbody.model import warnings
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.system.partition import partition
from symbody.system.system import system
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import TIME, finish, frames_plot

TEXT = """The motion from the initial state, with the default inputs, in steps of {dt:g} s with the method {method}."""
SHOWN = 8  # most coordinates in a plot


def general_report(name: str, line: str, model: Model, steps: Mapping[str, Any], options: ReportOptions) -> Report:
    """Check a model, simulate it with its default steps, and draw the general plots."""
    s = system(model, closure=steps["closure"])
    how = {name: steps[name] for name in ("method", "every")}
    run = simulate(s, options.end(steps["until"]), steps["dt"], **how, progress=options.progress)
    first = len(s.layout.coordinates)
    positions, velocities = s.states[:first], s.states[first : first + len(s.layout.velocities)]
    text = TEXT.format(dt=steps["dt"], method=run.meta["method"])
    drawn = [frames_plot(run), coordinates_plot(run, positions, velocities), energies_plot(run)]
    return Report(name, line.rstrip("."), paragraphs(text), [figures(model, run)], drawn, run)


def figures(model: Model, run: Run) -> Record:
    """Numbers of bodies, joints and loops, and the energy at both ends."""
    energy = run.kinetic + run.potential
    return {
        "bodies": len(model.bodies),
        "coordinates": model.nq,
        "loops": len(model.cuts) + len(model.constraints),
        "degrees_of_freedom": len(partition(model, run.q[0]).free),
        "inputs": len(model.inputs),
        "parameters": len(model.parameters),
        "warnings": len(warnings(model)),
        "simulated_s": float(run.t[-1]),
        "energy_start_J": float(energy[0]),
        "energy_end_J": float(energy[-1]),
    }


def coordinates_plot(run: Run, positions: Sequence[str], velocities: Sequence[str]) -> Plot:
    """The first free coordinates and their velocities, by the names of their channels."""

    def draw(figure: Any) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        for axes, names in ((upper, positions), (lower, velocities)):
            for name in names[:SHOWN]:
                axes.plot(run.t, run[name], lw=1.2, label=name)
        upper.set(ylabel="q (m, rad)")
        lower.set(ylabel="q̇ (m/s, rad/s)", xlabel=TIME)
        finish(upper, lower)

    return Plot("Coordinates", draw, "Coordinates that are free to move, and their velocities.")


def energies_plot(run: Run) -> Plot:
    """Kinetic and potential energy over time."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.plot(run.t, run.kinetic, lw=1.2, label="kinetic")
        axes.plot(run.t, run.potential, lw=1.2, label="potential")
        axes.plot(run.t, run.kinetic + run.potential, "k--", lw=1.0, label="both")
        axes.set(xlabel=TIME, ylabel="energy (J)")
        finish(axes)

    return Plot("Energies", draw, "Of the bodies; springs and other laws exchange energy with them.")
