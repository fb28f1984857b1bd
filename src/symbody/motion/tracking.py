"""Tracking of vertical moves with unknown loads: PID of each actuator, and PD with the closed form as feed-forward.

F = Γ* + K_p e + K_i ∫e dt + K_d ė, e = q* − q, within the peak forces of the drives. PID, as in the load tests of the
source, has Γ* = 0 (Houda 2020, §6.1.3: 0, 8 and 16 kg, two templates; it prints curves, no gains). PD with feed-forward
has K_i = 0, and Γ* = Γ(q*, q̇*, q̈*) of the platform without load. K_p and K_d are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.elements.element import Motion, Named
from symbody.errors import ModelError
from symbody.expr.functions import clip
from symbody.model.model import Model
from symbody.motion.compiled import inverse_function
from symbody.motion.control.pid import pid_force
from symbody.motion.data import ACTUATORS, AXES, Array, PlatformData
from symbody.motion.excitation import AxisMove, sampled
from symbody.motion.mechanism import PAYLOAD, loaded_mechanism
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.servo import DAMPING, STIFFNESS, drive_force
from symbody.system.system import System, system

DT = 1e-3  # s
LIFT_RESET = 10.0  # 1/s: K_i/K_p, for the vertical mode alone: its mass is small (`control/pid.py`)
LOADS = (0.0, 8.0, 16.0)  # kg
LIFTED = ("constant speed", "triangular")  # the two templates
LOW, HIGH, LASTS = 0.40, 0.60, 2.0  # m, m, s of a move up or down
SETTLE = 1.5  # s at rest before the move, which do not count
CONTROLLERS = ("PID", "PD with feed-forward")
SIGNALS = ("wanted", "wanted_rate", "forward")  # inputs for each actuator: q* (m), q̇* (m/s), Γ* (N)


@dataclass(frozen=True, eq=False)
class Tracking:
    """Times (n,) of the moves, wanted and true positions and rates of the actuators, and their forces (n, 8)."""

    t: Array
    wanted: Array
    wanted_rates: Array
    q: Array
    rates: Array
    forces: Array


def signal(kind: str, actuator: str) -> str:
    """Name of an input: one of `SIGNALS` for an actuator."""
    return f"{kind}_{actuator.replace('.', '_')}"


def add_tracking(m: Model, data: PlatformData) -> None:
    """Add the inputs `SIGNALS` of all actuators, the parameter `reset` (K_i/K_p, 1/s), and the forces on the joints."""
    m.parameter("reset", LIFT_RESET, "1/s")
    for name, kp, kd in zip(ACTUATORS, STIFFNESS, DAMPING, strict=True):
        for kind, unit in zip(SIGNALS, ("m", "m/s", "N"), strict=True):
            m.input(signal(kind, name), 0.0, unit)
        integral, end = signal("integral", name), drive_force(name, data)

        def force(s: Motion, p: Named, name: str = name, kp: float = kp, kd: float = kd, end: float = end) -> Any:
            e, rate = p[signal("wanted", name)] - s.q[name], p[signal("wanted_rate", name)] - s.qd[name]
            feedback = pid_force(e, p[signal("integral", name)], rate, kp, kd, p.reset)
            return clip(p[signal("forward", name)] + feedback, -end, end)

        m.state(integral)(lambda s, p, name=name: p[signal("wanted", name)] - s.q[name])
        m.coupling(f"{name}.controller", name)(lambda s, p, force=force: (force(s, p),))
        m.signal(f"{name}.force", unit="N")(force)


@cache
def loaded_platform(data: PlatformData) -> System:
    """The platform with its controllers, and a load at the centre of mass of its upper plate."""
    m = loaded_mechanism(data)
    add_tracking(m, data)
    return system(m, outputs=[f"{name}.{end}" for end in ("q", "qd", "force") for name in ACTUATORS])


def lift(template: str, data: PlatformData, lasts: float = LASTS) -> PlatformMotion:
    """At rest, up, and down again, by a template; lasts: of one move (s)."""
    low, high = (np.array(data.neutral_axes) for _ in range(2))
    low[AXES.index("z")], high[AXES.index("z")] = LOW, HIGH
    ways = ((low, low, SETTLE), (low, high, lasts), (high, low, lasts))
    return sampled([AxisMove(*way, template) for way in ways], DT, data)


def tracked(controller: str, template: str, load: float, data: PlatformData, lasts: float = LASTS) -> Tracking:
    """A lift with a load (kg) that the controller does not know; lasts: of one move (s)."""
    if controller not in CONTROLLERS:
        raise ModelError("unknown controller", element=controller, cure=f"use {' or '.join(CONTROLLERS)}")
    s, motion, plain = loaded_platform(data), lift(template, data, lasts), controller == "PID"
    s.parameters.update({PAYLOAD: load, "reset": LIFT_RESET if plain else 0.0})
    forward = np.asarray(inverse_function(data)(motion.pose, motion.twist, motion.acceleration))
    wanted = motion.actuators, motion.actuator_rates, 0.0 * forward if plain else forward
    inputs = {
        signal(kind, name): (motion.t, rows[:, k])
        for kind, rows in zip(SIGNALS, wanted, strict=True)
        for k, name in enumerate(ACTUATORS)
    }
    start = {f"{axis}.q": motion.axes[0, k] for k, axis in enumerate(AXES)}
    x0 = np.array([start.get(name, 0.0) for name in s.states])
    run = simulate(s, float(motion.t[-1]), DT, inputs=inputs, x0=x0)
    q, rates, forces = (np.column_stack([run[f"{name}.{end}"] for name in ACTUATORS]) for end in ("q", "qd", "force"))
    moving, count = motion.t >= SETTLE, len(motion.t)
    return Tracking(*(one[:count][moving] for one in (motion.t, *wanted[:2], q, rates, forces)))


def tracking_figures(run: Tracking) -> dict[str, float]:
    """Errors of all legs, root mean square and largest, and the largest force."""
    error, rate = run.wanted - run.q, run.wanted_rates - run.rates
    return {
        "rms_mm": 1e3 * float(np.sqrt(np.mean(error[:, 2:] ** 2))),
        "largest_mm": 1e3 * float(np.abs(error[:, 2:]).max()),
        "rms_mm_per_s": 1e3 * float(np.sqrt(np.mean(rate[:, 2:] ** 2))),
        "force_max_N": float(np.abs(run.forces[:, 2:]).max()),
    }


def tracking_table(
    data: PlatformData, loads: Sequence[float] = LOADS, templates: Sequence[str] = LIFTED
) -> list[dict[str, Any]]:
    """A row for each controller, template and load."""
    return [
        {"controller": controller, "template": template, "load_kg": load}
        | tracking_figures(tracked(controller, template, load, data))
        for controller in CONTROLLERS
        for template in templates
        for load in loads
    ]
