"""A tyre law on deforming ground: a plane under the wheel whose height and slope are inputs."""

from __future__ import annotations

from typing import Any, NamedTuple

from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.numbers import Scalar
from symbody.elements.tyre_patch import Patch, patch, wrench
from symbody.elements.tyre_slip import Tyre
from symbody.elements.vectors import Triple, cross, dot, scaled
from symbody.model.body import Body, Point
from symbody.model.formula import evaluate
from symbody.model.model import Model


class _OnPlane(NamedTuple):
    """The motion of a wheel in the axes of the ground under it: x and y along the plane, z out of it."""

    position: Triple
    rotation: Any
    velocity: Triple
    omega: Triple


def plane_axes(sx: Scalar, sy: Scalar) -> tuple[Triple, Triple, Triple]:
    """Unit axes of a plane z = sx x + sy y: the first in the xz plane, the last out of it."""
    normal = scaled((1.0 + sx * sx + sy * sy) ** -0.5, (-sx, -sy, 1.0))
    first = scaled((1.0 + sx * sx) ** -0.5, (1.0, 0.0, sx))
    return first, cross(normal, first), normal


def tyre_on_ground(m: Model, name: str, wheel: Body | Point | str, law: Tyre) -> None:
    """Attach a tyre as `symbody.elements.tyre` does, on a plane.

    Inputs: NAME_height (m, under the centre), NAME_slope_x and NAME_slope_y. Signals: NAME.load (N) and energies.
    """
    site = m.force_site(name, wheel)
    prefix = name.replace(".", "_")
    for number, unit in (("height", "m"), ("slope_x", ""), ("slope_y", "")):
        m.input(f"{name}_{number}", 0.0, unit)
    own = declared(m, prefix, law)

    def z(p: Named) -> tuple[Scalar, ...]:
        return tuple(p[f"{prefix}_{state}"] for state in law.states)

    def axes(p: Named) -> tuple[Triple, Triple, Triple]:
        return plane_axes(p[f"{name}_slope_x"], p[f"{name}_slope_y"])

    def met(at: Any, p: Named) -> Patch:
        frame = axes(p)
        above = (at.position[2] - p[f"{name}_height"]) * frame[2][2]
        columns = [tuple(row[k] for row in at.rotation) for k in range(3)]
        turned = [[dot(axis, column) for column in columns] for axis in frame]
        velocity, omega = (tuple(dot(axis, x) for axis in frame) for x in (at.velocity, at.omega))
        local: Any = _OnPlane((0.0, 0.0, above), turned, velocity, omega)
        return patch(local, own(p).radius, own(p).sag)

    @site
    def force(at: Any, p: Named) -> tuple[Scalar, ...]:
        values, frame = wrench(met(at, p), own(p).road(met(at, p), z(p))), axes(p)
        return tuple(sum(values[first + k] * frame[k][i] for k in range(3)) for first in (0, 3) for i in range(3))

    for k, (state, scale) in enumerate(zip(law.states, law.scales, strict=True)):
        rate = m.state(f"{prefix}_{state}", scale=float(evaluate(scale, m.values)))
        rate(lambda s, p, k=k: own(p).rates(met(s.point(site.point), p), z(p))[k])

    @m.signal(f"{name}.load", unit="N")
    def load(s: Motion, p: Named) -> Scalar:
        return own(p).load(met(s.point(site.point), p))

    def stored(s: Motion, p: Named) -> Scalar:
        return own(p).stored(met(s.point(site.point), p), z(p))

    def dissipated(s: Motion, p: Named) -> Scalar:
        return own(p).dissipated(met(s.point(site.point), p), z(p))

    account(m, name, stored=stored, dissipated=dissipated)
