"""Cameras of a machine as plain data: on a seat, behind a body, about a body, or at a fixed place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, isfinite, radians, sin
from typing import Literal

from symbody.errors import ModelError
from symbody.visual.page_types import CameraKind, RigData, Triple

OUTSIDE = "Outside"  # the view that a person turns and moves; every machine has it
Arrangement = Literal["inset", "split"]  # of two views: a small one in a corner, or two halves


@dataclass(frozen=True)
class Ride:
    """A seat on a body.

    Parameters
    ----------
    name : str
        In the list of views.
    body : str
        Its name.
    eye : (float, float, float)
        In the body frame (m).
    ahead : (float, float, float)
        Viewing direction in the body frame. Default (1, 0, 0).
    field : float
        Vertical field of view (degrees). Default 55.
    head : float
        Time constant with which the view follows the rotation of the body, as a head does (s); 0: rigid. Default 0.
    """

    name: str
    body: str
    eye: Triple
    ahead: Triple = (1.0, 0.0, 0.0)
    field: float = 55.0
    head: float = 0.0


@dataclass(frozen=True)
class Chase:
    """A camera behind a body and above it, which turns with its heading and keeps the horizon level.

    Parameters
    ----------
    name : str
        In the list of views.
    body : str
        Its name.
    behind, above : float
        Distances (m). Defaults 6, 2.
    ahead : (float, float, float)
        Direction of travel in the body frame. Default (1, 0, 0).
    field : float
        Vertical field of view (degrees). Default 45.
    lag : float
        Time constant with which it follows (s). Default 0.3.
    """

    name: str
    body: str
    behind: float = 6.0
    above: float = 2.0
    ahead: Triple = (1.0, 0.0, 0.0)
    field: float = 45.0
    lag: float = 0.3


@dataclass(frozen=True)
class Orbit:
    """A camera about a body; it moves along, but does not turn.

    Parameters
    ----------
    name : str
        In the list of views.
    body : str
        Its name.
    azimuth, elevation : float
        Degrees. Defaults -60, 20.
    distance : float
        m. Default 10.
    field : float
        Vertical field of view (degrees). Default 30.
    """

    name: str
    body: str
    azimuth: float = -60.0
    elevation: float = 20.0
    distance: float = 10.0
    field: float = 30.0


@dataclass(frozen=True)
class Fixed:
    """A camera on a tripod; it turns to a body, or looks along a direction.

    Parameters
    ----------
    name : str
        In the list of views.
    eye : (float, float, float)
        Its place in the ground frame (m).
    ahead : (float, float, float)
        Direction in the ground frame. Default (1, 0, 0).
    body : str, optional
        That it turns to. Default: it does not turn.
    field : float
        Vertical field of view (degrees). Default 40.
    """

    name: str
    eye: Triple
    ahead: Triple = (1.0, 0.0, 0.0)
    body: str = ""
    field: float = 40.0


MachineCamera = Ride | Chase | Orbit | Fixed
KINDS: Mapping[type, CameraKind] = {Ride: "seat", Chase: "chase", Orbit: "orbit", Fixed: "fixed"}


def camera_rows(cameras: Sequence[MachineCamera], frames: Mapping[str, int]) -> list[RigData]:
    """The cameras as the page reads them; frames: numbers of the bodies."""
    names = [one.name for one in cameras]
    if OUTSIDE in names or len(set(names)) < len(names):
        raise ModelError(
            f"names of cameras: {', '.join(names)}", cure=f"give each one its own name, and none {OUTSIDE}"
        )
    return [_row(one, frames) for one in cameras]


def first_views(views: Sequence[str], cameras: Sequence[MachineCamera], outside: bool) -> list[str]:
    """Names of the one or two views at first; outside: the machine gives the direction of the view from outside."""
    known = [OUTSIDE, *(one.name for one in cameras)]
    if unknown := [name for name in views if name not in known]:
        raise ModelError(f"no camera {unknown[0]!r}", cure=f"one of {', '.join(known)}")
    if len(views) > 2:
        raise ModelError(f"{len(views)} views at once", cure="give one or two")
    seats = [one.name for one in cameras if isinstance(one, Ride)]
    return list(views) or ([OUTSIDE] if outside or not seats else seats[:1])


def _row(one: MachineCamera, frames: Mapping[str, int]) -> RigData:
    body = one.body
    if body and body not in frames:
        raise ModelError(f"no body {body!r}", element=one.name, cure=f"one of {', '.join(frames)}")
    if not 1.0 <= one.field <= 150.0:
        raise ModelError(f"a field of view of {one.field}°", element=one.name, cure="give 1 to 150 degrees")
    eye, ahead, lag = _pose(one)
    kind = KINDS[type(one)]
    row = RigData(
        name=one.name, kind=kind, frame=frames[body] if body else 0, eye=eye, ahead=ahead, field=one.field, lag=lag
    )
    numbers = (*row["eye"], *row["ahead"], row["lag"])
    if not all(map(isfinite, numbers)) or not any(row["ahead"]) or row["lag"] < 0.0:
        cure = "give finite numbers, a direction that is not zero, and a time that is not negative"
        raise ModelError(f"eye {row['eye']}, ahead {row['ahead']}, {row['lag']} s", element=one.name, cure=cure)
    return row


def _pose(one: MachineCamera) -> tuple[Triple, Triple, float]:
    """Eye and direction as `RigData` has them, and the time constant (s)."""
    match one:
        case Ride():
            return one.eye, one.ahead, one.head
        case Chase():
            return (-one.behind, 0.0, one.above), one.ahead, one.lag
        case Orbit():
            a, e = radians(one.azimuth), radians(one.elevation)
            x, y, z = one.distance * cos(e) * cos(a), one.distance * cos(e) * sin(a), one.distance * sin(e)
            return (x, y, z), (-x, -y, -z), 0.0
        case Fixed():
            return one.eye, one.ahead, 0.0
