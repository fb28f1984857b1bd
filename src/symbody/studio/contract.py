"""Messages to the page of the studio, as JSON: the declarations from which `frontend/contract.py` makes TypeScript.

A test checks messages of real machines against them. What a page sends is declared in `messages.py`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, NotRequired, TypedDict

from symbody.studio.arrows import ArrowForm, ArrowKind
from symbody.studio.cameras import Arrangement
from symbody.studio.charts import ChartContent
from symbody.studio.dial import Dial
from symbody.studio.gauges import GaugeData
from symbody.studio.machine import Aim, ControlShape, Instruction, Preset, SoundKind
from symbody.studio.machine_pages import PageData
from symbody.studio.model_tree import BodyCard
from symbody.studio.stop import Stop
from symbody.visual.page_types import SceneData, SceneDifference, Triple


class ArrowRow(NamedTuple):
    """A force at a point (m) of a frame; of a link also its other end."""

    name: str
    kind: ArrowKind
    form: ArrowForm  # what its numbers are, see arrows.py
    frame: int
    at: Triple
    other: int
    to: Triple


class GripData(TypedDict):
    """A body with which the pointer moves a control."""

    frame: int
    slope: Triple


class ControlData(TypedDict):
    """An input that a person moves between two ends."""

    name: str
    label: str
    low: float
    high: float
    rest: float
    unit: str
    seconds: float  # the least time from end to end
    keys: dict[str, Aim]
    axis: int | None
    buttons: dict[str, Aim]
    grips: list[GripData]
    shape: ControlShape
    returns: bool
    gathers: bool


class SoundData(TypedDict):
    """A sound and where it is."""

    kind: SoundKind
    frame: int | None  # None: everywhere
    at: Triple  # m
    near: float  # m, within which it is as loud as it can be


class Hello(TypedDict):
    """The first message with a source; optional fields are those of machines."""

    run: str  # identity of this start of the studio: a page of an earlier one reloads itself
    most_channels: int  # plotted at a time
    kind: Literal["live", "run"]
    title: str
    touch: bool  # the browser has given the token
    units: dict[str, str]
    dials: list[Dial]
    span: tuple[float, float] | None  # s, of a recorded run
    pulled: list[int]  # frames
    sounds: list[SoundData]
    arrows: list[ArrowRow]
    parts: list[BodyCard]
    memory: float  # s that can be looked back
    labels: dict[str, str]  # of channels that are not shown by their names
    start: NotRequired[Instruction]  # one sentence: what to do
    presets: NotRequired[list[Preset]]
    controls: NotRequired[list[ControlData]]
    pilots: NotRequired[list[str]]
    plots: NotRequired[list[str | tuple[str, str]]]
    floors: NotRequired[dict[str, float]]  # least magnitudes that count, by channel; otherwise by unit
    help: NotRequired[list[Instruction]]
    gauges: NotRequired[list[GaugeData]]
    views: NotRequired[list[str]]  # names of cameras at first
    arrangement: NotRequired[Arrangement]  # of two views
    pages: NotRequired[list[PageData]]


class Status(TypedDict):
    """The state of the source; optional fields are those of machines."""

    state: str
    reason: str
    speed: float
    late: int
    dials: dict[str, float]
    watchers: int
    refused: int
    pilot: NotRequired[str]
    lines: NotRequired[list[str]]
    begun: NotRequired[int]  # how often
    waiting: NotRequired[bool]  # for the first touch
    since: NotRequired[float | None]  # s, the oldest time that is kept
    stop: NotRequired[Stop | None]
    tables: NotRequired[dict[str, list[list[str | float]]]]  # rows by key


class Preparing(TypedDict):
    """The stage that is reached before there is a source."""

    stage: str
    share: float  # 0 … 1


class PreviewData(TypedDict):
    """A first picture: the machine at its start, before it can move."""

    title: str
    views: list[str]
    arrangement: Arrangement
    scene: SceneData


class Refused(TypedDict):
    """Why a message of this page was not carried out."""

    reason: str
    detail: str


class ServerMessage(TypedDict, total=False):
    """A text message of the server: any of these."""

    preparing: Preparing
    preview: PreviewData
    failed: str  # why there will be nothing to show
    hello: Hello
    scene: SceneData
    status: Status
    charts: dict[str, ChartContent]  # by key
    changed: SceneDifference
    refused: Refused
    controls: list[float]
    sounds: list[Triple]  # number of the sound, loudness, pitch (Hz)
