"""Studio pages of observers: a true vehicle and its filter in one loop, with the forces of four tyres and bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from symbody.estimation.estimate import estimate
from symbody.estimation.from_log import SIGMA, SURPRISING
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.model.model import Model
from symbody.realtime.filter_loop import ESTIMATED, NIS, NOISE, OFF, SENSED, LiveTwin
from symbody.results.compare import WITHIN
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Instruction, Particles, Pilot
from symbody.studio.model_machine import default_dials
from symbody.system.system import Array, System, system
from symbody.visual.geometry import Geometry
from symbody.visual.scene import Cloud

SIDE = ".side"  # channels of side forces: WHEEL.side
BEADS, TRUE_COLOUR, ESTIMATED_COLOUR = 16, "#2f7fd0", "#8268a6"
PROGRAM = "program"
HELP = (
    Instruction(
        "Keys: ← → steer. The pilot “program” repeats the motion of the report.",
        "The pilot “program” repeats the motion of the report.",
    ),
    "Plots: the side force of each tyre, true and estimated, with a band of two standard deviations.",
    "Beads: side forces at the wheels, true (blue) and estimated (violet).",
    "Dials: grip of the true tyres, noise of the sensors, noise that the filter assumes, sensors in use.",
)


def with_walking(model: Model, guessed: Mapping[str, float]) -> Model:
    """The model with some parameters as inputs: a filter in a loop estimates inputs with random walks."""
    for name, value in guessed.items():
        own = model.parameters.pop(name)
        model.input(name, value, own.unit, own.low, own.high)
    return model


def live_twin(
    truth: System,
    model: Model,
    sensors: Sequence[NoisySensor],
    tell: Sequence[str],
    *,
    dt: float,
    wrong: Mapping[str, float],
    model_error: Mapping[str, float],
    walks: Mapping[str, float],
    start: Mapping[str, float],
) -> LiveTwin:
    """The true vehicle and a filter on another model of it, whose tyre numbers have random walks (1/√s)."""
    own = system(model, outputs=[name for name in truth.outputs if not name.startswith("energy.")])
    own.parameters.update(wrong)
    noise = {one.channel: one.spread for one in sensors}
    twin = estimate(own, list(noise), noise, model_error, forces=walks, dt=dt, start=start)
    return LiveTwin(truth, twin, sensors, tell)


def steering(high: float, keyed: float) -> Control:
    """The steering angle (rad), to the left; the wheels straighten when it is released."""
    keys = {"ArrowLeft": Aim(keyed), "ArrowRight": Aim(-keyed)}
    return Control("steer", "Steering", -high, high, unit="rad", seconds=0.8, keys=keys, axis=0, shape="wheel")


def repeated(steered: tuple[Sequence[float], Sequence[float]], until: float) -> dict[str, Pilot]:
    """The steering of the report, again and again."""
    return {PROGRAM: lambda since, channels: {"steer": float(np.interp(since % until, *steered))}}


def tyre_plots(wheels: Sequence[str]) -> list[str]:
    """Each tyre's true and estimated side force, and whether the estimates are consistent."""
    return [*(f"{name}{SIDE}, {ESTIMATED}{name}{SIDE}" for name in wheels), NIS]


def tyre_labels(wheels: Sequence[str]) -> dict[str, str]:
    """Labels of these channels."""
    kinds = {"": "", ESTIMATED: ", estimated", OFF: ", error"}
    said = {f"{name}{SIDE}": name.replace("_", " ") for name in wheels}
    forces = {kind + n: f"{label}{end}" for kind, end in kinds.items() for n, label in said.items()}
    return forces | {NIS: "surprise (1: as expected)"}


def tyre_dials(truth: System, labels: Mapping[str, str], sensors: Mapping[str, str]) -> list[Dial]:
    """Settings of the true vehicle, noise, and sensors, each with a label."""
    own = {d.name: d for d in default_dials(truth, dict(zip(truth.inputs, truth.u0.tolist(), strict=True)))}
    return [
        *(replace(own[name], label=label) for name, label in labels.items()),
        Dial(f"{SENSED}{NOISE}", 1.0, 0.0, 10.0, "", "Noise"),
        Dial(f"{ESTIMATED}{NOISE}", 1.0, 0.1, 10.0, "", "Noise that the filter assumes"),
        *(Dial.choice(f"{SENSED}{name}", 1.0, ("off", "on"), f"Sensor: {label}") for name, label in sensors.items()),
    ]


class TyreForces:
    """Beads along the side forces at the wheels, and text: each estimate with its band, and its consistency.

    places: wheels in the frame of a body (m). length: of the beads, m/N. beside: from true to estimated beads (m).
    digits: of forces in the text.
    """

    def __init__(self, places: Mapping[str, tuple[float, float, float]], length: float, beside: float, digits: int = 0):
        self._places, self._length, self._beside, self._digits = dict(places), length, beside, digits
        self._points = [np.zeros((0, 3)), np.zeros((0, 3))]

    def __call__(self, channels: Channels) -> list[str]:
        along = np.linspace(0.0, 1.0, BEADS)[:, np.newaxis]
        rows: list[list[Array]] = [[], []]
        said, d = [], self._digits
        for name, place in self._places.items():
            true, mean, sigma = (
                channels[f"{a}{name}{SIDE}{b}"] for a, b in (("", ""), (ESTIMATED, ""), (ESTIMATED, SIGMA))
            )
            for k, force in enumerate((true, mean)):
                at = np.array(place) - [k * self._beside, 0.0, 0.0]
                rows[k].append(at + along * [0.0, self._length * force, 0.0])
            said.append(f"{name.replace('_', ' ')} {true:+.{d}f} N, estimated {mean:+.{d}f} ± {WITHIN * sigma:.{d}f} N")
        self._points = [np.concatenate(row) for row in rows]
        return [
            *said,
            "consistent" if channels[NIS] <= SURPRISING else "not consistent: sensors noisier than specified",
        ]

    def particles(self, model: Model, body: str, radius: float) -> list[Particles]:
        """Beads of true and of estimated forces, on the frame of a body."""
        frame, count = Geometry(model).frames[body], len(self._places) * BEADS
        return [
            Particles(Cloud(frame, count, radius, TRUE_COLOUR), lambda: self._points[0]),
            Particles(Cloud(frame, count, radius, ESTIMATED_COLOUR), lambda: self._points[1]),
        ]
