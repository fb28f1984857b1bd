"""A puck in an enclosure, hit and stopped by a peg in the hand, through a line with delay and packet loss.

There is no friction, and the puck rebounds elastically from the walls. Energy that the line generates therefore stays:
G(t) = E_puck(t) − E_puck(0) − E_hand(t) > 0, with the energy E_hand from the hand (log["energy"]).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Controller, Rendering, WrenchLimit, one_of
from symbody.haptics.shapes import Array, Polygon, rectangle
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS, PEG, peg
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.mujoco_world import MujocoWorld
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.packet_use import PacketUse
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.remote_scene import RemoteScene
from symbody.haptics.two_rates.scene_world import EPSILON, SceneWorld
from symbody.haptics.two_rates.world import World

ROOM = 0.3, 0.1  # m, inside the walls
THICK = 0.05  # m, of walls
PUCK, PUCK_MASS = 0.05, 0.5  # m, kg
PUCK_INERTIA = PUCK_MASS * PUCK**2 / 6.0  # kg m²
AT = 0.06  # m, initial position of the puck
START = (-0.06, 0.0, 0.0)  # of the peg
SPEED = -0.4  # m/s, of the puck towards the peg
WALL = ContactModel("impulse", 4000.0, 30.0, 0.0)  # in the packets
ELASTIC = ContactModel("impulse", 4000.0, 30.0, 1.0)  # of the bodies of the world
SOLREF = "-20000 -20"  # of MuJoCo (N/m, N s/m); without damping it generates energy
HAND = HapticHand(stiffness=(300.0, 300.0, 1.0))
DEVICE_LIMIT = (15.0, 15.0, 1.0)  # N, N m
ENGINES = ("symbody", "mujoco")
WORLD_RATE = 30.0  # Hz
LOSS, JITTER = 0.2, 0.01  # share, s
SWAY, SWAYING = 0.05, 0.7  # m, Hz: of the hand
LEAN, LEANING = (0.1, 0.05), (0.2, 0.13)  # m, Hz, along x and y: beyond the walls


def room() -> dict[str, Polygon]:
    """Four walls."""
    x, y = ROOM[0] / 2, ROOM[1] / 2
    return {
        "left": rectangle(THICK, ROOM[1] + 2 * THICK, (-x - THICK / 2, 0.0)),
        "right": rectangle(THICK, ROOM[1] + 2 * THICK, (x + THICK / 2, 0.0)),
        "floor": rectangle(ROOM[0], THICK, (0.0, -y - THICK / 2)),
        "ceiling": rectangle(ROOM[0], THICK, (0.0, y + THICK / 2)),
    }


def tool() -> HapticBody:
    """The peg at its start."""
    return peg(START)


def puck_world(engine: str = "symbody", speed: float = SPEED, epsilon: float = EPSILON, rate: float = 960.0) -> World:
    """The room with peg and puck, in an engine; rate: ticks of the world (Hz)."""
    one_of(engine, ENGINES, "engine")
    if engine == "mujoco":
        return MujocoWorld(_mjcf(speed, rate), "peg", reach=epsilon)
    puck = HapticBody("puck", rectangle(PUCK, PUCK), PUCK_MASS, PUCK_INERTIA, (AT, 0.0, 0.0), (speed, 0.0, 0.0))
    scene = HapticScene([tool(), puck], room(), rate=rate, rendering=Rendering(ELASTIC))
    return SceneWorld(scene, "peg", epsilon=epsilon)


def puck_local(port: Port | None = None, rate: float = 1000.0, *, kinematic: bool = True) -> LocalModel:
    """The peg as proxy, in a passive hand; the rendered wrench is limited."""
    rendering = Rendering(WALL, controller=Controller("virtual-coupler"), limit=WrenchLimit("spread", DEVICE_LIMIT))
    return LocalModel(
        tool(), rate=rate, rendering=rendering, device=HapticDevice(limit=DEVICE_LIMIT), hand=HAND,
        packets=PacketUse(kinematic=kinematic), port=port,
    )  # fmt: skip


def remote() -> RemoteScene:
    """The scene for two processes; the hand moves to and fro, beyond the walls."""
    return RemoteScene(
        "puck", lambda engine, epsilon: puck_world(engine, epsilon=epsilon),
        lambda port, rate, _: puck_local(port, rate), leaning, WALL, ENGINES, into_walls=into_walls,
    )  # fmt: skip


def leaning(t: float) -> dict[str, float]:
    """Position of a hand that pushes the puck, stops it and leans on walls."""
    x, y = (a * np.sin(2.0 * np.pi * f * t) for a, f in zip(LEAN, LEANING, strict=True))
    return {"hand_x": START[0] + float(x), "hand_y": START[1] + float(y)}


def into_walls(q: Array) -> Array:
    """Penetration of the level peg into a wall (m); q: (n, 3)."""
    return np.asarray(np.max(np.abs(q[:, :2]) + np.array(PEG) / 2 - np.array(ROOM) / 2, axis=1))


def puck_energy(world: World) -> float:
    """Kinetic energy of the puck (J)."""
    if isinstance(world, MujocoWorld):
        v = np.array(world.data.qvel[3:6])
    else:
        assert isinstance(world, SceneWorld)
        v = np.array(world.scene.v[3:6])
    return float(0.5 * PUCK_MASS * (v[:2] @ v[:2]) + 0.5 * PUCK_INERTIA * v[2] ** 2)


@dataclass(frozen=True)
class Growth:
    """Largest energy that the line generated, initial energy of the puck, lowest balance of both ends (J)."""

    made: float
    start: float
    least: float
    force: float  # N, at most
    held: int  # moves of surfaces and steps of the tool


def energy_growth(delay: float, passive: bool, seed: int = 0, seconds: float = 6.0, across: float = 0.0) -> Growth:
    """Run with a hand that sways and meets the puck, both rates on one clock, 20 % loss and up to 10 ms of jitter.

    across: amplitude along y (m).
    """
    world, local = puck_world(), puck_local(Port(passive=passive))
    line = Impairment(delay, JITTER, LOSS, seed)
    both = TwoRates(world, local, WORLD_RATE, line, contact=WALL, passive=passive)
    start, made, force = puck_energy(world), 0.0, 0.0
    for k in range(round(seconds * WORLD_RATE)):
        t = k / WORLD_RATE
        x, y = START[0] + SWAY * np.sin(2.0 * np.pi * SWAYING * t), across * np.sin(3.0 * t)
        log = both.run(1.0 / WORLD_RATE, pose=(x, y, 0.0))
        made = max(made, puck_energy(world) - start - float(log["energy"][-1]))
        force = max(force, float(np.max(np.abs(log["felt"][:, :2]))))
    least = min(float(local.c.port.least), both.end.account.least)
    return Growth(made, start, least, force, int(local.c.port.held) + both.end.counts["held"])


def _mjcf(speed: float, rate: float) -> str:
    """The same room for MuJoCo; its key frame has the speed of the puck."""
    x, y, side = ROOM[0] / 2, ROOM[1] / 2, THICK / 2
    boxes = {
        "left": (side, y + THICK, -x - side, 0.0), "right": (side, y + THICK, x + side, 0.0),
        "floor": (x, side, 0.0, -y - side), "ceiling": (x, side, 0.0, y + side),
    }  # fmt: skip
    walls = "".join(
        f'<geom name="{name}" type="box" size="{a} {b} 0.1" pos="{px} {py} 0"/>'
        for name, (a, b, px, py) in boxes.items()
    )
    bodies = _body("peg", PEG, MASS, INERTIA) + _body("puck", (PUCK, PUCK), PUCK_MASS, PUCK_INERTIA)
    return f"""<mujoco><option timestep="{1.0 / rate}" gravity="0 0 0" cone="elliptic"/>
<default><geom friction="0 0 0" solref="{SOLREF}"/></default><worldbody>{walls}{bodies}</worldbody>
<keyframe><key qpos="{START[0]} {START[1]} 0 {AT} 0 0" qvel="0 0 0 {speed} 0 0"/></keyframe></mujoco>"""


def _body(name: str, size: tuple[float, float], mass: float, inertia: float) -> str:
    """A flat box on slides x and y and a hinge z."""
    joints = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>'
    inertial = f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>'
    geom = f'<geom name="{name}" type="box" size="{size[0] / 2} {size[1] / 2} 0.01"/>'
    return f'<body name="{name}">{joints}{inertial}{geom}</body>'
