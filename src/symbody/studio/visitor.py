"""A browser that watches, as the server knows it: what it was told, what is news to it, and what it holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.realtime.rejected import Rejected
from symbody.studio.arrows import channels_of
from symbody.studio.channel_labels import channel_labels
from symbody.studio.gate import RateLimit
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
    Watch,
)
from symbody.studio.sounds import Listener, sound_channels
from symbody.studio.source import StudioSource
from symbody.studio.stream import (
    MOST_BANDS,
    bands,
    cloud_message,
    height_patch,
    moved_poses,
    plot_message,
    time_message,
    values_message,
)
from symbody.visual.scene import Scene
from symbody.visual.scene_difference import scene_difference

Array = np.ndarray
RECORDS = 8  # in one band of a plot
TICK = 0.1  # s: where nothing moves, time is told now and then
MOST_RECALLED = 4000  # bands of what is remembered
MOST_HELD = 64  # things that one browser holds at a time


@dataclass(eq=False)  # two that know the same are still two
class Visitor:
    """What the server remembers of one browser."""

    touch: bool
    version: int  # of the scene that it shows
    rate_limit: RateLimit = field(default_factory=RateLimit)
    shapes: Scene | None = None  # that it draws
    poses: Array | None = None
    t: float = 0.0  # s that it was last told
    heights: dict[int, Array] = field(default_factory=dict)  # of each height field that it draws
    clouds: dict[int, bytes] = field(default_factory=dict)  # of each cloud, what it was told last
    status: str = ""
    channels: tuple[str, ...] = ()
    choice: int = 0  # how often channels were chosen
    record: int = 0
    coming: int = -1  # the version of the scene at the last look
    moved: list[float] = field(default_factory=list)
    ears: Listener | None = None
    hears: int = -1  # from which record on
    looks: float | None = None  # at which earlier instant (s); None: now
    holds: set[str | None] = field(default_factory=set)  # controls; None: a body
    arrows: bool = False  # whether it draws them
    inspected: int = 0  # the frame of a body; 0: none
    values: dict[int, bytes] = field(default_factory=dict)  # that it was told last: of the arrows (0), of a body

    def look(self, source: StudioSource, message: Looking) -> None:
        """Plot, show, draw or inspect what a browser asks for from now on; `Rejected` where there is no such thing."""
        match message:
            case Watch(channels):
                if unknown := [name for name in channels if name not in source.units]:
                    raise Rejected("no such channel", ", ".join(unknown))
                self.channels, self.choice, self.record = channels, self.choice + 1, 0
            case LookBack(t):
                if t is not None and not source.remembers:
                    raise Rejected("nothing is remembered", "a recorded run is scrubbed")
                self.looks, self.hears = t, -1  # what sounded meanwhile is over
            case Arrows(on):
                self.arrows = on
            case Inspect(frame):
                if frame and not any(card.frame == frame for card in source.anatomy):
                    raise Rejected("no such body")
                self.inspected = frame
        self.values.clear()

    def note_hold(self, message: Message) -> None:
        """Remember which controls and bodies the browser holds after a message."""
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
        """What makes it hold nothing any more."""
        return [Release() if held is None else LetGo(held) for held in self.holds]


def hello_message(source: StudioSource, visitor: Visitor, run: str, scene: str) -> str:
    """The first message to a page: title, channels, dials, controls, and the scene as JSON.

    run: which start of a studio this is; a page that was opened before another one is out of date.
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
        "sounds": [sound.kind for sound in source.sounds],
        "memory": source.remembers,
        "labels": channel_labels(source.units, source.labels),
        "most_channels": MOST_CHANNELS,
        "arrows": [arrow.row for arrow in source.arrows],
        "parts": [card.row for card in source.anatomy],
    }
    return f'{{"hello": {json.dumps(about | source.about())}, "scene": {scene}}}'


def refusal_message(refusal: Rejected) -> str:
    """The message that tells a page what was refused, and why."""
    return json.dumps({"refused": {"reason": refusal.reason, "detail": refusal.detail}})


