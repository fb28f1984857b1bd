"""A machine with controls as plain data: a system, how it is stepped, and what a person moves, sets, sees and hears."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from symbody.errors import ModelError
from symbody.files.mesh import Array
from symbody.realtime.stepper import LoopSource
from symbody.realtime.tracking import Tracker
from symbody.stepping.method import Method
from symbody.stepping.newton import Newton
from symbody.studio.cameras import Arrangement, MachineCamera
from symbody.studio.dial import Dial
from symbody.studio.gauges import AnyGauge, Gauge
from symbody.studio.landscape import Landscape
from symbody.studio.machine_pages import MachinePage, MachineVerb
from symbody.system.system import System
from symbody.visual.materials import Ground, check_ground
from symbody.visual.scene import Cloud, HeightField, Look
from symbody.web.store import KeyValueStore

Range = tuple[float, float]
Channels = Mapping[str, float]  # the newest outputs, by name
Pilot = Callable[[float, Channels], Mapping[str, float]]  # (s since it took over, channels) → values of controls
StruckKind = Literal["struck", "thud", "felt"]
HumKind = Literal["tone", "hiss", "motor", "engine", "hydraulics", "gravel", "wind", "skis"]
SoundKind = Literal[StruckKind, HumKind]
ControlShape = Literal["slide", "wheel", "pedal"]
XY = tuple[str, str]  # a plot of the second channel over the first, instead of over time


@dataclass(frozen=True)
class Aim:
    """The target of a control while a key or button is held: a value, and the time (s) from end to end."""

    value: float
    seconds: float | None = None  # None: that of the control
    whole: bool = False  # a short tap counts for that whole time


@dataclass(frozen=True)
class Grip:
    """A body with which the pointer moves a control: value = start value + slope · displacement (m)."""

    body: str
    slope: tuple[float, float, float]  # a metre, in the frame of the view, z upwards


@dataclass(frozen=True)
class Control:
    """An input that a person moves between two ends; when released, it returns to rest.

    keys: by their `KeyboardEvent.key`. axis: of a game controller, left and up are high; buttons by their number, a
    trigger that is half pressed counts half. seconds: the least time from end to end, however fast the hand moves.
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
    shape: ControlShape = "slide"  # how the page draws it
    returns: bool = True  # to rest, when it is released
    gathers: bool = False  # accelerates from rest, as a finger or a foot does; False: constant speed

    def __post_init__(self) -> None:
        if not self.low <= self.rest <= self.high or not self.low < self.high:
            problem = f"the rest position {self.rest} is outside the range {self.low} to {self.high}"
            raise ModelError(problem, element=self.name, cure="give low ≤ rest ≤ high, and low < high")
        if not self.seconds > 0.0:
            raise ModelError(
                f"a control takes {self.seconds} s from end to end", element=self.name, cure="give a positive time"
            )


@dataclass(frozen=True)
class Struck:
    """A note at each peak of a channel; it decays, and faster while the damper's channel is above zero."""

    channel: str  # 0 without contact
    full: float  # the peak of full loudness
    pitch: float = 261.63  # Hz
    damper: str | None = None
    kind: StruckKind = "struck"  # a string; "thud": a heavy blow, which also shakes the page; "felt": a dull knock
    body: str = ""  # where it is heard: on a body; "": everywhere
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, on that body
    near: float = 1.0  # m, distance within which it is as loud as it can be


@dataclass(frozen=True)
class Hum:
    """A continuous sound: one channel sets its loudness, another its pitch.

    kind: a tone, a hiss about its pitch, an electric motor, an engine (pitch: its firings), hydraulics (pitch: the
    pistons of the pump), gravel (pitch: stones per second), wind, skis. only: a channel and a range in which it sounds.
    """

    loudness: str
    full: float  # of that channel: full loudness
    pitch: str | None = None
    per_unit: float = 1.0  # Hz per unit of the pitch channel
    lowest: float = 40.0  # Hz
    kind: HumKind = "tone"
    quiet: float = 0.0  # of the loudness channel: silent below
    only: tuple[str, float, float] | None = None
    body: str = ""  # as for `Struck`
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    near: float = 1.0

    def __post_init__(self) -> None:
        if not self.full > self.quiet:
            problem = f"full loudness at {self.full}, silence below {self.quiet}"
            raise ModelError(problem, element=self.loudness, cure="give full > quiet")


@dataclass(frozen=True)
class Particles:
    """Moving balls: their look, and their positions now (n, 3) in their frame (m)."""

    cloud: Cloud
    points: Callable[[], Array]


@dataclass(frozen=True)
class ChangingSurface:
    """A changing surface: its look, and its heights now (rows, columns) in its frame (m)."""

    field: HeightField
    heights: Callable[[], Array]


