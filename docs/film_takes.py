"""What the films of the machines show: the moving machine at chosen times, whatever the speed of this computer."""

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody import machines
from symbody.realtime.loop import Loop
from symbody.studio.hands import LONGEST, Hands
from symbody.studio.machine import Machine
from symbody.studio.machine_loop import machine_loop
from symbody.studio.machine_scene import MachineScene
from symbody.system.motion_names import coordinate_names

FRAMES = 24  # pictures of a film
QUICK = 0.02  # the loop runs up to fifty times faster than the clock
PATIENCE = 600.0  # s of the clock that the loop may take from one picture to the next


@dataclass(frozen=True)
class Take:
    """A film: the machine from `begin` to `begin + span` (s).

    swings: inputs and parameters that follow sines of one period in the span, by their amplitude; each lags behind the
    one before by an equal part of the period. values: parameters that differ from those of the machine. camera: one of
    the machine's cameras; empty: the view from outside. care: how well it is drawn, "best" or "sharp".
    """

    span: float = 2.4
    begin: float = 0.0
    swings: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    camera: str = ""
    care: str = "best"


TAKES = {
    "andrews": Take(0.03, values={"servo_share": 0.0}),
    "arm6": Take(4.0, 4.0, {"target_pan": 1.0, "target_lift": 0.4, "target_elbow": 0.5, "target_bend": 0.6}),
    "attenuator": Take(0.15),
    "bicycle": Take(3.0, values={"lean_rate": 1.0}),
    "bricard": Take(4.0, 4.0, {"target_rod1": 0.5}),
    "calibration": Take(3.0, 3.0, {"goal_x": 0.06, "goal_y": 0.06, "goal_roll": 0.1, "goal_pitch": 0.1}),
    "car": Take(2.4, 5.0, care="sharp"),
    "crane": Take(6.0, 0.0, {"lift_command": 5.0, "fold_command": 5.0, "slew_command": 5.0}),
    "crash": Take(0.15),
    "cueing": Take(3.0, 3.0, {"scene_x": 2.0, "scene_y": 2.0}),
    "double-wishbone": Take(2.0, 2.0, {"road": 0.05, "steer": 0.03}),
    "excavator": Take(4.0, 2.0),
    "four-bar": Take(2.4, 2.4, {"torque": 0.4}),
    "four-bar-friction": Take(5.0, 0.0, {"U_ref": 10.0}),
    "four-bar-hydraulic": Take(5.0, 0.0, {"U_ref": 10.0}),
    "piano": Take(0.6, 0.3),
    "quarter-car": Take(2.0, 2.0, {"road": 0.06}),
    "quick-return-hydraulic": Take(8.0, 0.0, {"U_ref": -10.0}),
    "ride": Take(4.0, 14.0, camera="Platform"),
    "slider-crank": Take(1.6, 3.2, {"torque": 1.0}),
    "stewart": Take(3.0, 3.0, {f"target_rod{k}": 0.15 for k in range(1, 7)}),
    "tilting-vehicle": Take(3.0, 3.0, {"steer": 0.1}),
    "tractor": Take(4.0, 4.0, camera="Side"),
}


@dataclass(frozen=True)
class Instant:
    """The poses of all frames, balls of each cloud, and heights of each field at one time."""

    poses: np.ndarray
    clouds: list[np.ndarray]
    fields: list[np.ndarray]


def take_of(name: str) -> Take:
    """The film of a machine."""
    return TAKES.get(name, Take())


def filmed_motion(name: str) -> tuple[dict[str, Any], list[Instant]]:
    """The scene of a machine as a page reads it, and what each picture of its film shows."""
    one, take = machines.entry(name), take_of(name)
    machine = one.bare_page(one.moving_model(), values=take.values) if take.values else one.page()
    rows, surfaces = [], []
    for q in moved(machine, take):
        rows.append(q)
        clouds, fields = [cloud.points() for cloud in machine.particles], [one.heights() for one in machine.terrains]
        surfaces.append(([np.array(points) for points in clouds], [np.array(heights) for heights in fields]))
    scene = MachineScene(machine)
    if machine.view is None or not machine.view.points:
        scene.aim(np.array(rows))
    drawn = scene.page(scene.shapes(dict(machine.system.parameters)))
    drawn["camera"]["keeps"] = False  # the camera is placed for the whole motion
    return drawn, [Instant(scene.rows(q), *seen) for q, seen in zip(rows, surfaces, strict=True)]


def moved(machine: Machine, take: Take) -> Iterator[np.ndarray]:
    """The coordinates at each picture; the first pilot moves the controls, and sines move what swings."""
    with ExitStack() as opened:
        loop = machine_loop(machine, priority=0, history=1.0, overrun=None, stale=None)
        loop.slow(QUICK)
        loop.pause()
        for companion in machine.companions:
            opened.callback(companion.close)
            companion.start()
        opened.callback(loop.stop)
        loop.start()
        hands = Hands(loop, machine.controls)
        for name, pilot in list(machine.pilots.items())[:1]:
            hands.appoint(name, pilot)
        start = dict(zip(loop.channels.given, loop.channels.start, strict=True)) | dict(loop.parameters)
        columns = [loop.outputs.index(name) for name in coordinate_names(machine.system.model)]
        for k in range(FRAMES):
            until = take.begin + take.span * k / FRAMES
            while (left := round((until - loop.latest().t) * machine.rate)) > 0:
                swing(loop, take, start)
                hands.follow()
                step = min(LONGEST, take.span / FRAMES)
                if not loop.step(min(left, max(1, round(step * machine.rate))), PATIENCE):
                    raise RuntimeError(f"stopped at {loop.latest().t:g} s: {loop.reason}")
            yield loop.latest().outputs[columns]


def swing(loop: Loop, take: Take, start: Mapping[str, float]) -> None:
    """Set inputs and parameters to their sines."""
    phase, inputs = loop.latest().t / take.span, {}
    for k, (name, by) in enumerate(take.swings.items()):
        value = start[name] + by * math.sin(2.0 * math.pi * (phase - k / len(take.swings)))
        if name in loop.parameters:
            loop.parameters[name] = value
        else:
            inputs[name] = value
    if inputs:
        loop.give(inputs)
