"""A hydraulic machine simulated with several closures and friction laws, and its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.analysis.balance import EnergyBalance, energy_balance
from symbody.analysis.pressures import static_pressures
from symbody.analysis.simulate import simulate
from symbody.analysis.violation import constraint_violation
from symbody.hydraulics.cylinder_drive import BACK
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.newton import Newton
from symbody.stepping.step_equations import newton_program
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System, system
from symbody.visual.report import Record
from symbody.visual.report_options import ReportOptions

Array = np.ndarray
DT = 1e-3  # s, as in the publications
NEWTON = Newton(tolerance=1e-7)  # the same for all closures, whose iterations are compared
REPEATS = 10  # runs; the fastest counts
# The masses suggest a penalty factor a thousand times larger. It would cost digits of the residual, and so iterations
# of Newton's method. The smaller factor is enough, because violations decay within some steps of 1 ms.
CLOSURES: dict[str, dict[str, float]] = {"partitioning": {}, "augmented": {}, "penalty": {"alpha": 3e7, "omega": 300.0}}
RECORDED = (
    "*.q", "*.qd", "*_p", "*_spool", "*.length", "*.rate", "*.tension", "*.force", "energy.*",
    "*.stored", "*.dissipated", "*.supplied",
)  # fmt: skip


@dataclass(frozen=True)
class HydraulicCase:
    """A machine: models by the friction law of the seals, commands (V) over time by input, and its duration (s)."""

    name: str
    models: Mapping[str, Callable[[], Model]]
    commands: Mapping[str, Callable[[float], float]]
    until: float  # s
    cylinders: Sequence[str] = ("cylinder",)
    recorded: Sequence[str] = ()  # additional outputs
    sense: float = 1.0  # sign of the reported work: 1 done by the cylinders, −1 absorbed by them


@dataclass(frozen=True)
class SolvedCase:
    """One motion, its energy balance with the work of the cylinders, and the violation of its loops."""

    closure: str
    friction: str
    run: Run
    balance: EnergyBalance
    gap: Array  # m, rad
    operations: int  # of one iteration of Newton's method

    @property
    def iterations(self) -> Array:
        """Iterations of Newton's method in each step."""
        return np.asarray(self.run.meta["iterations"])

    @property
    def pressures(self) -> Array:
        """Pressures (Pa), a row for each time."""
        return np.stack([self.run[name] for name in self.run.find("*_p")], axis=1)


def solve_all(case: HydraulicCase, options: ReportOptions) -> list[SolvedCase]:
    """All variants that the options select."""
    options.check(list(case.models), list(CLOSURES))
    wanted = [(f, c) for f in options.chosen(list(case.models)) for c in options.chosen(list(CLOSURES))]
    end = options.end(case.until)
    return [solve(case, *variant, end) for variant in options.counted(wanted, "run", case.name)]


def solve(case: HydraulicCase, friction: str, closure: str, until: float | None = None) -> SolvedCase:
    """Simulate a variant: trapezoidal rule over positions, pressures and friction states together."""
    s = compiled(case, friction, closure)

    def run(end: float) -> Run:
        return simulate(s, end, DT, method=FixedStep("trapezoidal", newton=NEWTON), inputs=case.commands)

    run(DT)  # compiles what the steps need
    runs = [run(case.until if until is None else until) for _ in range(REPEATS)]
    best = min(runs, key=lambda made: float(made.meta["seconds"]))
    operations = s.function("newton", newton_program).operations.total
    return SolvedCase(
        closure, friction, best, energy_balance(best, links=case.cylinders), constraint_violation(best), operations
    )


def compiled(case: HydraulicCase, friction: str, closure: str) -> System:
    """The system of a variant; its initial pressures hold it at its start."""
    model = static_pressures(case.models[friction](), back=BACK)
    return system(model, closure=closure, outputs=[*RECORDED, *case.recorded], **CLOSURES[closure])  # type: ignore[arg-type]


def figures(case: HydraulicCase, solved: Sequence[SolvedCase]) -> list[Record]:
    """Work, drift, iterations, violation, speed, and the difference to the first variant with the same friction."""
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
