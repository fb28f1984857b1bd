"""The motion platform computed: closed forms beside the engine, identification, workspace, singular poses, speed."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time
from typing import NamedTuple

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError
from symbody.machines.platform.assembly import AssemblyModes, assembly_modes
from symbody.machines.platform.cases import MotionCase, apart, cases
from symbody.machines.platform.cases import engine as mechanism_engine
from symbody.machines.platform.compiled import direct_function, inverse_function
from symbody.machines.platform.data import AXES, Array, PlatformData, platform_data
from symbody.machines.platform.drives import check as check_drives
from symbody.machines.platform.dynamics import inverse_dynamics, printed_slider_forces
from symbody.machines.platform.envelopes import envelopes, envelopes_plot, table
from symbody.machines.platform.geometry import leg_lengths
from symbody.machines.platform.identification import base_parameters, bias_study, exciting, identify_platform, validate
from symbody.machines.platform.identification_pictures import identification_plots
from symbody.machines.platform.model import model
from symbody.machines.platform.motion import PlatformMotion, random_motion
from symbody.machines.platform.pictures import drive_plot, singularity_plots, workspace_plots
from symbody.machines.platform.platform_log import synthetic_log
from symbody.machines.platform.plots import errors_plot, forces_plot, loads_plot, modes_plot, tracking_plot
from symbody.machines.platform.servo import goal, reference
from symbody.machines.platform.singularity import z_floor
from symbody.machines.platform.trajectories import Trajectory, trajectories
from symbody.machines.platform.workspace import margins_function, scan
from symbody.machines.report_options import ReportOptions
from symbody.results.run import Run
from symbody.system.system import system
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_plots import frames_plot

TITLE = "A motion platform: a hexapod on an XY table, by closed forms and by the engine"
TEXT = """Eight axes: a hexapod of six legs on universal joints and balls, carried by an X slider that a Y slider
carries. The formulas of a thesis (T. Houda, Paris-Saclay 2020), with its slips mended, give forces for a motion in
closed form; the engine gives them from bodies, joints and loops. Sixteen motions are computed both ways, slowly and as
fast as the limits allow.

