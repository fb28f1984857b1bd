"""The estimator in the studio: a hydraulic four-bar linkage to move, and a filter with noisy sensors."""

from __future__ import annotations

from math import degrees

import numpy as np

from symbody.estimation.estimate import estimate
from symbody.estimation.from_log import SIGMA, SURPRISING
from symbody.hydraulics.cylinder_drive import FULL
from symbody.machines.estimator.model import COMMAND, SENSORS, SETS, START, model, new_wrong_system
from symbody.realtime.filter_loop import ESTIMATED, NIS, NOISE, OFF, SENSED, LiveTwin
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Instruction, Machine, Particles, Pilot, Preset
from symbody.system.system import Array, System, system
from symbody.visual.geometry import Geometry
from symbody.visual.scene import Cloud

GROUND = 0  # the frame
LINKS, BEADS, BESIDE = ("crank", "coupler", "rocker"), 24, 0.6  # m
REPEATED = 10.0  # s, of the program
TOLD = ("crank.q", "crank.qd", "hose_p", "piston_p", "rod_p", "coupler.q", "rocker.q")
WRONG = {"hydraulics_bulk": "oil", "valve_cv": "valve", "cylinder_Fc": "seals"}  # parameters of the filter's model
LABELS = {
    "crank.q": "crank",
    "crank.qd": "crank rate",
    "hose_p": "hose",
    "piston_p": "piston side",
    "rod_p": "rod side",
}
HELP = (
    Instruction(
        "Keys: ↑ tilts out, ↓ tilts in. The pilot “program” repeats the motion of the report.",
        "“Valve” up tilts out, down tilts in. The pilot “program” repeats the motion of the report.",
    ),
    "Plots: errors of the estimates with bands of two standard deviations. Zero should lie inside the band.",
    "Beads: the estimated linkage, beside the true one.",
    "Dials: noise of the sensors, noise that the filter assumes, sensors in use, errors of the filter's model.",
)


def page() -> Machine:
    """The true machine at 1 kHz, and its filter in the same loop."""
    truth, wrong = system(model(), work=True), new_wrong_system()
    noise = {name: one.spread for name, one in SENSORS.items()}
    twin = estimate(wrong, list(noise), noise, method="trapezoidal", start=START)
    ghost = Ghost(truth)
    return Machine(
        "Estimator",
        truth,
        method="trapezoidal",
        source=LiveTwin(truth, twin, list(SENSORS.values()), TOLD),
        controls=[valve_control()],
        pilots={"program": program()},
        dials=dials(wrong),
        labels=labels(),
        presets=presets(),
        start=Instruction(
            "Hold ↑ or ↓, or start the pilot. The filter follows with noisy sensors and a wrong model.",
            "Hold “Valve” up or down, or start the pilot. The filter follows with noisy sensors and a wrong model.",
        ),
        plots=[f"crank.q, {ESTIMATED}crank.q", f"{OFF}crank.q", f"{OFF}crank.qd", f"{OFF}rod_p", NIS],
        particles=[Particles(Cloud(GROUND, len(LINKS) * BEADS, 0.08, "#8268a6"), ghost.points)],
        help=HELP,
        shows=ghost,
    )


def valve_control() -> Control:
    """The voltage of the valve; when released, the valve closes."""
    keys = {"ArrowUp": Aim(FULL), "ArrowDown": Aim(-FULL)}
    return Control("U_ref", "Valve", -FULL, FULL, unit="V", keys=keys)


def program() -> Pilot:
    """Out and in, repeated."""
    return lambda since, channels: {"U_ref": COMMAND(since % REPEATED)}


def dials(wrong: System) -> list[Dial]:
    """Noise, sensors, and the model's errors."""
    made = [
        Dial(f"{SENSED}{NOISE}", 1.0, 0.0, 10.0, "", "Noise"),
        Dial(f"{ESTIMATED}{NOISE}", 1.0, 0.1, 10.0, "", "Noise that the filter assumes"),
        *(Dial.choice(f"{SENSED}{name}", 1.0, ("off", "on"), f"Sensor: {LABELS[name]}") for name in SENSORS),
    ]
    for name, label in WRONG.items():
        value = wrong.parameters[name]
        unit = wrong.model.parameters[name].unit if name in wrong.model.parameters else ""
        made.append(Dial(f"{ESTIMATED}{name}", value, 0.7 * value, 1.3 * value, unit, f"Model: {label}"))
    return made


def labels() -> dict[str, str]:
    """Labels of the channels."""
    labels = LABELS | {ESTIMATED + name: f"{label}, estimated" for name, label in LABELS.items()}
    labels |= {OFF + name: f"{label}, error" for name, label in LABELS.items()}
    return labels | {NIS: "surprise (1: as expected)"}


def presets() -> list[Preset]:
    """The sensor sets of the report, and two faults."""
    sets = {
        f"Set {number}": {f"{SENSED}{name}": float(name in used) for name in SENSORS} for number, used in SETS.items()
    }
    return [
        Preset("All sensors", {}, "set 2", "program"),
        *(Preset(name, values, pilot="program") for name, values in sets.items() if name != "Set 2"),
        Preset("No sensors", {f"{SENSED}{name}": 0.0 for name in SENSORS}, "the band grows", "program"),
        Preset("Unexpected noise", {f"{SENSED}{NOISE}": 5.0}, "the filter reports a surprise", "program"),
    ]


class Ghost:
    """Beads along the estimated linkage; text with its error, and whether the estimate is consistent."""

    def __init__(self, truth: System):
        place = Geometry(truth.model).position
        self._lengths = [float(np.linalg.norm(place(truth.model.bodies[name]["tip"]))) for name in LINKS]
        self._points = np.zeros((0, 3))

    def __call__(self, channels: Channels) -> list[str]:
        angles = np.cumsum([channels[f"{ESTIMATED}{name}.q"] for name in LINKS])
        along, at, beads = np.linspace(0.0, 1.0, BEADS)[:, np.newaxis], np.array([BESIDE, 0.0, 0.0]), []
        for length, angle in zip(self._lengths, angles, strict=True):
            way = length * np.array([0.0, np.cos(angle), np.sin(angle)])
            beads.append(at + along * way)
            at = at + way
        self._points = np.concatenate(beads)
        error, band = (degrees(channels[f"{ESTIMATED}crank.q{end}"]) for end in ("", SIGMA))
        error -= degrees(channels["crank.q"])
        trust = "consistent" if channels[NIS] <= SURPRISING else "not consistent: sensors noisier than specified"
        return [f"crank {error:+.2f}° off, σ {band:.2f}°", trust]

    def points(self) -> Array:
        """Positions of the beads (m)."""
        return self._points
