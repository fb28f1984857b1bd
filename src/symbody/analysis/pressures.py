"""Cylinder pressures that hold a mechanism at its initial position: accelerations are affine in cylinder forces."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields, replace

import numpy as np

from symbody.elements.cylinders import push
from symbody.errors import ModelError
from symbody.model.circuit_check import circuit_problems, connected
from symbody.model.circuit_elements import Boundary, Cylinder, Throttle, Volume
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.suggestions import did_you_mean
from symbody.system.system import system

Array = np.ndarray
HELD = 1e-6  # accelerations below this share of the largest one without cylinders count as zero
PROBE = 1e3  # N, to find the effect of a force


@dataclass(frozen=True)
class Held:
    """Accelerations a0 + B F of a mechanism at rest in its initial position, by the forces F (N) of its cylinders."""

    cylinders: dict[str, Cylinder]
    coordinates: list[str]
    a0: Array
    B: Array

    def check(self, forces: Array) -> None:
        """Raise if the forces do not hold the mechanism."""
        left = self.a0 + self.B @ forces
        worst = int(np.argmax(np.abs(left)))
        if abs(left[worst]) > HELD * max(1.0, float(np.abs(self.a0).max())):
            problem = f"the cylinders cannot hold it: an acceleration of {left[worst]:.3g} remains"
            cure = "start in an equilibrium of the other coordinates, or lock coordinates that no cylinder moves"
            raise ModelError(problem, element=self.coordinates[worst], cure=cure)


def holding_forces(model: Model) -> dict[str, float]:
    """Least-norm forces of the cylinders (N, pushing is positive) by name that hold a model at its initial position.

    Parameters
    ----------
    model : Model
        A model with cylinders.

    Returns
    -------
    dict of str to float
        Force of each cylinder, N; pushing is positive.

    Examples
    --------
    >>> import symbody as sb
    >>> sorted(sb.holding_forces(sb.machines.model("four-bar-hydraulic")))
    ['cylinder']
    """
    held = actuated(model)
    forces = np.linalg.lstsq(held.B, -held.a0, rcond=None)[0] if held.B.size else np.zeros(len(held.cylinders))
    held.check(forces)
    return dict(zip(held.cylinders, map(float, forces), strict=True))


def static_pressures(model: Model, back: float | Mapping[str, float] = 3.5e6) -> Model:
    """A copy of a model whose initial oil pressures hold it at its initial position, with seals and spools at rest.

    Parameters
    ----------
    model : Model
        A model with hydraulic cylinders.
    back : float or mapping name → float
        Pressure on the rod sides (Pa), for all or by cylinder (default 3.5e6).

    Returns
    -------
    Model
        The copy. Volumes joined by throttles get one pressure; volumes without a cylinder keep theirs. If several sets
        of piston pressures hold it, the one with the least norm is used.

    Raises
    ------
    ModelError
        If the cylinders cannot hold the mechanism, or a pressure would be below the vapour pressure.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar-hydraulic")
    >>> start = sb.static_pressures(m)
    """
    held = actuated(model)
    groups = [group for circuit in model.circuits.values() for group in connected(circuit, (Throttle,))]
    place = {node: k for k, group in enumerate(groups) for node in group}
    known = _known(model, held.cylinders, place, back)
    sought = sorted({place[node] for c in held.cylinders.values() for node in (c.piston, c.rod)} - known.keys())
    p = np.array([known.get(k, 0.0) for k in range(len(groups))])

    def forces(p: Array) -> Array:
        return np.array([push(c, p[place[c.piston]], p[place[c.rod]]) for c in held.cylinders.values()])

    J = np.array([held.B @ forces(unit) for unit in np.eye(len(groups))[sought]]).reshape(len(sought), len(held.a0)).T
    p[sought] = np.linalg.lstsq(J, -held.a0 - held.B @ forces(p), rcond=None)[0]
    held.check(forces(p))
    return _started(model, {node: float(p[k]) for node, k in place.items() if k in {*known, *sought}})


def actuated(model: Model) -> Held:
    """Accelerations of a mechanism at rest by the forces of its cylinders, found by pushing with each."""
    for problem in circuit_problems(model):
        raise problem
    cylinders = {c.name: _plain(c, model) for circuit in model.circuits.values() for c in circuit.of(Cylinder)}
    m = copy(model)
    m.circuits, m.inputs, m.links = {}, dict(model.inputs), dict(model.links)
    for name, cylinder in cylinders.items():
        m.input(f"{name}_push", 0.0, "N")
        m.link(name, cylinder.a, cylinder.b)(lambda length, rate, p, name=name: -p[f"{name}_push"])
    s = system(m, outputs=[])
    first = len(s.layout.coordinates)
    moving = slice(first, first + len(s.layout.velocities))
    x = s.x0.copy()
    x[moving] = 0.0

    def accelerations(pushing: str = "") -> Array:
        u = s.u0.copy()
        if pushing:
            u[s.inputs.index(f"{pushing}_push")] = PROBE
        return s.rates(0.0, x, u)[moving]

    a0 = accelerations()
    columns = [(accelerations(name) - a0) / PROBE for name in cylinders]
    return Held(cylinders, s.states[moving], a0, np.array(columns).reshape(len(columns), len(a0)).T)


def _plain(cylinder: Cylinder, model: Model) -> Cylinder:
    """The cylinder with numbers instead of formulas."""
    numbers = {
        f.name: evaluate(getattr(cylinder, f.name), model.values) for f in fields(cylinder) if "unit" in f.metadata
    }
    return replace(cylinder, **numbers)


def _known(
    model: Model, cylinders: Mapping[str, Cylinder], place: Mapping[str, int], back: float | Mapping[str, float]
) -> dict[int, float]:
    """Known pressures (Pa) by group: boundaries, and rod sides of cylinders whose piston pressure is unknown."""
    known = {
        place[b.name]: float(evaluate(b.pressure, model.values))
        for circuit in model.circuits.values()
        for b in circuit.of(Boundary)
    }
    pistons = {place[c.piston] for c in cylinders.values()}
    given = back if isinstance(back, Mapping) else dict.fromkeys(cylinders, back)
    for name in given:
        if name not in cylinders:
            raise ModelError("unknown cylinder", element=name, cure=did_you_mean(name, cylinders, "cylinders"))
    behind = {
        place[cylinders[name].rod]: float(p) for name, p in given.items() if place[cylinders[name].piston] not in known
    }
    return {k: p for k, p in behind.items() if k not in pistons} | known


def _started(model: Model, pressures: Mapping[str, float]) -> Model:
    """A copy with volumes that start at these pressures (Pa)."""
    started = copy(model)
    started.circuits = {}
    for name, circuit in model.circuits.items():
        vapour = evaluate(circuit.vapour, model.values)
        elements = dict(circuit.elements)
        for volume in circuit.of(Volume):
            p = pressures.get(volume.name)
            if p is not None and p <= vapour:
                cure = "give a higher pressure with back=…"
                raise ModelError(
                    f"a pressure of {p:.4g} Pa would hold the load, which is below the vapour pressure",
                    element=f"circuits.{name}.{volume.name}",
                    cure=cure,
                )
            if p is not None:
                elements[volume.name] = replace(volume, start=p)
        started.circuits[name] = replace(circuit, elements=elements)
    return started
