"""The interface of what a studio shows, live or recorded: page, plots and messages need not know which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from symbody.studio.arrows import Arrow
from symbody.studio.balls import Balls
from symbody.studio.charts import ChartContent
from symbody.studio.dial import Dial
from symbody.studio.gauges import Gauges
from symbody.studio.landscape import Landscape
from symbody.studio.machine import Hum, Struck
from symbody.studio.machine_pages import MachineVerb
from symbody.studio.messages import Message
from symbody.studio.model_tree import BodyCard
from symbody.visual.scene import Scene

Array = np.ndarray


class StudioSource(Protocol):
    """A live machine or a recorded run; all but `kind` and `title` is there after `start()`."""

    kind: str  # "live" or "run"
    title: str

    def start(self) -> object:
        """Compile and start everything; one that has started goes on."""

    def close(self) -> None:
        """Stop everything that runs."""

    @property
    def units(self) -> Mapping[str, str]:
        """Units of the channels that can be plotted, by name."""

    @property
    def dials(self) -> Mapping[str, Dial]:
        """Numbers that can be set, by name."""

    @property
    def pulled(self) -> Mapping[int, str]:
        """Bodies that can be pulled, by frame."""

    @property
    def sounds(self) -> Sequence[Struck | Hum]:
        """Sounds by channels."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of channels that are not shown by their names."""
        return {}

    @property
    def remembers(self) -> float:
        """Length (s) of the past that can be shown again."""
        return 0.0

    @property
    def verbs(self) -> Mapping[str, MachineVerb]:
        """Verbs of the machine, besides those of every page."""
        return {}

    @property
    def version(self) -> int:
        """How often the scene has changed."""

    @property
    def arrows(self) -> Sequence[Arrow]:
        """Forces that can be drawn."""

    @property
    def anatomy(self) -> Sequence[BodyCard]:
        """Bodies and joints."""

    @property
    def sides(self) -> Sequence[int]:
        """For each shape between two frames, the axis across it, as `visual.page.sides` finds it."""

    def moved(self, past: float | None = None) -> list[float]:
        """Values of the controls now or at an earlier time (s), in their order."""

    def past_lines(self, t: float) -> list[str] | None:
        """The lines over the view at an earlier time (s); None: those of the status."""
        return None

    def welcome(self) -> None:
        """Called when the first browser connects."""

    def about(self) -> dict[str, Any]:
        """Further fields of the first message to a page, such as controls, pilots, plots and help."""

    def shapes(self) -> Scene:
        """The shapes to draw now."""

    def scene(self, shapes: Scene) -> dict[str, Any]:
        """Shapes, colours and camera, as the page draws them."""

    def poses(self) -> tuple[float, Array]:
        """The time (s) and a row x y z, w x y z for each frame, the ground first; NaN: nothing to show."""

    def past(self, t: float) -> tuple[float, Array] | None:
        """The same at an earlier time (s), or as near to it as records are kept; None: there are none."""
        return None

    def recalled(self, until: float, channels: Sequence[str]) -> tuple[Array, Array]:
        """Times and values (a row each) that are kept from before a time (s)."""
        return np.empty(0), np.empty((0, len(channels)))

    def balls(self) -> Sequence[Balls]:
        """The balls of each cloud now."""
        return ()

    def heights(self) -> Sequence[Array]:
        """The heights (rows, columns) of each height field now."""
        return ()

    @property
    def gauges(self) -> Gauges:
        """Instruments over the view."""
        return Gauges()

    @property
    def landscape(self) -> Landscape | None:
        """Ground that is drawn in tiles."""
        return None

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        """The number of the next record, and times and values (a row each) of those since a number."""

    def values(self, channels: Sequence[str], past: float | None = None) -> Array:
        """Values of channels at the time that is shown, or near an earlier time (s)."""

    def numbers(self, body: str) -> Array:
        """Mass, centre of mass and inertia of a body, as `model_tree.body_numbers` gives them."""

    def status(self) -> dict[str, Any]:
        """State, reason, speed and values of the dials, for the page."""

    def charts(self) -> tuple[int, Mapping[str, ChartContent]]:
        """Number of the revision and content of the charts by key."""
        return 0, {}

    def obey(self, message: Message) -> None:
        """Carry out what a browser asks; `Rejected` if that is not possible here."""
