"""Two links that hit an obstacle (thesis 4.11–4.12): loss of energy in a plastic or elastic impact.

Uniform rods of 1 m and 1 kg, upright, both joints at 1 rad/s. The centre of percussion is 1.5 m from the base; a
plastic impact there takes all kinetic energy.
"""

from __future__ import annotations

from math import pi

from symbody.haptics.objects import Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.model.body import Joint
from symbody.model.model import Model

LENGTH, MASS, WIDTH = 1.0, 1.0, 0.02  # m, kg, m
PLACES = (0.7, 1.5)  # m, positions of the obstacle from the base
THEORY = {0.7: 7.0 / 24.0, 1.5: 7.0 / 3.0}  # J, loss in a plastic impact, of 7/3
BITE = 1e-9  # m, penetration of the tip, so that it touches despite rounding


def arm(
    lengths: tuple[float, ...] = (LENGTH, LENGTH),
    masses: tuple[float, ...] = (MASS, MASS),
    inertias: tuple[float, ...] | None = None,
    at: tuple[float, float] = (0.0, 0.0),
) -> Model:
    """A chain of rods in the plane x, y from a position (m); uniform unless inertias (kg m²) are given."""
    m = Model("arm", gravity=(0.0, 0.0, 0.0))
    on = m.ground.point("base", (*at, 0.0))
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        across = mass * length**2 / 12.0 if inertias is None else inertias[k - 1]
        link = m.body(f"link{k}", on, [Joint(f"q{k}", "R3")], mass, (length / 2, 0.0, 0.0), (0.0, across, across))
        on = link.point("tip", (length, 0.0, 0.0))
    return m


def struck(place: float, restitution: float) -> HapticScene:
    """The arm beside an obstacle whose tip touches it at a height (m)."""
    rod = rectangle(LENGTH, WIDTH, (LENGTH / 2, 0.0))
    tip = -WIDTH / 2 + BITE
    obstacle = Polygon([(tip, place), (tip - 0.1, place + 0.05), (tip - 0.1, place - 0.05)])
    linkage = Linkage("arm", arm(), {"link1": rod, "link2": rod}, q=(pi / 2, 0.0), v=(1.0, 1.0))
    return HapticScene(
        [linkage], {"obstacle": obstacle}, rendering=Rendering(ContactModel(restitution=restitution, damping=0.0))
    )


def loss(place: float, restitution: float) -> tuple[float, float]:
    """Kinetic energy before the impact, and its loss (J)."""
    before, after = struck(place, restitution).impact()
    return before, before - after
