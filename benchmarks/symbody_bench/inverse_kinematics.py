"""Inverse kinematics of a Panda arm by symbody, by Pinocchio's closed-loop iteration (CLIK) and by pink.

`python -m symbody_bench.inverse_kinematics` prints a table. Targets are poses of the hand at random coordinates within
the limits, so that a solution exists; all start in the middle of the limits. It needs `pip install pin-pink daqp`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symbody as sb

Array = NDArray[np.float64]
BODY = "panda_hand"
REACHED = 1e-4  # m and rad
ITERATIONS = 200
DAMPING = 1e-6  # of CLIK: λ² of (J Jᵀ + λ²)⁻¹, as in Pinocchio's example
STEP = 0.5  # of CLIK and pink: share of the error that an iteration removes


def panda_file() -> str:
    """The URDF file of example-robot-data."""
    return next(str(f.locate()) for f in metadata.files("example-robot-data") or () if f.name == "panda.urdf")


def clik(pin: Any, model: Any, data: Any, frame: int, goal: Any, q: Array) -> Array:
    """Δq = step · Jᵀ(J Jᵀ + λ²)⁻¹ e, clipped to the limits."""
    for _ in range(ITERATIONS):
        pin.framesForwardKinematics(model, data, q)
        between = data.oMf[frame].actInv(goal)
        e = pin.log(between).vector
        if np.abs(e).max() < REACHED:
            break
        J = pin.Jlog6(between.inverse()) @ pin.computeFrameJacobian(model, data, q, frame)
        q = pin.integrate(model, q, STEP * J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), e))
        q = np.clip(q, model.lowerPositionLimit, model.upperPositionLimit)
    return q


def by_pink(pink: Any, pin: Any, model: Any, frame: int, goal: Any, q: Array) -> Array:
    """Differential inverse kinematics as a quadratic programme with the limits of the joints."""
    body = pink.Configuration(model, model.createData(), q)
    task = pink.tasks.FrameTask(BODY, position_cost=1.0, orientation_cost=1.0, gain=STEP)
    task.set_target(goal)
    for _ in range(ITERATIONS):
        if np.abs(task.compute_error(body)).max() < REACHED:
            break
        v = pink.solve_ik(body, [task], dt=1.0, solver="daqp", limits=[body.model.configuration_limit])
        body.integrate_inplace(v, 1.0)
    return np.asarray(body.q)


def error(pin: Any, model: Any, data: Any, frame: int, goal: Any, q: Array) -> float:
    """The largest component of the error of a pose (m, rad)."""
    pin.framesForwardKinematics(model, data, q)
    return float(np.abs(pin.log(data.oMf[frame].actInv(goal)).vector).max())


def rows(count: int, seed: int = 0) -> list[tuple[str, float, float]]:
    """Method, share of targets that it reaches, and processor time of one target (ms)."""
    pin, pink, file = import_module("pinocchio"), import_module("pink"), panda_file()
    model = pin.buildModelFromUrdf(file)
    data, frame = model.createData(), model.getFrameId(BODY)
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    start = 0.5 * (low + high)
    goals = []
    for q in np.random.default_rng(seed).uniform(low, high, (count, model.nq)):
        pin.framesForwardKinematics(model, data, q)
        goals.append(data.oMf[frame].copy())

    def timed(name: str, solve: Callable[[Any], Array]) -> tuple[str, float, float]:
        solve(goals[0])
        began = time.process_time()
        found = [solve(goal) for goal in goals]
        took = 1e3 * (time.process_time() - began) / count
        errors = [error(pin, model, data, frame, goal, q) for goal, q in zip(goals, found, strict=True)]
        return name, float(np.mean(np.array(errors) < 2 * REACHED)), took

    ours = sb.load(file, mimic="ignore")
    order = [ours.coordinates.index(name) for name in list(model.names)[1:]]
    first = np.empty(ours.nq)
    first[order] = start
    point = f"{BODY}.origin"

    def solved(targets: list[Any], restarts: int = 0) -> Array:
        p, R = np.array([goal.translation for goal in targets]), np.array([goal.rotation for goal in targets])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sb.ReachWarning)
            reached = sb.inverse_kinematics(
                ours,
                {point: sb.PoseTarget(p, R)},
                q0=first,
                restarts=restarts,
                iterations=ITERATIONS,
                tolerance=REACHED,
            )
        return np.asarray(reached.q[:, order])

    found = [timed("symbody, one target a call", lambda goal: solved([goal])[0])]
    for name, restarts in (("symbody, all targets in a call", 0), ("the same, restarts=10", 10)):
        began = time.process_time()
        q = solved(goals, restarts)
        took = 1e3 * (time.process_time() - began) / count
        errors = [error(pin, model, data, frame, goal, one) for goal, one in zip(goals, q, strict=True)]
        found.append((name, float(np.mean(np.array(errors) < 2 * REACHED)), took))
    found.append(timed("Pinocchio, CLIK in Python", lambda goal: clik(pin, model, data, frame, goal, start.copy())))
    found.append(timed("pink, with daqp", lambda goal: by_pink(pink, pin, model, frame, goal, start.copy())))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="targets (default 100)")
    print(f"{'method':32} {'reached':>8} {'ms':>8}")
    for name, share, took in rows(parser.parse_args().count):
        print(f"{name:32} {100.0 * share:6.0f} % {took:8.2f}")


if __name__ == "__main__":
    main()
