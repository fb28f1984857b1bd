"""The calibration of a platform on a page: a gain for each axis, and a test of one axis at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symbody.links.rejected import Rejected
from symbody.motion.data import AXES, Array
from symbody.motion.safety.loop_supervisor import gain_input
from symbody.studio.dial import Dial
from symbody.studio.machine_pages import Form, FormField, MachinePage, MachineVerb
from symbody.web.checks import text
from symbody.web.store import KeyValueStore
from symbody.web.verbs import checked

ALL = "all axes"
VERB = "test_axis"
LARGEST = 1.5  # of a gain; a negative one reverses the axis


@dataclass(frozen=True)
class AxisTest:
    """Move one axis alone, or all of them."""

    axis: str = checked(text(1, 20))


def moving_axes(moving: Array) -> list[str]:
    """Names of the axes that a platform has; moving (8,): not zero if it has the axis."""
    return [axis for axis, moves in zip(AXES, moving, strict=True) if moves]


def gain_dials(moving: Array) -> list[Dial]:
    """A gain for each axis that moves, under "More"."""
    return [
        Dial(gain_input(axis), 1.0, -LARGEST, LARGEST, "", f"Gain of {axis}", more=True) for axis in moving_axes(moving)
    ]


def calibration_page(moving: Array) -> MachinePage:
    """View, dials, and plots of references with measured axes; a form chooses the axis that moves."""
    own = moving_axes(moving)
    plots = [f"reference.{axis}, {axis}.q" for axis in own if not axis.startswith("table")]
    plots += ["ride.delay", "tracking.error"]
    choices = FormField("axis", "Axis", "choice", choices=[ALL, *own])
    form = Form(VERB, "Test one axis", [choices], "Test")
    return MachinePage("Calibration", ["view", "dials", "plots"], plots, forms=[form])


def axis_test(moving: Array, source: float) -> MachineVerb:
    """The verb of the form: the other gains become zero; source: the number of a known motion that moves the axis."""
    own = moving_axes(moving)

    def act(message: AxisTest, channels: Mapping[str, float], store: KeyValueStore) -> Mapping[str, float]:
        if message.axis == ALL:
            return {gain_input(axis): 1.0 for axis in own}
        if message.axis not in own:
            raise Rejected("unknown axis", f"use {', '.join([ALL, *own])}")
        return {gain_input(axis): float(axis == message.axis) for axis in own} | {"source": source}

    return MachineVerb(AxisTest, act)
