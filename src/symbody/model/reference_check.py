"""Checks of the points that links, cuts, rolling contacts, sites, interactions and sensors refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symbody.errors import ModelError
from symbody.model.body import GROUND
from symbody.model.components import INERTIAL, ROLLING_KINDS, SENSED, Cut, RollingContact
from symbody.model.element_check import axis_problems, cut_problems
from symbody.model.model import Model
from symbody.model.number_check import DOTTED, finite_problems, name_problems, numbers_of
from symbody.model.tree import carrier
from symbody.suggestions import did_you_mean


class _Points:
    """The points of a model, by path."""

    def __init__(self, model: Model):
        self._bodies = {GROUND: model.ground, **model.bodies}
        self._paths = {f"{body}.{point}" for body, holder in self._bodies.items() for point in holder.points}
        self._paths |= self._bodies.keys()

    def missing(self, where: str, *paths: str) -> Iterator[ModelError]:
        """Problems of the paths that do not exist."""
        for path in paths:
            if path not in self._paths:
                owner = self._bodies.get(carrier(path))
                cure = did_you_mean(carrier(path), self._bodies, "bodies")
                if owner:
                    cure = did_you_mean(path.rpartition(".")[2], owner.points, f"points of '{owner.name}'")
                yield ModelError(f"unknown point '{path}'", element=where, cure=cure)

    def on_one_body(self, a: str, b: str) -> bool:
        """Whether two existing points are on the same body."""
        return {a, b} <= self._paths and carrier(a) == carrier(b)


def reference_problems(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    """Unknown points, and other problems of the elements that refer to points."""
    points = _Points(model)
    for name, body in model.bodies.items():
        yield from points.missing(f"bodies.{name}.on", body.on)
    for name, link in model.links.items():
        where = f"links.{name}"
        yield from name_problems(name, link.name, where, DOTTED)
        yield from points.missing(where, link.a, link.b)
        if link.a == link.b:
            yield ModelError("both ends are the same point", element=where, cure="link two different points")
    for name, cut in model.cuts.items():
        yield from name_problems(name, cut.name, f"cuts.{name}", DOTTED)
        yield from points.missing(f"cuts.{name}", cut.a, cut.b)
        yield from _cut(cut, points, f"cuts.{name}", values)
    for name, contact in model.rolling_contacts.items():
        where = f"rolling_contacts.{name}"
        yield from name_problems(name, contact.name, where, DOTTED)
        yield from points.missing(where, contact.point, contact.plane)
        if points.on_one_body(contact.point, contact.plane):
            yield ModelError("it rolls on its own body", element=where, cure="use a plane on another body")
        yield from _rolling(contact, where, values)
    yield from _acting(model, points)


def _acting(model: Model, points: _Points) -> Iterator[ModelError]:
    """Force sites, interactions and sensors."""
    for name, site in model.force_sites.items():
        yield from name_problems(name, site.name, f"force_sites.{name}", DOTTED)
        yield from points.missing(f"force_sites.{name}", site.point)
    for name, pair in model.interactions.items():
        where = f"interactions.{name}"
        yield from name_problems(name, pair.name, where, DOTTED)
        yield from points.missing(where, pair.a, pair.b)
        if pair.a == pair.b:
            cure = "use two different points"
            yield ModelError("both ends are the same point", element=where, cure=cure)
    for name, sensor in model.sensors.items():
        yield from name_problems(name, sensor.name, f"sensors.{name}", DOTTED)
        yield from points.missing(f"sensors.{name}", sensor.point)
        for quantity in sensor.quantities:
            if quantity not in SENSED + INERTIAL:
                where, cure = f"sensors.{name}.quantities", f"use {', '.join(SENSED + INERTIAL)}"
                yield ModelError(f"unknown quantity '{quantity}'", element=where, cure=cure)


def _cut(cut: Cut, points: _Points, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    if points.on_one_body(cut.a, cut.b):
        yield ModelError("both points are on one body", element=where, cure="use points of two different bodies")
    yield from cut_problems(cut, where, values)


def _rolling(contact: RollingContact, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    if contact.kind not in ROLLING_KINDS:
        yield ModelError(f"unknown kind '{contact.kind}'", element=where, cure=f"use {', '.join(ROLLING_KINDS)}")
        return
    yield from axis_problems(contact.axis, where)
    yield from finite_problems((contact.radius, contact.tube), 2, where, values)
    radius, tube = numbers_of((contact.radius, contact.tube), values) or (1.0, 0.0)
    if contact.touches and radius <= 0:
        yield ModelError(f"the radius is {radius:.6g}", element=f"{where}.radius", cure="use a radius above 0 (m)")
    if not contact.touches and radius:
        yield ModelError("a knife edge has no radius", element=f"{where}.radius", cure="remove it, or make it a wheel")
    if tube and contact.kind != "wheel":
        yield ModelError(f"a {contact.kind} has no tube", element=f"{where}.tube", cure="remove it, or make it a wheel")
    elif not 0 <= tube < radius and contact.kind == "wheel":
        yield ModelError(
            f"the tube's radius is {tube:.6g}",
            element=f"{where}.tube",
            cure="use 0 or more, but less than the wheel's radius",
        )
