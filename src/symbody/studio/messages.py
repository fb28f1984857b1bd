"""What a browser may say: one JSON object a message, checked to the last number before anything believes it.

{"do": "set", "name": "k", "value": 200}    {"do": "pull", "frame": 3, "at": [0, 0, 0.1], "to": [0.2, 0, 1]}
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from symbody.realtime.rejected import Rejected

LONGEST = 4096  # characters of a message
FAR = 1e6  # m, s: nothing that is shown is farther away
MOST_STEPS = 1000  # at once
SLOWEST, FASTEST = 1e-3, 100.0  # seconds of the model in a second
MOST_CHANNELS = 16  # plotted in one browser, standard deviations of bands among them
LONGEST_NAME = 200
MOST_VALUES = 64  # set at once
SWIFTEST, CALMEST = 1e-3, 100.0  # s that a control may take from end to end


def _number(low: float, high: float) -> Callable[[Any], float]:
    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Rejected("wrong type")
        if not low <= value <= high:  # NaN is in no range
            raise Rejected("out of range")
        return float(value)

    return check


def _integer(low: int, high: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Rejected("wrong type")
        return int(_number(low, high)(value))

    return check


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Rejected("wrong type")
    return value


def _text(least: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise Rejected("wrong type")
        if not least <= len(value) <= LONGEST_NAME:
            raise Rejected("out of range")
        return value

    return check


def _several(check: Callable[[Any], Any], least: int, most: int) -> Callable[[Any], tuple[Any, ...]]:
    def checked(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Rejected("wrong type")
        if not least <= len(value) <= most:
            raise Rejected("out of range", f"{len(value)} given, {least} to {most} wanted")
        return tuple(map(check, value))

    return checked


def _values(value: Any) -> dict[str, float]:
    """Numbers by name."""
    if not isinstance(value, dict):
        raise Rejected("wrong type")
    if not 1 <= len(value) <= MOST_VALUES:
        raise Rejected("out of range", f"{len(value)} given, 1 to {MOST_VALUES} wanted")
    return {_name(name): _number(-1e300, 1e300)(x) for name, x in value.items()}


def _instant(value: Any) -> float | None:
    """A time (s); None: now."""
    return None if value is None else _number(-FAR, FAR)(value)


def _checked(check: Callable[[Any], Any]) -> Any:
    return field(metadata={"check": check})


_name = _text(1)
_PLACE = _several(_number(-FAR, FAR), 3, 3)


@dataclass(frozen=True)
class Play:
    """Run, or play on."""


@dataclass(frozen=True)
class Pause:
    """Stand still."""


@dataclass(frozen=True)
class Step:
    """Make `n` steps, and stand still again."""

    n: int = _checked(_integer(1, MOST_STEPS))


@dataclass(frozen=True)
class Reset:
    """Begin again from the start state."""


@dataclass(frozen=True)
class Speed:
    """Set the pace: seconds of the model in a second of the clock."""

    factor: float = _checked(_number(SLOWEST, FASTEST))


@dataclass(frozen=True)
class Seek:
    """Go to a time (s) of a recorded run."""

    t: float = _checked(_number(-FAR, FAR))


@dataclass(frozen=True)
class Set:
    """Set a parameter or an input."""

    name: str = _checked(_name)
    value: float = _checked(_number(-1e300, 1e300))


@dataclass(frozen=True)
class Settings:
    """Set several parameters and inputs, or none of them where one cannot be."""

    values: dict[str, float] = field(metadata={"check": _values})


@dataclass(frozen=True)
class Pull:
    """Draw a place `at` (m, body frame) of a frame to a place `to` (m, as the view shows it)."""

    frame: int = _checked(_integer(1, 10**6))
    at: tuple[float, float, float] = _checked(_PLACE)
    to: tuple[float, float, float] = _checked(_PLACE)


@dataclass(frozen=True)
class Release:
    """Let the pulled body go."""


@dataclass(frozen=True)
class Move:
    """Hold a control of a machine at a value, reached in the time (s) of a way from end to end; again and again."""

    name: str = _checked(_name)
    value: float = _checked(_number(-FAR, FAR))
    seconds: float = _checked(_number(SWIFTEST, CALMEST))


@dataclass(frozen=True)
class LetGo:
    """Let a control go."""

    name: str = _checked(_name)


@dataclass(frozen=True)
class Pilot:
    """Let a pilot of the machine move its controls; without a name: people again."""

    name: str = _checked(_text(0))


@dataclass(frozen=True)
class Watch:
    """Plot these channels in the browser that asks; touches nothing."""

    channels: tuple[str, ...] = _checked(_several(_name, 0, MOST_CHANNELS))


@dataclass(frozen=True)
class LookBack:
    """Show an earlier instant (s) of a running machine to the browser that asks; None: now. Touches nothing."""

    t: float | None = _checked(_instant)


@dataclass(frozen=True)
class Arrows:
    """Tell the browser that asks the forces that it draws as arrows, or no longer."""

    on: bool = _checked(_switch)


@dataclass(frozen=True)
class Inspect:
    """Tell the browser that asks the numbers of a body, by its frame; 0: of none."""

    frame: int = _checked(_integer(0, 10**6))


Looking = Watch | LookBack | Arrows | Inspect  # what touches nothing
Message = Play | Pause | Step | Reset | Speed | Seek | Set | Settings | Pull | Release | Move | LetGo | Pilot | Looking
_KINDS: dict[str, Any] = {kind.__name__.lower(): kind for kind in get_args(Message)}


def read_message(raw: str | bytes) -> Message:
    """A message, or `Rejected` with the reason."""
    if not isinstance(raw, str):
        raise Rejected("not text")
    if len(raw) > LONGEST:
        raise Rejected("too long")
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        raise Rejected("not JSON") from None
    if not isinstance(told, dict) or not isinstance(told.get("do"), str) or told["do"] not in _KINDS:
        raise Rejected("no such command")
    kind = _KINDS[told.pop("do")]
    if {f.name for f in fields(kind)} != set(told):
        raise Rejected("wrong fields")
    made: Message = kind(**{f.name: f.metadata["check"](told[f.name]) for f in fields(kind)})
    return made
