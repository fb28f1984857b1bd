"""The motion platform computed: closed forms beside the engine, identification, workspace, singular poses, speed."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import numpy as np
from tqdm import tqdm

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError
from symbody.machines.platform.assembly import AssemblyModes, assembly_modes
from symbody.machines.platform.cases import MotionCase, apart, cases
from symbody.machines.platform.cases import engine as mechanism_engine
from symbody.machines.platform.compiled import direct_function, inverse_function
from symbody.machines.platform.data import AXES, Array, PlatformData, platform_data
from symbody.machines.platform.dynamics import inverse_dynamics, printed_slider_forces
from symbody.machines.platform.envelopes import envelopes, envelopes_plot, table
from symbody.machines.platform.geometry import leg_lengths
from symbody.machines.platform.model import model
from symbody.machines.platform.motion import random_motion
from symbody.machines.platform.plots import errors_plot, forces_plot, loads_plot, modes_plot, tracking_plot
from symbody.machines.platform.servo import goal, reference
from symbody.machines.platform.trajectories import Trajectory, trajectories
from symbody.machines.report_options import ReportOptions
from symbody.results.run import Run
from symbody.system.system import system
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_plots import frames_plot

TITLE = "A motion platform: a hexapod on an XY table, by closed forms and by the engine"
TEXT = """Eight axes: a hexapod of six legs on universal joints and balls, carried by an X slider that a Y slider
carries. The formulas of a thesis (T. Houda, Paris-Saclay 2020), with its slips mended, give forces for a motion in
closed form; the engine gives them from bodies, joints and loops. Sixteen motions are computed both ways, slowly and as
fast as the limits allow.

Geometry and inertias are not printed and were chosen; all numbers are in `data.yaml` with where they come from."""
DT, UNTIL, EVERY = 1e-3, 8.0, 0.02  # s
SHOWN = ("Z + table none, low", "Z + table none, high", "X + table X, high", "roll + table XY, high")
MOTIONS = 2048  # in one call, where the time of one is measured
REPEATS = 30  # of which the fastest counts
POSE = (0.03, -0.02, 0.48, 0.10, -0.05, 0.15)  # whose assembly modes are drawn


def report(options: ReportOptions) -> Report:
    """All figures of the platform; `until`: s of the run that is shown."""
    options.check()
    until = UNTIL if options.until is None else options.until
    if until < 1.0:
        raise ModelError(f"{until:g} s are too short a run", element="platform", cure="give 1 s or more")
    data = platform_data()
    steps = tqdm(total=4, disable=not options.progress, unit="part", desc="platform")
    by_engine, all_cases = mechanism_engine(data), cases(data)
    engine_forces = {case.name: by_engine(case.motion) for case in all_cases}
    errors = {case.name: apart(case.motion.forces(), engine_forces[case.name]) for case in all_cases}
    steps.update()
    run = followed(trajectories(data)["slalom"], until)
    steps.update()
    modes = assembly_modes(leg_lengths(np.array(POSE), data), data)
    steps.update()
    figures = {
        "case_error_max": max(errors.values()),
        "printed_slider_error_percent": printed_error(all_cases, data),
        **speed(data),
        **of_run(run),
        "assembly_modes": len(modes.poses),
        "assembly_modes_complete": modes.complete,
    }
    steps.update()
    steps.close()
    shown = [case for case in all_cases if case.name in SHOWN]
    drawn = [
        frames_plot(run), forces_plot(shown, engine_forces), errors_plot(errors), tracking_plot(run),
        loads_plot(run, data), modes_plot(above(modes), data), envelopes_plot(list(envelopes().values())),
    ]  # fmt: skip
    tables = {"Simulators of the catalogue": table(list(envelopes().values()))}
    return Report("platform", TITLE, paragraphs(TEXT), [figures], drawn, run, tables)


def followed(way: Trajectory, until: float) -> Run:
    """The platform on its servo along a trajectory."""
    s = system(model("servo"), outputs=["*.q", "*.force", "reference_*"])
    t = np.arange(0.0, until + DT, DT)
    axes = np.array([way(now) for now in t])
    inputs = {goal(axis): (t, axes[:, k]) for k, axis in enumerate(AXES)}
    return simulate(s, until, DT, every=EVERY, inputs=inputs)


def of_run(run: Run) -> Record:
    """How far the axes are behind their references, and the largest force of a leg."""
    behind = [np.abs(run[f"{axis}.q"] - run[reference(axis)]).max() for axis in AXES]
    forces = [np.abs(run[name]).max() for name in run.names if name.startswith("rod") and name.endswith(".force")]
    return {
        "behind_m": float(max(behind[:5])),
        "behind_rad": float(max(behind[5:])),
        "leg_force_max_N": float(max(forces)),
    }


def above(modes: AssemblyModes) -> Array:
    """The modes above the base, highest first."""
    upper = modes.poses[modes.poses[:, 2] > 0.0]
    return upper[np.argsort(-upper[:, 2])]


def printed_error(all_cases: list[MotionCase], data: PlatformData) -> float:
    """By how much of the largest slider force the printed projection is wrong, at the high pace (%)."""
    wrong = largest = 0.0
    for case in all_cases:
        if case.pace == "high":
            motion = case.motion.pose, case.motion.twist, case.motion.acceleration
            exact = inverse_dynamics(*motion, data, friction=False)[:, :2]
            wrong = max(wrong, float(np.abs(printed_slider_forces(*motion, data) - exact).max()))
            largest = max(largest, float(np.abs(exact).max()))
    return 100.0 * wrong / largest


# -- speed -------------------------------------------------------------------------------------------------------------


def speed(data: PlatformData) -> Record:
    """Time of inverse dynamics and of direct geometry from 1 ms before (µs), many in one call, on one core."""
    inverse, direct = inverse_function(data), direct_function(data)
    motion = random_motion(data, MOTIONS, np.random.default_rng(0))
    guess = motion.pose - 1e-3 * motion.rates[:, 2:]
    lengths = leg_lengths(motion.pose, data)
    for function in (inverse, direct):
        function.wait_optimised()
    return {
        "inverse_us": microseconds(lambda: inverse(motion.pose, motion.twist, motion.acceleration)),
        "direct_us": microseconds(lambda: direct(lengths, guess)),
        "inverse_operations": inverse.operations.total,
    }


def microseconds(call: Callable[[], object]) -> float:
    """Time of one of `MOTIONS` in a call (µs), the best of several."""

    def once() -> float:
        begun = thread_time()  # that of this thread: it stands still while others have the processor
        call()
        return thread_time() - begun

    return 1e6 * min(once() for _ in range(REPEATS)) / MOTIONS
