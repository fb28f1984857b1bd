"""The report of the platform: closed forms against the engine, identification, workspace, singular poses, speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import thread_time
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError
from symbody.machines.platform.cases import MotionCase, apart, cases
from symbody.machines.platform.cases import engine as mechanism_engine
from symbody.machines.platform.data import platform_data
from symbody.machines.platform.model import model
from symbody.machines.platform.plots import drive_plot, errors_plot, forces_plot, loads_plot, modes_plot, tracking_plot
from symbody.machines.platform.trajectories import trajectories
from symbody.motion.assembly_modes import AssemblyModes, assembly_modes
from symbody.motion.compiled import direct_function, inverse_function
from symbody.motion.data import AXES, Array, PlatformData
from symbody.motion.drives import check as check_drives
from symbody.motion.dynamics import inverse_dynamics, printed_slider_forces
from symbody.motion.envelopes import envelope_of, envelopes, envelopes_plot, table
from symbody.motion.geometry import leg_lengths
from symbody.motion.identification import base_parameters, bias_study, exciting, identify_platform, validate
from symbody.motion.identification_plots import identification_plots
from symbody.motion.identification_study import identification_study, stacked
from symbody.motion.parameter_groups import LEG_INERTIA
from symbody.motion.platform_log import synthetic_log
from symbody.motion.platform_motion import PlatformMotion, random_motion
from symbody.motion.servo import goal, reference
from symbody.motion.singularity import z_floor
from symbody.motion.singularity_plots import singularity_plots
from symbody.motion.tracking import tracking_table
from symbody.motion.trajectories import Trajectory
from symbody.motion.workspace import margins_function, scan
from symbody.motion.workspace_plots import workspace_plots
from symbody.results.run import Run
from symbody.system.system import system
from symbody.visual.report import Plot, Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions
from symbody.visual.report_plots import frames_plot

TITLE = "A motion platform: a hexapod on an XY table, by closed forms and by the engine"
TEXT = """The platform has eight axes: a hexapod with six legs on universal and ball joints stands on an X slider, which
stands on a Y slider. Corrected formulas of a thesis (T. Houda, Paris-Saclay 2020) give the actuator forces of a motion
in closed form. The engine computes the same forces from bodies, joints and loops. Sixteen motions compare both, slowly
and as fast as the limits allow.