Geometry and inertias are not printed and were chosen; all numbers are in `data.yaml` with where they come from."""
ASKED = ("base_parameters", "case_error_max", "sigma_percent_max", "z_floor_m", "inverse_us", "scan_poses_per_s")
DT, UNTIL, EVERY = 1e-3, 8.0, 0.02  # s
SHOWN = ("Z + table none, low", "Z + table none, high", "X + table X, high", "roll + table XY, high")
MOTIONS = 2048  # in one call, where the time of one is measured
REPEATS = 30  # of which the fastest counts
POSE = (0.03, -0.02, 0.48, 0.10, -0.05, 0.15)  # whose assembly modes are drawn


def report(options: ReportOptions) -> Report:
    """All figures of the platform; `until`: s of the run that is shown."""
    options.check()
    until = options.end(UNTIL)
    if until < 1.0:
        raise ModelError(f"{until:g} s are too short a run", element="platform", cure="give 1 s or more")
    data = platform_data()
    parts = [dynamics_part(data), servo_part(data, until), geometry_part(data)]
    parts += [identification_part(data), workspace_part(data)]
    made = [part() for part in options.counted(parts, "part", "platform")]
    found = {name: value for one in made for name, value in one.figures.items()}
    figures = {name: found[name] for name in (*ASKED, *(name for name in found if name not in ASKED))}
    presets = list(envelopes().values())
    drawn = [plot for one in made for plot in one.plots] + [envelopes_plot(presets)]
    tables = {"Simulators of the catalogue": table(presets)}
    run = next(one.run for one in made if one.run is not None)
    return Report("platform", TITLE, paragraphs(TEXT), [figures], [frames_plot(run), *drawn], run, tables)


class ReportPart(NamedTuple):
    """Figures and plots of a subject, and a run where it has one."""

    figures: Record
    plots: list[Plot]
    run: Run | None = None


Part = Callable[[], ReportPart]


def dynamics_part(data: PlatformData) -> Part:
    """Forces of the sixteen cases by the closed form and by the engine, and how long it takes."""

    def part() -> ReportPart:
        by_engine, all_cases = mechanism_engine(data), cases(data)
        forces = {case.name: by_engine(case.motion) for case in all_cases}
        errors = {case.name: apart(case.motion.forces(), forces[case.name]) for case in all_cases}
        shown = [case for case in all_cases if case.name in SHOWN]
        figures = {
            "case_error_max": max(errors.values()),
            "printed_slider_error_percent": printed_error(all_cases, data),
            **speed(data),
        }
        return ReportPart(figures, [forces_plot(shown, forces), errors_plot(errors)])

    return part


def servo_part(data: PlatformData, until: float) -> Part:
    """A slalom on the servo: tracking, loads, motors."""

    def part() -> ReportPart:
        run = followed(trajectories(data)["slalom"], until)
        checked = check_drives(motion_of_run(run, data))
        figures = {**of_run(run), "drives_ok": checked.ok}
        return ReportPart(figures, [tracking_plot(run), loads_plot(run, data), drive_plot(checked, data)], run)

    return part


def geometry_part(data: PlatformData) -> Part:
    """All poses of the same legs."""

    def part() -> ReportPart:
        modes = assembly_modes(leg_lengths(np.array(POSE), data), data)
        figures = {
            "assembly_modes": len(modes.poses),
            "assembly_solutions": modes.followed,
            "assembly_modes_complete": modes.complete,
        }
        return ReportPart(figures, [modes_plot(above(modes), data)])

    return part


def identification_part(data: PlatformData) -> Part:
    """Base parameters, and what a noisy log tells of them."""

    def part() -> ReportPart:
        log, _ = synthetic_log(exciting(data).moves, data)
        fit = identify_platform(log, data)
        other, _ = synthetic_log(exciting(data, moves=6, seed=7).moves, data, seed=7)
        figures = {
            "base_parameters": base_parameters(data).number,
            "base_parameters_fixed_table": base_parameters(data, table=False).number,
            "sigma_percent_max": fit.sigma_percent_max,
            "deviation_max": float(np.abs(fit.deviation).max()),
            "energy_rebuilt_error": validate(fit, other).energy,
        }
        return ReportPart(figures, identification_plots(fit, other, bias_study(data)))

    return part


def workspace_part(data: PlatformData) -> Part:
    """Where it can be, and how low it may go."""

    def part() -> ReportPart:
        reach, tilt, yaw = (data.limits[axis].high for axis in ("x", "roll", "yaw"))
        floor = z_floor(data, tilt=tilt, yaw=yaw, shift=reach)
        margins_function(data).wait_optimised()
        found = scan(data)
        figures = {
            "z_floor_m": floor.z,
            "scan_poses_per_s": found.grid.poses / found.seconds,
            "reachable_litres": 1e3 * found.volume(found.reachable),
            "dexterous_litres": 1e3 * found.volume(found.dexterous),
        }
        return ReportPart(figures, [*workspace_plots(found, data), *singularity_plots(data)])

    return part


def followed(way: Trajectory, until: float) -> Run:
    """The platform on its servo along a trajectory."""
    s = system(model("servo"), outputs=["*.q", "*.force", "reference_*"])
    t = np.arange(0.0, until + DT, DT)
    axes = np.array([way(now) for now in t])
    inputs = {goal(axis): (t, axes[:, k]) for k, axis in enumerate(AXES)}
    return simulate(s, until, DT, every=EVERY, inputs=inputs)


def motion_of_run(run: Run, data: PlatformData) -> PlatformMotion:
    """Axes of a run, as their references go: rates are recorded, second derivatives by differences."""
    axes = np.column_stack([run[f"{axis}.q"] for axis in AXES])
    rates = np.column_stack([run[f"{reference(axis)}_rate"] for axis in AXES])
    return PlatformMotion(run.t, axes, rates, np.gradient(rates, run.t, axis=0), data)


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
