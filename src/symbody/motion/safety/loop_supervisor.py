"""The supervisor in the real-time loop: guard, governor, fast stop and state machine as a stage in C.

It keeps the laws of `RideSupervisor` and adds what a person at a page needs: a wish (off, ready, ride) instead of
single commands, several cueing methods with a soft change between them, and gains of the axes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.errors import ModelError
from symbody.motion.data import AXES, Array, PlatformData
from symbody.motion.safety.fast_stop import FRACTIONS, ROUNDING
from symbody.motion.safety.governor import CLIPPED, FOLLOW, PER_SAMPLE, SHARES
from symbody.motion.safety.margins import SoftwareMargins, with_margins
from symbody.motion.safety.slack import slack_function, slack_names
from symbody.motion.safety.states import TRANSITIONS, RideEvent, RideState
from symbody.motion.safety.supervisor import SupervisorRules
from symbody.motion.servo import BRAKING
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper, follow_builds, hoisted_fields, kept_numbers
from symbody.stepping.step_options import FixedStep

N = len(AXES)
WISHES = ("off", "ready", "ride")  # values of the input `wish`
STATES = tuple(state.value for state in RideState)  # values of the output `ride.state`
REASONS = (  # values of `ride.reason`
    "", "stopped", "emergency stop", "no valid sample for {patience:g} s",
    "an actuator is more than {tracking:g} m away from its reference", "a measured position is not a number",
    "control is unstable", "homing found no end of an actuator", "the output to the drives failed",
)  # fmt: skip
REFUSALS = ("", "an axis is not a number", "an axis is far outside its range", "an axis jumps")  # of `ride.refusal`
BLEND = 1.5  # s, in which the reference goes over to another method or to the stream
FORGET = 3.0  # s, of the running mean of the delay
SILENT = 0.25  # s: an output that says nothing for longer has failed
SHOWN = {  # outputs after the reference, with units
    "ride.state": "", "ride.reason": "", "ride.status": "", "ride.refusal": "", "ride.accepted": "",
    "ride.clipped": "", "ride.refused": "", "ride.delay": "s", "ride.method": "",
    "ride.follows": "",
}  # fmt: skip
_LIMITS = ("low", "high", "speed", "acceleration")
_NUMBERS = (
    "dt", "follow", "approach", "braking", "clipped", "rounding", "beyond", "jump", "patience", "tracking", "blend",
    "forget", "silent",
)  # fmt: skip


class SupervisorMemoryOf(Mirror):
    """supervisor_memory_t of supervisor.c."""

    c_type = "supervisor_memory_t"
    _fields_ = (
        *((name, ctypes.c_double * N) for name in ("r", "v", "a", "target", "rates", "last", "from", "offset")),
        *((name, ctypes.c_double) for name in (
            "old", "fade", "now", "accepted_at", "fed", "state", "failed", "armed", "method", "reason", "refusal",
            "status",
        )),
        ("counts", ctypes.c_double * 3), *((name, ctypes.c_double) for name in ("lag", "moved", "calm", "lost")),
    )  # fmt: skip


class SupervisorOf(Mirror):
    """supervisor_t of supervisor.c."""

    c_type = "supervisor_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in (
            "slack", "slack_h", "u", *_LIMITS, "neutral", "fractions", "shares", "next", "m",
        )),
        *((name, ctypes.c_int64) for name in ("nslack", "nfractions", "nshares", "nmethods")),
        *((name, ctypes.c_double) for name in _NUMBERS),
    )  # fmt: skip


def reference_names(end: str = "") -> list[str]:
    """Outputs of the reference of the axes (`reference.x`), its rates (`.rate`) or second derivatives (`.second`)."""
    return [f"reference.{axis}{end}" for axis in AXES]


def gain_input(axis: str) -> str:
    """The input for the gain of an axis."""
    return f"gain_{axis.replace('.', '_')}"


@dataclass(frozen=True, eq=False)
class LoopSupervisor:
    """The supervisor as a source of the loop, for methods by name: each without the table, then with it.

    Inputs: `wish`, `method` and `table` (the number of a method is 2 · method + table), `halt`, `tracking_error` (m),
    `drive_fault` and `homed` of the drives (`drive_loop.py`), `output_fault`, `output_busy` and `output_age` of an
    output (`outputs/output_thread.py`), `gain_x` …, and `METHOD.x` …, the axes of each method relative to neutral.
    Outputs: `reference.x` … with `.rate` and `.second`, and `SHOWN`; `ride.follows` is 1 in the state `running`: a
    scene may move.
    """

    data: PlatformData
    methods: Sequence[str]
    rules: SupervisorRules = field(default_factory=SupervisorRules)
    margins: SoftwareMargins | None = None

    def reason(self, number: float) -> str:
        """Words for a value of `ride.reason`."""
        return REASONS[int(number)].format(patience=self.rules.stream.patience, tracking=self.rules.tracking)

    def inputs(self) -> dict[str, float]:
        """Names and start values."""
        cues = {f"{method}.{axis}": 0.0 for method in self.methods for axis in AXES}
        return (
            {"wish": 2.0, "method": 0.0, "table": 1.0, "halt": 0.0, "tracking_error": 0.0}
            | {"drive_fault": 0.0, "homed": 1.0, "output_fault": 0.0, "output_busy": 0.0, "output_age": 0.0}
            | {gain_input(axis): float(moves) for axis, moves in zip(AXES, self.data.moving, strict=True)}
            | cues
        )

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The supervisor as the loop steps it."""
        if not self.methods or len(self.methods) % 2:
            cure = "give each method without the table, then with it"
            raise ModelError(f"{len(self.methods)} methods", element="supervisor", cure=cure)
        inputs, part = self.inputs(), self.structure(dt)
        u = np.array(list(inputs.values()))
        part.structure.u = u.ctypes.data
        library = optimised_runtime("supervisor.c", SupervisorOf, SupervisorMemoryOf, package=__package__)
        units = {name: self.data.unit(axis) + per for end, per in (("", ""), (".rate", "/s"), (".second", "/s²"))
                 for name, axis in zip(reference_names(end), AXES, strict=True)}  # fmt: skip
        units |= SHOWN
        y0 = np.concatenate([self.data.neutral_axes, np.zeros(2 * N + len(SHOWN))])
        stepper = LoopStepper(
            (self, part, u), ctypes.cast(library.integrate, ctypes.c_void_p).value or 0, part.structure,
            (kept_numbers(part.memory),), NONE.ctypes.data,
            hoisted_fields(part.structure, {"slack": part.slack}),
        )  # fmt: skip
        return LoopModel("supervisor", list(inputs), u, list(units), y0, units, {}, stepper)

    def structure(self, dt: float) -> SupervisorPart:
        """The structure of supervisor.c, at rest at the neutral position."""
        data, rules = with_margins(self.data, self.margins), self.rules
        slack, neutral = slack_function(data), data.neutral_axes.copy()
        arrays: dict[str, Any] = {name: np.array(data.ends(name)) for name in _LIMITS}
        arrays |= {"neutral": neutral, "fractions": FRACTIONS.copy(), "shares": np.array(SHARES), "next": table()}
        memory = SupervisorMemoryOf(armed=1.0)
        for name in ("r", "target", "last"):
            getattr(memory, name)[:] = neutral.tolist()
        follow = min(FOLLOW, PER_SAMPLE / dt)
        numbers = dict(zip(_NUMBERS, (
            dt, follow, 0.25 * follow, BRAKING, CLIPPED, ROUNDING, rules.stream.beyond, rules.stream.jump,
            rules.stream.patience, rules.tracking, BLEND, FORGET, SILENT,
        ), strict=True))  # fmt: skip
        made: Any = SupervisorOf(
            slack=slack.address, slack_h=slack.hoisted.ctypes.data, m=ctypes.addressof(memory),
            nslack=len(slack_names(data)), nfractions=len(FRACTIONS), nshares=len(SHARES), nmethods=len(self.methods),
            **{name: array.ctypes.data for name, array in arrays.items()}, **numbers,
        )  # fmt: skip
        follow_builds(made, {"slack": slack})
        return SupervisorPart(made, memory, slack, arrays)


@dataclass(frozen=True, eq=False)
class SupervisorPart:
    """A structure for C, with the memory that it points to."""

    structure: Any
    memory: SupervisorMemoryOf
    slack: Any
    arrays: dict[str, Array]


def table() -> Array:
    """Transitions as numbers: state × event → state, −1 if it is not possible."""
    states, events = list(RideState), list(RideEvent)
    found = np.full((len(states), len(events)), -1, dtype=np.int64)
    for (state, event), to in TRANSITIONS.items():
        found[states.index(state), events.index(event)] = states.index(to)
    return found  # type: ignore[return-value]
