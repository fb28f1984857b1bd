"""A skier on a dual-ski under gravity: friction, edges that resist sideways motion, jumps (Houda 2020, section 6.2.3).

A point mass on z = h(x, y): v̇ = −g e_z + N n + f, with the normal force per mass N = (g + vᵀHv) n_z, H = ∂²h.
f opposes the motion: friction μN, brake, drag, and across the skis the edge force. A share `carry` of the power that
the edges take returns as a force along the skis: the source says that lateral braking leads to frontal speed. N ≤ 0 is
a jump, and landing removes the velocity along the normal. So the energy never grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, isfinite, sin, sqrt, tan
from typing import NamedTuple

import numpy as np

from symbody.elements.vectors import cross
from symbody.errors import ModelError
from symbody.model.plain_numbers import GRAVITY
from symbody.terrain.ground_path import GroundPath
from symbody.terrain.height_map import Array, HeightMap
from symbody.terrain.piste import Piste

SLOW = 0.05  # m/s: friction grows linearly up to this speed
LONGEST = 600.0  # s of a path
STUCK = 10.0  # s at rest before a path gives up


@dataclass(frozen=True)
class Skier:
    """Coefficients of a skier: friction and limits as in the source; the others are ours.

    Parameters
    ----------
    friction : float
        μ. Default 0.15.
    edge_grip : float
        Largest edge force per normal force. Default 1.
    edge_speed : float
        Sideways speed of the whole edge force (m/s). Default 0.3.
    carry : float
        Share, up to 1, of the power of the edge force that drives the skier forward. Default 0.5.
    brake : float
        Braking force per normal force. Default 0.3.
    drag : float
        ½ρc_wA/m (1/m). Default 0.003.
    largest_lean : float
        Limits the lateral acceleration to g·tan (rad). Default 0.2967.
    lean_rate : float
        rad/s. Default 1.047.
    smallest_radius : float
        m. Default 12.
    speed_limit : float
        m/s. Default 16.8.
    """

    friction: float = 0.15
    edge_grip: float = 1.0
    edge_speed: float = 0.3
    carry: float = 0.5
    brake: float = 0.3
    drag: float = 0.003
    largest_lean: float = np.radians(17.0)
    lean_rate: float = np.radians(60.0)
    smallest_radius: float = 12.0
    speed_limit: float = 16.8

    def __post_init__(self) -> None:
        values = vars(self)
        wrong = [name for name, value in values.items() if not (np.isfinite(value) and value >= 0.0)]
        positive = ("edge_speed", "largest_lean", "lean_rate", "smallest_radius", "speed_limit")
        wrong += [name for name in positive if not values[name] > 0.0]
        if wrong or self.carry > 1.0 or self.largest_lean >= 1.5:
            name = wrong[0] if wrong else "carry" if self.carry > 1.0 else "largest_lean"
            cure = (
                "use numbers of 0 or more, carry up to 1, largest_lean below 1.5 rad, positive speeds, rates and radii"
            )
            raise ModelError(f"the value {values[name]}", element=f"skier.{name}", cure=cure)


USUAL = Skier()


class SkierState(NamedTuple):
    """State of a skier.

    Parameters
    ----------
    position : array, shape (3,)
        m.
    velocity : array, shape (3,)
        m/s.
    heading : float
        rad.
    lean : float
        rad. Default 0.
    flying : bool
        Whether the skis are off the ground. Default False.
    """

    position: Array
    velocity: Array
    heading: float
    lean: float = 0.0
    flying: bool = False


def standing(ground: HeightMap, x: float, y: float, heading: float, speed: float = 0.0) -> SkierState:
    """A skier on the ground, moving at a horizontal speed (m/s) along the skis."""
    blank = SkierState(np.zeros(3), np.zeros(3), heading)
    return _on_ground(blank, ground, np.array([x, y]), speed * np.array([np.cos(heading), np.sin(heading)]))


def ski_step(
    now: SkierState, steer: float, brake: float, dt: float, ground: HeightMap, skier: Skier = USUAL
) -> SkierState:
    """One step of a skier.

    Parameters
    ----------
    now : SkierState
        State before the step.
    steer : float
        −1 (right) to 1 (left); values beyond are limited.
    brake : float
        0 to 1; values beyond are limited.
    dt : float
        s.
    ground : HeightMap
        Under the skier.
    skier : Skier, optional
        Default: `Skier()`.

    Returns
    -------
    SkierState
        State after the step.

    Raises
    ------
    ModelError
        For values that are not finite, and if the skier leaves the map.
    """
    if not (isfinite(steer) and isfinite(brake)):
        raise ModelError(f"steer {steer}, brake {brake}", element="skier", cure="give finite numbers")
    if not ground.contains(now.position[0], now.position[1]):
        raise ModelError("the skier left the map", element="skier", cure="stay on the piste, or use a larger map")
    turned = _turned(now, _limited(steer, -1.0, 1.0), dt, skier)
    if turned.flying:
        return _flown(turned, dt, ground)
    brake = _limited(brake, 0.0, 1.0)
    half = _moved(turned, turned, 0.5 * dt, ground, skier, brake)
    return half if half.flying else _moved(turned, half, dt, ground, skier, brake)


def _limited(x: float, low: float, high: float) -> float:
    """x within two limits; NumPy's function is slow for a single number."""
    return min(max(x, low), high)


