"""Contact of oriented boxes by separating axes (Gottschalk 1996): they are apart if their projections on one of 15 are.

The axes are the three normals of each box and the nine cross products of their edges. The depth is the least overlap of
the projections, and the normal is its axis. The contact point follows from the gradient of the depth: a corner in a
face, or the nearest points of two edges. So the normal force of any elastic law is the gradient of its stored energy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from symbody.elements.contact import Place, contact_between, declared_both
from symbody.elements.contact_laws import Contact
from symbody.elements.contact_shapes import At, ContactPoint
from symbody.elements.friction import Friction
from symbody.elements.numbers import Scalar, require_positive
from symbody.elements.vectors import Triple, columns, cross, dot, minus, plus, scaled
from symbody.expr.functions import absolute, maximum, sqrt, where
from symbody.model.model import Model

PARALLEL = 1e-6  # squared sine between edges: below it their cross product is not an axis, because a normal is near it
FAR = 1e9  # m: the overlap for an invalid axis
NOWHERE: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Box:
    """A box along the axes of the point at its centre, with rounded corners.

    With rounding r, the projection of a half size h at a cosine c to the axis is h w(c) instead of h|c|, at most r
    less: w = (√(c² + σ²) − σ)/(√(1 + σ²) − σ), σ = r/h. The slope of w, ±1 at a corner, passes through 0 where a face
    lies flat: there the box rests on its centre. A box that others lie on should be sharp (r → 0), because a rounded
    face acts like a cushion.

    Parameters
    ----------
    x, y, z : float
        Half sizes (m).
    rounding : float
        Radius r of the corners (m). Default 0.001.
    """

    x: float = field(metadata={"unit": "m"})
    y: float = field(metadata={"unit": "m"})
    z: float = field(metadata={"unit": "m"})
    rounding: float = field(default=1e-3, metadata={"unit": "m"})

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        require_positive(name, self, "x", "y", "z", "rounding")

    @property
    def halves(self) -> Triple:
        """Half sizes along its three axes (m)."""
        return self.x, self.y, self.z

    def shadow(self, axes: Sequence[Triple], L: Triple) -> Scalar:
        """Half the length of its projection on L, Σ h w(c) (m)."""
        return sum((_root(c, r) - r) * h / (_root(1.0, r) - r) for h, r, c in self._cosines(axes, L))

    def corner(self, axes: Sequence[Triple], L: Triple) -> Triple:
        """Vector from its centre to its farthest point along L, Σ h w′(c) axis (m)."""
        steps = (c / _root(c, r) * h / (_root(1.0, r) - r) for h, r, c in self._cosines(axes, L))
        return reduce(plus, (scaled(step, axis) for step, axis in zip(steps, axes, strict=True)))

    def _cosines(self, axes: Sequence[Triple], L: Triple) -> Iterator[tuple[Scalar, Scalar, Scalar]]:
        """For each axis of the box: half size h, rounding σ = r/h, and cosine c to L."""
        return ((h, self.rounding / h, dot(axis, L)) for h, axis in zip(self.halves, axes, strict=True))


def _root(c: Scalar, sigma: Scalar) -> Scalar:
    return sqrt(c * c + sigma * sigma)


class _Axis(NamedTuple):
    """An axis of separation: overlap of the projections, direction, and the two edges it is normal to (or zero)."""

    overlap: Scalar
    normal: Triple
    edge_a: Triple = NOWHERE
    edge_b: Triple = NOWHERE
    face_of_b: Scalar = 0.0


def box_box(a: At, b: At, box_a: Box, box_b: Box) -> ContactPoint:
    """The overlap of two boxes, or their least distance."""
    E, F, T = columns(a.rotation), columns(b.rotation), minus(b.position, a.position)
    best = reduce(_nearer, _axes(E, F, T, box_a, box_b))
    normal = scaled(where(dot(T, best.normal) < 0.0, -1.0, 1.0), best.normal)
    corner_a = plus(a.position, box_a.corner(E, normal))
    corner_b = minus(b.position, box_b.corner(F, normal))
    on_edge = plus(corner_b, _to_nearest(minus(corner_a, corner_b), best.edge_a, best.edge_b))
    place = _choice(best.face_of_b, corner_a, on_edge)
    middle = dot(a.position, normal) + box_a.shadow(E, normal) - 0.5 * best.overlap  # of the overlap, along the normal
    return ContactPoint(best.overlap, normal, plus(place, scaled(middle - dot(place, normal), normal)))


def box_on_box(
    m: Model, name: str, a: Place, box_a: Box, b: Place, box_b: Box,
    *, law: Contact, friction: Friction | None = None,
) -> None:  # fmt: skip
    """Add a contact NAME of two boxes, each centred at a point and along its axes.

    Parameters
    ----------
    m : Model
    name : str
    a, b : Body, Point or str
    box_a, box_b : Box
    law : Contact
        The normal force, for example `HuntCrossley`.
    friction : Friction, optional
        A law without states, such as `Coulomb`; its force is the friction coefficient.
    """
    one, two = declared_both(m, name, box_a, box_b)
    contact_between(m, name, a, b, lambda a, b, p: box_box(a, b, one(p), two(p)), law=law, friction=friction)


def _axes(E: Sequence[Triple], F: Sequence[Triple], T: Triple, box_a: Box, box_b: Box) -> Iterator[_Axis]:
    """The 15 axes L with their overlaps Σ eᵢ|Eᵢ·L| + Σ fⱼ|Fⱼ·L| − |T·L|, normals first."""

    def overlap(L: Triple) -> Scalar:
        return box_a.shadow(E, L) + box_b.shadow(F, L) - absolute(dot(T, L))

    yield from (_Axis(overlap(L), L) for L in E)
    yield from (_Axis(overlap(L), L, face_of_b=1.0) for L in F)
    for edge_a in E:
        for edge_b in F:
            product = cross(edge_a, edge_b)
            square = dot(product, product)
            L = scaled(1.0 / sqrt(maximum(square, PARALLEL)), product)
            yield _Axis(where(square > PARALLEL, overlap(L), FAR), L, edge_a, edge_b)


def _nearer(best: _Axis, other: _Axis) -> _Axis:
    less = other.overlap < best.overlap
    return _Axis(
        where(less, other.overlap, best.overlap),
        _choice(less, other.normal, best.normal),
        _choice(less, other.edge_a, best.edge_a),
        _choice(less, other.edge_b, best.edge_b),
        where(less, other.face_of_b, best.face_of_b),
    )


def _choice(condition: Scalar, then: Triple, otherwise: Triple) -> Triple:
    x, y, z = (where(condition, a, b) for a, b in zip(then, otherwise, strict=True))
    return x, y, z


def _to_nearest(between: Triple, edge_a: Triple, edge_b: Triple) -> Triple:
    """Vector along the second edge to its point nearest to the first, or zero; `between`: from the second's middle."""
    c = dot(edge_a, edge_b)
    return scaled((dot(between, edge_b) - c * dot(between, edge_a)) / (1.0 - c * c), edge_b)
