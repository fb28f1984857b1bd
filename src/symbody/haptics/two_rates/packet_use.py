"""How a local model uses the packets of its world: matching of constraints, plausible values, motion in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

from symbody.haptics.settings import finite

INTERPOLATION = 0.1  # s: the shortest with which it is stable in a tight hole, with walls of 4000 N/m and 30 N s/m


@dataclass(frozen=True)
class Coherence:
    """When constraints of two packets are the same (thesis 6.2.4): |Δc| ≤ Δt v, angle ≤ min(Δt ω, θ).

    Parameters
    ----------
    v : float
        v_max (m/s). Default 0.5.
    omega : float
        w_max (rad/s). Default 6.283.
    theta : float
        Largest angle θ (rad). Facets of round bodies differ by less, faces of true polyhedra by more. Default 0.5236.
    """

    v: float = 0.5
    omega: float = 2.0 * pi
    theta: float = pi / 6.0

    def numbers(self) -> dict[str, float]:
        """Values of the C structure local_t."""
        return {
            "v_max": finite("v", self.v), "w_max": finite("omega", self.omega),
            "theta_max": finite("theta", self.theta, 0.0, pi),
        }  # fmt: skip


@dataclass(frozen=True)
class Belief:
    """Limits of plausible values from a world; larger values are clipped and counted.

    Parameters
    ----------
    penetration : float
        Depth (m). Default 0.02.
    velocity : float
        Velocity of a surface (m/s). Default 2.
    stiffness : float
        N/m. Default 1e5.
    damping : float
        N s/m. Default 1000.
    silence : float
        Time (s) after which an older sequence number means a new world. Default 0.5.
    """

    penetration: float = 0.02
    velocity: float = 2.0
    stiffness: float = 1e5
    damping: float = 1e3
    silence: float = 0.5

    def numbers(self) -> dict[str, float]:
        """Values of the C structure local_t."""
        names = {"deepest": self.penetration, "fastest": self.velocity, "stiffest": self.stiffness}
        names |= {"most_damping": self.damping, "restart": self.silence}
        return {name: finite(name, value) for name, value in names.items()}


@dataclass(frozen=True)
class PacketUse:
    """How a local model uses the packets of its world, and what happens between two packets.

    Parameters
    ----------
    kinematic : bool
        Surfaces move between packets with their velocity. Default False.
    exact : bool
        Mass matrix, Coriolis forces and weight are the proxy's own, not those of the last packet. Default False.
    frozen_hold : bool
        The factors U S Vᵀ of the Jacobian at the hold are those of the last packet's arrival (thesis 6.3), and with
        them the wrench at the hand and the topology directions n_tc; else they follow the proxy. Default False.
    reported : bool
        Use the separations of the world (thesis 6.1), not those of the proxy when the packet arrives. Default False.
    intermediate : bool
        The baseline method: planes of packets are reached gradually, springs only, direct coupling. Default False.
    interpolation : float
        Time of this motion (s). A plane that arrives late begins at the tool, with its velocity. Default 0.1.
    deformation : float
        Time constant (s) of the deformation of the proxy: a surface that arrives late begins at the tool with its
        velocity, and comes to rest with this time constant. With 0 it stops the proxy at once. Default 0.
    coherence : Coherence, optional
        How constraints of packets are matched.
    belief : Belief, optional
        Limits of plausible values.
    """

    kinematic: bool = False
    exact: bool = False
    frozen_hold: bool = False
    reported: bool = False
    intermediate: bool = False
    interpolation: float = INTERPOLATION
    deformation: float = 0.0
    coherence: Coherence = field(default_factory=Coherence)
    belief: Belief = field(default_factory=Belief)

    def numbers(self) -> dict[str, float]:
        """Values of the C structure local_t."""
        switches = ("kinematic", "exact", "frozen_hold", "reported", "intermediate")
        times = {name: finite(name, getattr(self, name)) for name in ("interpolation", "deformation")}
        chosen = {name: int(getattr(self, name)) for name in switches}
        return {**chosen, **times, **self.coherence.numbers(), **self.belief.numbers()}