def _turned(now: SkierState, steer: float, dt: float, skier: Skier) -> SkierState:
    """The skier leans at a limited rate; the skis turn as in a balanced turn, ψ̇ = g tan φ / v, above their radius."""
    wanted = -steer * skier.largest_lean
    lean = now.lean + _limited(wanted - now.lean, -skier.lean_rate * dt, skier.lean_rate * dt)
    speed = sqrt(now.velocity @ now.velocity)
    largest = speed / skier.smallest_radius
    turn = _limited(-GRAVITY * tan(lean) / max(speed, SLOW), -largest, largest)
    return now._replace(lean=lean, heading=now.heading + (0.0 if now.flying else dt * turn))


def _moved(start: SkierState, at: SkierState, dt: float, ground: HeightMap, skier: Skier, brake: float) -> SkierState:
    """The start, moved by dt with the velocity and acceleration of another state (midpoint rule)."""
    a = ground_acceleration(at, ground, skier, brake)
    if a is None:
        return _flown(start._replace(flying=True), dt, ground)
    return _on_ground(start, ground, start.position[:2] + dt * at.velocity[:2], start.velocity[:2] + dt * a[:2])


def _on_ground(now: SkierState, ground: HeightMap, place: Array, speed: Array) -> SkierState:
    """The state with another horizontal position and velocity (2,), on the ground and along it."""
    D = ground.derivatives(*place)
    rise = D[0, 1] * speed[0] + D[1, 0] * speed[1]
    return now._replace(position=np.array([*place, D[0, 0]]), velocity=np.array([*speed, rise]))


def ground_acceleration(now: SkierState, ground: HeightMap, skier: Skier, brake: float = 0.0) -> Array | None:
    """The acceleration (3,) (m/s²) of a skier on the ground; None if the ground falls away faster than the skier."""
    x, y = now.position[:2]
    v = now.velocity
    D = ground.derivatives(x, y)
    hx, hy = D[0, 1], D[1, 0]
    n = np.array([-hx, -hy, 1.0]) / sqrt(1.0 + hx * hx + hy * hy)
    N = (GRAVITY + D[0, 2] * v[0] ** 2 + 2.0 * D[1, 1] * v[0] * v[1] + D[2, 0] * v[1] ** 2) * n[2]
    if N <= 0.0:
        return None
    left = np.array(cross(n.tolist(), (cos(now.heading), sin(now.heading), 0.0)))
    left /= sqrt(left @ left)
    ahead = np.array(cross(left.tolist(), n.tolist()))
    speed = sqrt(v @ v)
    resists = (skier.friction + brake * skier.brake) * N / max(speed, SLOW) + skier.drag * speed
    aside = float(v @ left)
    edge = skier.edge_grip * N * _limited(aside / skier.edge_speed, -1.0, 1.0)
    forward = float(v @ ahead)
    returned = skier.carry * edge * aside / forward if forward > max(1.0, abs(aside)) else 0.0
    return np.asarray([0.0, 0.0, -GRAVITY] + N * n - resists * v - edge * left + returned * ahead)


