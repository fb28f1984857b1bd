"""Scripted drivers of different skill: they dig, lift, swing to the hopper, empty the bucket and swing back.

A driver moves the pin of the bucket along points (distance from the slewing axis, height) in the plane of the arm, by
the inverse geometry of boom and dipper, and commands valves in proportion to the errors of the angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import acos, atan2, hypot, pi, radians

import numpy as np

from symbody.machines.excavator.model import BOOM, CROWN, DIPPER, HEIGHT, HINGE
from symbody.machines.excavator.obstacles import PLACE

FULL = 10.0  # V
GAIN = {"boom": -90.0, "dipper": 90.0, "bucket": 60.0}  # V/rad: extending the boom's cylinders raises it
SLEW_GAIN = 2.6  # 1/rad
NEAR_ANGLE = radians(7.0)
ANGLES = (-14.0, -4.0, 6.0, 12.0, -9.0, 1.0)  # °, where the heap is dug, in random order
DEPTH, DEEPER = 0.75, 0.1  # m: height of the pin while digging; less when all places were dug
FOOT = HINGE[0], HEIGHT + CROWN + HINGE[2]  # m, of the boom


@dataclass(frozen=True)
class Skill:
    """How a driver works: speed (share of full commands), wavering (m), pause between movements (s), and habits (m).

    near, far: distances of the pin at which digging ends and begins; swing: distance while swinging.
    """

    name: str
    speed: float = 1.0
    wavering: float = 0.0
    pause: float = 0.0
    near: float = 5.2
    far: float = 6.1
    swing: float = 5.6
    carry: float = 3.3  # m, height of the pin while swinging


SKILLS = {
    "expert": Skill("expert"),
    "trained": Skill("trained", 0.85, 0.05, 0.3, 4.4, 6.1, 5.2),
    "beginner": Skill("beginner", 0.65, 0.15, 0.8, 3.6, 6.2, 4.4),
    "novice": Skill("novice", 0.55, 0.30, 1.2, 3.0, 6.4, 4.0),
}


@dataclass(frozen=True)
class Movement:
    """A movement: goal of the pin (m), angle of the bucket below the horizontal, slewing (rad), and most seconds."""

    name: str
    out: float
    up: float
    bucket: float
    slew: float
    longest: float = 6.0
    swings: bool = False  # whether the arm waits for the slewing


def arm_angles(out: float, up: float, bucket: float) -> dict[str, float]:
    """Angles (rad) of boom, dipper and bucket that put the pin at a distance and a height (m), elbow up."""
    x, z = out - FOOT[0], up - FOOT[1]
    far = min(max(hypot(x, z), BOOM - DIPPER + 0.05), BOOM + DIPPER - 0.05)
    raised = atan2(z, x) + acos((BOOM**2 + far**2 - DIPPER**2) / (2.0 * BOOM * far))
    fold = pi - acos((BOOM**2 + DIPPER**2 - far**2) / (2.0 * BOOM * DIPPER))
    return {"boom": -raised, "dipper": fold, "bucket": bucket + raised - fold}


def cycle(skill: Skill, angle: float, depth: float) -> list[Movement]:
    """One cycle: dig at a slewing angle (rad), to a height of the pin (m) over the ground."""
    hopper, high = PLACE[1], skill.carry
    far, near = skill.far, skill.near
    return [
        Movement("over the heap", far, 2.8, radians(90.0), angle),
        Movement("lower", far, depth + 0.25, radians(100.0), angle, 3.0),
        Movement("pull", 0.5 * (far + near), depth, radians(125.0), angle, 4.0),
        Movement("fill", near, depth + 0.15, radians(165.0), angle, 4.0),
        Movement("curl", near, depth + 0.7, radians(185.0), angle, 2.5),
        Movement("lift", skill.swing, high, radians(170.0), angle, 5.0),
        Movement("swing", skill.swing, high, radians(170.0), hopper, 5.0, True),
        Movement("over the hopper", PLACE[0] - 0.1, high, radians(165.0), hopper, 3.0),
        Movement("empty", PLACE[0] - 0.1, high, radians(30.0), hopper, 3.5),
        Movement("back", skill.swing, high, radians(70.0), angle, 5.0, True),
    ]


class ExcavatorDriver:
    """A pilot: (s, channels) → values of the controls; `seed` decides where it digs and how it wavers."""

    def __init__(self, skill: Skill, seed: int = 0):
        self.skill, self._seed = skill, seed
        self._begin()

    def _begin(self) -> None:
        self._rng = np.random.default_rng(self._seed)
        self._angles = [radians(x) for x in self._rng.permutation(ANGLES)]
        self._cycles, self._place, self._since, self._rest, self._last = 0, 0, 0.0, 0.0, 0.0
        self._plan = cycle(self.skill, self._angles[0], DEPTH)
        self._off = np.zeros(2)

    def __call__(self, t: float, channels: Mapping[str, float]) -> dict[str, float]:
        """Commands at a time (s) for the newest channels."""
        if t < self._last:  # the machine has started again
            self._begin()
        self._last, now = t, self._plan[self._place]
        if self._reached(now, t, channels):
            self._advance(t)
            now = self._plan[self._place]
        if t < self._rest:
            return dict.fromkeys(("boom_command", "dipper_command", "bucket_command", "slew_command"), 0.0)
        wanted = arm_angles(now.out + self._off[0], now.up + abs(self._off[1]), now.bucket)
        most = FULL * self.skill.speed
        commands = {
            f"{name}_command": float(np.clip(GAIN[name] * (angle - channels[f"{name}.q"]), -most, most))
            for name, angle in wanted.items()
        }
        turn = SLEW_GAIN * (now.slew - channels["slew.q"]) - 0.9 * channels["slew.qd"]
        return commands | {"slew_command": float(np.clip(turn, -self.skill.speed, self.skill.speed))}

    def _reached(self, now: Movement, t: float, channels: Mapping[str, float]) -> bool:
        wanted = arm_angles(now.out + self._off[0], now.up + abs(self._off[1]), now.bucket)
        off = max(abs(angle - channels[f"{name}.q"]) for name, angle in wanted.items())
        turned = abs(now.slew - channels["slew.q"]) + 0.3 * abs(channels["slew.qd"])
        return t - self._since > now.longest or (
            off < NEAR_ANGLE * (2.0 if now.swings else 1.0) and turned < NEAR_ANGLE
        )

    def _advance(self, t: float) -> None:
        self._place += 1
        if self._place == len(self._plan):
            self._cycles, self._place = self._cycles + 1, 0
            angle = self._angles[self._cycles % len(self._angles)]
            self._plan = cycle(self.skill, angle, DEPTH - DEEPER * (self._cycles // len(self._angles)))
        self._rest = t + self.skill.pause * float(self._rng.random())
        self._off = self.skill.wavering * self._rng.standard_normal(2)
        self._since = self._rest
