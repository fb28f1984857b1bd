"""Largest stable stiffness of a wall over damping, rate and delay, for each controller.

A hand pushes a device of 0.4 kg against a wall. The wall is stable if the motion decays. For direct rendering the rule
is b > K T/2 + B (Colgate and Schenkel), with the damping b of hand and device.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Log
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Controller, Rendering
from symbody.haptics.shapes import rectangle
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS

SIZE = 0.042  # m
PUSH = 0.5  # N
SECONDS = 2.0
STIFFEST = 1e6  # N/m, upper end of the search
DIED = 0.5  # largest speed in the last quarter relative to the second, if it is not still
STILL = 2e-4  # m/s
CASES: Mapping[str, Rendering] = {
    "four-channel": Rendering(ContactModel("impulse")),
    "four-channel, passive": Rendering(ContactModel("impulse"), controller=Controller(passivity=True)),
    "virtual coupler": Rendering(ContactModel("impulse"), controller=Controller("virtual-coupler")),
    "direct": Rendering(ContactModel("penalty"), controller=Controller("direct", shaping=False)),
}


def walled(
    rendering: Rendering,
    stiffness: float,
    damping: float = 30.0,
    rate: float = 512.0,
    delay: float = 0.0,
    b: float = 2.0,
) -> HapticScene:
    """A tool in front of a wall, in a hand with damping b (N s/m)."""
    contact = ContactModel(rendering.contact.model, stiffness, damping)
    wall = rectangle(0.2, 1.0, (SIZE / 2 + 0.1 + 1e-4, 0.0))
    return HapticScene(
        [HapticBody("tool", rectangle(SIZE, SIZE), MASS, INERTIA)],
        {"wall": wall},
        tool="tool",
        rate=rate,
        rendering=Rendering(contact, rendering.friction, rendering.controller),
        device=HapticDevice(inertia=(0.4, 0.4, 0.001), damping=(b, b, 1e-3), delay=delay),
    )


def dies_down(log: Log) -> bool:
    """Whether the motion of the hand decays, with contact to the end."""
    v = np.abs(log["xd"][:, 0])
    if not (np.isfinite(v).all() and np.isfinite(log["x"]).all()):
        return False
    quarter = len(v) // 4
    early, late = float(np.max(v[quarter : 2 * quarter])), float(np.max(v[3 * quarter :]))
    return late < max(DIED * early, STILL) and bool(np.all(log["contacts"][3 * quarter :] > 0))


def is_stable(case: str, stiffness: float, **numbers: float) -> bool:
    """Whether a wall of this stiffness is stable; numbers: as of `walled`."""
    scene = walled(CASES[case], stiffness, **numbers)
    return dies_down(scene.run(SECONDS, (PUSH, 0.0, 0.0), strict=False))


def stiffest(case: str, *, least: float = 300.0, steps: int = 12, **numbers: float) -> float:
    """The largest stable stiffness (N/m), by bisection of its logarithm; 0 if even the least is unstable."""
    if not is_stable(case, least, **numbers):
        return 0.0
    low, high = np.log(least), np.log(STIFFEST)
    if is_stable(case, STIFFEST, **numbers):
        return STIFFEST
    for _ in range(steps):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_stable(case, float(np.exp(middle)), **numbers) else (low, middle)
    found = float(np.exp(low))
    assert isfinite(found)
    return found


def stability_map(
    cases: tuple[str, ...] = tuple(CASES),
    dampings: tuple[float, ...] = (3.0, 10.0, 30.0, 100.0),
    rates: tuple[float, ...] = (512.0, 1000.0, 4000.0),
    delays: tuple[float, ...] = (0.0, 0.002, 0.005, 0.01),
    steps: int = 8,
) -> dict[str, dict[str, dict[float, float]]]:
    """The largest stable stiffness (N/m) by varied quantity, controller and value."""
    swept = {"damping": dampings, "rate": rates, "delay": delays}
    return {
        name: {case: {x: stiffest(case, steps=steps, **{name: x}) for x in values} for case in cases}
        for name, values in swept.items()
    }
