"""The report of the ride: time of a step, delay, broken limits, and plots of a descent of a scripted skier."""

from __future__ import annotations

import numpy as np

from symbody.machines.ride.chain import ride_chain, slope
from symbody.machines.ride.data import DT, EXTRA, KINDS, USUAL
from symbody.machines.ride.plots import leg_plot, restored_plot, tilt_plot
from symbody.machines.ride.ridden import Ridden, ridden
from symbody.motion.control.control_plots import gain_fitness_plot, load_error_plot, load_plot, mode_plots
from symbody.motion.control.control_study import gain_search, load_rows, load_runs, mode_rows, mode_runs
from symbody.motion.cueing.score import indicator
from symbody.motion.data import PlatformData
from symbody.motion.outputs import opened_output
from symbody.motion.presets import named_platform
from symbody.motion.safety.loop_supervisor import STATES
from symbody.motion.sources.stream_thread import ride_sources
from symbody.realtime.statistics import Histogram
from symbody.realtime.step_plot import step_plot
from symbody.terrain.ski_plots import path_plot, skier_plot
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "A ski descent on a motion platform, in one real-time loop"
TEXT = """A skier descends a mountain under gravity. Cueing filters what the skier feels for a platform of some
decimetres of stroke: a hexapod on an XY table. A supervisor keeps the references within all limits; they can stop at
any time. A controller follows them on the full model of the platform with friction, drives, encoders and a passenger.
The senses of skier and passenger are modelled, too.

All of this runs in one loop of 1 kHz, in compiled code. The time of a step is measured in the loop. The delay from the
scene to the reference of the platform is one period and the lag of the reference behind the target of cueing. A limit
is broken if the platform leaves the range or the speed of an axis or of a leg, or if the reference exceeds an
acceleration."""
UNTIL = 30.0  # s
SUBJECTS = ("control", "loads")  # further experiments: sliding mode by hand and by a swarm, lifts with loads


def report(
    options: ReportOptions, log: str | None = None, platform: str | None = None, listen: str | None = None,
    follow: str | None = None, output: str | None = None,
) -> Report:  # fmt: skip
    """A ride of `until` s for each method in `only` (default: optimal cueing with the table), or some `SUBJECTS`."""
    options.check(KINDS, SUBJECTS)
    data = named_platform(platform)
    chosen = set(options.only)
    kinds = [kind for kind in KINDS if kind in chosen] if chosen else [USUAL]
    rides: dict[str, Ridden] = {}
    figures: list[Record] = []
    for kind in options.counted(kinds, "ride", "ride"):
        moved = None if output is None else opened_output(output, data)
        ride = ride_chain(data, *ride_sources(log, listen, follow), output=moved)
        rides[kind] = ridden(ride, options.end(UNTIL), {"method": float(KINDS.index(kind))})
        figures.append({**ride_figures(kind, rides[kind]), **(moved.pace.figures() if moved else {})})
    drawn = ride_plots(rides, data)
    if "control" in chosen:
        runs = mode_runs(data)
        figures += mode_rows(runs)
        drawn += [*mode_plots(runs), gain_fitness_plot(gain_search(data))]
    if "loads" in chosen:
        lifts = load_runs(data, options.counted)
        figures += load_rows(lifts)
        drawn += [load_plot(lifts), load_error_plot(lifts)]
    return Report("ride", TITLE, paragraphs(TEXT), figures, drawn)


def ride_plots(rides: dict[str, Ridden], data: PlatformData) -> list[Plot]:
    """Plots of all rides; the times of the steps, the skier and the path of the first."""
    drawn = []
    for kind, one in rides.items():
        drawn += [restored_plot(kind, one.run), tilt_plot(kind, one.run), leg_plot(kind, one.run, data)]
    for one in list(rides.values())[:1]:
        drawn += [step_plot(one.statistics), skier_plot(one.run), path_plot(one.run, slope())]
    return drawn


def ride_figures(kind: str, one: Ridden) -> Record:
    """The figures of a ride; shares are those of the time in which the platform follows.

    Parameters
    ----------
    kind : str
        Name of the ride.
    one : Ridden
        Of `ridden`.

    Returns
    -------
    Record
        A row of the report.
    """
    run, riding = one.run, one.run["ride.state"] == STATES.index("running")
    given, made, felt, platform = (
        np.stack([run[f"{place}.{axis}"][riding] for axis in "xy"])
        for place in ("seat", "restored", "scene.felt", "felt")
    )
    accepted, clipped = (float(run[f"ride.{name}"][-1]) for name in ("accepted", "clipped"))
    return {
        "method": kind,
        "step_us": step_times(one.statistics.duration),
        "delay_ms": 1e3 * (DT + EXTRA.get(kind, 0.0) + float(run["ride.delay"][-1])),
        "limit_violations": int(run["limit.violations"][-1]),
        "late_steps": one.statistics.overruns,
        "seconds": float(run.t[-1]),
        "homing_s": float(run.t[riding.argmax()]) if riding.any() else None,
        "pi_percent": indicator(given, made) if riding.any() else None,
        "felt_percent": indicator(felt, platform) if riding.any() else None,
        "tracking_error_mm": 1e3 * float(run["tracking.error"].max()),
        "clipped_percent": 100.0 * clipped / max(accepted + clipped, 1.0),
        "state": one.state,
    } | ({"output_delay_ms": 1e3 * float(run["output.delay"][-1])} if "output.delay" in run.names else {})


def step_times(h: Histogram) -> Record:
    """Median, 99th percentile and the largest time of a step (µs)."""
    return {"median": 1e6 * h.quantile(0.5), "p99": 1e6 * h.quantile(0.99), "max": 1e6 * h.largest}