@dataclass(frozen=True)
class Trail:
    """A track that a point (m) of a body leaves on the ground."""

    body: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    width: float = 0.1  # m
    colour: str = "#7f8c96"


@dataclass(frozen=True)
class LoopStart:
    """Conditions under which a loop starts: its inputs and parameters, and how its code is compiled at any time."""

    inputs: Sequence[str]
    parameters: Mapping[str, float]
    tier: Callable[[], str]


class Referee(Protocol):
    """Watches the channels of a running machine, speaks over the view, and may stop the machine."""

    channels: Sequence[str]
    gauges: Sequence[Gauge]  # over the view, with channels of `gauge_values`

    def gauge_values(self) -> Channels:
        """Values of the channels of its gauges now."""

    def begin_again(self, start: LoopStart | None = None) -> None:
        """The machine starts again."""

    def see_inputs(self, steps: Array, inputs: Array) -> None:
        """Inputs of new steps since the start, in columns, before `see` gets their records; a step may come twice."""

    def locks(self) -> bool:
        """Whether parameters must not change now."""

    def see(self, t: Array, values: Array) -> None:
        """New records: times (s), and the channels in columns."""

    def lines(self) -> Sequence[str]:
        """What is said over the view now."""

    def stops(self) -> bool:
        """Whether the machine must stop."""


class Companion(Protocol):
    """Threads that run beside the loop of a machine: started before it, closed after it."""

    def start(self) -> object:
        """Start, in threads of its own."""

    def close(self) -> None:
        """End."""


@dataclass(frozen=True)
class Viewpoint:
    """The view from outside: azimuth and elevation in degrees, and the points (m) that it must show."""

    azimuth: float
    elevation: float
    points: Sequence[tuple[float, float, float]] = ()  # none: by a simulation of the first moments


@dataclass(frozen=True)
class Preset:
    """A scenario: values of some dials, start values for all others, and perhaps a pilot."""

    name: str
    values: Mapping[str, float] = field(default_factory=dict)
    line: str = ""  # what happens, in a few words
    pilot: str = ""


@dataclass(frozen=True)
class Machine:
    """A system that runs in the studio; all further fields have defaults that suit any model.

    track, limits, effort_limits, substeps, newton, priority: see `Loop`. stale: seconds without input after which the
    loop goes to its safe state. pilots: functions by name that move the controls until a person touches one. dials: in
    the order of the page; None: every parameter. labels: of channels, instead of their names. waits: paused until a
    person touches a control or chooses a scenario. start: one sentence that says what to do. view: the view from
    outside; without it, and without `views`, the machine is first seen from its first seat (`Ride`). plots: a channel,
    several separated by commas, or a pair (x, y). source: what the loop steps; None: the system. With a source
    (`LiveTwin`, a haptic scene) the system is only drawn.
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
    dials: Sequence[Dial] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    presets: Sequence[Preset] = ()
    start: str = ""
    waits: bool = False
    plots: Sequence[str | XY] = ()
    sounds: Sequence[Struck | Hum] = ()
    looks: Mapping[str, Sequence[Look]] = field(default_factory=dict)
    scenery: Sequence[Look] = ()  # on the ground; the camera need not show all of it
    particles: Sequence[Particles] = ()
    terrains: Sequence[ChangingSurface] = ()
    landscape: Landscape | None = None
    trails: Sequence[Trail] = ()
    cameras: Sequence[MachineCamera] = ()
    views: Sequence[str] = ()  # names of one or two cameras at first; "Outside" is the view that a person turns
    arrangement: Arrangement = "inset"  # of two views
    companions: Sequence[Companion] = ()  # closed with the studio
    view: Viewpoint | None = None
    grid: bool = True  # on the floor
    sky: bool = False  # above a horizon
    ground: Ground = ""  # what it stands on; under a sky it goes to the horizon
    marks: bool = True  # of joints, points and masses
    gauges: Sequence[AnyGauge] = ()  # instruments over the view
    monitors_time: bool = False  # a line over the view with the time of a step and its period
    help: Sequence[str] = ()  # lines about mouse and keyboard
    shows: Callable[[Channels], Sequence[str]] | None = None  # lines of text over the view
    referee: Referee | None = None  # a scenario, for example
    source: LoopSource | None = None
    pages: Sequence[MachinePage] = ()  # none: one page with all panels
    verbs: Mapping[str, MachineVerb] = field(default_factory=dict)  # of forms
    store: KeyValueStore | None = None  # of tables, and for verbs

    def __post_init__(self) -> None:
        check_ground(self.ground)
