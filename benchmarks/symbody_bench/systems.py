"""The System in the benchmark: rates and their exact derivatives called from C, fixed steps, and three closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import thread_time
from typing import Any

import numpy as np

from symbody import machines
from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.model.model import Model
from symbody.stepping.fixed_step import FixedSteps, StepSettings
from symbody.stepping.implicit_step import ImplicitSteps
from symbody.stepping.registry import FIXED, suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.assembly import assemble
from symbody.system.options import CLOSURES
from symbody.system.partition import partition
from symbody.system.system import System, system
from symbody_bench.clock import REPEATS, time_compiled
from symbody_bench.loops import SPREAD
from symbody_bench.numeric import Array
from symbody_bench.ours import compiled
from symbody_bench.peers import STATES

NAMES = ("slider-crank", "four-bar", "quarter-car", "double-wishbone", "stewart", "arm6")  # of a plain run
QUICK = ("four-bar", "quarter-car")
COMPARED = ("four-bar", "quarter-car", "stewart")  # machines whose closures are compared
DT = 1e-3  # s
STEPS = 1000
FINER = 10  # steps of the reference per step
SPEED = 0.5  # rad/s or m/s of the independent joints at the start: loops at rest would need no iterations


def moving(name: str) -> Model:
    """A machine whose independent joints move at the start, with the dependent ones following."""
    model = machines.model(name)
    free = {model.velocities[i] for i in partition(model, assemble(model)).free}
    for joint in model.joints():
        if joint.nature not in ("driven", "locked"):
            joint.v0 = tuple(SPEED if velocity in free else 0.0 for velocity in joint.velocities)
    return model


def arguments(s: System, count: int = STATES) -> list[list[Array]]:
    """(t, x, u, guess) at random states near the start, velocities of order one; the guess is closed."""
    rng, nq, nv = np.random.default_rng(0), len(s.layout.coordinates), len(s.layout.velocities)
    found = []
    for _ in range(count):
        x = s.x0.copy()
        x[:nq] += SPREAD * rng.uniform(-1.0, 1.0, nq)
        x[nq : nq + nv] = rng.normal(size=nv)
        for q, _ in s.quaternions:
            x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
        found.append([np.zeros(1), x, s.u0, s.dependent(0.0, x)])
    return found


def time_function(f: Function, timed: list[list[Array]]) -> float:
    """Microseconds per call from C."""
    return time_compiled(compiled(f), timed, [int(np.prod(shape, dtype=int)) for shape in f.signature.outputs.values()])


def begun(s: System, method: str | None = None, dt: float = DT) -> FixedSteps:
    """A system before its first step; the augmented closure has its own method."""
    return suited_fixed(s, method).steps(start_state(s), StepSettings(dt, s.u0[np.newaxis]))


def time_steps(start: Callable[[], FixedSteps], repeats: int = REPEATS) -> float | None:
    """Microseconds per step over the same second of motion, without the call from Python; the best of all repeats.

    None if the motion cannot continue for a second.
    """
    if not advance(start(), STEPS):
        return None

    def seconds(steps: int) -> float:
        run, before = start(), thread_time()
        advance(run, steps)
        return thread_time() - before

    return (min(seconds(STEPS) for _ in range(repeats)) - min(seconds(0) for _ in range(repeats))) * 1e6 / STEPS


def real_time(us_per_step: float | None) -> int | None:
    """Ratio of simulated time to computing time."""
    return None if us_per_step is None else round(1e6 * DT / us_per_step)


def advance(run: FixedSteps, steps: int) -> bool:
    """Whether all steps from the start could be made; every thousandth is recorded."""
    run.run(steps, STEPS)
    return run.done == steps


def system_record(name: str, repeats: int = REPEATS) -> dict[str, Any]:
    """Operations and microseconds of rates and Jacobian, and of steps; and the cost of derivatives by differences."""
    s = system(moving(name))
    timed, rates, jacobian = arguments(s), s.rates_function, s.jacobian_function
    once, exact = time_function(rates, timed), time_function(jacobian, timed)
    differences = 2 * (len(s.states) + len(s.inputs) + len(s.parameters))  # calls of the rates
    record: dict[str, Any] = {
        "model": name,
        "states": len(s.states),
        "inputs": len(s.inputs),
        "parameters": len(s.parameters),
        "outputs": len(s.outputs),
        "rates_operations": rates.operations.total,
        "rates_us": once,
        "jacobian_operations": jacobian.operations.total,
        "jacobian_us": exact,
        "jacobian_per_rates": round(exact / once, 2),
        "difference_calls": differences,
        "faster_than_differences": round(differences * once / exact, 2),
    }
    for method in (name for name, m in FIXED.items() if not m.implicit):
        took, key = time_steps(partial(begun, s, method), repeats), method.replace("-", "_")
        record |= {f"{key}_us_per_step": took, f"{key}_real_time": real_time(took)}
    return record


def closure_records(name: str, repeats: int = REPEATS) -> list[dict[str, Any]]:
    """Steps with each closure; after one second the error relative to finer steps, and the gaps of the loops."""
    model = moving(name)
    exact = _coordinates(s := system(model), begun(s, dt=DT / FINER), FINER * STEPS)
    records = []
    for closure in CLOSURES:
        s = system(model, closure=closure)
        run = begun(s)
        q = _coordinates(s, run, STEPS)
        took = time_steps(partial(begun, s), repeats)
        records.append(
            {
                "model": name,
                "closure": closure,
                "method": suited_fixed(s).name,
                "us_per_step": took,
                "real_time": real_time(took),
                "iterations": run.iterations / STEPS if isinstance(run, ImplicitSteps) else None,
                "most": run.most if isinstance(run, ImplicitSteps) else None,
                "error": _largest(q - exact),
                "open": _largest(compile(model, "constraints", loads=False)(q).h),
            }
        )
    return records


def _coordinates(s: System, run: FixedSteps, steps: int) -> Array:
    """All coordinates after a second of `steps` steps; NaN if it did not get that far."""
    if not advance(run, steps):
        return np.full(s.model.nq, np.nan)
    return s.motion(DT * STEPS, run.x, s.u0, run.guess)[0]


def _largest(x: Array) -> float | None:
    """The largest component if all are finite, else None."""
    return float(np.abs(x).max()) if np.all(np.isfinite(x)) else None
