"""Plots of a piano action: strokes, force on the finger, repetition, and sensors of the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from symbody.machines.piano.model import drawing
from symbody.machines.piano.play import bump, front_force
from symbody.machines.piano.repetition import CRITERIA, EVERY, PRINTED, SINES, limits
from symbody.machines.piano.strokes import Staccato
from symbody.model.body import GROUND
from symbody.results.run import Run
from symbody.visual.planar_contacts import draw_planar_contacts
from symbody.visual.report import Plot, Record
from symbody.visual.report_plots import TIME, finish, legend_lines

Runs = Mapping[str, Run]
DIP_AXIS, FORCE_AXIS = "dip of the key's front (mm)", "force at the key's front (N)"
PHASES = (("A", 0.0, 0.4), ("B", 0.4, 8.0), ("C", 8.0, 9.3), ("D", 9.3, 9.6))  # mm
COLOURS = {
    GROUND: "0.45", "key": "tab:brown", "whippen": "tab:blue", "jack": "tab:red", "lever": "tab:green",
    "hammer": "tab:purple", "damper": "0.2",
}  # fmt: skip
CLOSE = {"xlim": (-240.0, -40.0), "ylim": (-25.0, 200.0)}  # mm: all but the key's front
FELT = 4.0  # N, up to which forces of the stroke are drawn


def action_plot(run: Run, instants: Mapping[str, float]) -> Plot:
    """The action at some instants of a stroke."""

    def draw(figure: Any) -> None:
        for axes, (title, t) in zip(figure.subplots(1, len(instants)), instants.items(), strict=True):
            instant = int(np.searchsorted(run.t, t))
            q = {body: float(run[f"{body}.q"][instant]) for body in drawing()["bodies"] if f"{body}.q" in run.names}
            draw_planar_contacts(axes, drawing(), q, COLOURS)
            axes.set(**CLOSE)
            axes.set_title(f"{title}, {1e3 * t:.0f} ms", fontsize="medium")
        figure.legend(handles=legend_lines(COLOURS), loc="outside lower center", ncols=len(COLOURS), fontsize="small")

    return Plot("Action", draw, "Circles and bars are felts and faces in contact; thin lines lead to hinges.", 3.4)


def keystrokes_plot(title: str, run: Run) -> Plot:
    """Dip, hammer angle and capstan force over time."""

    def draw(figure: Any) -> None:
        angle, force = figure.subplots(2, 1, sharex=True)
        angle.plot(run.t, np.degrees(run["hammer.q"]), lw=1.2, label="hammer (°)")
        angle.plot(run.t, 1e3 * run["key.dip"], lw=1.0, label="dip (mm)")
        force.plot(run.t, run["capstan.load"], lw=0.8, label="pilot")
        force.axhline(3.0, color="0.6", lw=0.8, ls="--")
        force.set(xlabel=TIME, ylabel="force (N)", ylim=(-0.5, 12.0))
        finish(angle, force)

    return Plot(title, draw, "The capstan carries 3 N while the key is held, with a peak when the hammer falls back.")


def phases_plot(run: Run, without: Run) -> Plot:
    """Force over dip at 10 mm/s, with and without the damper."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for name, low, high in PHASES:
            axes.axvspan(low, high, color="0.9" if name in "AC" else "0.97", lw=0)
            axes.text((low + high) / 2.0, 0.94 * FELT, name, ha="center")
        _draw_forces(axes, {"with the damper": run, "without": without})

    return Plot(
        "Force over the dip",
        draw,
        "At 10 mm/s: the key leaves its felt (A), lifts hammer and damper (B), escapes (C), and lands on its felt (D).",
    )


def settings_plot(let_off: Runs, mass: Runs) -> Plot:
    """Force over dip for heights of the let-off button and for masses of the hammer."""

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        _draw_forces(left, {f"{name}: bump {bump(run):.2f} N": run for name, run in let_off.items()})
        _draw_forces(right, mass)

    return Plot("Settings", draw, "The let-off button 0.5 mm lower and higher; the hammer lighter and heavier.")


def _draw_forces(axes: Any, runs: Runs) -> None:
    for label, run in runs.items():
        axes.plot(1e3 * run["key.dip"], front_force(run), lw=1.2, label=label)
    axes.set(xlabel=DIP_AXIS, ylabel=FORCE_AXIS, ylim=(0.0, FELT))
    finish(axes)


def staccato_plot(runs: Runs, staccato: Staccato) -> Plot:
    """Distance between hammer and string over the frequency of the strokes."""

    def draw(figure: Any) -> None:
        for axes, (name, run) in zip(figure.subplots(len(runs), 1, sharex=True), runs.items(), strict=True):
            axes.plot(staccato.frequency(run.t), -1e3 * run["string.depth"], lw=0.5, label=f"{name} escapement")
            frequencies, deepest = staccato.peaks(run.t, run["string.depth"])
            silent = frequencies[deepest <= 0.0]
            axes.plot(silent, np.full_like(silent, -3.0), "r|", ms=4, label="silent strokes")
            axes.axvline(limits(run, staccato)[EVERY], color="k", lw=0.8, ls="--")
            axes.set(ylabel="hammer to string (mm)")
            finish(axes)
        axes.set(xlabel="strokes a second (Hz)")

    return Plot("Staccato", draw, "Every stroke sounds up to the dashed line.")


def repetition_plot(found: Sequence[Record]) -> Plot:
    """Limits of repetition over the depth of the sine."""

    def draw(figure: Any) -> None:
        for axes, sine in zip(figure.subplots(1, len(SINES), sharey=True), SINES, strict=True):
            rows = [one for one in found if one["sine"] == sine]
            for (k, criterion), (name, printed) in product(enumerate(CRITERIA), PRINTED.items()):
                label, style = f"{criterion}, {name}", "o-" if name == "double" else "s:"
                points = [(one["depth_mm"], one[label]) for one in rows]
                axes.plot(*zip(*points, strict=True), style, color=f"C{k}", ms=3, label=label)
                axes.axhline(printed, color="0.6", lw=0.8, ls="--")
            axes.set(xlabel=f"depth of a sine {sine} (mm)", ylabel="limit (Hz)")
            axes.grid(alpha=0.3)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")

    return Plot("Repetition", draw, "0 Hz: it never repeats. Dashed: 34 and 46 Hz, as printed.")


def sensors_plot(run: Run) -> Plot:
    """Position and velocity by the sensors of the key, next to the true position."""

    def draw(figure: Any) -> None:
        position, velocity = figure.subplots(1, 2)
        position.plot(run.t, 1e3 * run["key.dip"], "k", lw=1.0, label="dip")
        position.plot(run.t, 1e3 * run["hall.position"], lw=1.2, label="Hall sensors")
        position.set(xlabel=TIME, ylabel="position (mm)")
        velocity.plot(run.t, run["coil.voltage"], lw=1.2)
        velocity.set(xlabel=TIME, ylabel="voltage of the coil (V)")
        finish(position, velocity)

    return Plot("Sensors", draw, "Two opposed Hall sensors, late by 10 % of a motion at 5 Hz, and a coil.", 3.2)
