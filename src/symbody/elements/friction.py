"""Friction laws of a sliding velocity v (m/s, rad/s), all alike to whoever uses them.

A law has names of `states` (none where friction has no memory), their `rates(v, z)`, the resisting `force(v, z)`, of
the sign of v in lasting motion, and an account of energy: force·v = d(stored)/dt + dissipated, with dissipated ≥ 0.
Numbers may be floats or expressions; the defaults are those of a hydraulic seal (`SEAL`).
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
    """What every friction law offers; z holds the values of `states` in their order."""

    @property
    def states(self) -> tuple[str, ...]:
        """Names of its states; none where it has no memory."""

    @property
    def scales(self) -> tuple[Scalar, ...]:
        """A typical size of each state, by which tolerances are measured."""
        ...

    @property
    def needs_load(self) -> bool:
        """Whether the force depends on `load` (N, N m), which the others ignore."""
        ...

    def rates(self, v: Scalar, z: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Rates of the states at the velocity v (m/s, rad/s)."""

    def force(self, v: Scalar, z: Sequence[Scalar], load: Scalar = 0.0) -> Scalar:
        """Resisting force (N, N m), of the sign of v in lasting motion."""

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
    """A friction law in plain numbers, at one sliding velocity.

    v: m/s, or rad/s of a joint that turns. z: values of `law.states`, default all 0 (unbent bristles). load: N or N m.
    """
    z = tuple(z) or (0.0,) * len(law.states)
    with fresh_graph():  # constants folded on the way are forgotten
        rates = tuple(float(rate) for rate in law.rates(v, z))
        return FrictionValues(
            float(law.force(v, z, load)), rates, float(law.stored(z)), float(law.dissipated(v, z, load))
        )