def motion_messages(source: StudioSource, visitor: Visitor, shown: tuple[float, Array]) -> list[str | bytes]:
    """Messages on frames and controls that moved, and on sounds that began or changed; shown: time and poses."""
    past = None if visitor.looks is None else source.past(visitor.looks)
    t, rows = past or shown
    poses, visitor.poses = moved_poses(t, rows, visitor.poses)
    if poses is None and abs(t - visitor.t) > (0.0 if past else TICK):
        poses = time_message(t)
    visitor.t = t if poses else visitor.t
    told: dict[str, Any] = {}
    if (moved := source.moved()) != visitor.moved:
        visitor.moved = told["controls"] = moved
    if past is None and (heard := _heard(source, visitor)):
        told["sounds"] = heard
    return ([poses] if poses else []) + ([json.dumps(told)] if told else [])


def surface_messages(source: StudioSource, visitor: Visitor) -> list[str | bytes]:
    """Messages with all points of clouds and with the patches of height fields, where they changed."""
    news: list[str | bytes] = []
    for k, points in enumerate(source.points()):
        told = cloud_message(k, points)
        news += [told] if visitor.clouds.get(k) != told else []
        visitor.clouds[k] = told
    for k, heights in enumerate(source.heights()):
        patch, visitor.heights[k] = height_patch(k, heights, visitor.heights.get(k))
        news += [patch] if patch else []
    return news


def value_messages(source: StudioSource, visitor: Visitor) -> list[str | bytes]:
    """Messages with the numbers of arrows that are drawn and of the body that is inspected, where they are others."""
    found = {}
    if visitor.arrows and source.arrows:
        found[0] = values_message(0, source.values(channels_of(source.arrows), visitor.looks))
    for card in source.anatomy if visitor.inspected else ():
        if card.frame == visitor.inspected:
            numbers = np.concatenate([source.numbers(card.name), source.values(card.channels, visitor.looks)])
            found[card.frame] = values_message(card.frame, numbers)
    news = [message for number, message in found.items() if visitor.values.get(number) != message]
    visitor.values = found
    return list(news)


def _heard(source: StudioSource, visitor: Visitor) -> list[list[float]]:
    if not source.sounds:
        return []
    visitor.ears = visitor.ears or Listener(source.sounds)
    new = visitor.hears < 0  # what sounded before it came is over
    visitor.hears, _, rows = source.samples(max(visitor.hears, 0), sound_channels(source.sounds))
    return visitor.ears.heard(rows[-1:] if new else rows)


def plot_messages(source: StudioSource, visitor: Visitor) -> list[str | bytes]:
    """Messages with new bands of the plotted channels; for a new choice also of what is remembered."""
    if not visitor.channels:
        return []
    new = visitor.record == 0
    visitor.record, t, values = source.samples(visitor.record, visitor.channels)
    told = [bands(t, values, min(MOST_BANDS, -(-len(t) // RECORDS)))]
    if new and len(t):
        told.insert(0, bands(*source.recalled(float(t[0]), visitor.channels), MOST_RECALLED))
    return [plot_message(visitor.choice, rows) for rows in told if len(rows)]


def status_messages(visitor: Visitor, status: dict[str, Any]) -> list[str | bytes]:
    """Message with state, speed and dials; none where nothing has changed."""
    text = json.dumps({"status": status})
    known, visitor.status = visitor.status, text
    return [text] if text != known else []


def scene_settled(source: StudioSource, visitor: Visitor) -> bool:
    """Whether there is another scene, and it has not changed since the last look: a dial is at rest again."""
    before, visitor.coming = visitor.coming, source.version
    return visitor.coming not in (visitor.version, -1) and visitor.coming == before


def scene_message(source: StudioSource, visitor: Visitor, shapes: Scene) -> str:
    """The message with what is drawn otherwise than the browser draws it."""
    before, visitor.shapes, visitor.version = visitor.shapes or shapes, shapes, visitor.coming
    return json.dumps({"changed": scene_difference(before, shapes, source.sides)})
