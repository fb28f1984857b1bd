"""The report of the crane: it lifts a load, slews, unfolds and lowers it, and weighs it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symbody.elements.network import BAR
from symbody.estimation.consistency import twin_figures
from symbody.hydraulics.case import HydraulicCase, SolvedCase, figures, solve_all
from symbody.hydraulics.plots import angles_plot, effort_plot, energies_plot, gaps_plot, keyed
from symbody.machines.crane.model import COMMANDS, CYLINDERS
from symbody.machines.crane.model import model as crane
from symbody.machines.crane.weighing import case
from symbody.machines.twin_plots import estimates_plot
from symbody.results.run import Run
from symbody.visual.report import Plot, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import TIME, finish, frames_plot

TITLE = "A loader crane that lifts, slews, unfolds and lowers a swinging load on its cylinders"
TEXT = """A crane of five tonne-metres carries 800 kg on its hook. Each of its three cylinders has a 4/3 valve and
make-up valves for pulling loads; the slewing gear is a rack on a pinion. It starts at rest, with pressures that hold
the load.

The trapezoidal rule with steps of 1 ms solves for positions, pressures and spools together. Drift is the energy of the
bodies minus the work of the three cylinders.

Then the crane weighs a load of 950 kg, which the filter assumes to be 800 kg, from the pressures of its cylinders and
two angles, while the boom is lifted a little. The filter has the mass as a state."""
HEAVIER, SEEDS = 950.0, 3  # kg
WEIGHED = {"load_mass": ("load", "kg"), "lift_piston_p": ("lift, piston", "bar")}


def command(name: str, t: float) -> float:
    """The voltage of a valve over time."""
    return float(np.interp(t, *COMMANDS[name]))


CASE = HydraulicCase(
    "crane",
    {"brown-mcphee": crane},
    {f"{name}_command": partial(command, name) for name in COMMANDS},
    until=16.0,
    cylinders=tuple(CYLINDERS),
    recorded=("hook.position.*",),
)


def report(options: ReportOptions) -> Report:
    """The report of the crane's work."""
    solved = solve_all(CASE, options)
    first, by_closure = solved[0], keyed(solved, lambda one: one.closure)
    records = [dict(record) | _of_the_load(one) for record, one in zip(figures(CASE, solved), solved, strict=True)]
    drawn = [frames_plot(first.run), angles_plot(CASE, first.run, ["boom", "jib", "slew"]), pressures_plot(first.run)]
    drawn += [load_plot(first.run), energies_plot(first), gaps_plot(by_closure), effort_plot(by_closure)]
    runs = case(HEAVIER).observed(range(SEEDS))
    drawn.append(estimates_plot(runs[0], WEIGHED, "Weighing", "The load, estimated from pressures and two angles."))
    masses = [one.mean[-1, one.place("load_mass")] for one in runs]
    weighed = [{"load_kg": HEAVIER, "estimate_kg": float(np.mean(masses)), **twin_figures(runs, ["load_mass"])}]
    return Report("crane", TITLE, paragraphs(TEXT), records, drawn, first.run, {"Weighing": weighed})


def _of_the_load(one: SolvedCase) -> dict[str, float]:
    """Lift height, slewing angle, largest sway across the jib, and largest pressure."""
    height = one.run["hook.position.z"]
    return {
        "lifted_m": float(height.max() - height[0]),
        "slewed_deg": float(np.degrees(one.run["slew.q"][-1])),
        "sway_max_deg": float(np.degrees(np.abs(one.run["sway.q"]).max())),
        "pressure_max_bar": float(one.pressures.max()) / BAR,
    }


def pressures_plot(run: Run) -> Plot:
    """Both sides of each cylinder."""

    def draw(figure: Any) -> None:
        all_axes = figure.subplots(1, len(CYLINDERS), sharey=True)
        for axes, name in zip(all_axes, CYLINDERS, strict=True):
            for side in ("piston", "rod"):
                axes.plot(run.t, run[f"{name}_{side}_p"] / BAR, lw=1.1, label=side)
            axes.set(title=name, xlabel=TIME)
        all_axes[0].set(ylabel="pressure (bar)")
        finish(*all_axes)

    return Plot("Pressures", draw, "Both sides of the cylinders; one that stands still keeps what it was shut in with.")


def load_plot(run: Run) -> Plot:
    """The path of the hook, from above and over time, and the swing of the rope."""

    def draw(figure: Any) -> None:
        above, height, swing = figure.subplots(1, 3)
        x, y, z = (run[f"hook.position.{axis}"] for axis in "xyz")
        above.plot(x, y, lw=1.2, label="hook")
        above.plot([0.0], [0.0], "k+", label="column")
        above.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
        height.plot(run.t, z, lw=1.2)
        height.set(xlabel=TIME, ylabel="height of the hook (m)")
        along = run["boom.q"] + run["jib.q"] + run["swing.q"]
        swing.plot(run.t, np.degrees(along), lw=1.2, label="along the jib")
        swing.plot(run.t, np.degrees(run["sway.q"]), lw=1.2, label="across it")
        swing.set(xlabel=TIME, ylabel="angle of the rope (°)")
        finish(above, height, swing)

    return Plot("Load", draw, "The hook from above, its height, and the angles of the rope from the plumb line.")
