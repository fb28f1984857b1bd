"""`symbody node world` and `symbody node haptic`: a slow world, and the fast local model in front of it."""

from __future__ import annotations

import argparse
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.errors import ModelError

if TYPE_CHECKING:
    from symbody.haptics.two_rates.line import HapticLine
    from symbody.haptics.two_rates.world import World

SCENES = ("puck",)


def haptic_roles(roles: Any) -> None:
    """The two roles, and what both are told."""
    world = roles.add_parser("world", help="a haptic world: hear where the tool is, and tell what is near it")
    world.add_argument("scene", help=f"{', '.join(SCENES)}, or an MJCF file, which MuJoCo simulates")
    world.add_argument("--tool", default="tool", help="the tool's body in an MJCF file (tool)")
    world.add_argument("--engine", default="symbody", help="of a named scene: symbody (default) or mujoco")
    world.add_argument("--rate", type=float, default=30.0, help="steps in a second (30)")
    world.add_argument(
        "--epsilon", type=float, default=0.005, help="distance within which surfaces are told, m (0.005)"
    )
    world.set_defaults(node=_world)
    haptic = roles.add_parser("haptic", help="a local model in a real-time loop, and a hand that sways")
    haptic.add_argument("scene", choices=SCENES, help="what is in the hand")
    haptic.add_argument("--rate", type=float, default=1000.0, help="ticks in a second (1000)")
    haptic.set_defaults(node=_haptic)
    for role in (world, haptic):
        role.add_argument("--active", action="store_true", help="without passivity control: energy is only counted")
        role.add_argument("--transport", default="udp", help="udp (default) or memory")
        role.add_argument("--at", default="127.0.0.1:47610", metavar="HOST:PORT", help="UDP: of the haptic node")
        role.add_argument("--name", default="haptic", help="memory: of the line (haptic)")
        role.add_argument("--token-file", help="UDP: file with the shared secret (default: the variable SYMBODY_TOKEN)")
        role.add_argument("--delay", type=float, default=0.0, help="delay of what it hears, s (0)")
        role.add_argument("--jitter", type=float, default=0.0, help="largest further delay, s (0)")
        role.add_argument("--loss", type=float, default=0.0, help="share of what it hears that is lost (0)")
        role.add_argument("--seed", type=int, default=0, help="of the random numbers of loss and jitter (0)")
        role.add_argument(
            "--until", type=float, default=float("inf"), help="ends after so many s (default: when it is stopped)"
        )
        role.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
        role.set_defaults(mcap=None)


def _line(arguments: argparse.Namespace) -> HapticLine:
    from symbody.haptics.two_rates.impairment import Impairment
    from symbody.haptics.two_rates.line import HapticLine
    from symbody.realtime.transports import address, shared_token

    impairment = Impairment(arguments.delay, arguments.jitter, arguments.loss, arguments.seed)
    token = shared_token(arguments.token_file)
    return HapticLine(arguments.transport, address(arguments.at), arguments.name, token, impairment)


def _world(arguments: argparse.Namespace, opened: ExitStack) -> Any:
    from symbody.haptics.two_rates.world_end import WorldEnd, WorldNode

    end = WorldEnd(_engine(arguments), rate=arguments.rate, passive=not arguments.active)
    transport = _line(arguments).for_world()
    opened.callback(transport.close)
    arguments.hint = f"a world of {arguments.rate:g} Hz; its partner: symbody node haptic {SCENES[0]}"
    return WorldNode(end, transport)


def _engine(arguments: argparse.Namespace) -> World:
    from symbody.haptics.experiments.puck import puck_world
    from symbody.haptics.two_rates.mujoco_world import MujocoWorld

    if arguments.scene in SCENES:
        return puck_world(arguments.engine, epsilon=arguments.epsilon)
    if not Path(arguments.scene).is_file():
        cure = f"it is one of {', '.join(SCENES)}, or an MJCF file"
        raise ModelError("no such scene", element=arguments.scene, cure=cure)
    return MujocoWorld(Path(arguments.scene), arguments.tool, reach=arguments.epsilon)


class _Haptic:
    """The haptic process as a node."""

    def __init__(self, arguments: argparse.Namespace):
        self._arguments, self._transport = arguments, _line(arguments).for_hand()

    def run(self, until: float, stop: threading.Event) -> dict[str, Any]:
        from symbody.haptics.experiments.two_processes import haptic_run

        passive = not self._arguments.active
        return haptic_run(self._transport, until, rate=self._arguments.rate, passive=passive, stop=stop)


def _haptic(arguments: argparse.Namespace, opened: ExitStack) -> Any:
    arguments.hint = f"ticks at {arguments.rate:g} Hz; its partner: symbody node world {arguments.scene}"
    return _Haptic(arguments)
