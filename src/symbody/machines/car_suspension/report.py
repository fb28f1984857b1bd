"""The report of the car suspension: separate and interconnected dampers, strong and weak coupling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.analysis.balance import EnergyBalance, energy_balance
from symbody.analysis.coupling import HOLDS, BlockSystems, block_systems, simulate_weakly
from symbody.analysis.simulate import simulate
from symbody.analysis.violation import constraint_violation
from symbody.elements.network import BAR
from symbody.errors import DivergenceError
from symbody.machines.car_suspension.dampers import MODES, damper_rig
from symbody.machines.car_suspension.model import model
from symbody.machines.car_suspension.plots import Weak, plots
from symbody.results.run import Run
from symbody.stepping.newton import Newton
from symbody.stepping.step_equations import kept_tangent_program, newton_program
from symbody.stepping.step_options import FixedStep
from symbody.system.system import system
from symbody.vehicles.measures import peak_roll
from symbody.visual.report import Record, Report, paragraphs
from symbody.visual.report_options import ReportOptions

DT, UNTIL = 1e-3, 6.0  # s
REPEATS = 3  # runs; the fastest counts
SUSPENSIONS = ("separate", "interconnected")
WEAK = "weak"
EXCHANGES = (1, 2, 3, 5, 8, 12, 20)  # steps between exchanges
KEPT = Newton(tangent="kept")
RECORDED = (
    "*.q", "*.qd", "*_p", "energy.*", "rack.effort", "seat.acceleration.y", "*.tyre.force.z", "*.stored",
    "*.dissipated", "*.supplied",
)  # fmt: skip
TITLE = "A car changes lanes on separate dampers, and on dampers interconnected against roll"
TEXT = """A car with 87 coordinates and 24 loops changes lanes at 10 m/s; its rack follows a function of time. Four
cylinders damp it. They are separate, or the compression chambers of one side are joined to the rebound chambers of the
other; then 22 pressures are solved together with the motion.

Strong coupling is the trapezoidal rule at 1 ms over motion and pressures; Newton's method keeps its tangent as long as
it converges. Time is that of the steps on one core. Drift is the error of the energy balance of bodies, oil, gas,
valves, springs, tyres, drive and rack. With weak coupling, motion and oil are integrated separately; between exchanges
the values of the other part are constant or extrapolated linearly."""


@dataclass(frozen=True)
class Driven:
    """A lane change: its records, energy balance and computing time."""

    suspension: str
    run: Run
    balance: EnergyBalance
    gap: float  # m, of the loops
    seconds: float  # of the steps alone
    operations: dict[str, int]  # of an iteration with a new tangent, and with a kept one


def drive(suspension: str, until: float) -> Driven:
    """The lane change on one of the suspensions."""
    s = system(model(suspension), outputs=RECORDED)
    run = simulate(s, until, DT, method=FixedStep("trapezoidal", newton=KEPT))
    seldom = float(run.t[-1])  # recording is not part of the measured time
    timed = [simulate(s, until, DT, method=FixedStep("trapezoidal", newton=KEPT), every=seldom) for _ in range(REPEATS)]
    programs = {"newton": newton_program, "kept_tangent": kept_tangent_program}
    return Driven(
        suspension,
        run,
        energy_balance(run, drives=["rack"], elements=["*"]),
        float(constraint_violation(run).max()),
        min(float(made.meta["seconds"]) for made in timed),
        {name: s.function(name, program).operations.total for name, program in programs.items()},
    )


def figures(driven: list[Driven]) -> list[Record]:
    """Figures of the lane changes."""
    return [_measured(one) for one in driven]


def _measured(one: Driven) -> Record:
    run, end = one.run, float(one.run.t[-1])
    pressures = np.stack([run[name] for name in run.find("*_p")])
    return {
        "suspension": one.suspension,
        "hydraulic_states": len(pressures),
        "peak_roll_deg": peak_roll(run),
        "peak_lateral_acceleration": float(np.abs(run["seat.acceleration.y"]).max()),
        "aside_m": float(run["y.q"][-1]),
        "least_wheel_load_N": float(min(run[name].min() for name in run.find("*.tyre.force.z"))),
        "pressure_min_bar": float(pressures.min()) / BAR,
        "pressure_max_bar": float(pressures.max()) / BAR,
        "realtime_factor": end / one.seconds,
        "step_us": 1e6 * one.seconds * DT / end,
        "iterations_mean": run.meta["iterations_mean"],
        "iterations_max": run.meta["iterations_max"],
        "operations_new_tangent": one.operations["newton"],
        "operations_kept_tangent": one.operations["kept_tangent"],
        "constraint_max": one.gap,
        "dissipated_J": float(one.balance.lost[-1]),
        "drift_J": one.balance.drift,
        "drift_percent": one.balance.drift_percent,
    }


def weakly(blocks: BlockSystems, strong: Run, exchange: int, hold: str) -> Weak:
    """Difference of a weakly coupled run from the strong one, or the time of its failure."""
    milliseconds = 1e3 * exchange * DT
    try:
        run = simulate_weakly(blocks, float(strong.t[-1]), DT, exchange, hold=hold, newton=KEPT)
    except DivergenceError as error:
        return Weak(hold, milliseconds, failed_at_s=error.time)
    last = min(len(run), len(strong))
    pressures = [float(np.abs(run[name][:last] - strong[name][:last]).max()) for name in strong.find("*_p")]
    roll = np.abs(run["roll.q"][:last] - strong["roll.q"][:last]).max()
    return Weak(hold, milliseconds, float(np.degrees(roll)), max(pressures) / BAR)


def on_the_rig(suspension: str, travel: float = 0.02, omega: float = 1.0) -> dict[str, Run]:
    """Runs of the dampers alone, slowly compressed by a travel (m) in each mode."""
    s = system(damper_rig(interconnected=suspension == "interconnected"), outputs=["*_damper.*"])
    s.parameters["omega"] = omega
    runs = {}
    for mode in MODES:
        s.parameters.update({other: travel * (other == mode) for other in MODES})
        runs[mode] = simulate(s, 2.0 * np.pi / omega, np.pi / omega / 1000, method="trapezoidal")
    return runs


def report(options: ReportOptions) -> Report:
    """Both lane changes, and the interconnected one with weak coupling."""
    options.check(list(SUSPENSIONS), [WEAK])
    until = options.end(UNTIL)
    asked = options.chosen([*SUSPENSIONS, WEAK])
    chosen = [name for name in SUSPENSIONS if name in asked or (name == "interconnected" and WEAK in asked)]
    pairs = [(exchange, hold) for hold in HOLDS for exchange in EXCHANGES] if WEAK in asked else []
    driven = [drive(name, until) for name in options.counted(chosen, "run", "car-suspension")]
    coupled = options.counted(pairs, "run", "weak coupling")
    blocks = block_systems(model()) if pairs else None
    weak = [weakly(blocks, driven[-1].run, exchange, hold) for exchange, hold in coupled] if blocks else []
    runs = {one.suspension: one.run for one in driven}
    balances = {one.suspension: one.balance for one in driven}
    drawn = plots(runs, balances, {name: on_the_rig(name) for name in runs}, weak)
    tables = {"Weak coupling": [one.record for one in weak]} if weak else {}
    return Report("car-suspension", TITLE, paragraphs(TEXT), figures(driven), drawn, driven[-1].run, tables)
