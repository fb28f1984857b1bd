"""Steps per second of whole simulations, one trajectory and a batch on all cores, compared with MuJoCo and SciPy; and
the cost of sensitivities compared with differences."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from symbody import machines
from symbody.analysis.sensitivity import finite_differences, sensitivity, sensitivity_system
from symbody.system.system import System, system
from symbody_bench.loops_mujoco import to_mujoco_loops
from symbody_bench.systems import DT, begun, moving

NAMES = ("quarter-car", "stewart")
STEPS = 2000
BATCH = 16  # trajectories
REPEATS = 3
MUJOCO_SOFTNESS = 1e-6  # 1/kg: stiffer loops are unstable with steps of 1 ms
SENSITIVE = ("k_strut", "c_strut", "l_strut", "k_tyre", "c_tyre", "radius", "drop")


def _per_second(steps: int, run: Callable[[], object]) -> int:
    """Steps per second of wall time, the best of some repeats."""
    best = float("inf")
    for _ in range(REPEATS):
        began = perf_counter()
        run()
        best = min(best, perf_counter() - began)
    return round(steps / best)


def throughput_records(name: str) -> list[dict[str, Any]]:
    """Steps of 1 ms per second: this engine, SciPy on its right-hand side, MuJoCo on the same mechanism."""
    s, cores = system(moving(name), outputs=["energy.kinetic"]), os.cpu_count() or 1
    records = [
        {"model": name, "engine": "symbody, rk4", "trajectories": 1, "steps_per_s": _one(s)},
        {
            "model": name,
            "engine": f"symbody, rk4, {cores} cores",
            "trajectories": BATCH,
            "steps_per_s": _many(s, cores),
        },
        {"model": name, "engine": "SciPy RK45 on System.rates", "trajectories": 1, "steps_per_s": _scipy(s)},
    ]
    records += [
        {"model": name, "engine": "MuJoCo, its own steps", "trajectories": count, "steps_per_s": rate}
        for count, rate in _mujoco(s, cores).items()
    ]
    return records


def _mujoco(s: System, cores: int) -> dict[int, int]:
    """MuJoCo from the same start with its default integrator; loops are soft equalities, laws' forces are left out."""
    import mujoco
    from mujoco import rollout

    tree = to_mujoco_loops(s.model, softness=MUJOCO_SOFTNESS)
    tree.model.opt.timestep = DT
    tree.set(*s.motion(0.0, s.x0))
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros(mujoco.mj_stateSize(tree.model, kind))
    mujoco.mj_getState(tree.model, tree.data, state, kind)
    threads = [mujoco.MjData(tree.model) for _ in range(cores)]

    def rolled(count: int) -> object:
        start, workers = np.tile(state, (count, 1)), threads if count > 1 else threads[:1]
        return rollout.rollout(tree.model, workers, start, nstep=STEPS)

    return {count: _per_second(count * STEPS, partial(rolled, count)) for count in (1, BATCH)}


def _one(s: System) -> int:
    return _per_second(STEPS, lambda: begun(s).run(STEPS, STEPS))


def _many(s: System, cores: int) -> int:
    """Trajectories in parallel: steps in C release Python's lock."""

    def batch() -> None:
        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(lambda _: begun(s).run(STEPS, STEPS), range(BATCH)))

    return _per_second(BATCH * STEPS, batch)


def _scipy(s: System) -> int:
    """Steps of 1 ms for any error: the tolerances accept every step."""
    from scipy.integrate import solve_ivp

    steps = STEPS // 10
    loose: dict[str, Any] = {"max_step": DT, "first_step": DT, "rtol": 1e3, "atol": 1e3}
    return _per_second(steps, lambda: solve_ivp(s.rates, (0.0, steps * DT), s.x0, method="RK45", **loose))


def sensitivity_record(until: float = 2.0) -> dict[str, Any]:
    """dψ/dp of the quarter car's ride: the variational equations compared with central differences of whole runs."""
    made = sensitivity_system(machines.model("quarter-car"), "heave.qdd**2", list(SENSITIVE), outputs=["heave.q"])
    exact = sensitivity(made, until=until, dt=DT, every=10 * DT).gradient
    slopes = next(iter(finite_differences(made, until, DT, every=10 * DT).values()))
    deviation = max(abs(exact[p] - slopes[p]) / abs(exact[p]) for p in SENSITIVE)
    seconds = [1.0 / _rate(run) for run in (
        lambda: sensitivity(made, until=until, dt=DT, every=10 * DT),
        lambda: finite_differences(made, until, DT, every=10 * DT),
    )]  # fmt: skip
    return {
        "model": "quarter-car", "parameters": len(SENSITIVE), "sensitivities_s": seconds[0],
        "differences_s": seconds[1], "times_faster": round(seconds[1] / seconds[0], 2), "deviation": deviation,
    }  # fmt: skip


def _rate(run: Callable[[], object]) -> float:
    """Runs per second."""
    return _per_second(10**6, run) / 1e6
