"""The report of the linkage: drift of the device, impacts, time of a tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.haptics.thesis_scenes.three_link import RECOMPUTED, Drift, distance
from symbody.haptics.thesis_scenes.two_rate_testbed import BOTTOM
from symbody.machines.linkage import measures
from symbody.machines.linkage.enclosure import Collisions
from symbody.machines.linkage.static_wall import THESIS, StaticWall
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import TIME, finish

TITLE = "Linkage: held from any link"
TEXT = """
Three links on hinges are held at the middle of one of them through a device that is made to feel like them. In
directions in which the joints let that point not move, nothing but a penalty keeps the device with the linkage: without
it they drift apart. Held at link 2 there is such a direction always, held at link 3 at singular positions only.

The scenes are those of D. Constantinescu's thesis (UBC 2004). Most of its results are plots that are lost, so they are
compared with figures that were recomputed independently.
"""
STAGES: Mapping[str, Callable[[], Any]] = {
    "drift": measures.drifts,
    "hardware": measures.on_hardware,
    "collisions": measures.collisions,
    "wall": measures.walls_felt,
    "times": measures.tick_times,
}


def report(options: ReportOptions) -> Report:
    """The experiments; variants are stages, such as "drift"."""
    options.check(list(STAGES))
    wanted = [stage for stage in STAGES if stage in (options.only or STAGES)]
    found = {stage: STAGES[stage]() for stage in options.counted(wanted, "stage", "linkage")}
    return Report("linkage", TITLE, paragraphs(TEXT), [figures(found)], plots(found), tables=tables(found))


def figures(found: Mapping[str, Any]) -> dict[str, Any]:
    """The figures in one record."""
    made: dict[str, Any] = {}
    if "drift" in found:
        for link, name in ((2, "drift_mm"), (3, "drift_link3_mm")):
            ends = {kind.partition(", ")[2]: run.end for kind, run in found["drift"].items() if f"link {link}" in kind}
            made[name] = {kind.replace(", ", "_"): end for kind, end in ends.items()}
    if "collisions" in found:
        made["energy_change"] = {name: float(np.max(run.change)) for name, run in found["collisions"].items()}
    if "wall" in found:
        made["wall_mm"] = {name: run.felt for name, run in found["wall"].items()}
    if "times" in found:
        made["tick_us"] = found["times"]
    return made


def tables(found: Mapping[str, Any]) -> dict[str, Sequence[Record]]:
    """Records of each stage."""
    titles = {
        "drift": "Drift", "hardware": "Drift on a device with faults", "collisions": "Impacts", "wall": "Static wall",
    }  # fmt: skip
    return {
        title: [{"run": name, **run.record()} for name, run in found[stage].items()]
        for stage, title in titles.items()
        if stage in found
    }


def plots(found: Mapping[str, Any]) -> list[Plot]:
    """A plot of each stage."""
    makers: dict[str, Callable[[Any], Plot]] = {
        "drift": drift_plot,
        "hardware": hardware_plot,
        "collisions": collision_plot,
        "wall": wall_plot,
    }
    return [make(found[stage]) for stage, make in makers.items() if stage in found]


def drawn_distances(figure: Any, runs: Mapping[str, Drift]) -> None:
    """Distances over time, a diagram for each link."""
    for axes, link in zip(figure.subplots(1, len(measures.HELD), sharey=True), measures.HELD, strict=True):
        for name, run in runs.items():
            held, _, kind = name.partition(", ")
            if held == f"link {link}":
                axes.plot(run.log["t"], np.maximum(distance(run.log), 1e-4), lw=1.0, label=kind.replace("_", " "))
        axes.set(xlabel=TIME, ylabel="device from tool (mm)", yscale="log", title=f"held at link {link}")
        finish(axes)


def drift_plot(runs: Mapping[str, Drift]) -> Plot:
    """Distance of device and linkage, drawn by 1 N."""
    known = "; ".join(f"link {link}: {no:g} and {yes:g} mm" for link, (no, yes) in RECOMPUTED.items())
    text = f"Recomputed independently, at 4 s without and with the penalty: {known}."
    return Plot("Drift", lambda figure: drawn_distances(figure, runs), text, 4.0)


def hardware_plot(runs: Mapping[str, Drift]) -> Plot:
    """The same for a push of 0.4 N and devices with faults."""
    text = "Penalties of 200 1/s² and 50 1/s; faults of the device by name."
    return Plot("Drift on a device with faults", lambda figure: drawn_distances(figure, runs), text, 4.0)


def wall_plot(runs: Mapping[str, StaticWall]) -> Plot:
    """Position of the distal link, pushed against a wall that the world sends at 30 Hz."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, run in runs.items():
            axes.plot(run.log["t"], BOTTOM + run.gap, lw=1.0, label=name)
        axes.axhline(BOTTOM, color="k", lw=0.5)
        axes.set(xlabel=TIME, ylabel="height (mm)")
        finish(axes)

    known = ", ".join(f"{name} {felt:g}" for name, felt in THESIS.items())
    text = f"The wall is truly at {BOTTOM:g} mm. The thesis felt it at: {known}; at its speeds, which are not known."
    return Plot("Static wall", draw, text, 4.0)


def collision_plot(runs: Mapping[str, Collisions]) -> Plot:
    """Energy after impacts, and wrenches at the hand."""

    def draw(figure: Any) -> None:
        energy, wrench = figure.subplots(1, 2)
        for name, run in runs.items():
            log = run.log
            energy.plot(log["t"][log["impacts"] > 0], 1.0 + run.change, ".", ms=3, label=name)
            wrench.plot(log["t"], np.maximum(np.linalg.norm(log["wrench"][:, :2], axis=1), 1e-4), lw=0.6, label=name)
        energy.set(xlabel=TIME, ylabel="kinetic energy after : before an impact")
        wrench.set(xlabel=TIME, ylabel="contact at the hand (N)", yscale="log")
        finish(energy, wrench)

    return Plot(
        "Impacts",
        draw,
        "Distal link between walls of 15000 N/m: plastic impacts take energy, elastic ones keep it.",
        4.0,
    )
