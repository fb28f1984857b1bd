"""The contact point of two simple shapes: depth, normal and position of their overlap.

The position is chosen so that the depth grows with the closing velocity of the bodies there. Then the normal force of
an elastic law is the gradient of its stored energy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symbody.elements.numbers import Scalar, require_positive
from symbody.elements.vectors import Triple, columns, dot, length, minus, plus, scaled
from symbody.expr.functions import clip

At = Any  # the motion of a point: position, rotation, velocity, omega, in the ground frame
TOGETHER = 1e-9  # m: closer centres have no direction from one to the other


class ContactPoint(NamedTuple):
    """The overlap of two bodies at a point.

    Parameters
    ----------
    depth : float or expression
        Depth of the overlap (m), negative when apart.
    normal : (float, float, float), shape (float, float, float)
        Unit normal, from the first body to the second.
    place : (float, float, float), shape (float, float, float)
        Position of the contact (m).
    """

    depth: Scalar
    normal: Triple
    place: Triple


@dataclass(frozen=True)
class Sphere:
    """A ball, or a disc in a plane mechanism; a point if the radius is 0."""

    radius: float = field(metadata={"unit": "m"})

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        require_positive(name, self, "radius", zero=True)


@dataclass(frozen=True)
class Segment:
    """A straight bar with round ends along an axis of its point.

    Parameters
    ----------
    length : float
        Length (m).
    thick : float
        Half thickness (m). Default 0.
    """

    length: float = field(metadata={"unit": "m"})
    thick: float = field(default=0.0, metadata={"unit": "m"})

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        require_positive(name, self, "length")
        require_positive(name, self, "thick", zero=True)


def plane_sphere(plane: At, sphere: At, radius: Scalar, axis: int) -> ContactPoint:
    """The plane through a point, normal to its axis ±1, ±2 or ±3, and a ball on the side to which the axis points."""
    up = columns(plane.rotation)[abs(axis) - 1]
    normal = up if axis > 0 else scaled(-1.0, up)
    depth = radius - dot(minus(sphere.position, plane.position), normal)
    return ContactPoint(depth, normal, _middle(sphere.position, radius, depth, normal))


def sphere_sphere(a: Triple, b: Triple, radius_a: Scalar, radius_b: Scalar) -> ContactPoint:
    """Two balls centred at a and b."""
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
    """A bar and a ball, at the point of the bar that is nearest to the ball."""
    along = columns(segment.rotation)[axis - 1]
    reach = clip(dot(minus(sphere.position, segment.position), along), 0.0, bar.length)
    return sphere_sphere(plus(segment.position, scaled(reach, along)), sphere.position, bar.thick, radius)


def _middle(centre: Triple, radius: Scalar, depth: Scalar, normal: Triple) -> Triple:
    """The middle of the overlap, behind the surface of a ball that is pushed along the normal."""
    return plus(centre, scaled(0.5 * depth - radius, normal))
