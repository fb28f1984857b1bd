"""The report of the linkage: drift of the device, impacts, experiments of two rates, time of a tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.haptics.thesis_scenes.pushed_linkage import PushedLinkage
from symbody.haptics.thesis_scenes.static_wall import THESIS, StaticWall, WallDrift
from symbody.haptics.thesis_scenes.three_link import EARLY, RECOMPUTED, Drift, distance, drift_against_gain
from symbody.haptics.thesis_scenes.tight_hole import TightHole
from symbody.haptics.thesis_scenes.two_rate_testbed import BOTTOM, TOP
from symbody.machines.linkage import measures
from symbody.machines.linkage.enclosure import Collisions
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
    "observer": drift_against_gain,
    "wall": measures.walls_felt,
    "hole": measures.in_hole,
    "pushed": measures.links_pushed,
    "times": measures.tick_times,
}
ASKED: Mapping[str, Callable[[], Any]] = {"map": measures.wall_map}  # takes longest: only with `only`


def report(options: ReportOptions) -> Report:
    """The experiments; variants are stages, such as "drift". "map" runs only if `only` names it."""
    stages = {**STAGES, **ASKED}
    options.check(list(stages))
    wanted = [stage for stage in stages if stage in (options.only or STAGES)]
    found = {stage: stages[stage]() for stage in options.counted(wanted, "stage", "linkage")}
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
    if "map" in found:
        made["map_drift_mm"] = [one.record() for one in found["map"]]
    if "times" in found:
        made["tick_us"] = found["times"]
    return made


def tables(found: Mapping[str, Any]) -> dict[str, Sequence[Record]]:
    """Records of each stage."""
    titles = {
        "drift": "Drift", "hardware": "Drift on a device with faults", "collisions": "Impacts", "wall": "Static wall",
        "hole": "Tight hole", "pushed": "Pushed linkage",
    }  # fmt: skip
    made: dict[str, Sequence[Record]] = {
        title: [{"run": name, **run.record()} for name, run in found[stage].items()]
        for stage, title in titles.items()
        if stage in found
    }
    if "observer" in found:
        made["Drift against the gain of the observer"] = found["observer"]
    if "map" in found:
        made["Map of the drift of a wall"] = [one.record() for one in found["map"]]
    return made


def plots(found: Mapping[str, Any]) -> list[Plot]:
    """A plot of each stage."""
    makers: dict[str, Callable[[Any], Plot]] = {
        "drift": drift_plot,
        "hardware": hardware_plot,
        "collisions": collision_plot,
        "observer": gain_plot,
        "wall": wall_plot,
        "map": map_plot,
        "hole": hole_plot,
        "pushed": pushed_plot,
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


def gain_plot(rows: Sequence[Mapping[str, float]]) -> Plot:
    """Distance at 0.7 s and time of the end stop against the gain of the observer."""

    def draw(figure: Any) -> None:
        apart, stop = figure.subplots(1, 2)
        for link in measures.HELD:
            mine = [row for row in rows if row["link"] == link]
            gains = [row["gain"] for row in mine]
            for kind in ("without", "penalty"):
                apart.plot(gains, [row[f"{kind}_mm"] for row in mine], "o-", ms=3, label=f"link {link}, {kind}")
            stop.plot(gains, [row["without_stop_s"] for row in mine], "o-", ms=3, label=f"link {link}, without")
        stop.axhline(EARLY, color="k", lw=0.5)
        apart.set(xlabel="gain (1/s)", ylabel=f"device from tool at {EARLY:g} s (mm)", xscale="log", yscale="log")
        stop.set(xlabel="gain (1/s)", ylabel="end stop at 50 mm (s)", xscale="log")
        finish(apart, stop)

    text = f"The device of the thesis met its end stop at {EARLY:g} s (line). With the penalty it meets none."
    return Plot("Drift against the gain of the observer", draw, text, 4.0)


def wall_plot(runs: Mapping[str, StaticWall]) -> Plot:
    """Height of the device, pushed against a wall that the world sends."""

    def draw(figure: Any) -> None:
        cases = list(dict.fromkeys(name.partition(", ")[2] for name in runs))
        for axes, case in zip(figure.subplots(2, 2, sharex=True, sharey=True).flat, cases, strict=True):
            for name, run in runs.items():
                if name.partition(", ")[2] == case:
                    axes.plot(run.log["t"], run.y, lw=1.0, label=name.partition(", ")[0])
            axes.axhline(BOTTOM, color="k", lw=0.5)
            axes.set(xlabel=TIME, ylabel="height (mm)", title=case, ylim=(70.0, 170.0))
            finish(axes)

    known = ", ".join(f"{name} {felt:g}" for name, felt in THESIS.items())
    text = f"The wall is truly at {BOTTOM:g} mm; the thesis felt it at: {known}. 0.2 s: time of the smoothing."
    return Plot("Static wall", draw, text, 7.0)


def map_plot(found: Sequence[WallDrift]) -> Plot:
    """Drift of the wall against the smoothing, by rate and start."""

    def draw(figure: Any) -> None:
        rates = sorted({one.world_rate for one in found})
        names = list(found[0].drift)
        for row, rate in zip(figure.subplots(len(rates), len(names), sharex=True, sharey=True), rates, strict=True):
            for axes, name in zip(row, names, strict=True):
                for start in sorted({one.distance for one in found}):
                    mine = [one for one in found if one.world_rate == rate and one.distance == start]
                    times = [one.smoothing for one in mine]
                    low, high = (np.array([one.drift[name][end] for one in mine]) for end in (0, 1))
                    axes.plot(times, (low + high) / 2, lw=1.0, label=f"from {1e3 * start:g} mm")
                    axes.fill_between(times, low, high, alpha=0.2)
                axes.axhline(BOTTOM - THESIS[name], color="k", lw=0.5)
                axes.set(title=f"{name}, {rate:g} Hz", xlabel="smoothing (s)", ylabel="drift (mm)", ylim=(-2.0, 80.0))
                finish(axes)

    return Plot("Map of the drift of a wall", draw, "Bands are ranges over seeds; lines are the thesis' drifts.", 7.0)


def hole_plot(runs: Mapping[str, TightHole]) -> Plot:
    """Paths of the device in the hole."""

    def draw(figure: Any) -> None:
        cases = list(dict.fromkeys(name.partition(", ")[2] for name in runs))
        for axes, case in zip(figure.subplots(2, 2).flat, cases, strict=True):
            for name, run in runs.items():
                if name.partition(", ")[2] == case:
                    x, y = 1e3 * run.log["x"][:, 0], 1e3 * (run.log["x"][:, 1] - run.log["x"][0, 1])
                    axes.plot(x, y, lw=0.7, label=name.partition(", ")[0])
            axes.set(xlabel="x (mm)", ylabel="y from the bottom (mm)", title=case)
            finish(axes)

    text = "shaken: 1 N, walls of 4000 N/m; stiff: 3 N, walls of 15000 N/m. Beyond 32 mm the tool has left the hole."
    return Plot("Tight hole", draw, text, 7.0)


def pushed_plot(runs: Mapping[str, PushedLinkage]) -> Plot:
    """Height of the device that pushes a free linkage."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, run in runs.items():
            axes.plot(run.log["t"], run.y, lw=1.0, label=name)
        axes.axhline(TOP, color="k", lw=0.5)
        axes.set(xlabel=TIME, ylabel="height (mm)")
        finish(axes)

    return Plot("Pushed linkage", draw, f"At {TOP:g} mm the pushed link is at the top wall.", 4.0)


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
