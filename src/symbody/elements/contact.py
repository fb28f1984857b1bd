"""Contact of two bodies: the contact point, the relative motion, and the forces of a contact law and of friction.

A shape is attached to a point with its frame. All shapes give a `ContactPoint` of the two points. The normal force acts
along its normal and friction against the slip, both at the contact point, which moves as the bodies roll and slide.
Numbers are live parameters NAME_FIELD. Signals are NAME.depth (m, negative when apart), NAME.load (N) and the energies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from symbody.elements.contact_laws import Contact
from symbody.elements.contact_shapes import (
    At,
    ContactPoint,
    Segment,
    Sphere,
    plane_sphere,
    segment_sphere,
    socket_sphere,
    sphere_sphere,
)
from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.friction import REST, Friction
from symbody.elements.numbers import Scalar
from symbody.elements.vectors import Triple, cross, dot, length, minus, plus, scaled
from symbody.errors import ModelError
from symbody.model.body import Body, Point
from symbody.model.model import Model

A = TypeVar("A")
B = TypeVar("B")
Place = Body | Point | str
Geometry = Callable[[At, At, Named], ContactPoint]


# -- forces ------------------------------------------------------------------------------------------------------------


def closing(a: At, b: At, meeting: ContactPoint) -> tuple[Scalar, Triple]:
    """δ̇ = −n·v and slip v − n(n·v) (m/s); v: velocity of the second body relative to the first there."""
    first, second = (plus(x.velocity, cross(x.omega, minus(meeting.place, x.position))) for x in (a, b))
    v = minus(second, first)
    parting = dot(meeting.normal, v)
    return -parting, minus(v, scaled(parting, meeting.normal))


def rubbing(friction: Friction, load: Scalar, slip: Triple) -> Triple:
    """−μ(|v|) N v/|v| (N). The force of the friction law is used as the coefficient μ."""
    speed = length(slip, REST)
    return scaled(-load * friction.force(speed, (), 1.0) / speed, slip)


def contact_between(
    m: Model, name: str, a: Place, b: Place, geometry: Geometry, *, law: Contact, friction: Friction | None = None
) -> None:
    """Add a contact NAME of any geometry.

    Parameters
    ----------
    m : Model
    name : str
    a, b : Body, Point or str
    geometry : function
        A law (a, b, p) of the motion of two points that gives their `ContactPoint`.
    law : Contact
        The normal force, for example `HuntCrossley`.
    friction : Friction, optional
        A law without states, such as `Coulomb`; its force is the friction coefficient.

    Raises
    ------
    ModelError
        If the friction law has states.
    """
    pair = m.interaction(name, a, b)
    prefix = name.replace(".", "_")
    own = declared(m, prefix, law)
    if friction is not None and friction.states:
        cure = "use a law without states, such as Coulomb or BrownMcPhee"
        raise ModelError(
            f"{type(friction).__name__} has states, which contacts do not support", element=name, cure=cure
        )
    rough = declared(m, f"{prefix}_friction", friction) if friction is not None else None

    def z(p: Named) -> tuple[Scalar, ...]:
        return tuple(p[f"{prefix}_{state}"] for state in law.states)

    def met(s: Motion, p: Named) -> tuple[ContactPoint, Scalar, Triple]:
        ends = s.point(pair.a), s.point(pair.b)
        meeting = geometry(*ends, p)
        return meeting, *closing(*ends, meeting)

    def sideways(load: Scalar, slip: Triple, p: Named) -> Triple:
        return rubbing(rough(p), load, slip) if rough is not None else (0.0, 0.0, 0.0)

    @pair
    def push(a: At, b: At, p: Named) -> tuple[Scalar, ...]:
        meeting = geometry(a, b, p)
        rate, slip = closing(a, b, meeting)
        load = own(p).force(meeting.depth, rate, z(p))
        force = plus(scaled(load, meeting.normal), sideways(load, slip, p))
        return *force, *cross(minus(meeting.place, b.position), force)

    for k, (state, scale) in enumerate(zip(law.states, law.scales, strict=True)):
        m.state(f"{prefix}_{state}", scale=scale)(lambda s, p, k=k: own(p).rates(met(s, p)[0].depth, z(p))[k])

    m.signal(f"{name}.depth", unit="m")(lambda s, p: met(s, p)[0].depth)

    @m.signal(f"{name}.load", unit="N")
    def load(s: Motion, p: Named) -> Scalar:
        meeting, rate, _ = met(s, p)
        return own(p).force(meeting.depth, rate, z(p))

    def lost(s: Motion, p: Named) -> Scalar:
        meeting, rate, slip = met(s, p)
        return own(p).dissipated(meeting.depth, rate, z(p)) - dot(sideways(load(s, p), slip, p), slip)

    account(m, name, stored=lambda s, p: own(p).stored(met(s, p)[0].depth, z(p)), dissipated=lost)


# -- contacts ----------------------------------------------------------------------------------------------------------


def sphere_on_plane(
    m: Model, name: str, sphere: Place, radius: float, plane: Place, axis: int = 3,
    *, law: Contact, friction: Friction | None = None,
) -> None:  # fmt: skip
    """Add a contact NAME of a ball and a plane.

    Parameters
    ----------
    m : Model
        The model of both bodies.
    name : str
        Prefix of parameters and energies.
    sphere : Body, Point or str
        Centre of the ball.
    radius : float
        Radius of the ball (m).
    plane : Body, Point or str
        A point of the plane.
    axis : int
        ±1, ±2 or ±3: the axis of that point which is the outward normal. Default 3.
    law, friction
        As in `contact_between`.
    """
    _check_axis(name, abs(axis))
    ball = declared(m, name.replace(".", "_"), Sphere(radius))
    contact_between(
        m, name, plane, sphere, lambda a, b, p: plane_sphere(a, b, ball(p).radius, axis), law=law, friction=friction
    )


def sphere_on_sphere(
    m: Model, name: str, a: Place, radius_a: float, b: Place, radius_b: float,
    *, law: Contact, friction: Friction | None = None,
) -> None:  # fmt: skip
    """Add a contact NAME of two balls.

    Parameters
    ----------
    m : Model
        The model of both bodies.
    name : str
        Prefix of parameters and energies.
    a, b : Body, Point or str
        Centres of the balls.
    radius_a, radius_b : float
        Their radii (m).
    law, friction
        As in `contact_between`.
    """
    one, two = declared_both(m, name, Sphere(radius_a), Sphere(radius_b))

    def geometry(a: At, b: At, p: Named) -> ContactPoint:
        return sphere_sphere(a.position, b.position, one(p).radius, two(p).radius)

    contact_between(m, name, a, b, geometry, law=law, friction=friction)


def sphere_in_socket(
    m: Model, name: str, ball: Place, radius: float, socket: Place, hollow: float,
    *, law: Contact, friction: Friction | None = None,
) -> None:  # fmt: skip
    """Add a contact NAME of a ball in a hollow ball: a joint with clearance.

    Parameters
    ----------
    m : Model
        The model of both bodies.
    name : str
        Prefix of parameters and energies.
    ball : Body, Point or str
        Centre of the ball.
    radius : float
        Radius of the ball (m).
    socket : Body, Point or str
        Centre of the hollow.
    hollow : float
        Radius of the hollow (m), larger than that of the ball.
    law, friction
        As in `contact_between`.
    """
    outer, inner = declared_both(m, name, Sphere(hollow), Sphere(radius))

    def geometry(a: At, b: At, p: Named) -> ContactPoint:
        return socket_sphere(a.position, b.position, outer(p).radius, inner(p).radius)

    contact_between(m, name, socket, ball, geometry, law=law, friction=friction)


def sphere_on_segment(
    m: Model, name: str, sphere: Place, radius: float, segment: Place, bar: Segment, axis: int = 1,
    *, law: Contact, friction: Friction | None = None,
) -> None:  # fmt: skip
    """Add a contact NAME of a ball and a bar.

    Parameters
    ----------
    m : Model
        The model of both bodies.
    name : str
        Prefix of parameters and energies.
    sphere : Body, Point or str
        Centre of the ball.
    radius : float
        Radius of the ball (m).
    segment : Body, Point or str
        Point at which the bar begins.
    bar : Segment
        Length and thickness.
    axis : int
        1, 2 or 3: the axis of that point along the bar. Default 1.
    law, friction
        As in `contact_between`.
    """
    _check_axis(name, axis)
    straight, ball = declared_both(m, name, bar, Sphere(radius))

    def geometry(a: At, b: At, p: Named) -> ContactPoint:
        return segment_sphere(a, b, straight(p), ball(p).radius, axis)

    contact_between(m, name, segment, sphere, geometry, law=law, friction=friction)


def declared_both(m: Model, name: str, a: A, b: B) -> tuple[Callable[[Named], A], Callable[[Named], B]]:
    """The shapes of both bodies, with parameters NAME_a_FIELD and NAME_b_FIELD."""
    prefix = name.replace(".", "_")
    return declared(m, f"{prefix}_a", a), declared(m, f"{prefix}_b", b)


def _check_axis(name: str, axis: int) -> None:
    if axis not in (1, 2, 3):
        raise ModelError(f"unknown axis {axis}", element=name, cure="use 1, 2 or 3")