def _flown(now: SkierState, dt: float, ground: HeightMap) -> SkierState:
    """Free flight, v̇ = −g e_z; on the ground again, the velocity along the normal is lost."""
    v = now.velocity - np.array([0.0, 0.0, GRAVITY * dt])
    p = now.position + 0.5 * dt * (now.velocity + v)
    z = float(ground.height(p[0], p[1]))
    if p[2] > z:
        return now._replace(position=p, velocity=v, flying=True)
    n = ground.normal(p[0], p[1])
    return now._replace(position=np.array([p[0], p[1], z]), velocity=v - min(float(v @ n), 0.0) * n, flying=False)


def energy(now: SkierState) -> float:
    """½v² + gz per mass (J/kg)."""
    return 0.5 * float(now.velocity @ now.velocity) + GRAVITY * float(now.position[2])


# -- a skier who follows a piste ---------------------------------------------------------------------------------------


def follow(now: SkierState, piste: Piste, skier: Skier, offset: float = 0.0) -> tuple[float, float]:
    """Steer and brake of a skier who looks at a point ahead on the piste, `offset` m to its left."""
    speed = sqrt(now.velocity @ now.velocity)
    along, _ = piste.nearest(now.position[0], now.position[1])
    sight = max(10.0, 1.2 * speed)
    middle, beyond = piste.at(along + sight)[:2], piste.at(along + sight + 1.0)[:2]
    ahead = beyond - middle if np.any(beyond != middle) else middle - piste.at(along)[:2]
    side = np.array([-ahead[1], ahead[0]]) / max(hypot(*ahead), 1e-9)
    dx, dy = middle + offset * side - now.position[:2]
    bend = 2.0 * np.sin(np.arctan2(dy, dx) - now.heading) / max(hypot(dx, dy), 1.0)  # pure pursuit
    steer = np.arctan(bend * speed**2 / GRAVITY) / skier.largest_lean
    ends = piste.length - along < 0.5 * speed**2 / (skier.brake * GRAVITY) + 10.0
    fast = (speed - 0.93 * skier.speed_limit) / (0.07 * skier.speed_limit)
    return _limited(float(steer), -1.0, 1.0), 1.0 if ends else _limited(fast, 0.0, 1.0)


def ski_path(
    piste: Piste, ground: HeightMap, skier: Skier = USUAL, step: float = 0.01, carve: float = 0.0, wave: float = 90.0
) -> GroundPath:
    """The path of a skier from the start of a piste to its end.

    Parameters
    ----------
    piste : Piste
        Its middle line.
    ground : HeightMap
        Under it.
    skier : Skier, optional
        Default: `Skier()`.
    step : float
        s. Default 0.01.
    carve : float
        Amplitude of turns to both sides of the middle (m). Default 0.
    wave : float
        Length of a turn (m). Default 90.

    Returns
    -------
    GroundPath
        Until the end of the piste.

    Raises
    ------
    ModelError
        For a step, carve or wave that is out of range, and if the skier stops.
    """
    if not (step > 0.0 and wave > 0.0 and abs(carve) < piste.WIDTH):
        cure = f"use a positive step and wave, and turns of less than {piste.WIDTH:g} m"
        raise ModelError(f"step {step} s, carve {carve} m, wave {wave} m", element="skier", cure=cure)
    first, next_point = piste.at(0.0), piste.at(5.0)
    now = standing(ground, first[0], first[1], float(np.arctan2(*(next_point - first)[1::-1])), 1.0)
    rows, rest = [now], 0.0
    while len(rows) * step < LONGEST:
        along, _ = piste.nearest(now.position[0], now.position[1])
        steer, brake = follow(now, piste, skier, carve * np.sin(2.0 * np.pi * along / wave))
        now = ski_step(now, steer, brake, step, ground, skier)
        rows.append(now)
        slow = float(np.linalg.norm(now.velocity)) < 2.0 * SLOW
        rest = rest + step if slow else 0.0
        if slow and piste.length - along < 60.0:
            break
        if rest > STUCK:
            cure = "use a steeper piste, or less friction"
            raise ModelError(f"the skier stands still after {along:.0f} m", element="skier", cure=cure)
    heading, lean = np.array([row.heading for row in rows]), np.array([row.lean for row in rows])
    return GroundPath(step * np.arange(len(rows)), np.array([row.position for row in rows]), heading, lean)
