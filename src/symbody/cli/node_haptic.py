"""`symbody node world` and `symbody node haptic`: a slow world, and the fast local model that follows it."""

from __future__ import annotations

import argparse
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.errors import ModelError

if TYPE_CHECKING:
    from symbody.haptics.two_rates.line import HapticLine
    from symbody.haptics.two_rates.local_model import LocalModel
    from symbody.haptics.two_rates.remote_scene import RemoteScene

PUCK = "puck"  # the only scene that is not a machine


def haptic_roles(roles: Any) -> None:
    """Add the two roles with their own and their common options."""
    world = roles.add_parser("world", help="a haptic world: receive the tool's pose, and send the surfaces near it")
    world.add_argument(
        "--engine", help="symbody (default) or mujoco, if the scene has both; always mujoco for an MJCF file"
    )
    world.add_argument("--rate", type=float, default=30.0, help="steps per second (30)")
    world.add_argument(
        "--epsilon", type=float, default=0.005, help="surfaces within this distance of the tool are sent, m (0.005)"
    )
    world.set_defaults(node=_world)
    haptic = roles.add_parser("haptic", help="a local model in a real-time loop, with a simulated hand")
    haptic.add_argument("--hold", default="", metavar="LINK", help="linkage: the link held by the hand (its last)")
    haptic.add_argument("--contact", help="impulse, penalty or constraint (default: the scene's own)")
    haptic.add_argument(
        "--controller", help="four-channel, virtual-coupler, unilateral-coupler or direct (default: the scene's own)"
    )
    haptic.add_argument("--rate", type=float, default=1000.0, help="ticks per second (1000)")
    haptic.set_defaults(node=_haptic)
    for role in (world, haptic):
        role.add_argument("scene", help=f"{', '.join(scene_names())}, or an MJCF file (simulated by MuJoCo)")
        role.add_argument("--tool", default="tool", help="the tool's body in an MJCF file (tool)")
        role.add_argument("--active", action="store_true", help="switch passivity control off: energy is only counted")
        role.add_argument("--transport", default="udp", help="udp (default) or memory")
        role.add_argument(
            "--at", default="127.0.0.1:47610", metavar="HOST:PORT", help="UDP: address of the haptic node"
        )
        role.add_argument("--name", default="haptic", help="memory: name of the shared memory (haptic)")
        role.add_argument("--token-file", help="UDP: file with the shared secret (default: the variable SYMBODY_TOKEN)")
        role.add_argument("--delay", type=float, default=0.0, help="delay of received messages, s (0)")
        role.add_argument("--jitter", type=float, default=0.0, help="largest additional random delay, s (0)")
        role.add_argument("--loss", type=float, default=0.0, help="share of received messages that is lost (0)")
        role.add_argument("--seed", type=int, default=0, help="seed of the random loss and jitter (0)")
        role.add_argument(
            "--until", type=float, default=float("inf"), help="end after this time, s (default: when it is stopped)"
        )
        role.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
        role.set_defaults(mcap=None)


def scene_names() -> list[str]:
    """The scenes of both roles."""
    return [PUCK, *(one.name for one in machines.entries() if one.has_remote)]


def _scene(arguments: argparse.Namespace) -> RemoteScene:
    """A scene by its name, as in `symbody demo`, or from an MJCF file."""
    from symbody.haptics.thesis_scenes.puck import remote
    from symbody.haptics.two_rates.mjcf_scene import mjcf_scene

    name = arguments.scene
    if name == PUCK:
        return remote()
    known = [one for one in machines.entries() if one.has_remote and f"{one.name}-".startswith(f"{name}-")]
    if known:
        return known[0].remote()
    if not Path(name).is_file():
        cure = f"use one of {', '.join(scene_names())}, or an MJCF file"
        raise ModelError("unknown scene", element=name, cure=cure)
    return mjcf_scene(Path(name), arguments.tool)


def _partner(arguments: argparse.Namespace, role: str) -> str:
    """The command that starts the other end."""
    tool = f" --tool {arguments.tool}" if Path(arguments.scene).is_file() else ""
    return f"its partner: symbody node {role} {arguments.scene}{tool}"


def _line(arguments: argparse.Namespace) -> HapticLine:
    from symbody.haptics.two_rates.impairment import Impairment
    from symbody.haptics.two_rates.line import HapticLine
    from symbody.links.transports import address, shared_token

    impairment = Impairment(arguments.delay, arguments.jitter, arguments.loss, arguments.seed)
    token = shared_token(arguments.token_file)
    return HapticLine(arguments.transport, address(arguments.at), arguments.name, token, impairment)


def _world(arguments: argparse.Namespace, opened: ExitStack) -> Any:
    from symbody.haptics.two_rates.world_end import WorldEnd, WorldNode

    scene = _scene(arguments)
    world = scene.world(arguments.engine, epsilon=arguments.epsilon)
    end = WorldEnd(world, scene.contact, rate=arguments.rate, passive=not arguments.active)
    transport = _line(arguments).for_world()
    opened.callback(transport.close)
    arguments.hint = f"a world of {arguments.rate:g} Hz; {_partner(arguments, 'haptic')}"
    return WorldNode(end, transport)


class _Haptic:
    """The haptic process as a node."""

    def __init__(self, arguments: argparse.Namespace):
        self._scene = _scene(arguments)
        self._local = _local(self._scene, arguments)
        self._transport = _line(arguments).for_hand()

    def run(self, until: float, stop: threading.Event) -> dict[str, Any]:
        from symbody.haptics.two_rates.haptic_process import haptic_run

        return haptic_run(self._transport, until, self._scene, self._local, stop=stop)


def _local(scene: RemoteScene, arguments: argparse.Namespace) -> LocalModel:
    """The local model with the options of the command; "arm.link2" means link2, as in Python."""
    from symbody.haptics.two_rates.world_link import REMOTE

    hold = arguments.hold.rpartition(".")[2]
    local = scene.local(replace(REMOTE, passive=not arguments.active), arguments.rate, hold)
    made = local.scene.rendering
    if arguments.contact:
        made = replace(made, contact=replace(made.contact, model=arguments.contact))
    if arguments.controller:
        made = replace(made, controller=replace(made.controller, name=arguments.controller))
    local.use(made)
    return local


def _haptic(arguments: argparse.Namespace, opened: ExitStack) -> Any:
    node = _Haptic(arguments)
    arguments.hint = f"ticks at {arguments.rate:g} Hz; {_partner(arguments, 'world')}"
    return node
