"""Where two simple shapes meet: depth, normal and place of their overlap.

The place is such that the depth grows by the velocity with which the bodies close there, so that the normal force of an
elastic law is the gradient of what it stores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symbody.elements.numbers import Scalar, require_positive
from symbody.elements.vectors import Triple, columns, dot, length, minus, plus, scaled
from symbody.expr.functions import clip

At = Any  # the motion of a point: position, rotation, velocity, omega, in the ground frame
TOGETHER = 1e-9  # m: centres nearer than this have no direction from one to the other


class ContactPoint(NamedTuple):
    """How two bodies overlap: depth (m, negative when apart), unit normal from the first to the second, place (m)."""

    depth: Scalar
    normal: Triple
    place: Triple


@dataclass(frozen=True)
class Sphere:
    """A ball, or in a plane mechanism a disc; a point if the radius is 0."""

    radius: float = field(metadata={"unit": "m"})

    def check(self, name: str) -> None:
        """Raise ModelError where a number cannot be meant; `name` is that of the element, for the message."""
        require_positive(name, self, "radius", zero=True)


@dataclass(frozen=True)
class Segment:
    """A straight bar with round ends: `length` (m) from its point along an axis, `thick` (m) to each side."""

    length: float = field(metadata={"unit": "m"})
    thick: float = field(default=0.0, metadata={"unit": "m"})

    def check(self, name: str) -> None:
        """Raise ModelError where a number cannot be meant; `name` is that of the element, for the message."""
        require_positive(name, self, "length")
        require_positive(name, self, "thick", zero=True)


def plane_sphere(plane: At, sphere: At, radius: Scalar, axis: int) -> ContactPoint:
    """The plane through a point, normal to its axis ±1, ±2 or ±3, and a ball on the side that the axis points to."""
    up = columns(plane.rotation)[abs(axis) - 1]
    normal = up if axis > 0 else scaled(-1.0, up)
    depth = radius - dot(minus(sphere.position, plane.position), normal)
    return ContactPoint(depth, normal, _middle(sphere.position, radius, depth, normal))


def sphere_sphere(a: Triple, b: Triple, radius_a: Scalar, radius_b: Scalar) -> ContactPoint:
    """Two balls about their centres a and b."""
    between = minus(b, a)
    distance = length(between, TOGETHER)
    depth, normal = radius_a + radius_b - distance, scaled(1.0 / distance, between)
    return ContactPoint(depth, normal, _middle(b, radius_b, depth, normal))


def socket_sphere(socket: Triple, ball: Triple, hollow: Scalar, radius: Scalar) -> ContactPoint:
    """A ball inside a hollow ball, as in a joint with clearance."""
    outwards = minus(ball, socket)
    distance = length(outwards, TOGETHER)
    depth, normal = distance + radius - hollow, scaled(-1.0 / distance, outwards)
    return ContactPoint(depth, normal, _middle(ball, radius, depth, normal))


def segment_sphere(segment: At, sphere: At, bar: Segment, radius: Scalar, axis: int) -> ContactPoint:
    """A bar and a ball: the ball meets the place of the bar that is nearest to it."""
    along = columns(segment.rotation)[axis - 1]
    reach = clip(dot(minus(sphere.position, segment.position), along), 0.0, bar.length)
    return sphere_sphere(plus(segment.position, scaled(reach, along)), sphere.position, bar.thick, radius)


def _middle(centre: Triple, radius: Scalar, depth: Scalar, normal: Triple) -> Triple:
    """The middle of the overlap, behind the surface of a ball that is pushed along the normal."""
    return plus(centre, scaled(0.5 * depth - radius, normal))
