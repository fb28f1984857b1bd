"""`symbody bench --haptic`: ticks of haptic scenes, compared with MuJoCo's steps and coal's collision detection.

A tick of ours includes scene, controller and device. MuJoCo's step is the scene alone. Contacts by coal are the first
part of a step with Pinocchio.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np

from symbody.codegen import wait_optimised
from symbody.haptics.thesis_scenes import corner
from symbody.realtime.tick_times import percentiles
from symbody_bench import haptic_boxes as boxes
from symbody_bench import haptic_many_planes as many_planes

RATE = 1000.0
GOALS = {"corner": 20.0, "boxes": 200.0}  # µs of a tick
LOCAL = {  # local models: scene with all constraints touched, push of the hand, goal (µs)
    "arm on 20 planes": (many_planes.arm_on_planes, many_planes.ARM_PUSH, 15.0),
    "box on 50 planes": (many_planes.box_on_planes, many_planes.BOX_PUSH, 60.0),
}


def haptic_bench(folder: Path, seconds: float = 3.0) -> dict[str, Any]:
    """A row for each scene and method; µs."""
    rows = [_ours(scene, method, seconds) for scene in GOALS for method in corner.METHODS if method != "coupler"]
    rows += [_local(name, seconds) for name in LOCAL]
    missing = []
    for scene, who, make in (
        ("corner", "MuJoCo, scene alone", _mujoco_corner), ("boxes", "MuJoCo, scene alone", _mujoco_boxes),
        ("boxes", "coal, contacts alone", _coal_boxes),
    ):  # fmt: skip
        try:
            rows.append({"scene": scene, "method": who, **_quantiles(_timed(make(), round(seconds * RATE)))})
        except ImportError as error:
            missing.append(f"{who}: {error}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "haptic.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return {"haptic": rows, "missing": missing}


def _ours(scene: str, method: str, seconds: float) -> dict[str, Any]:
    rendering = corner.METHODS[method]
    made = corner.corner(rendering, rate=RATE) if scene == "corner" else boxes.boxes(rate=RATE, rendering=rendering)
    push = corner.PUSH if scene == "corner" else boxes.PUSH
    made.run(0.01, push)
    wait_optimised()
    found = _quantiles(made.times(seconds, push))
    contacts = int(made.run(0.01, push)["contacts"].max())
    return {"scene": scene, "method": f"ours, {method}", **found, "contacts": contacts, "goal_us": GOALS[scene]}


def _local(name: str, seconds: float) -> dict[str, Any]:
    make, push, goal = LOCAL[name]
    made = make(rate=RATE)
    made.run(0.01, push)
    wait_optimised()
    found = _quantiles(made.scene.times(seconds, push))
    contacts = int(made.run(0.01, push)["contacts"].max())
    return {"scene": name, "method": "ours, local model", **found, "contacts": contacts, "goal_us": goal}


def _quantiles(took: np.ndarray) -> dict[str, float]:
    return {f"{name}_us": value for name, value in percentiles(took).items()}


def _timed(step: Callable[[], Any], n: int) -> np.ndarray:
    took = np.zeros(n)
    for k in range(n):
        began = perf_counter_ns()
        step()
        took[k] = 1e-9 * (perf_counter_ns() - began)
    return took


def _mujoco(text: str, push: tuple[float, ...] | None = None) -> Callable[[], Any]:
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    if push is not None:
        data.qfrc_applied[: len(push)] = push
    return lambda: mujoco.mj_step(model, data)


def _mujoco_corner() -> Callable[[], Any]:
    (x, y), (gap, below) = corner.PEG, corner.GAP
    joints = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>'
    mass, turn = corner.MASS, corner.INERTIA
    return _mujoco(
        f"""<mujoco><option timestep="{1 / RATE}" gravity="0 0 0"/><worldbody>
<geom type="box" size="0.025 0.15 0.1" pos="{x / 2 + gap + 0.025} 0 0"/>
<geom type="box" size="0.15 0.025 0.1" pos="0 {-y / 2 - below - 0.025} 0"/>
<body>{joints}<inertial pos="0 0 0" mass="{mass}" diaginertia="{turn} {turn} {turn}"/>
<geom type="box" size="{x / 2} {y / 2} 0.01"/></body></worldbody></mujoco>""",
        corner.PUSH,
    )


def _mujoco_boxes() -> Callable[[], Any]:
    half = boxes.EDGE / 2
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{half} {half} {half}" mass="{boxes.MASS}"/></body>'
        for x, y, z in boxes.places()
    )
    return _mujoco(
        f"""<mujoco><option timestep="{1 / RATE}"/><worldbody><geom type="box" size="1 1 0.05" pos="0 0 -0.05"/>
{bodies}</worldbody></mujoco>"""
    )


def _coal_boxes() -> Callable[[], Any]:
    import coal

    shape, floor = coal.Box(boxes.EDGE, boxes.EDGE, boxes.EDGE), coal.Box(2.0, 2.0, 0.1)
    below = coal.Transform3s(np.eye(3), np.array([0.0, 0.0, -0.05]))
    at = [coal.Transform3s(np.eye(3), np.array([x, y, z - 1e-4])) for x, y, z in boxes.places()]
    request, result = coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, 8), coal.CollisionResult()

    def contacts() -> None:
        for place in at:
            result.clear()
            coal.collide(shape, place, floor, below, request, result)

    return contacts
