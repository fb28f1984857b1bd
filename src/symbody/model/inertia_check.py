"""Masses and inertias of a model: what no body can have, and what is seldom meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from symbody.errors import ModelError
from symbody.model.body import GROUND
from symbody.model.model import Model
from symbody.model.number_check import numbers_of
from symbody.model.placement import welded_inertias
from symbody.model.tree import carrier, parents_first

ROUNDED = 1e-5  # share of a body's largest principal moment that files of five digits round away


def inertia_problems(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    """Negative masses, and inertias that no body has."""
    for name, body in model.bodies.items():
        mass = numbers_of((body.mass,), values)
        if mass and mass[0] < 0:
            cure = "give a mass of 0 or more"
            yield ModelError(f"the mass is {mass[0]:.6g}", element=f"bodies.{name}.mass", cure=cure)
    for name, moment in () if model.inertia_as_given else _impossible(model, values):
        problem = f"the inertia about the centre of mass has a principal moment of {moment:.6g}"
        cure = 'check signs and order: xx yy zz xy xz yz, about the centre of mass; or load with inertia="as given"'
        yield ModelError(problem, element=f"bodies.{name}.inertia", cure=cure)


def _impossible(model: Model, values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Bodies with a negative principal moment; those without joints are judged with all that is welded to them."""
    negative = {name: moments[0] for name, moments in _principal_moments(model, values) if _is_negative(moments)}
    welded = welded_inertias(model) if negative else {}
    for name, moment in negative.items():
        root, whole = welded.get(name, (name, None))
        if root != GROUND and (whole is None or _is_negative(np.linalg.eigvalsh(whole))):  # the ground feels none
            yield name, float(moment)


def _is_negative(moments: npt.NDArray[np.floating[Any]]) -> bool:
    return bool(moments[0] < -ROUNDED * np.abs(moments).max())


def _principal_moments(model: Model, values: Mapping[str, float]) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    names, rows = [], []
    for name, body in model.bodies.items():
        six = numbers_of(body.inertia, values)
        if six and len(six) == 6:
            names.append(name)
            rows.append(six)
    if rows:
        symmetric = np.array(rows)[:, (0, 3, 4, 3, 1, 5, 4, 5, 2)].reshape(-1, 3, 3)
        scale = np.maximum(np.abs(symmetric).max(axis=(1, 2)), np.finfo(float).tiny)  # squares must not overflow
        moments = np.linalg.eigvalsh(symmetric / scale[:, None, None]) * scale[:, None]
        yield from zip(names, moments, strict=True)


def odd_inertias(model: Model) -> Iterator[str]:
    """Inertias that no solid has, though they are positive: a principal moment exceeds the sum of the others."""
    for name, moments in _principal_moments(model, model.values):
        small, middle, large = moments
        if large > small + middle + ROUNDED * large:
            listed = ", ".join(f"{m:.6g}" for m in moments)
            yield f"bodies.{name}.inertia: no solid has the principal moments {listed} (one exceeds the others' sum)"


def weightless_ends(model: Model) -> Iterator[str]:
    """Moving bodies that have no mass and carry none."""
    order = parents_first(model.bodies)
    heavy: set[str] = set()
    for name, body in reversed(order.items()):
        own = numbers_of((body.mass, *body.inertia), model.values)
        if name in heavy or own is None or any(own):
            heavy.update((name, carrier(body.on)))
    heavy.add(GROUND)
    for name, body in order.items():
        moving = any(joint.nature in ("independent", "dependent") for joint in body.joints)
        if name not in heavy and carrier(body.on) in heavy and moving:
            yield f"bodies.{name}: it and all it carries have no mass and no inertia: direct dynamics is singular"
