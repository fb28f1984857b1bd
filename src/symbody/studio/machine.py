"""A machine to touch, as plain data: a system, how it is stepped, and what a person moves, sets, sees and hears."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from symbody.errors import ModelError
from symbody.realtime.filter_loop import LiveTwin
from symbody.realtime.tracking import Tracker
from symbody.stepping.method import Method
from symbody.stepping.newton import Newton
from symbody.studio.dial import Dial
from symbody.system.system import System
from symbody.visual.mesh import Array
from symbody.visual.scene import Cloud, HeightField, Look

Range = tuple[float, float]
Channels = Mapping[str, float]  # the newest outputs, by name
Pilot = Callable[[float, Channels], Mapping[str, float]]  # (s since it took over, channels) to values of controls
XY = tuple[str, str]  # a plot of the second channel over the first, instead of over time


@dataclass(frozen=True)
class Aim:
    """Where a key or a button sends a control while it is held: a value, and the time (s) from end to end."""

    value: float
    seconds: float | None = None  # None: as the control has it
    whole: bool = False  # a key that is tapped briefly holds for that time: the way is made to its end


@dataclass(frozen=True)
class Grip:
    """A body by which the pointer takes a control: value = that when it was taken + slope · displacement (m)."""

    body: str
    slope: tuple[float, float, float]  # by m, in the ground frame with z upwards, as the view shows it


@dataclass(frozen=True)
class Control:
    """An input that a person moves between two ends; let go, it goes back to rest.

    keys: as `KeyboardEvent.key` names them. axis: of a game controller, to the left or up is high; buttons by their
    number, a trigger that is half pressed counts half. seconds: the least time from end to end, however the hand jerks.
    """

    name: str  # of the input
    label: str
    low: float
    high: float
    rest: float = 0.0
    unit: str = ""
    seconds: float = 0.1
    keys: Mapping[str, Aim] = field(default_factory=dict)
    axis: int | None = None
    buttons: Mapping[int, Aim] = field(default_factory=dict)
    grips: Sequence[Grip] = ()
    shape: str = "slide"  # or "wheel", "pedal": how the page draws it
    returns: bool = True  # to rest, when it is let go
    gathers: bool = False  # speed from rest, as a finger or a foot that presses; else it moves evenly

    def __post_init__(self) -> None:
        if not self.low <= self.rest <= self.high or not self.low < self.high:
            problem = f"a control from {self.low} to {self.high} that rests at {self.rest}"
            raise ModelError(problem, element=self.name, cure="let it rest between its ends")
        if not self.seconds > 0.0:
            raise ModelError(f"a control of {self.seconds} s", element=self.name, cure="give a positive time")


@dataclass(frozen=True)
class Struck:
    """A note at each peak of a channel; it dies away, sooner while the damper's channel is above zero."""

    channel: str  # 0 where nothing touches
    full: float  # the peak that is loudest
    pitch: float = 261.63  # Hz
    damper: str | None = None
    kind: str = "struck"  # a string; or "thud": something heavy, which is also felt


@dataclass(frozen=True)
class Hum:
    """A tone or a hiss that goes on: its loudness by one channel, its pitch by another."""

    loudness: str
    full: float  # of that channel: loudest
    pitch: str | None = None
    per_unit: float = 1.0  # Hz by the channel of the pitch
    lowest: float = 40.0  # Hz
    kind: str = "tone"  # or "hiss"
    quiet: float = 0.0  # of the first channel: not heard below


@dataclass(frozen=True)
class Ride:
    """A seat on a body: the eye (m) and where it looks, both in the body frame."""

    name: str
    body: str
    eye: tuple[float, float, float]
    ahead: tuple[float, float, float] = (1.0, 0.0, 0.0)
    field: float = 55.0  # degrees, up and down


@dataclass(frozen=True)
class Particles:
    """Balls that move: how they look, and where they are now (n, 3) on their frame (m)."""

    cloud: Cloud
    points: Callable[[], Array]


@dataclass(frozen=True)
class Terrain:
    """A surface that changes: how it looks, and its heights now (rows, columns) on its frame (m)."""

    field: HeightField
    heights: Callable[[], Array]


class Companion(Protocol):
    """What runs beside the loop of a machine: begun before its first step, closed after its last."""

    def start(self) -> object:
        """Begin, in threads of its own."""

    def close(self) -> None:
        """End."""


@dataclass(frozen=True)
class Viewpoint:
    """Where a picture is taken from at first: degrees about and above, and the places (m) that it must hold."""

    azimuth: float
    elevation: float
    points: Sequence[tuple[float, float, float]] = ()  # none: as the motion foreseen needs it


@dataclass(frozen=True)
class Preset:
    """A scenario to begin with: values of dials, all others as at first; and a pilot, if one is to drive."""

    name: str
    values: Mapping[str, float] = field(default_factory=dict)
    line: str = ""  # what happens, in a few words
    pilot: str = ""


@dataclass(frozen=True)
class Machine:
    """A system that runs in the studio; what is left out is as of any model.

    track, limits, effort_limits, substeps, newton, priority: as of `Loop`. stale: seconds after which a loop is safe
    whose hands have fallen silent. pilots: by name, who moves the controls until a person touches them. dials: in the
    order of the page; none: every parameter. labels: what people read instead of names of channels. waits: it stands
    still until somebody touches a control or a scenario. start: one sentence, what to do. view: where it is seen from;
    without one, from the first of the rides. plots: a channel, several with commas between, or a pair. twin: a filter
    beside the system, which is its truth.
    """

    title: str
    system: System
    rate: float = 1000.0
    method: str | Method | None = None
    substeps: int = 1
    newton: Newton | None = None
    track: Mapping[str, Tracker] = field(default_factory=dict)
    limits: Mapping[str, Range] = field(default_factory=dict)
    effort_limits: Mapping[str, float] = field(default_factory=dict)
    stale: float = 0.25
    priority: int = 80
    controls: Sequence[Control] = ()
    pilots: Mapping[str, Pilot] = field(default_factory=dict)
    dials: Sequence[Dial] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    presets: Sequence[Preset] = ()
    start: str = ""
    waits: bool = False
    plots: Sequence[str | XY] = ()
    sounds: Sequence[Struck | Hum] = ()
    looks: Mapping[str, Sequence[Look]] = field(default_factory=dict)
    scenery: Sequence[Look] = ()  # on the ground, beside what the camera must hold
    particles: Sequence[Particles] = ()
    terrains: Sequence[Terrain] = ()
    rides: Sequence[Ride] = ()
    companions: Sequence[Companion] = ()  # they end with the studio
    view: Viewpoint | None = None
    grid: bool = True  # a ground with lines, on the floor
    sky: bool = False  # over a horizon
    marks: bool = True  # of joints, points and masses; a machine that is dressed may do without
    help: Sequence[str] = ()  # a line each: what to do with mouse and keyboard
    shows: Callable[[Channels], Sequence[str]] | None = None  # lines over the view, from the channels
    twin: LiveTwin | None = None
