"""`symbody bench --cueing`: solvers of quadratic programmes on the programmes of predictive cueing.

The programmes come from plans along ski descents, with and without preview and with a limit of the tilt rate. The
slowest programme counts, since a plan must be ready before the next one. OSQP and PIQP are compared if they are
installed (`pip install osqp piqp`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from math import radians
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.errors import ModelError
from symbody.motion.built_in_platform import platform_data
from symbody.motion.cueing.predictive import PredictivePlanner, fading, preview_of
from symbody.motion.cueing.scene_record import descent
from symbody.motion.data import Array
from symbody.motion.quadratic_program import QuadraticProgram, minimum

FEW, MANY = 300, 3000  # programmes
UPDATE = 5e-2  # s, between programmes
REPEATS = 3  # of each programme; the fastest counts
TIGHT = 1e-8  # tolerance of an interior-point method
LOOSE = 1e-5  # tolerance of a first-order method
ITERATIONS = 20_000
TILT_RATES = (None, radians(3.0))  # rad/s
SAME = 1e-2  # relative excess of the cost of a solution over the least one
Solver = Callable[[QuadraticProgram], Array | None]


def programs() -> Iterator[QuadraticProgram]:
    """Programmes of plans along descents, without end."""
    data = platform_data()
    for seed in count():
        record = descent(1e-2, seed)
        for preview in (True, False):
            for tilt_rate in TILT_RATES:
                planner = PredictivePlanner(data, tilt_rate=tilt_rate)
                columns = np.concatenate([record.acceleration, record.rate], axis=1)
                hold = round(UPDATE / record.step)
                for k in range(0, len(record.t), hold):
                    scene = preview_of(record, float(record.t[k])) if preview else fading(columns[k])
                    yield planner.program(scene(planner.horizon.middles))
                    planner.step(scene, UPDATE)


def solvers() -> dict[str, Solver]:
    """Solvers that are installed, by name."""
    found: dict[str, Solver] = {"daqp": minimum}
    for name, made in (("piqp", piqp_solver), ("osqp", osqp_solver)):
        try:
            found[name] = made()
        except ImportError:
            continue
    return found


def piqp_solver() -> Solver:
    """PIQP: an interior-point method, dense."""
    import piqp

    def solve(program: QuadraticProgram) -> Array | None:
        H, f, rows, lower, upper = program
        n, one = len(f), piqp.DenseSolver()
        one.settings.eps_abs = TIGHT
        one.setup(H, f, None, None, rows, lower[n:], upper[n:], lower[:n], upper[:n])
        status = one.solve()
        return np.asarray(one.result.x) if status == piqp.PIQP_SOLVED else None

    return solve


def osqp_solver() -> Solver:
    """OSQP: operator splitting, sparse."""
    import osqp
    from scipy.sparse import csc_matrix

    def solve(program: QuadraticProgram) -> Array | None:
        H, f, rows, lower, upper = program
        one = osqp.OSQP()
        whole = csc_matrix(np.vstack([np.eye(len(f)), rows]))
        options = {"verbose": False, "eps_abs": LOOSE, "eps_rel": LOOSE, "max_iter": ITERATIONS}
        one.setup(csc_matrix(np.triu(H)), f, whole, lower, upper, **options)
        found = one.solve(raise_error=False)
        return np.asarray(found.x) if found.info.status == "solved" else None

    return solve


def cost(program: QuadraticProgram, z: Array) -> float:
    """½ zᵀHz + fᵀz."""
    return float(0.5 * z @ program.H @ z + program.f @ z)


def excess(program: QuadraticProgram, z: Array) -> float:
    """By how much a solution breaks a bound."""
    values = np.concatenate([z, program.rows @ z])
    return float(np.maximum(program.lower - values, values - program.upper).max())


def measured(name: str, solve: Solver, some: Sequence[QuadraticProgram], best: Sequence[float]) -> dict[str, Any]:
    """Times (ms), failures, and errors of a solver; best: the least cost of each programme."""
    times, failed, worse, broken = [], 0, 0.0, 0.0
    for program, least in zip(some, best, strict=True):
        spent = []
        for _ in range(REPEATS):
            begun = thread_time()  # stands still while other programs have the processor
            z = solve(program)
            spent.append(thread_time() - begun)
        times.append(min(spent))
        if z is None:
            failed += 1
        else:
            worse = max(worse, (cost(program, z) - least) / max(abs(least), SAME))
            broken = max(broken, excess(program, z))
    median, rare, most = 1e3 * np.percentile(times, [50.0, 99.0, 100.0])
    return {
        "solver": name, "programmes": len(some), "median_ms": median, "p99_ms": rare, "worst_ms": most,
        "failed": failed, "cost_excess": worse, "bound_excess": broken,
    }  # fmt: skip


def solvers_bench(
    folder: Path, only: Sequence[str] | None = None, number: int = MANY, progress: bool = True
) -> dict[str, Any]:
    """A row for each installed solver: processor time of the median and of the slowest programme."""
    known = solvers()
    for name in only or ():
        if name not in known:
            cure = f"use {' or '.join(known)}, or pip install {name} if it is a solver"
            raise ModelError("not installed, or not a solver", element=name, cure=cure)
    some = list(islice(programs(), number))
    exact = (minimum(program) for program in some)
    best = [np.inf if z is None else cost(program, z) for program, z in zip(some, exact, strict=True)]
    chosen = {name: solve for name, solve in known.items() if not only or name in only}
    rows = [
        measured(name, solve, some, best) for name, solve in tqdm(chosen.items(), desc="solvers", disable=not progress)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cueing.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    sizes = {"unknowns": len(some[0].f), "bounds": len(some[0].lower)}
    return {"solvers": rows, **sizes}
