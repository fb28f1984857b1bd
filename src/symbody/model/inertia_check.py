"""Checks of masses and inertias: values that are impossible, and values that are probably mistakes."""

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

ROUNDED = 1e-5  # relative to a body's largest principal moment: the rounding error of files with five digits


def inertia_problems(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    """Negative masses, and inertias that no body can have."""
    for name, body in model.bodies.items():
        mass = numbers_of((body.mass,), values)
        if mass and mass[0] < 0:
            cure = "use a mass of 0 or more"
            yield ModelError(f"the mass is {mass[0]:.6g}", element=f"bodies.{name}.mass", cure=cure)
    for name, moment in () if model.inertia_as_given else _impossible(model, values):
        problem = f"the inertia about the centre of mass has a principal moment of {moment:.6g}"
        cure = 'check signs and order: xx yy zz xy xz yz, about the centre of mass; or load with inertia="as given"'
        yield ModelError(problem, element=f"bodies.{name}.inertia", cure=cure)


def _impossible(model: Model, values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Bodies with a negative principal moment.

    Bodies without joints are checked together with all they are welded to.
    """
    negative = {name: moments[0] for name, moments in _principal_moments(model, values) if _is_negative(moments)}
    with np.errstate(over="ignore", invalid="ignore"):  # an inertia that is not finite is not possible
        welded = welded_inertias(model) if negative else {}
    for name, moment in negative.items():
        root, whole = welded.get(name, (name, None))
        if root != GROUND and (whole is None or not _is_possible(whole)):  # no effect on the ground
            yield name, float(moment)


def _is_possible(inertia: npt.NDArray[np.float64]) -> bool:
    """Whether a 3 × 3 inertia is finite and has no negative principal moment; welding can overflow."""
    return bool(np.isfinite(inertia).all()) and not _is_negative(np.linalg.eigvalsh(inertia))


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
        scale = np.maximum(np.abs(symmetric).max(axis=(1, 2)), np.finfo(float).tiny)  # avoids overflow of squares
        moments = np.linalg.eigvalsh(symmetric / scale[:, None, None]) * scale[:, None]
        yield from zip(names, moments, strict=True)


def odd_inertias(model: Model) -> Iterator[str]:
    """Positive inertias that no solid can have: a principal moment exceeds the sum of the other two."""
    for name, moments in _principal_moments(model, model.values):
        small, middle, large = moments
        if large > small + middle + ROUNDED * large:
            listed = ", ".join(f"{m:.6g}" for m in moments)
            yield f"bodies.{name}.inertia: no solid has the principal moments {listed} (one exceeds the others' sum)"


def weightless_ends(model: Model) -> Iterator[str]:
    """Moving bodies that have no mass and carry no mass."""
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
            yield f"bodies.{name}: the moving end has no mass and no inertia: direct dynamics is singular"
