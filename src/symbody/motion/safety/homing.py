"""Homing by stall detection: each drive moves slowly to its mechanical end, where its encoder is zeroed.

Every `REPORT` s a drive reports its position. An axis stalls when `STALLED` successive reports differ by less than
th = h V, with the speed V of homing and h a part of the time between reports (Houda 2020, eqs. 6.1.2 to 6.1.5). One
slider, then the other, then all legs; then everything goes to its neutral place. The drives may be simulated or real.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import ACTUATORS, TABLE, Array, PlatformData
from symbody.motion.drives import resolutions
from symbody.motion.geometry import inverse_geometry
from symbody.motion.safety.margins import END_STOP, LEG_STOP

REPORT = 6e-3  # s between reports of a drive
STALLED = 10  # successive reports
STARTING = 0.3  # s that an axis may take to begin to move, in which a stall does not count
SHARE = 0.5  # h as a share of the time between reports: [chosen], the source finds h by trial
LONGER = 1.1  # travel, as a share of the stroke between the ends, after which the end counts as missing
ARRIVED = 2e-4  # m


@dataclass(frozen=True)
class HomingSpeeds:
    """Speeds of homing: slow, because the axes touch their ends.

    Parameters
    ----------
    table : float
        m/s. Default 0.05.
    leg : float
        m/s. Default 0.02.
    """

    table: float = 0.05
    leg: float = 0.02


class HomingDrives(Protocol):
    """Eight drives that follow speeds, and report positions in increments since they were switched on."""

    def advance(self, speeds: Array) -> None:
        """Follow speeds (8,) (m/s) until the next report."""
        ...

    def positions(self) -> Array:
        """Increments (8,) of the encoders, each from an unknown zero."""
        ...


@dataclass
class StallDetector:
    """Finds the end of an axis from reports of its position (m).

    Parameters
    ----------
    speed : float
        At which it should move (m/s).
    last : float, optional
        Last reported position (m).
    count : int
        Reports in a row without motion. Default 0.
    """

    speed: float
    last: float | None = None
    count: int = 0

    @property
    def threshold(self) -> float:
        """th = h V (m)."""
        return SHARE * REPORT * abs(self.speed)

    def update(self, position: float) -> bool:
        """Whether the axis has stalled, with a new report (m)."""
        moved = self.last is None or abs(position - self.last) >= self.threshold
        self.last, self.count = position, 0 if moved else self.count + 1
        return self.count >= STALLED


def end_stops(data: PlatformData) -> tuple[Array, Array]:
    """Lowest and highest mechanical positions of the actuators (8,) (m): beyond the limits of the software."""
    sliders = [data.limits[name] for name in TABLE]
    low = [limit.low - END_STOP for limit in sliders] + 6 * [data.legs.shortest - LEG_STOP]
    high = [limit.high + END_STOP for limit in sliders] + 6 * [data.legs.longest + LEG_STOP]
    return np.array(low), np.array(high)


@dataclass(frozen=True, eq=False)
class Homed:
    """The result of homing.

    Parameters
    ----------
    zeros : array, shape (8,)
        Encoders at the zero position (increments).
    duration : float
        s.
    """

    zeros: Array
    duration: float

    def positions(self, increments: Array, data: PlatformData) -> Array:
        """Positions (8,) of the actuators (m) from increments of the encoders."""
        return np.asarray((increments - self.zeros) * resolutions(data))


def home(drives: HomingDrives, data: PlatformData, speeds: HomingSpeeds | None = None) -> Homed:
    """Find the ends of all actuators, and go to the neutral position.

    Parameters
    ----------
    drives : HomingDrives
        Switched on, anywhere.
    data : PlatformData
        The platform.
    speeds : HomingSpeeds, optional
        Default: `HomingSpeeds()`.

    Returns
    -------
    Homed
        Zeros of the encoders.

    Raises
    ------
    ModelError
        Names an axis without an end.

    Examples
    --------
    Homing of simulated drives, which are not at their neutral position:

    >>> from symbody.machines.platform import platform_data
    >>> from symbody.motion.safety import Homed, HomingDrives, HomingSpeeds, PlatformDrives, StallDetector, home
    >>> data = platform_data()
    >>> drives: HomingDrives = PlatformDrives(data, data.neutral_axes)
    >>> found: Homed = home(drives, data, HomingSpeeds(table=0.5, leg=0.2))
    >>> found.zeros.shape
    (8,)
    >>> detector = StallDetector(0.05)
    """
    speeds = speeds or HomingSpeeds()
    pace = np.array([speeds.table if name in TABLE else speeds.leg for name in ACTUATORS])
    low, high = end_stops(data)
    scale, reports = resolutions(data), 0
    moving = data.moving
    zeros = np.zeros(len(ACTUATORS))
    for group in ([1], [0], range(2, len(ACTUATORS))):
        axes = [k for k in group if k >= len(TABLE) or moving[k]]
        reports += _to_the_ends(drives, axes, pace, scale, LONGER * (high - low))
        now = drives.positions()
        for k in axes:
            zeros[k] = now[k] - low[k] / scale[k]
    found = Homed(zeros, 0.0)
    reports += _to_neutral(drives, found, pace, data)
    return Homed(zeros, REPORT * reports)


def _to_the_ends(drives: HomingDrives, axes: Sequence[int], pace: Array, scale: Array, longest: Array) -> int:
    """Move axes down until all have stalled; returns the number of reports."""
    detectors = {k: StallDetector(pace[k]) for k in axes}
    begun = drives.positions() * scale
    waiting, reports, starting = set(axes), 0, round(STARTING / REPORT)
    while waiting:
        speeds = np.zeros(len(pace))
        speeds[list(waiting)] = -pace[list(waiting)]
        drives.advance(speeds)
        reports += 1
        at = drives.positions() * scale
        for k in sorted(waiting):
            if not np.isfinite(at[k]):
                raise ModelError("the drive reports no position", element=ACTUATORS[k], cure="check its encoder")
            if abs(at[k] - begun[k]) > longest[k]:
                problem = f"no end within {longest[k]:.3g} m"
                raise ModelError(
                    problem, element=ACTUATORS[k], cure="check the coupling of the drive, and its end stop"
                )
        if reports > starting:
            waiting = {k for k in waiting if not detectors[k].update(at[k])}
    return reports


def _to_neutral(drives: HomingDrives, found: Homed, pace: Array, data: PlatformData) -> int:
    """Go to the neutral position at the speeds of homing; an axis that does not arrive is an error."""
    goal = np.asarray(inverse_geometry(data.neutral_axes, data)[0])
    low, high = end_stops(data)
    most = round(2.0 * float(((high - low) / pace).max()) / REPORT)
    for report in range(most):
        away = goal - found.positions(drives.positions(), data)
        away[: len(TABLE)] *= data.moving[: len(TABLE)]
        if np.abs(away).max() < ARRIVED:
            drives.advance(np.zeros(len(pace)))
            return report + 1
        drives.advance(np.clip(away / (4.0 * REPORT), -pace, pace))
    worst = int(np.abs(away).argmax())
    raise ModelError("does not come to its neutral position", element=ACTUATORS[worst], cure="look for an obstacle")
