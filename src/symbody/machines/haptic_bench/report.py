"""The report of the bench: experiments of the thesis, with published and recomputed values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.haptics.thesis_scenes.corner import GAP, Corner, hand_energy, on_pantograph
from symbody.haptics.thesis_scenes.two_link import PLACES, THEORY, loss
from symbody.machines.haptic_bench import measures
from symbody.machines.haptic_bench.stability import STIFFEST, stability_map
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import TIME, finish

TITLE = "Haptic bench: rigid contact that a hand can feel"
TEXT = """ Forces of 0.32 N and −0.4 N push a peg of 2 kg into a corner, through a device that renders it. Impulses stop
the peg at the instant of contact, and springs hold it afterwards. With springs alone the peg penetrates; with a coupler
to a rigid world the hand does. If the device cannot render an impulse, the rest is spread over the next ticks.

The scenes are those of D. Constantinescu's thesis (UBC 2004). It does not print their geometry, so only orderings and
orders of magnitude can be compared.
"""
STAGES = ("arm", "corner", "limits", "hardware", "friction", "times")
ASKED = ("stability",)  # takes longest: only with `only`


def report(options: ReportOptions) -> Report:
    """The experiments; variants are stages, such as "corner". "stability" runs only if `only` names it."""
    options.check([*STAGES, *ASKED])
    wanted = options.only or STAGES
    found: dict[str, Any] = {}
    makers = {
        "arm": measures.impact_losses, "corner": measures.corners, "limits": measures.limited,
        "hardware": on_pantograph, "friction": measures.frictions, "times": measures.tick_times,
        "stability": stability_map,
    }  # fmt: skip
    for stage in options.counted([stage for stage in makers if stage in wanted], "stage", "haptic-bench"):
        found[stage] = makers[stage]()
    return Report("haptic-bench", TITLE, paragraphs(TEXT), [figures(found)], plots(found), tables=tables(found))


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """The figures in one record."""
    made: dict[str, Any] = {}
    if "arm" in found:
        made["e1_loss_J"] = found["arm"]
    if "corner" in found:
        runs = {name: run.record() for name, run in found["corner"].items()}
        for figure in ("penetration_mm", "settle_s", "peak_N"):
            made[figure] = {name: row[figure] for name, row in runs.items()}
    if "times" in found:
        made["step_us"] = found["times"]
    if "stability" in found:
        made["stiffest_N_m"] = found["stability"]
    return made


def tables(found: dict[str, Any]) -> dict[str, Sequence[Record]]:
    """Records of each stage."""
    titles = {
        "corner": "Corner",
        "limits": "Limits of the device",
        "hardware": "On the pantograph",
        "friction": "Friction",
    }
    return {
        title: [{"method": name, **run.record()} for name, run in found[stage].items()]
        for stage, title in titles.items()
        if stage in found
    }


def plots(found: dict[str, Any]) -> list[Plot]:
    """A plot of each stage."""
    made = []
    if "arm" in found:
        made.append(loss_plot())
    for stage, title in (("corner", "Corner"), ("limits", "Limits of the device"), ("hardware", "On the pantograph")):
        if stage in found:
            made.append(corner_plot(title, found[stage]))
    return [*made, *([stability_plot(found["stability"])] if "stability" in found else [])]


def loss_plot() -> Plot:
    """Energy lost by the arm over restitution."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        e = np.linspace(0.0, 1.0, 11)
        for place in PLACES:
            axes.plot(e, (1.0 - e**2) * THEORY[place], lw=0.8, label=f"theory, {place} m")
            axes.plot(e, [loss(place, float(x))[1] for x in e], ".", label=f"struck at {place} m")
        axes.set(xlabel="restitution e", ylabel="kinetic energy lost (J)")
        finish(axes)

    return Plot("Impact of two links", draw, "1.5 m is the centre of percussion: a plastic impact takes everything.")


def corner_plot(title: str, runs: dict[str, Corner]) -> Plot:
    """Path, place, wrench and energy of the hand."""

    def draw(figure: Any) -> None:
        ((path, place), (wrench, energy)) = figure.subplots(2, 2)
        for name, run in runs.items():
            log = run.log
            path.plot(1e3 * log["x"][:, 0], 1e3 * log["x"][:, 1], lw=1.0, label=name)
            place.plot(log["t"], 1e3 * log["x"][:, 1], lw=1.0, label=name)
            wrench.plot(log["t"], np.abs(log["felt"][:, 1]), lw=0.8, label=name)
            energy.plot(log["t"], 1e3 * hand_energy(log), lw=1.0, label=name)
        path.set(xlabel="x (mm)", ylabel="y (mm)")

        place.set(xlabel=TIME, ylabel="y (mm)", ylim=(-1e3 * GAP[1] - 4.0, -1e3 * GAP[1] + 6.0))
        wrench.set(xlabel=TIME, ylabel="|f_y| felt (N)", yscale="symlog")
        energy.set(xlabel=TIME, ylabel="energy of the hand (mJ)")
        finish(path, place, wrench, energy)

    return Plot(title, draw, "Path of the hand, its height near the floor, what it feels, its kinetic energy.", 7.0)


def stability_plot(found: dict[str, dict[str, dict[float, float]]]) -> Plot:
    """The largest stable stiffness of a wall against its damping, the rate and a delay."""
    labels = {"damping": "damping of the wall (N s/m)", "rate": "rate (Hz)", "delay": "delay (s)"}

    def draw(figure: Any) -> None:
        for axes, (what, cases) in zip(figure.subplots(1, 3, sharey=True), found.items(), strict=True):
            for k, (case, row) in enumerate(cases.items()):  # thinner lines on top, so that equal curves stay visible
                values = [max(x, 100.0) for x in row.values()]
                axes.plot(list(row), values, "o-", lw=7.0 - 2.0 * k, ms=10.0 - 2.0 * k, label=case)
            axes.axhline(STIFFEST, color="k", lw=0.5)
            axes.set(xlabel=labels[what], yscale="log")
            axes.grid(alpha=0.3)
        figure.axes[0].set_ylabel("largest stable stiffness (N/m)")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, markerscale=0.6)

    return Plot("Stable walls", draw, "The line is the stiffest that was asked; 100 N/m stands for none at all.", 4.0)
