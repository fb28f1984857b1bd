"""The verbs of the studio's page: what a browser may ask of a running machine or a recorded run.

{"do": "set", "name": "k", "value": 200}    {"do": "pull", "frame": 3, "at": [0, 0, 0.1], "to": [0.2, 0, 1]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from symbody.web.checks import LARGEST, by_name, integer, list_of, number, or_none, switch, text
from symbody.web.verbs import Verb, Verbs, checked

FAR = 1e6  # m, s: the largest position and time
MOST_STEPS = 1000  # at once
SLOWEST, FASTEST = 1e-3, 100.0  # seconds of the model in a second
MOST_CHANNELS = 16  # plotted in one browser, including the standard deviations of bands
MOST_VALUES = 64  # set at once
SHORTEST, LONGEST_WAY = 1e-3, 100.0  # s that a control may take from end to end
MOST_FRAMES = 10**6
MOST_TILES = 64  # asked for at once

_ANY = number(-LARGEST, LARGEST)
_TIME = number(-FAR, FAR)
_PLACE = list_of(number(-FAR, FAR), 3, 3)


@dataclass(frozen=True)
class Play:
    """Run, or play on."""


@dataclass(frozen=True)
class Pause:
    """Pause."""


@dataclass(frozen=True)
class Step:
    """Make `n` steps, then pause."""

    n: int = checked(integer(1, MOST_STEPS))


@dataclass(frozen=True)
class Reset:
    """Begin again from the start state."""


@dataclass(frozen=True)
class Speed:
    """Set the speed: seconds of the model in a second of the clock."""

    factor: float = checked(number(SLOWEST, FASTEST))


@dataclass(frozen=True)
class Seek:
    """Go to a time (s) of a recorded run."""

    t: float = checked(_TIME)


@dataclass(frozen=True)
class Set:
    """Set a parameter or an input."""

    name: str = checked(text())
    value: float = checked(_ANY)


@dataclass(frozen=True)
class Settings:
    """Set several parameters and inputs; if one of them is refused, none is set."""

    values: Mapping[str, float] = checked(by_name(_ANY, 1, MOST_VALUES))


@dataclass(frozen=True)
class Pull:
    """Pull the point `at` (m, body frame) of a frame towards the point `to` (m, frame of the view)."""

    frame: int = checked(integer(1, MOST_FRAMES))
    at: tuple[float, float, float] = checked(_PLACE)
    to: tuple[float, float, float] = checked(_PLACE)


@dataclass(frozen=True)
class Release:
    """Release the pulled body."""


@dataclass(frozen=True)
class Move:
    """Hold a control at a value; seconds: time (s) from end to end. A page repeats it while the control is held."""

    name: str = checked(text())
    value: float = checked(number(-FAR, FAR))
    seconds: float = checked(number(SHORTEST, LONGEST_WAY))


@dataclass(frozen=True)
class LetGo:
    """Release a control."""

    name: str = checked(text())


@dataclass(frozen=True)
class Pilot:
    """Let a pilot of the machine move its controls; an empty name: people move them."""

    name: str = checked(text(0))


@dataclass(frozen=True)
class Watch:
    """Plot these channels in the browser that asks."""

    channels: tuple[str, ...] = checked(list_of(text(), 0, MOST_CHANNELS))


@dataclass(frozen=True)
class LookBack:
    """Show an earlier time (s) of a running machine in the browser that asks; None: now."""

    t: float | None = checked(or_none(_TIME))


@dataclass(frozen=True)
class Zoom:
    """Send the records of the plotted channels between two times (s) to the browser that asks."""

    since: float = checked(_TIME)
    until: float = checked(_TIME)


@dataclass(frozen=True)
class Arrows:
    """Send the forces that are drawn as arrows to the browser that asks, or stop sending them."""

    on: bool = checked(switch)


@dataclass(frozen=True)
class Inspect:
    """Send the numbers of a body, given by its frame, to the browser that asks; 0: of no body."""

    frame: int = checked(integer(0, MOST_FRAMES))


@dataclass(frozen=True)
class Tiles:
    """Send tiles of the landscape to the browser that asks: level, row and column of each."""

    keys: tuple[tuple[int, int, int], ...] = checked(list_of(list_of(integer(0, MOST_FRAMES), 3, 3), 1, MOST_TILES))


Looking = (
    Watch | LookBack | Zoom | Arrows | Inspect | Tiles
)  # changes only what one browser shows: allowed without the token
Message = Play | Pause | Step | Reset | Speed | Seek | Set | Settings | Pull | Release | Move | LetGo | Pilot | Looking
_NEWEST_BY: dict[Any, tuple[str, ...]] = {Pull: (), Seek: (), Move: ("name",), Set: ("name",)}
VERBS: Verbs[Message] = {
    kind.__name__.lower(): Verb(kind, touches=kind not in get_args(Looking), newest_by=_NEWEST_BY.get(kind))
    for kind in get_args(Message)
}
