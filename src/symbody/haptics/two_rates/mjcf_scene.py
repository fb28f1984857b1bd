"""A MuJoCo model as a haptic scene for two processes; the hand's process only needs the tool."""

from __future__ import annotations

from functools import partial
from math import sin
from pathlib import Path

import numpy as np

from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.objects import HapticBody
from symbody.haptics.settings import Controller, Rendering, WrenchLimit
from symbody.haptics.shapes import box, rectangle
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.mujoco_world import MujocoWorld
from symbody.haptics.two_rates.packet_use import PacketUse
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.remote_scene import RemoteScene

HAND = HapticHand(stiffness=(300.0, 300.0, 1.0))  # N/m, N m/rad
LIMIT = (15.0, 15.0, 1.0)  # N, N m
SWAY, TURNS = (0.05, 0.05), (1.3, 0.8)  # m, rad/s: of the hand along x and y


def mjcf_scene(file: Path, tool: str) -> RemoteScene:
    """The scene of an MJCF file with the body `tool` in the hand."""
    return RemoteScene(
        file.name, lambda _, epsilon: MujocoWorld(file, tool, reach=epsilon), partial(_local, file, tool),
        partial(_hand, MujocoWorld(file, tool).tool_pose()), engines=("mujoco",),
    )  # fmt: skip


def _local(file: Path, tool: str, port: Port, rate: float, hold: str) -> LocalModel:
    rendering = Rendering(controller=Controller("virtual-coupler"), limit=WrenchLimit("spread", LIMIT))
    return LocalModel(
        tool_body(MujocoWorld(file, tool), tool), rate=rate, rendering=rendering, device=HapticDevice(limit=LIMIT),
        hand=HAND, packets=PacketUse(kinematic=True), port=port,
    )  # fmt: skip


def _hand(start: np.ndarray, t: float) -> dict[str, float]:
    """A motion to and fro about the initial position of the tool."""
    return {f"hand_{axis}": float(start[k]) + SWAY[k] * sin(TURNS[k] * t) for k, axis in enumerate("xy")}


def tool_body(world: MujocoWorld, name: str) -> HapticBody:
    """The tool of a MuJoCo model as a body; its shape, as wide as its thinnest part, only limits motion per tick."""
    mass, inertia = world.tool_inertia()
    side, pose = world.tool_thickness(), tuple(float(x) for x in world.tool_pose())
    if world.planar:
        return HapticBody(name, rectangle(side, side), mass, float(inertia[2, 2]), pose)
    return HapticBody(name, box(side, side, side), mass, inertia, pose)
