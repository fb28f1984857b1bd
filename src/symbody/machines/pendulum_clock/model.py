"""The model of the clock: pendulum with pallets, escape wheel, and a weight that the train connects to it."""

from __future__ import annotations

from math import pi

from symbody.elements.attach import on_joint
from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.numbers import Scalar
from symbody.elements.springs import Damper
from symbody.machines.pendulum_clock.laws import TEETH, Deadbeat, Pallet
from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

# A longcase clock, x to the right, z up: a lens of 6 kg on a rod of 0.2 kg, that beats seconds and swings by 2° to
# either side; a quality of 1500, as such pendulums have in air.
AMPLITUDE = 2.0 * pi / 180.0  # rad, near the steady amplitude
LENS = 6.0, 0.09, 0.03  # kg; m: radius and thickness
ROD = 0.2, 1.1  # kg, m
ARBOR = -0.0318  # m, of the escape wheel below the pivot: 22.5 mm √2
WHEEL = 2e-6  # kg m²: brass, 45 mm, with all parts on its arbor
# A weight of 4 kg that falls by 1.6 m in 8 days, while the escape wheel turns 11520 times.
WEIGHT, FALL = 4.0, 1.6 / (11520 * 2.0 * pi)  # kg, m by rad
CORD = (-0.15, 0.0, -0.5)  # m, start of the weight


def model() -> Model:
    """A seconds pendulum at the end of a swing; the input `push` (N m) is a hand on it."""
    m = Model("pendulum-clock")
    m.input("push", 0.0, "N m")
    m.parameter("length", 0.99455, "m")  # to the middle of the lens, set by the rating nut
    m.parameter("lens_mass", LENS[0], "kg")
    m.parameter("weight_mass", WEIGHT, "kg")
    _add_pendulum(m)
    wheel = Joint("wheel", "R2", q0=(pi / TEETH,))  # locked by the exit pallet
    m.body("wheel", m.ground.point("arbor", (0.0, 0.0, ARBOR)), [wheel], inertia=(WHEEL, WHEEL, WHEEL))
    m.body("weight", m.ground.point("cord", CORD), [Joint("weight", "T3", "dependent")], Formula("weight_mass"))
    _add_train(m)
    _add_escapement(m)
    m.joint_force("pendulum")(lambda q, qd, p: p.push)
    return m


def _add_pendulum(m: Model) -> None:
    """Rod and lens on the suspension, with viscous air damping."""
    mass, length = ROD
    across = mass * length**2 / 12
    swing = Joint("pendulum", "R2", q0=(AMPLITUDE,))
    rod = m.body("pendulum", None, [swing], mass, (0.0, 0.0, -length / 2), (across, across, 0.0))
    lens, radius, thick = Formula("lens_mass"), LENS[1], LENS[2]
    flat = radius**2 / 4 + thick**2 / 12  # of a disc: m r²/2 about its axis
    inertia = (flat * lens, radius**2 / 2 * lens, flat * lens)
    m.body("lens", rod.point("lens", (0.0, 0.0, Formula("-length"))), mass=lens, inertia=inertia)
    on_joint(m, "air", "pendulum", Damper(0.0123))


def _add_train(m: Model) -> None:
    """The weight falls in proportion to the rotation of the escape wheel."""

    @m.constraint("train")
    def train(s: Motion, p: Named) -> Scalar:
        return (s.q["weight"] + FALL * s.q["wheel"]) / FALL


def _add_escapement(m: Model) -> None:
    """Both pallets; the signal `escapement.load` (N m) is the torque that holds the wheel."""
    own = declared(m, "escapement", Deadbeat())

    def pallets(s: Motion, p: Named) -> tuple[Pallet, Pallet]:
        law, at = own(p), (s.q["pendulum"], s.qd["pendulum"], s.q["wheel"], s.qd["wheel"])
        return law.entry(*at), law.exit(*at)

    @m.coupling("escapement", "pendulum", "wheel")
    def torques(s: Motion, p: Named) -> tuple[Scalar, Scalar]:
        both = pallets(s, p)
        return sum(x.hold * x.slope for x in both), -sum(x.hold for x in both)

    m.signal("escapement.load", unit="N m")(lambda s, p: sum(x.hold for x in pallets(s, p)))
    m.signal("escapement.impulse", unit="N m")(lambda s, p: torques(s, p)[0])
    account(
        m,
        "escapement",
        stored=lambda s, p: sum(x.stored for x in pallets(s, p)),
        dissipated=lambda s, p: sum(x.dissipated for x in pallets(s, p)),
    )
