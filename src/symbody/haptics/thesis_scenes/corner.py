"""A peg pushed into a corner (thesis 4.13–4.24): it hits a wall, slides down, hits the floor and stops.

Methods by name: "ideal" (rigid contact), "impulse" (impulses, then springs), "penalty" (springs alone), all with the
four-channel controller; "coupler" (rigid contact through a unilateral coupler).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.haptics.device import HapticDevice, Pantograph
from symbody.haptics.metrics import Log, bounces, drift, growth, settling
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Controller, Rendering, WrenchLimit
from symbody.haptics.shapes import Polygon, rectangle

PEG = 0.042, 0.021  # m
MASS, INERTIA = 2.0, 0.005  # kg, kg m², as in the thesis; not the inertia of the rectangle
GAP = 0.020, 0.040  # m to the wall, to the floor
THICK = 0.05  # m, of walls
PUSH = (0.32, -0.4, 0.0)  # N, N m
SECONDS = 3.0
NEAR = 2e-4  # m, from the end value: settled
METHODS: Mapping[str, Rendering] = {
    "ideal": Rendering(ContactModel("constraint")),
    "impulse": Rendering(ContactModel("impulse")),
    "penalty": Rendering(ContactModel("penalty")),
    "coupler": Rendering(ContactModel("constraint"), controller=Controller("unilateral-coupler")),
}
LIMITED = ("full", "spread", "scale", "saturate")  # limits of the wrench, best first


def peg(pose: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> HapticBody:
    """The peg of the thesis."""
    return HapticBody("peg", rectangle(*PEG), MASS, INERTIA, pose)


def walls() -> dict[str, Polygon]:
    """A wall to the right and a floor."""
    x, y = PEG[0] / 2 + GAP[0], -PEG[1] / 2 - GAP[1]
    return {
        "wall": rectangle(THICK, 0.3, (x + THICK / 2, 0.0)),
        "floor": rectangle(0.3, THICK, (0.0, y - THICK / 2)),
    }


def corner(
    rendering: Rendering,
    device: HapticDevice | None = None,
    rate: float = 512.0,
    start: tuple[float, float] = (0.0, 0.0),
) -> HapticScene:
    """The scene at rest; start: x and y of the peg (m)."""
    return HapticScene([peg((*start, 0.0))], walls(), tool="peg", rate=rate, rendering=rendering, device=device)


@dataclass(frozen=True)
class Corner:
    """A run, and its measures by axis: penetration of the hand (mm), settling (s), peak of the wrench (N)."""

    log: Log
    penetration: tuple[float, float]
    settled: tuple[float, float]
    peak: tuple[float, float]
    resting: tuple[float, float]  # mm, at the end
    lost: float  # J, the largest loss of the hand's kinetic energy in a tick
    growth: float  # J
    drift: float  # mm
    impacts: int  # largest number of simultaneous rows
    bounces: int

    def record(self) -> dict[str, float | int]:
        """A row of figures."""
        return {
            "penetration_mm": max(self.penetration), "penetration_x_mm": self.penetration[0],
            "penetration_y_mm": self.penetration[1], "settle_s": max(self.settled), "settle_x_s": self.settled[0],
            "settle_y_s": self.settled[1], "peak_N": max(self.peak), "peak_x_N": self.peak[0], "peak_y_N": self.peak[1],
            "lost_J": self.lost, "drift_mm": self.drift, "impacts": self.impacts, "bounces": self.bounces,
        }  # fmt: skip


def measured(log: Log, who: str = "x") -> Corner:
    """Measures of a run; who: "x" (device and hand) or "tool"."""
    goal = np.array([GAP[0], -GAP[1]])
    inside = 1e3 * np.sign(goal) * (log[who][:, :2] - goal)  # mm
    kinetic = hand_energy(log)
    settled = [settling(log["t"], inside[:, k], float(inside[-1, k]), 1e3 * NEAR) for k in range(2)]
    peak = np.max(np.abs(log["felt"][:, :2]), axis=0)
    return Corner(
        log,
        (float(np.max(inside[:, 0])), float(np.max(inside[:, 1]))),
        (settled[0], settled[1]),
        (float(peak[0]), float(peak[1])),
        (float(inside[-1, 0]), float(inside[-1, 1])),
        float(np.max(-np.diff(kinetic))),
        growth(log),
        1e3 * drift(log),
        int(np.max(log["impacts"])),
        bounces(log["contacts"]),
    )


def hand_energy(log: Log) -> np.ndarray:
    """Kinetic energy (J) of the device with the inertia of the tool."""
    return np.asarray(0.5 * (log["xd"][:, :3] ** 2 @ np.array([MASS, MASS, INERTIA])))


def pushed(
    method: str,
    limit: str = "full",
    device: HapticDevice | None = None,
    seconds: float = SECONDS,
    start: tuple[float, float] = (0.0, 0.0),
) -> Corner:
    """Run the corner with a method and a limit of the rendered wrench, from a start (m)."""
    chosen = METHODS[method]
    rendering = Rendering(chosen.contact, chosen.friction, chosen.controller, WrenchLimit(limit))
    scene = corner(rendering, device, start=start)
    return measured(scene.run(seconds, PUSH), "tool" if method == "ideal" else "x")


def hardware() -> Pantograph:
    """The device of the experiment, with encoders, bearing friction and an observer of the hand force."""
    return Pantograph(friction=(0.02, 0.02, 2e-4), damping=(0.2, 0.2, 1e-4))


ON_PANTOGRAPH: Mapping[str, tuple[str, str]] = {  # method and limit, as in thesis 4.22–4.24
    "full": ("impulse", "full"),
    "limited": ("impulse", "spread"),
    "springs": ("penalty", "saturate"),
}


def on_pantograph(start: tuple[float, float] = (0.0, 0.0), seconds: float = SECONDS) -> dict[str, Corner]:
    """The corner on the simulated pantograph: full impulses, impulses limited to 15 N and 1 N m, springs."""
    return {name: pushed(method, limit, hardware(), seconds, start) for name, (method, limit) in ON_PANTOGRAPH.items()}
