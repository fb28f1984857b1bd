"""Any model as a machine, with dials, servos and labels from the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symbody.errors import SingularityError, SymbodyError, printable
from symbody.model.model import Model
from symbody.studio.appearance import Appearance
from symbody.studio.arrows import arrow_outputs
from symbody.studio.dial import Dial
from symbody.studio.energy_watch import WarnOrIgnore
from symbody.studio.machine import Machine, Preset
from symbody.studio.preview import offer_preview
from symbody.studio.pull import INPUTS, pullable
from symbody.studio.scene_page import standing_preview
from symbody.studio.servos import FREQUENCY, SHARE, Servo, robot_servos, target_input, with_servos
from symbody.system.channels import USUAL
from symbody.system.definition import define
from symbody.system.named_values import parameters_and_inputs, require_known
from symbody.system.options import Closure, SystemOptions
from symbody.system.system import System, system_of
from symbody.visual.scene import Look

SERVED = "Move the sliders: each slider sets the target of a joint."


@dataclass(frozen=True)
class PageNotes:
    """Notes for the page of a model without a page of its own: `STUDIO` in the module of a machine.

    start: one sentence that says what to do. strokes: joints that servos hold, and how far (rad, m) their targets go
    either way. servo_frequency: ω of these servos (rad/s), if forces of the model are too strong for the usual one.
    labels: of dials and channels, instead of their names. dials: shown at once, all others under "More";
    none: all are shown. presets: values of dials by scenario. plots: channels that are plotted at first. dt: longest
    step (s), if servos need a smaller one than simulations. looks: by body, from `looks.py` of the machine.
    """

    start: str = ""
    strokes: Mapping[str, float] = field(default_factory=dict)
    servo_frequency: float = FREQUENCY
    labels: Mapping[str, str] = field(default_factory=dict)
    dials: Sequence[str] = ()
    presets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    plots: Sequence[Any] = ()  # a channel, or a pair (x, y)
    dt: float | None = None
    looks: Mapping[str, Sequence[Look]] = field(default_factory=dict)


def model_machine(
    model: Model,
    rate: float,
    method: str | None,
    values: Mapping[str, float],
    notes: PageNotes | None = None,
    closure: Closure = "partitioning",
    energy: WarnOrIgnore = "warn",
) -> Machine:
    """Any model as a machine: each body can be pulled, inputs never become stale, robots hold their pose.

    energy: "ignore" leaves out `energy.unaccounted` and its check.

    A model that starts at a singular position of its loops runs with an augmented Lagrangian, and the page says so.
    """
    work = energy != "ignore"
    given = (model, rate, method, values, notes or PageNotes())
    try:
        return _machine_with(SystemOptions(closure, work=work), *given)
    except SingularityError as error:
        if closure != "partitioning":
            raise
        why = printable(str(error)).partition(": ")[2].partition(" (")[0]
        said = f"{why[:1].upper()}{why[1:]}. Loops are closed by an augmented Lagrangian, so they may open slightly."
        try:
            return _machine_with(SystemOptions("augmented", work=work), *given, said)
        except SymbodyError:
            raise error from None


def _machine_with(
    options: SystemOptions,
    model: Model,
    rate: float,
    method: str | None,
    values: Mapping[str, float],
    notes: PageNotes,
    said: str = "",
) -> Machine:
    """said: how its loops are closed, if that is unusual."""
    frequency = notes.servo_frequency
    servos = [Servo(joint, stroke=reach, frequency=frequency) for joint, reach in notes.strokes.items()]
    servos = servos or robot_servos(model)
    pulled = pullable(with_servos(model, servos) if servos else model)
    definition = define(pulled, options, [USUAL, *arrow_outputs(pulled)])
    offer_preview(lambda: standing_preview(model.name, definition.model, definition.q0, Appearance(looks=notes.looks)))
    s = system_of(definition)
    require_known(values, [*s.parameters, *(name for name in s.inputs if name not in INPUTS)], "parameter or input")
    parameters, inputs = parameters_and_inputs(s, values)
    s.parameters.update(parameters)
    for name, value in inputs.items():
        s.u0[s.inputs.index(name)] = value
    given = {name: float(x) for name, x in zip(s.inputs, s.u0, strict=True) if name not in INPUTS}
    named = {target_input(servo.joint): servo.joint for servo in servos} | {SHARE: "Servos"} | dict(notes.labels)
    first = [target_input(servo.joint) for servo in servos] + list(notes.dials)
    return Machine(
        model.name,
        s,
        rate,
        method,
        dials=[
            replace(
                dial, label=named.get(dial.name, ""), more=dial.more or (bool(notes.dials) and dial.name not in first)
            )
            for dial in default_dials(s, given)
        ],
        labels=dict(notes.labels),
        presets=[Preset(name, values) for name, values in notes.presets.items()],
        start=" ".join(filter(None, [notes.start or (SERVED if servos else ""), said])),
        help=[said] if said else [],
        plots=list(notes.plots),
        looks=dict(notes.looks),
    )


def default_dials(s: System, inputs: Mapping[str, float]) -> list[Dial]:
    """A dial for each input and parameter, inputs first, with the ranges that the model declares."""
    m = s.model
    made = []
    for name, value in {**inputs, **s.parameters}.items():
        said = m.inputs.get(name) if name in inputs else m.parameters.get(name)
        unit, low, high = (said.unit, said.low, said.high) if said else ("", None, None)
        made.append(Dial.about(name, value, unit, name in inputs, low, high))
    return made
