"""Vectors of three floats or expressions, in the ground frame."""

from __future__ import annotations

from collections.abc import Sequence

from symbody.elements.numbers import Scalar

Triple = tuple[Scalar, Scalar, Scalar]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def plus(a: Sequence[Scalar], b: Sequence[Scalar]) -> Triple:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Sequence[Scalar], b: Sequence[Scalar]) -> Triple:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scaled(k: Scalar, a: Sequence[Scalar]) -> Triple:
    return k * a[0], k * a[1], k * a[2]


def length(a: Sequence[Scalar], least: float = 0.0) -> Scalar:
    """√(a·a + least²); with a least length it is differentiable everywhere and can be a divisor."""
    return (dot(a, a) + least * least) ** 0.5


def columns(rotation: Sequence[Sequence[Scalar]]) -> tuple[Triple, Triple, Triple]:
    """The axes of a frame, from its rotation matrix by rows."""
    x, y, z = zip(*rotation, strict=True)
    return x, y, z
