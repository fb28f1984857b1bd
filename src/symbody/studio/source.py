"""What a studio shows, live or recorded: one interface, so that page, plots and messages need not know which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from symbody.studio.anatomy import BodyCard
from symbody.studio.arrows import Arrow
from symbody.studio.dial import Dial
from symbody.studio.machine import Hum, Struck
from symbody.studio.messages import Message
from symbody.visual.scene import Scene

Array = np.ndarray


class StudioSource(Protocol):
    """Something that moves: a live model or a recorded run."""

    kind: str  # "live" or "run"
    title: str
    units: Mapping[str, str]  # of the channels that can be plotted
    dials: Mapping[str, Dial]
    pulled: Mapping[int, str]  # bodies that can be pulled, by frame
    sounds: Sequence[Struck | Hum]
    labels: Mapping[str, str] = {}  # what people read instead of names of channels
    remembers: float = 0.0  # s that can be looked back
    version: int  # how often the scene has changed
    arrows: Sequence[Arrow]  # forces that can be drawn
    anatomy: Sequence[BodyCard]  # its bodies and joints
    sides: Sequence[int]  # of what is drawn between frames, as `visual.page.sides` finds them

    def moved(self) -> list[float]:
        """Values of its controls now, in their order."""

    def welcome(self) -> None:
        """Called when the first browser connects."""

    def about(self) -> dict[str, Any]:
        """What else the page has to know at first, such as controls, pilots, plots and help."""

    def shapes(self) -> Scene:
        """What there is to draw of it now."""

    def scene(self, shapes: Scene) -> dict[str, Any]:
        """Shapes, colours and camera, as the page draws them."""

    def poses(self) -> tuple[float, Array]:
        """The time (s) and a row x y z, w x y z for each frame, the ground first; not numbers: nothing to show."""

    def past(self, t: float) -> tuple[float, Array] | None:
        """The same for an earlier instant (s), as near as it is remembered; None: nothing is."""
        return None

    def recalled(self, until: float, channels: Sequence[str]) -> tuple[Array, Array]:
        """Times and values (a row each) that are remembered from before a time (s)."""
        return np.empty(0), np.empty((0, len(channels)))

    def points(self) -> Sequence[Array]:
        """Where the balls of each of its clouds are now (n, 3)."""
        return ()

    def heights(self) -> Sequence[Array]:
        """The heights of each of its height fields now (rows, columns)."""
        return ()

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        """Number of the next record, and times and values (a row each) of those since a number."""

    def values(self, channels: Sequence[str], past: float | None = None) -> Array:
        """Values of channels at the instant that is shown, or at an earlier one (s) as near as it is remembered."""

    def numbers(self, body: str) -> Array:
        """Mass, centre of mass and inertia of a body, as `anatomy.body_numbers` gives them."""

    def status(self) -> dict[str, Any]:
        """State, reason, speed and values of the dials, for the page."""

    def obey(self, message: Message) -> None:
        """Do what a browser asks; `Rejected` where that makes no sense here."""

    def close(self) -> None:
        """Stop what runs, and free what it holds."""
