"""Software margins: the limits that a ride uses are narrower than those of the machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symbody.errors import ModelError
from symbody.motion.data import FIXED, TABLE, TURNS, AxisLimit, PlatformData
from symbody.motion.drives import leg_speed


@dataclass(frozen=True)
class SoftwareMargins:
    """Distances to the ends of the machine's own limits, and shares of speeds and accelerations that are used.

    Parameters
    ----------
    table : float
        Of the sliders (m); the machine's end stops are `END_STOP` beyond its limits. Default 0.005.
    travel : float
        Of x, y and z (m). Default 0.002.
    turn : float
        Of the angles (rad). Default 0.005.
    leg : float
        Of the stroke (m). It covers what a leg can do between two checked instants of a stop: a Δt²/8 of its
        acceleration a. Default 0.003.
    speed, acceleration : float
        Shares of the machine's limits. Default 0.98.
    """

    table: float = 5e-3
    travel: float = 2e-3
    turn: float = 5e-3
    leg: float = 3e-3
    speed: float = 0.98
    acceleration: float = 0.98


END_STOP = 0.05  # m from the software limit to the mechanical end of a slider (Houda 2020, section 6.1.2)
LEG_STOP = 0.01  # m from the shortest leg to its mechanical end


def with_margins(data: PlatformData, margins: SoftwareMargins | None = None) -> PlatformData:
    """The platform with its limits narrowed by margins; legs also keep the speed of their motors.

    Parameters
    ----------
    data : PlatformData
        The platform.
    margins : SoftwareMargins, optional
        Default: `SoftwareMargins()`.

    Returns
    -------
    PlatformData
        With the narrower limits.

    Raises
    ------
    ModelError
        If the margins leave no stroke.
    """
    margins = margins or SoftwareMargins()
    limits = {axis: _narrowed(axis, limit, margins) for axis, limit in data.limits.items()}
    legs = replace(
        data.legs,
        shortest=data.legs.shortest + margins.leg,
        longest=data.legs.longest - margins.leg,
        speed=margins.speed * leg_speed(data),
        acceleration=margins.acceleration * data.legs.acceleration,
    )
    if not legs.shortest < legs.longest:
        raise ModelError("margins leave no stroke", element="legs", cure="give smaller margins")
    return replace(data, limits=limits, legs=legs)


def _narrowed(axis: str, limit: AxisLimit, margins: SoftwareMargins) -> AxisLimit:
    if limit == FIXED:
        return limit
    by = margins.table if axis in TABLE else margins.turn if axis in TURNS else margins.travel
    low, high = limit.low + by, limit.high - by
    if not low < high:
        raise ModelError("margins leave no range", element=axis, cure="give smaller margins")
    return AxisLimit(low, high, margins.speed * limit.speed, margins.acceleration * limit.acceleration)
