"""A tyre on a flat road: radial spring, slip forces that saturate together within the friction circle, trail."""

from __future__ import annotations

from typing import Any

from symbody.model.model import Model

Triple = tuple[Any, Any, Any]


def tyre_parameters(m: Model) -> None:
    """What the law of the tyres reads; all stay live."""
    # A 205/55 R16 at 2.3 bar as textbooks on vehicle dynamics describe the class: 200 kN/m of radial stiffness with
    # little damping; at 4 kN about 60 kN/rad of cornering stiffness and a little more along, both growing less than the
    # load does; dry asphalt; 30 mm of pneumatic trail that vanishes as the contact patch slides; 1 % rolling drag.
    m.parameter("radius", 0.318, "m")
    m.parameter("k_tyre", 200e3, "N/m")
    m.parameter("c_tyre", 150.0, "N s/m")
    m.parameter("friction", 0.95)
    m.parameter("cornering", 18.0, "1/rad")  # stiffness by load, at small loads
    m.parameter("traction", 22.0)  # the same along the wheel
    m.parameter("load_scale", 6000.0, "N")  # the load at which the stiffness has lost 30 % of that proportion
    m.parameter("trail", 0.03, "m")
    m.parameter("rolling_drag", 0.01)
    m.parameter("slow", 3.0, "m/s")  # below this speed, slip forces become viscous: no division by zero at rest


def tyre(at: Any, p: Any) -> Any:
    """Force (N) and torque (N m) on the centre of a wheel that turns about its axis 2; the road is z = 0.

    σ = slip velocity / speed, u = C σ / (μ N), F = −μ N u / √(1 + u·u): never beyond the circle μ N.
    """
    axle: Triple = tuple(row[1] for row in at.rotation)
    upright = (1.0 - axle[2] * axle[2]) ** 0.5  # cosine of the camber
    forward: Triple = (axle[1] / upright, -axle[0] / upright, 0.0)  # along the road
    left: Triple = (-forward[1], forward[0], 0.0)
    height = at.position[2] / upright  # from the road to the centre, in the wheel's plane
    down: Triple = (height * axle[2] * axle[0] / upright, height * axle[2] * axle[1] / upright, -at.position[2])

    push = p.k_tyre * (p.radius - height) - p.c_tyre * at.velocity[2]
    load = push * (push > 0)

    patch = _plus(at.velocity, _cross(at.omega, down))
    rolling = _dot(at.velocity, forward)
    speed = (rolling * rolling + p.slow * p.slow) ** 0.5
    soft = p.friction * (1.0 + (load / p.load_scale) ** 2) ** 0.5 * speed
    along, aside = p.traction * _dot(patch, forward) / soft, p.cornering * _dot(patch, left) / soft
    slide = 1.0 + along * along + aside * aside
    grip = p.friction * load / slide**0.5
    side = -grip * aside
    flat = _plus(_times(-grip * along, forward), _times(side, left))
    force: Triple = (flat[0], flat[1], load)
    drag = -p.rolling_drag * p.radius * load * rolling / speed
    torque = _plus(_cross(down, force), _times(drag, axle))
    return *force, torque[0], torque[1], torque[2] - p.trail * side / slide


def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Any, b: Any) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _plus(a: Any, b: Any) -> Triple:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _times(k: Any, a: Any) -> Triple:
    return k * a[0], k * a[1], k * a[2]
