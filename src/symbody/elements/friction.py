"""Friction laws of a sliding velocity v (m/s, rad/s), all with the same interface.

A law has names of `states` (none if it has no memory), their `rates(v, z)`, the resisting `force(v, z)`, which has the
sign of v in steady motion, and its energy: force·v = d(stored)/dt + dissipated, with dissipated ≥ 0. Numbers may be
floats or expressions. The defaults are those of a hydraulic seal (`SEAL`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from symbody.elements.friction_bristle import REST as REST
from symbody.elements.friction_bristle import Dahl, LuGre, ModifiedLuGre
from symbody.elements.friction_reset import ResetIntegrator
from symbody.elements.friction_static import BengisuAkay, BrownMcPhee, Coulomb, Efficiency
from symbody.elements.numbers import Scalar
from symbody.elements.seal import SEAL as SEAL
from symbody.expr.node_table import fresh_graph


class Friction(Protocol):
    """The interface of every friction law; z has the values of `states` in order."""

    @property
    def states(self) -> tuple[str, ...]:
        """Names of its states; empty if it has no memory."""

    @property
    def scales(self) -> tuple[Scalar, ...]:
        """A typical size of each state, for tolerances."""
        ...

    @property
    def needs_load(self) -> bool:
        """Whether the force depends on `load` (N, N m); other laws ignore it."""
        ...

    def rates(self, v: Scalar, z: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Rates of the states at the velocity v (m/s, rad/s)."""

    def force(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """Resisting force (N, N m), with the sign of v in steady motion."""

    def stored(self, z: Sequence[Scalar]) -> Scalar:
        """Energy of the bent bristles (J)."""

    def dissipated(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """Power lost (W), never negative."""


FRICTION: dict[str, type[Friction]] = {
    "efficiency": Efficiency,
    "coulomb": Coulomb,
    "bengisu-akay": BengisuAkay,
    "brown-mcphee": BrownMcPhee,
    "dahl": Dahl,
    "lugre": LuGre,
    "modified-lugre": ModifiedLuGre,
    "reset-integrator": ResetIntegrator,
}


class FrictionValues(NamedTuple):
    """Force (N, N m), rates of the states, stored energy (J) and dissipated power (W) at one instant."""

    force: float
    rates: tuple[float, ...]
    stored: float
    dissipated: float


def evaluate_friction(law: Friction, v: float, z: Sequence[float] = (), load: float = 0.0) -> FrictionValues:
    """Evaluate a friction law with plain numbers, at one sliding velocity.

    Parameters
    ----------
    law : Friction
    v : float
        m/s, or rad/s for a rotational joint.
    z : sequence of float
        Values of `law.states`; default all 0 (unbent bristles).
    load : float
        N or N m, default 0.

    Returns
    -------
    FrictionValues
        Force (N, N m), rates of the states, stored energy (J) and dissipated power (W).
    """
    z = tuple(z) or (0.0,) * len(law.states)
    with fresh_graph():  # discards constants that are folded during the evaluation
        rates = tuple(float(rate) for rate in law.rates(v, z))
        return FrictionValues(
            float(law.force(v, z, load)), rates, float(law.stored(z)), float(law.dissipated(v, z, load))
        )