The thesis does not print geometry and inertias; they were chosen. `motion/xy_platform.yaml` has all numbers with their
origin."""
FIRST = ("base_parameters", "case_error_max", "sigma_percent_max", "z_floor_m", "inverse_us", "scan_poses_per_s")
PRECISE = 5.0  # %, of an identified parameter
DT, UNTIL, EVERY = 1e-3, 8.0, 0.02  # s
SHOWN = ("Z + table none, low", "Z + table none, high", "X + table X, high", "roll + table XY, high")
MOTIONS = 2048  # in one call, to measure the time of one
REPEATS = 30  # calls; the fastest counts
POSE = (0.03, -0.02, 0.48, 0.10, -0.05, 0.15)  # the assembly modes of its leg lengths are drawn
NAME = "XY-6DoF"  # of this platform among the simulators of the catalogue


def report(options: ReportOptions) -> Report:
    """All figures of the platform; `until`: duration (s) of the run on the servo."""
    options.check()
    until = options.end(UNTIL)
    if until < 1.0:
        raise ModelError(f"a run of {until:g} s is too short", element="platform", cure="give at least 1 s")
    data = platform_data()
    parts = [dynamics_part(data), servo_part(data, until), tracking_part(data), geometry_part(data)]
    parts += [identification_part(data), workspace_part(data)]
    made = [part() for part in options.counted(parts, "part", "platform")]
    found = {name: value for one in made for name, value in one.figures.items()}
    figures = {name: found[name] for name in (*FIRST, *(name for name in found if name not in FIRST))}
    presets = [*envelopes().values(), envelope_of(NAME, data)]
    drawn = [plot for one in made for plot in one.plots] + [envelopes_plot(presets)]
    tables = {title: rows for one in made for title, rows in one.tables.items()}
    tables["Simulators of the catalogue"] = table(presets)
    run = next(one.run for one in made if one.run is not None)
    return Report("platform", TITLE, paragraphs(TEXT), [figures], [frames_plot(run), *drawn], run, tables)


class ReportPart(NamedTuple):
    """Figures and plots of a subject, its run, if it has one, and its tables by title."""

    figures: Record
    plots: list[Plot]
    run: Run | None = None
    tables: Mapping[str, Sequence[Record]] = MappingProxyType({})


Part = Callable[[], ReportPart]


def dynamics_part(data: PlatformData) -> Part:
    """Forces of the sixteen cases by the closed form and by the engine, and computing times."""

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
    """A slalom on the servo: tracking errors, loads, motors."""

    def part() -> ReportPart:
        run = followed(trajectories(data)["slalom"], until)
        checked = check_drives(motion_of_run(run, data))
        figures = {**of_run(run), "drives_ok": checked.ok}
        return ReportPart(figures, [tracking_plot(run), loads_plot(run, data), drive_plot(checked, data)], run)

    return part


def tracking_part(data: PlatformData) -> Part:
    """PID, and PD with feed-forward, with loads that they do not know."""

    def part() -> ReportPart:
        rows = tracking_table(data)
        figures: dict[str, dict[str, float]] = {}
        for row in rows:
            by_load = figures.setdefault(f"{row['controller']}, {row['template']}", {})
            by_load[f"{row['load_kg']:g} kg"] = row["rms_mm"]
        return ReportPart({"tracking_rms_mm": figures}, [], tables={"Tracking with loads": rows})

    return part


def geometry_part(data: PlatformData) -> Part:
    """Assembly modes: all poses with the same leg lengths."""

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
    """Base parameters, and their identification from a noisy log."""

    def part() -> ReportPart:
        logs = [synthetic_log(moves, data, seed=k)[0] for k, moves in enumerate(stacked(data))]
        fit, study = identify_platform(logs, data), identification_study(data)
        other, _ = synthetic_log(exciting(data, moves=6, seed=7).moves, data, seed=7)
        legs = fit.groups[LEG_INERTIA]
        figures = {
            "base_parameters": base_parameters(data).number,
            "base_parameters_fixed_table": base_parameters(data, table=False).number,
            "sigma_percent_max": fit.sigma_percent_max,
            "sigma_percent_max_of": fit.sigma_percent_max_of,
            "sigma_percent_by_group": fit.sigma_percent_by_group,
            "sigma_percent_by_group_if_the_others_are_known": study.alone,
            "leg_noise_for_bounds_N": study.noise_for_bounds,
            "leg_inertias_above_5_percent": int(np.sum(fit.sigma_percent[legs] > PRECISE)),
            "essential_parameters": int(fit.essential(PRECISE).chosen.sum()),
            "deviation_max": float(np.abs(fit.deviation).max()),
            "energy_rebuilt_error": validate(fit, other).energy,
        }
        tables = {"Noise and motions for the printed bounds": study.table, "Parameters, log and model": fit.table}
        return ReportPart(figures, identification_plots(fit, other, bias_study(data)), tables=tables)

    return part


def workspace_part(data: PlatformData) -> Part:
    """Workspace, and the lowest safe height."""

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
    """Motion of a run: recorded axes, rates of their references, second derivatives by differences."""
    axes = np.column_stack([run[f"{axis}.q"] for axis in AXES])
    rates = np.column_stack([run[f"{reference(axis)}_rate"] for axis in AXES])
    return PlatformMotion(run.t, axes, rates, np.gradient(rates, run.t, axis=0), data)


def of_run(run: Run) -> Record:
    """Tracking errors of the axes, and the largest force of a leg."""
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
    """Error of the printed projection at the high pace, in % of the largest slider force."""
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
    """Time of inverse dynamics and of direct geometry (µs); the guess is the pose 1 ms before; many in one call."""
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
        begun = thread_time()  # of this thread only
        call()
        return thread_time() - begun

    return 1e6 * min(once() for _ in range(REPEATS)) / MOTIONS
