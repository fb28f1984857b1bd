"""The tractor in the studio: levers, pedals and gears, gauges of the scenario, views, sounds, the scripted cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symbody.machines.tractor.looks import looks
from symbody.machines.tractor.model import ground, numbers
from symbody.machines.tractor.work_cycle import COMMANDS, DT, UNTIL, chain, command, compiled
from symbody.scenario import ScenarioReferee, scenario_of
from symbody.studio.cameras import Chase, Orbit, Ride
from symbody.studio.machine import Aim, Channels, Control, Hum, Instruction, Machine, Preset, Struck
from symbody.studio.model_machine import default_dials
from symbody.studio.soil_view import soil_view

TITLE = "Tractor with front loader"
START = "Move “Gear” up and hold “Throttle” to drive; “Lift” and “Tilt” move the bucket."
SILENT = 1.0  # s without samples of the controls, then the loop goes to its safe state
STICK, LIFT_STICK, TILT_STICK, RIGHT_TRIGGER, LEFT_TRIGGER = 0, 3, 2, 7, 6  # of a game controller
FULL = 6.0  # V
SCRIPT = "scripted work cycle"
DIALS = {
    "relief_opening": "Opening pressure of the relief valve",
    "pump_displacement": "Displacement of the pump",
    "lift_valve_cv": "Flow of the lift valve",
    "tilt_valve_cv": "Flow of the tilt valve",
}
HELP = (
    "The heap ahead is sand. Tilt the bucket level, drive into the heap, then tilt it in and lift it.",
    "“Gear” above 0 drives forwards, below 0 backwards. “Tilt” down tilts the bucket in, up tilts it out.",
    Instruction("Keys: W S X gears, ↑ throttle, ↓ brake, C clutch, ← → steer, I K lift, J L tilt."),
)
LABELS = {
    "bucket.soil.carried": "load of the bucket",
    "lift_piston_p": "lift, piston side",
    "lift_rod_p": "lift, rod side",
    "tilt_piston_p": "tilt, piston side",
    "tilt_rod_p": "tilt, rod side",
    "P_p": "pump pressure",
    "tractor.speed": "speed",
    "soil.particles": "particles",
}


def page() -> Machine:
    """The tractor on its ground, with a scenario."""
    soil = ground()
    s = compiled(soil)
    surface, loose = soil_view(soil)
    return Machine(
        TITLE,
        s,
        rate=1.0 / DT,
        source=chain(soil, s),
        stale=SILENT,
        controls=controls(),
        pilots={SCRIPT: scripted},
        presets=[Preset("Drive yourself"), Preset("Watch the scripted work cycle", pilot=SCRIPT)],
        dials=[replace(dial, label=DIALS[dial.name]) for dial in default_dials(s, {}) if dial.name in DIALS],
        labels=LABELS,
        start=START,
        help=HELP,
        waits=True,
        plots=["bucket.soil.carried", "lift_piston_p, lift_rod_p", "tilt_piston_p, tilt_rod_p", "tractor.speed"],
        looks=looks(),
        terrains=[surface],
        particles=[loose],
        cameras=CAMERAS,
        views=["Behind", "Bucket"],
        sounds=SOUNDS,
        referee=ScenarioReferee(scenario_of(__package__)),
        monitors_time=True,
        marks=False,
        grid=False,
        sky=True,
    )


def controls() -> list[Control]:
    """Steering wheel, pedals, gear lever, and the joystick of the loader."""
    lock = numbers()["steering"]["largest"]
    return [
        Control("throttle", "Throttle", 0.0, 1.0, 0.25, seconds=0.8, keys={"ArrowUp": Aim(0.9)},
                buttons={RIGHT_TRIGGER: Aim(1.0)}, shape="pedal"),
        Control("brake", "Brake", 0.0, 1.0, seconds=0.3, keys={"ArrowDown": Aim(1.0)},
                buttons={LEFT_TRIGGER: Aim(1.0)}, shape="pedal"),
        Control("steering", "Steering", -lock, lock, unit="rad", seconds=1.6,
                keys={"ArrowLeft": Aim(lock), "ArrowRight": Aim(-lock)}, axis=STICK, shape="wheel"),
        Control("gear", "Gear", -2.0, 4.0, seconds=0.3, returns=False,
                keys={"w": Aim(1.0), "s": Aim(-1.0), "x": Aim(0.0)}, buttons={0: Aim(1.0), 1: Aim(-1.0), 2: Aim(0.0)}),
        Control("clutch", "Clutch", 0.0, 1.0, seconds=0.4, keys={"c": Aim(1.0)}, shape="pedal"),
        Control("lift_command", "Lift", -FULL, FULL, unit="V", seconds=0.3,
                keys={"i": Aim(FULL), "k": Aim(-FULL)}, axis=LIFT_STICK),
        Control("tilt_command", "Tilt", -FULL, FULL, unit="V", seconds=0.3,
                keys={"l": Aim(FULL), "j": Aim(-FULL)}, axis=TILT_STICK),
    ]  # fmt: skip


def scripted(since: float, channels: Channels) -> Mapping[str, float]:
    """The commands of the work cycle; at its end the tractor stands."""
    return {name: command(name, min(since, UNTIL)) for name in COMMANDS}


CAMERAS = (
    Ride("Cabin", "cabin", (-0.15, 0.0, 1.05), (1.0, 0.0, -0.22), 65.0, head=0.15),
    Chase("Behind", "frame", 8.0, 3.4, field=45.0),
    Orbit("Side", "frame", azimuth=-75.0, elevation=14.0, distance=14.0),
    Ride("Bucket", "arm", (0.6, 1.5, 0.5), (1.0, -0.75, -0.75), 60.0),
)
SOUNDS = (
    Hum("engine.torque", full=450.0, pitch="engine.rpm", per_unit=2.0 / 60.0, lowest=25.0, kind="engine", body="frame",
        at=(1.8, 0.0, 0.4), near=3.0),  # four cylinders fire twice in a turn
    Hum("P_p", full=1.8e7, quiet=1.5e6, pitch="engine.rpm", per_unit=10.0 / 60.0, kind="hydraulics", body="frame",
        at=(0.6, 0.0, 0.0), near=3.0),  # a gear pump of ten teeth
    Hum("tractor.speed", full=6.0, quiet=0.1, pitch="tractor.speed", per_unit=25.0, kind="gravel", body="frame",
        near=3.0),
    Struck("bucket.soil.force.z", full=5e4, kind="thud", body="bucket", near=4.0),
)  # fmt: skip
