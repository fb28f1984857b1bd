"""A hydraulic machine computed with every closure and friction law that is asked for, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.analysis.balance import EnergyBalance, energy_balance
from symbody.analysis.pressures import static_pressures
from symbody.analysis.simulate import simulate
from symbody.analysis.violation import constraint_violation
from symbody.machines.hydraulics.drive import BACK
from symbody.machines.report_options import ReportOptions
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.newton import Newton
from symbody.stepping.step_equations import newton_program
from symbody.system.system import System, system
from symbody.visual.report import Record

Array = np.ndarray
DT = 1e-3  # s, as in the publications
NEWTON = Newton(tolerance=1e-7)  # one for all closures: their iterations are compared
REPEATS = 10  # runs of which the fastest counts
# The penalty factor that the masses suggest is a thousand times larger: the digits that it takes from the residual cost
# Newton's method iterations. Violations that die out in some steps of 1 ms make up for the smaller one.
CLOSURES: dict[str, dict[str, float]] = {"partitioning": {}, "augmented": {}, "penalty": {"alpha": 3e7, "omega": 300.0}}
RECORDED = (
    "*.q", "*.qd", "*_p", "*_spool", "*.length", "*.rate", "*.tension", "*.force", "energy.*",
    "*.stored", "*.dissipated", "*.supplied",
)  # fmt: skip


@dataclass(frozen=True)
class HydraulicCase:
    """A machine: its models by the friction law of the seals, commands (V) over time by input, and how long it runs."""

    name: str
    models: Mapping[str, Callable[[], Model]]
    commands: Mapping[str, Callable[[float], float]]
    until: float  # s
    cylinders: Sequence[str] = ("cylinder",)
    recorded: Sequence[str] = ()  # besides the usual
    sense: float = 1.0  # of the work that counts: done by the cylinders, or with −1 taken up by them


@dataclass(frozen=True)
class SolvedCase:
    """One motion, its balance with the cylinders' work from outside, and by how much its loops are open."""

    closure: str
    friction: str
    run: Run
    balance: EnergyBalance
    gap: Array  # m, rad
    operations: int  # of one iteration of Newton's method

    @property
    def iterations(self) -> Array:
        """Of Newton's method, in each step."""
        return np.asarray(self.run.meta["iterations"])

    @property
    def pressures(self) -> Array:
        """Pa, a row for each time."""
        return np.stack([self.run[name] for name in self.run.find("*_p")], axis=1)


def solve_all(case: HydraulicCase, options: ReportOptions) -> list[SolvedCase]:
    """All variants that are asked for."""
    options.check(list(case.models), list(CLOSURES))
    wanted = [(f, c) for f in options.chosen(list(case.models)) for c in options.chosen(list(CLOSURES))]
    end = options.end(case.until)
    return [solve(case, *variant, end) for variant in options.counted(wanted, "run", case.name)]


def solve(case: HydraulicCase, friction: str, closure: str, until: float | None = None) -> SolvedCase:
    """A variant of a case, by the trapezoidal rule over positions, pressures and states of friction together."""
    s = compiled(case, friction, closure)

    def run(end: float) -> Run:
        return simulate(s, end, DT, method="trapezoidal", inputs=case.commands, newton=NEWTON)

    run(DT)  # compiles what the steps need
    runs = [run(case.until if until is None else until) for _ in range(REPEATS)]
    best = min(runs, key=lambda made: float(made.meta["seconds"]))
    operations = s.function("newton", newton_program).operations.total
    return SolvedCase(
        closure, friction, best, energy_balance(best, links=case.cylinders), constraint_violation(best), operations
    )


def compiled(case: HydraulicCase, friction: str, closure: str) -> System:
    """The system of a variant, its pressures such that the cylinders hold it where it starts."""
    model = static_pressures(case.models[friction](), back=BACK)
    return system(model, closure=closure, outputs=[*RECORDED, *case.recorded], **CLOSURES[closure])  # type: ignore[arg-type]


def figures(case: HydraulicCase, solved: Sequence[SolvedCase]) -> list[Record]:
    """What is measured: work, drift, iterations, loops, speed, and how far each is from the first of its friction."""
    first = {one.friction: one for one in reversed(solved)}
    return [_measured(case, one, first[one.friction]) for one in solved]


def _measured(case: HydraulicCase, one: SolvedCase, first: SolvedCase) -> Record:
    work = float((case.sense * one.balance.given).max())
    end, meta = float(one.run.t[-1]), one.run.meta
    return {
        "closure": one.closure,
        "friction": one.friction,
        "work_J": work,
        "drift_J": one.balance.drift,
        "drift_percent": 100.0 * one.balance.drift / work if work else None,
        "iterations_mean": meta["iterations_mean"],
        "iterations_max": meta["iterations_max"],
        "constraint_max": float(one.gap.max()),
        "realtime_factor": end / meta["seconds"],
        "step_us": 1e6 * meta["seconds"] * DT / end,
        "operations_per_step": one.operations * meta["iterations_mean"],
        "apart_rad": float(np.abs(one.run.q - first.run.q).max()),
        "apart_Pa": float(np.abs(one.pressures - first.pressures).max()),
    }
