"""How a machine is drawn: looks, surroundings, cameras and the first view, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symbody.errors import ModelError
from symbody.studio.cameras import Arrangement, MachineCamera
from symbody.studio.landscape import Landscape
from symbody.visual.materials import Ground, check_ground
from symbody.visual.scene import Look


@dataclass(frozen=True)
class Trail:
    """A track that a point of a body leaves on the ground.

    Parameters
    ----------
    body : str
        Its name.
    at : (float, float, float)
        The point in its frame (m). Default (0, 0, 0).
    width : float
        m. Default 0.1.
    colour : str
        As "#rrggbb". Default "#7f8c96".
    """

    body: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    width: float = 0.1
    colour: str = "#7f8c96"


@dataclass(frozen=True)
class Viewpoint:
    """The view from outside.

    Parameters
    ----------
    azimuth, elevation : float
        Degrees.
    points : sequence of (float, float, float), optional
        That it must show (m). Default: by a simulation of the first moments.
    most_turn : float, optional
        How far a person can turn the view from there, or from a named direction such as Front, to each side and up
        or down (degrees). A flat machine needs it: its parts disappear if they are seen edge-on. Default: no limit.
    """

    azimuth: float
    elevation: float
    points: Sequence[tuple[float, float, float]] = ()
    most_turn: float | None = None

    def __post_init__(self) -> None:
        if self.most_turn is not None and not self.most_turn > 0.0:
            raise ModelError(
                f"the view turns by at most {self.most_turn:g}°", element="most_turn", cure="give a positive angle"
            )


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """How a machine is drawn; `Machine` describes the fields."""

    looks: Mapping[str, Sequence[Look]] = field(default_factory=dict)
    scenery: Sequence[Look] = ()
    landscape: Landscape | None = None
    trails: Sequence[Trail] = ()
    cameras: Sequence[MachineCamera] = ()
    views: Sequence[str] = ()
    arrangement: Arrangement = "inset"
    view: Viewpoint | None = None
    grid: bool = True
    sky: bool = False
    ground: Ground = ""
    marks: bool = True

    def __post_init__(self) -> None:
        check_ground(self.ground)
