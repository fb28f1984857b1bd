"""Graham's deadbeat escapement: two pallets that lock the escape wheel, let a tooth pass, and are pushed by it.

θ being the pendulum's angle and ψ that of the tooth before a pallet, the pallet's face stands at

    ψ = L clip((θ + β)/2β, 0, 1):   locking up to θ = −β, impulse up to β, then the tooth is free.

The other pallet is its mirror image, θ → −θ, half a pitch later. A tooth that is δ = ψ − face(θ) inside the face is
held back by the torque F of a contact, and pushes the pendulum by F d face/dθ: no work is lost but by the contact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi
from typing import NamedTuple

from symbody.elements.contact_laws import Penalty
from symbody.elements.numbers import Scalar, require_positive
from symbody.expr.functions import atan2, both, clip
from symbody.expr.node import cos, sin

TEETH = 30  # the wheel turns once a minute with a seconds pendulum


class Pallet(NamedTuple):
    """A tooth at a pallet: the torque (N m) that holds the wheel back, and how much of it pushes the pendulum."""

    hold: Scalar
    slope: Scalar  # d face/dθ
    stored: Scalar  # J
    dissipated: Scalar  # W


@dataclass(frozen=True)
class Deadbeat:
    """Numbers of the escapement; teeth and faces are hard, a tooth that drops on them does not bounce far."""

    lift: float = field(default=0.8 * pi / TEETH, metadata={"unit": "rad"})  # L, of the wheel; the rest is its drop
    half_angle: float = field(default=pi / 180.0, metadata={"unit": "rad"})  # β, of the pendulum
    stiffness: float = field(default=4.0, metadata={"unit": "N m/rad"})
    damping: float = field(default=4e-3, metadata={"unit": "N m s/rad"})
    onset: float = field(default=2e-3, metadata={"unit": "rad"})  # of the damping, as the contact has it

    def entry(self, theta: Scalar, rate: Scalar, phi: Scalar, turning: Scalar) -> Pallet:
        """The pallet that is pushed forwards (θ, φ in rad, their rates in rad/s)."""
        psi = atan2(sin(TEETH * phi), cos(TEETH * phi)) / TEETH
        share = (theta + self.half_angle) / (2.0 * self.half_angle)
        slope = self.lift / (2.0 * self.half_angle) * both(share > 0.0, share < 1.0)
        inside, closing = psi - self.lift * clip(share, 0.0, 1.0), turning - slope * rate
        before = both(share < 1.0, inside < (pi / TEETH - self.lift) / 2.0)  # beyond half of its drop it has passed
        depth, face = inside * before, Penalty(stiffness=self.stiffness, damping=self.damping, onset=self.onset)
        return Pallet(face.force(depth, closing), slope, face.stored(depth), face.dissipated(depth, closing))

    def exit(self, theta: Scalar, rate: Scalar, phi: Scalar, turning: Scalar) -> Pallet:
        """Its mirror image, half a pitch later."""
        mirrored = self.entry(-theta, -rate, phi - pi / TEETH, turning)
        return mirrored._replace(slope=-mirrored.slope)

    def check(self, name: str) -> None:
        require_positive(name, self, "lift", "half_angle", "stiffness", "onset")
        require_positive(name, self, "damping", zero=True)
