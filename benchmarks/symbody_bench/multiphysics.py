"""Machines with hydraulics and friction in one implicit solve: time per step, tangents, growth of a circuit, and the
same machines with general stiff solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from time import process_time, thread_time
from typing import Any

import numpy as np

from symbody.analysis.pressures import static_pressures
from symbody.analysis.simulate import simulate
from symbody.errors import DivergenceError, SymbodyError
from symbody.hydraulics.cylinder_drive import COMMAND
from symbody.hydraulics.tilted_four_bar import SEALS
from symbody.machines.car_suspension.model import model as car_hydraulic
from symbody.machines.crane import model as crane_model
from symbody.machines.four_bar_friction import model as four_bar_friction
from symbody.machines.four_bar_hydraulic import model as four_bar_hydraulic
from symbody.machines.quick_return_hydraulic import model as quick_return
from symbody.model.model import Model
from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.inputs import inputs_at
from symbody.stepping.newton import TANGENTS, Newton
from symbody.stepping.start_state import start_state
from symbody.stepping.step_equations import newton_program
from symbody.stepping.step_options import VariableStep
from symbody.stepping.trapezoidal import trapezoidal_steps
from symbody.system.system import System, system
from symbody_bench.systems import DT, real_time

REPEATS = 3
SOLVERS = {"SciPy BDF": "bdf", "SciPy Radau": "radau", "SUNDIALS CVODE": "cvode"}
RTOL = 1e-5  # of those solvers: the same error as the trapezoidal rule with steps of 1 ms
LONGEST = 0.1  # s: longer steps could skip a command
FINE = 50  # steps of the reference per step
SIZES = (3, 10, 30, 100)  # volumes of the growing circuit


@dataclass(frozen=True)
class MachineCase:
    """A machine, its inputs, and the duration (s)."""

    model: Callable[[], Model]
    inputs: Mapping[str, Callable[[float], float]]
    until: float = 10.0


def _crane_inputs() -> dict[str, Callable[[float], float]]:
    return {f"{axis}_command": partial(np.interp, xp=xp, fp=fp) for axis, (xp, fp) in crane_model.COMMANDS.items()}


def _held(model: Callable[..., Model], *arguments: Any) -> Callable[[], Model]:
    """A machine whose initial pressures hold it."""
    return lambda: static_pressures(model(*arguments))


CASES: dict[str, MachineCase] = {
    "four-bar-hydraulic": MachineCase(_held(four_bar_hydraulic.model), {"U_ref": COMMAND}),
    "quick-return-hydraulic": MachineCase(_held(quick_return.model), {"U_ref": quick_return.COMMAND}),
    **{
        f"four-bar-friction, {name}": MachineCase(_held(four_bar_friction.model, name), {"U_ref": COMMAND})
        for name in SEALS
    },
    "crane": MachineCase(_held(crane_model.model), _crane_inputs()),
    "car-interconnected": MachineCase(car_hydraulic, {}, 6.0),
}
COMPARED = ("four-bar-friction, brown-mcphee", "four-bar-friction, lugre", "crane")


def _timed(s: System, case: MachineCase, tangent: str) -> dict[str, Any]:
    """Time per step over the whole run, the best of some repeats, and the effort of Newton's method."""
    steps = round(case.until / DT)
    u, best = inputs_at(s, case.inputs, np.arange(steps + 1) * DT), float("inf")
    for _ in range(REPEATS):
        run = trapezoidal_steps(start_state(s), StepSettings(DT, u, newton=Newton(tangent=tangent)))
        before = thread_time()
        run.run(steps, steps)
        best = min(best, thread_time() - before)
        if run.done < steps:
            raise DivergenceError(f"{s.model.name} reached {run.done} of {steps} steps", time=run.done * DT)
    us = best / steps * 1e6
    return {
        "us_per_step": us,
        "real_time": real_time(us),
        "iterations": run.iterations / steps,
        "most": run.most,
        "operations": s.function("newton", newton_program).operations.total,
    }


def step_records(names: Mapping[str, MachineCase] = CASES) -> Iterator[dict[str, Any]]:
    """Each case with each tangent."""
    for name, case in names.items():
        s = system(case.model(), outputs=["*.q"])
        for tangent in TANGENTS:
            yield {"case": name, "states": len(s.states), "tangent": tangent, **_timed(s, case, tangent)}


def solver_records(name: str) -> Iterator[dict[str, Any]]:
    """Processor seconds of a run, and largest error of the coordinates: one implicit solve in C, and solvers that
    call the same compiled right-hand side and its exact Jacobian."""
    case = CASES[name]
    s = system(case.model(), outputs=["*.q"])
    fine = simulate(s, case.until, DT / FINE, method="trapezoidal", inputs=case.inputs, every=DT)
    plain = partial(simulate, s, case.until, DT, method="trapezoidal", inputs=case.inputs)
    runs: dict[str, Callable[[], Any]] = {"symbody, trapezoidal, 1 ms": plain}
    for label, method in SOLVERS.items():
        runs[label] = partial(
            simulate, s, case.until, method=VariableStep(method, RTOL, atol=1e-8, max_step=LONGEST),
            inputs=case.inputs, every=DT,
        )  # fmt: skip
    mine = None
    for label, run in runs.items():
        try:
            run()  # compiles everything
            began = process_time()
            found = run()
            seconds = process_time() - began
        except SymbodyError as refusal:  # a solver that is not installed, or that fails
            note = str(refusal)[:60]
            yield {"case": name, "solver": label, "seconds": None, "error": None, "slower": None, "note": note}
            continue
        mine = mine or seconds
        error = float(np.abs(found.values[: len(fine)] - fine.values[: len(found)]).max())
        yield {"case": name, "solver": label, "seconds": seconds, "error": error, "slower": seconds / mine, "note": ""}


def chain_of_volumes(n: int) -> Model:
    """A mass on a cylinder whose piston side is fed through a row of n − 1 volumes with throttles between them."""
    m = Model(f"{n} volumes")
    m.body("load", m.ground, "T3", mass=500.0)
    m.ground.point("foot", (0.0, 0.0, -1.5))
    c = m.circuit("oil")
    P, T = c.source("P", 10e6), c.tank("T")
    nodes = [c.volume(f"v{k}", 5e-5, start=4e6) for k in range(n - 1)]
    rod = c.volume("rod", 5e-5, start=2e6)
    c.valve("valve", P, T, nodes[0], rod, cv=2e-8, command="u", lag=5e-3)
    for k, (a, b) in enumerate(pairwise(nodes)):
        c.throttle(f"t{k}", a, b, area=3e-5)
    c.cylinder(
        "ram", "ground.foot", "load.origin", nodes[-1], rod, bore=0.06, rod_diameter=0.03, closed=1.0, stroke=1.0
    )
    return m


def growth_records() -> Iterator[dict[str, Any]]:
    """Time per step as a circuit grows."""
    for n in SIZES:
        case = MachineCase(_held(chain_of_volumes, n), {"u": lambda t: 5.0 * np.sin(3.0 * t)}, 2.0)
        s = system(case.model(), outputs=["*.q"])
        yield {"volumes": n, **_timed(s, case, "exact")}
