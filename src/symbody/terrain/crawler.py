"""Crawlers on deformable ground: road wheels in a belt, which turn with the belt and carry its frame.

The soil sees each road wheel turn at v/r with the speed v of the belt, so that pressure and shear follow from the slip
of the belt (Bekker, Janosi and Hanamoto). The belt has no mass: what the soil exerts acts on the frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from symbody.elements.element import Motion, Named
from symbody.elements.numbers import Scalar
from symbody.elements.vectors import columns, plus, scaled
from symbody.model.body import Body
from symbody.model.model import Model
from symbody.system.options import XYZ
from symbody.terrain.soil.terrain import Terrain


def add_crawler(
    m: Model, ground: Terrain, name: str, frame: Body, places: Sequence[float], radius: float, width: float, lag: float
) -> dict[str, str]:
    """Add a crawler NAME to its frame; the input NAME_speed (m/s) is what its belt follows.

    Parameters
    ----------
    m : Model
    ground : Terrain
    name : str
    frame : Body
        Axis 1 points ahead, axis 2 is that of the road wheels.
    places : sequence of float
        x of the road wheels on the frame (m).
    radius, width : float
        Of the road wheels with the belt, and of the belt (m).
    lag : float
        Time constant of the belt's drive (s).

    Returns
    -------
    dict
        Wires of the terrain: inputs for which it must get outputs of other names, see `Stage`.
    """
    axle = frame.point("axle", (0.0, 0.0, 0.0))
    m.input(f"{name}_speed", 0.0, "m/s")
    belt = f"{name}_belt"
    m.state(belt)(lambda s, p: (p[f"{name}_speed"] - p[belt]) / lag)
    m.signal(f"{name}.belt_speed", unit="m/s")(lambda s, p: p[belt])

    @m.signal(f"{name}.spin", 3)
    def spin(s: Motion, p: Named) -> Sequence[Scalar]:
        """Angular velocity (rad/s) of the road wheels: that of the frame and v/r about their axle."""
        at = s.point(axle.path)
        return plus(at.omega, scaled(p[belt] / radius, columns(at.rotation)[1]))

    wires: dict[str, str] = {}
    for k, x in enumerate(places):
        wheel = f"{name}_{k + 1}"
        ground.wheel(m, wheel, frame.point(wheel, (x, 0.0, 0.0)), radius, width)
        wires |= {f"{wheel}.omega.{axis}": f"{name}.spin.{i + 1}" for i, axis in enumerate(XYZ)}
    return wires
