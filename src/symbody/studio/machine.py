"""A machine with controls as plain data: a system, how it is stepped, and what a person moves, sets, sees and hears."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from symbody.errors import ModelError
from symbody.files.mesh import Array
from symbody.realtime.stepper import LoopSource
from symbody.realtime.tracking import Tracker
from symbody.stepping.method import Method
from symbody.stepping.newton import Newton
from symbody.studio.appearance import Appearance
from symbody.studio.balls import Balls
from symbody.studio.dial import Dial
from symbody.studio.gauges import AnyGauge, Gauge
from symbody.studio.machine_pages import MachinePage, MachineVerb
from symbody.system.system import System
from symbody.visual.scene import Cloud, HeightField
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
    """The target of a control while a key or button is held.

    Parameters
    ----------
    value : float
        Where the control moves.
    seconds : float, optional
        Time from end to end (s). None: that of the control.
    whole : bool
        Whether a short tap counts for that whole time. Default False.
    """

    value: float
    seconds: float | None = None
    whole: bool = False


@dataclass(frozen=True)
class Grip:
    """A body with which the pointer moves a control: value = start value + slope · displacement (m).

    Parameters
    ----------
    body : str
        Its name.
    slope : (float, float, float)
        Change of the value per metre, in the frame of the view, z upwards.
    """

    body: str
    slope: tuple[float, float, float]


@dataclass(frozen=True)
class Control:
    """An input that a person moves between two ends; when released, it returns to rest.

    Parameters
    ----------
    name : str
        Of the input.
    label : str
        On the page.
    low, high : float
        Its ends.
    rest : float
        Value when it is released. Default 0.
    unit : str, optional
        That is shown.
    seconds : float
        Least time from end to end (s), however fast the hand moves. Default 0.1.
    keys : mapping of str to Aim, optional
        By their `KeyboardEvent.key`.
    axis : int, optional
        Of a game controller; left and up are high.
    buttons : mapping of int to Aim, optional
        By their number. A trigger that is half pressed counts half.
    grips : sequence of Grip, optional
        Bodies with which the pointer moves it.
    shape : ControlShape
        How the page draws it. Default "slide".
    returns : bool
        Whether it returns to rest when it is released. Default True.
    gathers : bool
        Whether it accelerates from rest, as a finger or a foot does; otherwise its speed is constant. Default False.
    """

    name: str
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
    shape: ControlShape = "slide"
    returns: bool = True
    gathers: bool = False

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
    """A note at each peak of a channel; it decays.

    Parameters
    ----------
    channel : str
        Such as a contact force: 0 without contact.
    full : float
        Its peak of full loudness.
    pitch : float
        Hz. Default 261.6.
    damper : str, optional
        A channel; the note decays faster while it is above zero.
    kind : StruckKind
        "struck": a string; "thud": a heavy blow, which also shakes the page; "felt": a dull knock. Default "struck".
    body : str, optional
        Where it is heard. Default: everywhere.
    at : (float, float, float)
        Point of that body (m). Default (0, 0, 0).
    near : float
        Distance within which it is as loud as it can be (m). Default 1.
    """

    channel: str
    full: float
    pitch: float = 261.63
    damper: str | None = None
    kind: StruckKind = "struck"
    body: str = ""
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    near: float = 1.0


@dataclass(frozen=True)
class Hum:
    """A continuous sound: one channel sets its loudness, another its pitch.

    Parameters
    ----------
    loudness : str
        Name of a channel.
    full : float
        Its value of full loudness.
    pitch : str, optional
        Name of a channel.
    per_unit : float
        Hz per unit of the pitch channel. Default 1.
    lowest : float
        Lowest pitch (Hz). Default 40.
    kind : HumKind
        A tone, a hiss about its pitch, an electric motor, an engine (pitch: its firings), hydraulics (pitch: the
        pistons of the pump), gravel (pitch: stones per second), wind, skis. Default "tone".
    quiet : float
        Value of the loudness channel below which it is silent. Default 0.
    only : (str, float, float), optional
        A channel and a range in which it sounds.
    body, at, near
        As in `Struck`.
    """

    loudness: str
    full: float
    pitch: str | None = None
    per_unit: float = 1.0
    lowest: float = 40.0
    kind: HumKind = "tone"
    quiet: float = 0.0
    only: tuple[str, float, float] | None = None
    body: str = ""
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    near: float = 1.0

    def __post_init__(self) -> None:
        if not self.full > self.quiet:
            problem = f"full loudness at {self.full}, silence below {self.quiet}"
            raise ModelError(problem, element=self.loudness, cure="give full > quiet")


@dataclass(frozen=True)
class Particles:
    """Moving balls.

    Parameters
    ----------
    cloud : Cloud
        Their number and look.
    points : function
        Returns their positions now (n, 3), in their frame (m); or `Balls`, with sizes, colours and numbers.
    """

    cloud: Cloud
    points: Callable[[], Array | Balls]

    def now(self) -> Balls:
        """The balls now."""
        found = self.points()
        return found if isinstance(found, Balls) else Balls(found)


@dataclass(frozen=True)
class ChangingSurface:
    """A changing surface.

    Parameters
    ----------
    field : HeightField
        Its grid and look.
    heights : function
        Returns its heights now (rows, columns), in its frame (m).
    """

    field: HeightField
    heights: Callable[[], Array]


@dataclass(frozen=True)
class LoopStart:
    """Conditions under which a loop starts: its inputs and parameters, and how its code is compiled at any time."""

    inputs: Sequence[str]
    parameters: Mapping[str, float]
    tier: Callable[[], str]


@runtime_checkable
class Watcher(Protocol):
    """Lines over the view that depend on all records, not only on the newest one."""

    channels: Sequence[str]

    def see(self, t: Array, values: Array) -> None:
        """New records: times (s), and the channels in columns."""

    def __call__(self, channels: Channels) -> Sequence[str]:
        """What is said over the view now."""


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
class Instruction:
    """What a person may do: a phone has neither mouse nor keys, so it may need other words.

    Parameters
    ----------
    text : str
        For mouse, keys and game controllers.
    touch : str
        For a screen that is touched; "" leaves the line out. Default "".
    """

    text: str
    touch: str = ""


def instruction(line: str | Instruction) -> Instruction:
    """The line as an instruction; a plain text is the same everywhere."""
    return line if isinstance(line, Instruction) else Instruction(line, line)


@dataclass(frozen=True)
class Preset:
    """A scenario: values of some dials, and start values for all others.

    Parameters
    ----------
    name : str
        On the page.
    values : mapping of str to float, optional
        By dial.
    line : str, optional
        What happens, in a few words.
    pilot : str, optional
        Name of a pilot that starts.
    """

    name: str
    values: Mapping[str, float] = field(default_factory=dict)
    line: str = ""
    pilot: str = ""


@dataclass(frozen=True)
class Machine(Appearance):
    """A system that runs in the studio; all further fields have defaults that suit any model.

    Parameters
    ----------
    title : str
        Of the page.
    system : System
        Drawn, and stepped if there is no `source`.
    rate, method, substeps, track, limits, effort_limits
        As in `symbody.realtime.Loop` and `Safety`.
    newton : Newton, optional
        Iterations of implicit methods.
    stale : float
        Time without input (s) after which the loop goes to its safe state. Default 0.25.
    priority : int
        Of the loop's thread, 0 to 99. Default 80.
    controls : sequence of Control, optional
        Inputs that a person moves.
    pilots : mapping of str to function, optional
        Functions by name that move the controls until a person touches one.
    dials : sequence of Dial, optional
        In the order of the page. None: every parameter.
    labels : mapping of str to str, optional
        Of channels, instead of their names.
    presets : sequence of Preset, optional
        Scenarios of the page.
    start : str or Instruction, optional
        One sentence that says what to do.
    waits : bool
        Whether it is paused until a person touches a control or chooses a scenario. Default False.
    plots : sequence of str or (str, str), optional
        A channel, several separated by commas, or a pair (x, y).
    floors : mapping of str to float, optional
        By channel: the least magnitude (in its SI unit) that is not rounding. Default: by its unit.
    sounds : sequence of Struck or Hum, optional
        Of contacts and drives.
    looks : mapping of str to sequence of Look, optional
        Of bodies, by name. Default: from the model.
    scenery : sequence of Look, optional
        On the ground; the camera need not show all of it.
    particles : sequence of Particles, optional
        Moving balls.
    terrains : sequence of ChangingSurface, optional
        Changing surfaces.
    landscape : Landscape, optional
        A large fixed ground.
    trails : sequence of Trail, optional
        On the ground.
    cameras : sequence of MachineCamera, optional
        Besides the view from outside.
    views : sequence of str, optional
        Names of one or two cameras at first; "Outside" is the view that a person turns.
    arrangement : Arrangement
        Of two views. Default "inset".
    companions : sequence of Companion, optional
        Threads that are closed with the studio.
    view : Viewpoint, optional
        From outside. Without it, and without `views`, the machine is first seen from its first seat (`Ride`).
    grid : bool
        Whether the floor has a grid. Default True.
    sky : bool
        Whether there is a sky above a horizon. Default False.
    ground : Ground, optional
        What it stands on; under a sky it extends to the horizon.
    marks : bool
        Whether joints, points and masses are marked. Default True.
    gauges : sequence of AnyGauge, optional
        Instruments over the view.
    monitors_time : bool
        Whether a line over the view shows the time of a step and its period. Default False.
    help : sequence of str or Instruction, optional
        Lines about mouse, keys and fingers.
    shows : function, optional
        Returns lines of text over the view; a `Watcher` gets all records.
    referee : Referee, optional
        Such as that of a scenario.
    source : LoopSource, optional
        What the loop steps, such as `LiveTwin` or a haptic scene. Then the system is only drawn.
    pages : sequence of MachinePage, optional
        Default: one page with all panels.
    verbs : mapping of str to MachineVerb, optional
        Of forms, by name.
    store : KeyValueStore, optional
        Of tables, and for verbs.
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
    start: str | Instruction = ""
    waits: bool = False
    plots: Sequence[str | XY] = ()
    floors: Mapping[str, float] = field(default_factory=dict)
    sounds: Sequence[Struck | Hum] = ()
    particles: Sequence[Particles] = ()
    terrains: Sequence[ChangingSurface] = ()
    companions: Sequence[Companion] = ()
    gauges: Sequence[AnyGauge] = ()
    monitors_time: bool = False
    help: Sequence[str | Instruction] = ()
    shows: Callable[[Channels], Sequence[str]] | None = None
    referee: Referee | None = None
    source: LoopSource | None = None
    pages: Sequence[MachinePage] = ()
    verbs: Mapping[str, MachineVerb] = field(default_factory=dict)
    store: KeyValueStore | None = None
