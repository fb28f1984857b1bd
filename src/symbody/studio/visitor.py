"""A connected browser: what was sent to it, which messages are due, and what it holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.links.rejected import Rejected
from symbody.studio.arrows import channels_of
from symbody.studio.channel_labels import channel_labels
from symbody.studio.height_patches import HeightPatches
from symbody.studio.messages import (
    MOST_CHANNELS,
    Arrows,
    Inspect,
    LetGo,
    LookBack,
    Looking,
    Message,
    Move,
    Pull,
    Release,
    Tiles,
    Watch,
    Zoom,
)
from symbody.studio.sounds import Listener, sound_channels, sound_rows
from symbody.studio.source import StudioSource
from symbody.studio.stream import (
    MOST_BANDS,
    ball_message,
    bands,
    cloud_message,
    gauge_message,
    moved_poses,
    plot_message,
    time_message,
    values_message,
)
from symbody.studio.tiles import Key, TilePyramid
from symbody.visual.scene import Scene
from symbody.visual.scene_difference import scene_difference
from symbody.web.gate import RateLimit

Array = np.ndarray
RECORDS = 8  # in one band of a plot
TICK = 0.1  # s between two messages with the time, if nothing moves
MOST_RECALLED = 4000  # bands of the kept past
MOST_RECORDS = 12000  # of a plot that is zoomed or stands still: all that the loop keeps at 1 kHz
LOOKING = 20.0  # messages a second, and at once, from a browser that only watches: fewer than from one that drives
MOST_ASKED = 256  # tiles that a browser waits for
TILES_AT_ONCE = 16  # made for one browser before others get theirs
GAUGES_KEY = -1  # in the last messages with values
MOST_HELD = 64  # controls and bodies that one browser holds at a time


@dataclass(eq=False)  # two visitors with equal fields are different
class Visitor:
    """State of one browser."""

    touch: bool
    version: int  # of the scene that it shows
    rate_limit: RateLimit = field(init=False)
    shapes: Scene | None = None  # that it draws
    poses: Array | None = None
    t: float = 0.0  # s, sent last
    patches: int = 0  # of height fields, that it has
    clouds: dict[int, bytes] = field(default_factory=dict)  # last message of each cloud
    balls: dict[int, bytes | None] = field(default_factory=dict)  # last message with the looks of each cloud
    status: str = ""
    charts: int = 0  # revision that it has
    channels: tuple[str, ...] = ()
    choice: int = 0  # number of the choice of channels
    zoom: tuple[float, float] | None = None  # times (s) between which it asks for records
    record: int = 0
    coming: int = -1  # version of the scene at the last check
    moved: list[float] = field(default_factory=list)
    ears: Listener | None = None
    hears: int = -1  # next record to search for sounds
    looks: float | None = None  # at which past time (s); None: now
    holds: set[str | None] = field(default_factory=set)  # controls by name; None: a body
    arrows: bool = False  # whether it draws them
    inspected: int = 0  # the frame of a body; 0: none
    values: dict[int, bytes] = field(
        default_factory=dict
    )  # last messages: of gauges (−1), of the arrows (0), of a body
    asked: dict[Key, None] = field(default_factory=dict)  # tiles that it waits for, in their order
    tiles: dict[Key, int] = field(default_factory=dict)  # versions of the tiles in its page
    changes: int = 0  # of the landscape, that its tiles have

    def __post_init__(self) -> None:
        self.rate_limit = RateLimit() if self.touch else RateLimit(rate=LOOKING, burst=LOOKING)

    def look(self, source: StudioSource, message: Looking) -> None:
        """Change what the browser plots, shows, draws or inspects; `Rejected` if there is no such thing."""
        match message:
            case Watch(channels):
                if unknown := [name for name in channels if name not in source.units]:
                    raise Rejected("no such channel", ", ".join(unknown))
                self.channels, self.choice, self.record = channels, self.choice + 1, 0
            case LookBack(t):
                if t is not None and not source.remembers:
                    raise Rejected("no past is kept", "move the time slider of a recorded run")
                self.looks, self.hears, self.ears = t, -1, None  # sounds meanwhile are skipped
            case Zoom(since, until):
                self.zoom = since, until
            case Arrows(on):
                self.arrows = on
            case Inspect(frame):
                if frame and not any(card.frame == frame for card in source.anatomy):
                    raise Rejected("no such body")
                self.inspected = frame
            case Tiles(keys):
                ground = source.landscape
                if ground is None or not all(ground.has_tile(*key) for key in keys):
                    raise Rejected("no such tile")
                self.asked |= dict.fromkeys(keys)
                while len(self.asked) > MOST_ASKED:  # the oldest are no longer in sight
                    del self.asked[next(iter(self.asked))]
                return
        self.values.clear()

    def note_hold(self, message: Message) -> None:
        """Note which controls and bodies the browser holds after a message."""
        match message:
            case Pull():
                self.holds.add(None)
            case Release():
                self.holds.discard(None)
            case Move(name) if len(self.holds) < MOST_HELD:
                self.holds.add(name)
            case LetGo(name):
                self.holds.discard(name)

    def let_go(self) -> list[Message]:
        """The messages that release everything."""
        return [Release() if held is None else LetGo(held) for held in self.holds]


def hello_message(source: StudioSource, visitor: Visitor, run: str, scene: str) -> str:
    """The first message to a page: title, channels, dials, controls, and the scene as JSON.

    run: identity of this start of the studio; a page of an earlier one reloads itself.
    """
    about: dict[str, Any] = {
        "run": run,
        "kind": source.kind,
        "title": source.title,
        "touch": visitor.touch,
        "units": dict(source.units),
        "dials": [vars(dial) for dial in source.dials.values()],
        "span": [float(source.samples(0, [])[1][k]) for k in (0, -1)] if source.kind == "run" else None,
        "pulled": list(source.pulled),
        "sounds": sound_rows(source.sounds, {card.name: card.frame for card in source.anatomy}),
        "memory": source.remembers,
        "labels": channel_labels(source.units, source.labels),
        "most_channels": MOST_CHANNELS,
        "arrows": [arrow.row for arrow in source.arrows],
        "parts": [card.row for card in source.anatomy],
    }
    return f'{{"hello": {json.dumps(about | source.about())}, "scene": {scene}}}'


def refusal_message(refusal: Rejected) -> str:
    """The message with the reason of a refusal."""
    return json.dumps({"refused": {"reason": refusal.reason, "detail": refusal.detail}})


def motion_messages(source: StudioSource, visitor: Visitor, shown: tuple[float, Array]) -> list[str | bytes]:
    """Messages with frames and controls that moved, and with sounds; shown: time and poses now."""
    past = None if visitor.looks is None else source.past(visitor.looks)
    t, rows = past or shown
    poses, visitor.poses = moved_poses(t, rows, visitor.poses)
    if poses is None and abs(t - visitor.t) > (0.0 if past else TICK):
        poses = time_message(t)
    visitor.t = t if poses else visitor.t
    changes: dict[str, Any] = {}
    if (moved := source.moved(visitor.looks if past else None)) != visitor.moved:
        visitor.moved = changes["controls"] = moved
    if past is None and (heard := _heard(source, visitor)):
        changes["sounds"] = heard
    return ([poses] if poses else []) + ([json.dumps(changes)] if changes else [])


def surface_messages(source: StudioSource, visitor: Visitor, patches: HeightPatches) -> list[str | bytes]:
    """Messages with clouds and patches of height fields that changed."""
    news: list[str | bytes] = []
    for k, balls in enumerate(source.balls()):
        looks, places = ball_message(k, balls), cloud_message(k, balls.points)
        if looks and visitor.balls.get(k) != looks:
            news += [looks, places]  # numbers hold for the positions that follow
        elif visitor.clouds.get(k) != places:
            news.append(places)
        visitor.balls[k], visitor.clouds[k] = looks, places
    changed, visitor.patches = patches.since(visitor.patches)
    return news + changed


def tile_messages(pyramid: TilePyramid, visitor: Visitor) -> list[bytes]:
    """Messages with tiles that the browser asked for, and with changes of the tiles in its page."""
    now = pyramid.update()
    if now != visitor.changes:
        visitor.asked |= dict.fromkeys(sorted(pyramid.changed(visitor.changes) & visitor.tiles.keys()))
        visitor.changes = now
    news = []
    for key in list(visitor.asked)[:TILES_AT_ONCE]:
        del visitor.asked[key]
        message, visitor.tiles[key] = pyramid.message(key, visitor.tiles.get(key, 0))
        news += [message] if message else []
    return news


def value_messages(source: StudioSource, visitor: Visitor) -> list[str | bytes]:
    """Messages with the values of gauges, of drawn arrows and of the inspected body, if they changed."""
    found = {}
    if visitor.arrows and source.arrows:
        found[0] = values_message(0, source.values(channels_of(source.arrows), visitor.looks))
    for card in source.anatomy if visitor.inspected else ():
        if card.frame == visitor.inspected:
            numbers = np.concatenate([source.numbers(card.name), source.values(card.channels, visitor.looks)])
            found[card.frame] = values_message(card.frame, numbers)
    if source.gauges.channels:
        found[GAUGES_KEY] = gauge_message(source.values(source.gauges.channels, visitor.looks))
    news = [message for number, message in found.items() if visitor.values.get(number) != message]
    visitor.values = found
    return list(news)


def _heard(source: StudioSource, visitor: Visitor) -> list[list[float]]:
    if not source.sounds:
        return []
    visitor.ears = visitor.ears or Listener(source.sounds)
    new = visitor.hears < 0  # earlier sounds are over
    visitor.hears, _, rows = source.samples(max(visitor.hears, 0), sound_channels(source.sounds))
    return visitor.ears.heard(rows[-1:] if new else rows)


def plot_messages(source: StudioSource, visitor: Visitor) -> list[str | bytes]:
    """Messages with new bands of the plotted channels, once the browser has their past (`past_plot`)."""
    if not visitor.channels or visitor.record == 0:
        return []
    visitor.record, t, values = source.samples(visitor.record, visitor.channels)
    rows = _recent(t, values)
    return [plot_message(visitor.choice, rows)] if len(rows) else []


def past_plot(source: StudioSource, channels: Sequence[str]) -> tuple[int, list[Array]]:
    """The number of the next record, and the bands of channels until now: of the kept past, and of the last records."""
    record, t, values = source.samples(0, channels)
    kept = bands(*source.recalled(float(t[0]), channels), MOST_RECALLED) if len(t) else np.empty((0, 0))
    return record, [rows for rows in (kept, _recent(t, values)) if len(rows)]


def zoomed_plot(source: StudioSource, channels: Sequence[str], since: float, until: float) -> Array:
    """Rows as of `bands`, a record each, between two times and one beyond either; if there are too many, bands."""
    _, t, values = source.samples(0, channels)
    begun = int(np.flatnonzero(np.diff(t) < 0.0)[-1]) + 1 if np.any(np.diff(t) < 0.0) else 0  # the last start
    t, values = t[begun:], values[begun:]
    if len(t) and not begun:
        before = source.recalled(float(t[0]), channels)
        t, values = np.concatenate([before[0], t]), np.concatenate([before[1], values])
    first, last = np.searchsorted(t, since) - 1, np.searchsorted(t, until, side="right") + 1
    return bands(t[max(first, 0) : last], values[max(first, 0) : last], MOST_RECORDS)


def _recent(t: Array, values: Array) -> Array:
    return bands(t, values, min(MOST_BANDS, -(-len(t) // RECORDS)))


def status_messages(source: StudioSource, visitor: Visitor, status: dict[str, Any]) -> list[str | bytes]:
    """The message with state, speed and dials, if it changed; one who looks back gets the lines of that time."""
    if visitor.looks is not None and (lines := source.past_lines(visitor.looks)) is not None:
        status = status | {"lines": lines}
    text = json.dumps({"status": status})
    known, visitor.status = visitor.status, text
    return [text] if text != known else []


def chart_messages(source: StudioSource, visitor: Visitor) -> list[str | bytes]:
    """The message with the content of all charts, if it changed."""
    revision, charts = source.charts()
    known, visitor.charts = visitor.charts, revision
    return [json.dumps({"charts": charts})] if revision != known else []


def scene_settled(source: StudioSource, visitor: Visitor) -> bool:
    """Whether the scene has changed, and not since the last check: the dial is at rest again."""
    before, visitor.coming = visitor.coming, source.version
    return visitor.coming not in (visitor.version, -1) and visitor.coming == before


def scene_message(source: StudioSource, visitor: Visitor, shapes: Scene) -> str:
    """The message with the difference from the scene that the browser draws."""
    before, visitor.shapes, visitor.version = visitor.shapes or shapes, shapes, visitor.coming
    return json.dumps({"changed": scene_difference(before, shapes, source.sides)})
