"""A slow world and the line to it, in two threads of the process that steps the local model; all settings are live.

threads = WorldThread(world, local, rate=30.0, impairment=Impairment(delay=0.02))
with threads, Loop(SceneSource(local.scene, threads.extras), 1000.0) as loop:
    loop.give({"delay": 0.05})

Packets go over a socket as between two processes (world_end.py, world_link.py, line.py); `impairment` delays and drops
them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from symbody.haptics.settings import ContactModel
from symbody.haptics.two_rates.extra_inputs import STANDINGS, SceneExtras, local_inputs, number_inputs
from symbody.haptics.two_rates.impaired import ImpairedTransport
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.line import line_pair
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.scene_world import SceneWorld
from symbody.haptics.two_rates.wire import world_values
from symbody.haptics.two_rates.world_end import WorldEnd, WorldNode
from symbody.haptics.two_rates.world_link import WorldLink
from symbody.realtime.background_thread import BackgroundThread

GHOST = "world"  # the world's own tool, shown in addition to the proxy
NUMBERS = (
    "world_rate", "delay", "jitter", "loss", "epsilon", "cluster", "stiffness", "damping", "restitution",
)  # fmt: skip
RUBBING = ("friction", "mu_s", "mu_k", "beta", "mu_impact")  # settings that the world copies from the local model


class WorldThread(BackgroundThread):
    """Runs a world from `start()` to `close()`; `extras` has its live numbers and the world's own tool, for
    `SceneSource`.

    Parameters
    ----------
    world : SceneWorld
        The slow simulation.
    local : LocalModel
        A local model that also has the world's objects and walls: if the whole scene is felt, the world follows it.
    rate : float
        Of the world (Hz). Default 30.
    impairment : Impairment, optional
        Of the link. Default: none.
    contact : ContactModel, optional
        Wall parameters. Default: `ContactModel()`.
    """

    def __init__(
        self,
        world: SceneWorld,
        local: LocalModel,
        rate: float = 30.0,
        impairment: Impairment | None = None,
        contact: ContactModel | None = None,
    ):
        self.world, self.local = world, local
        self.end = WorldEnd(world, contact or local.scene.rendering.contact, rate, passive=bool(local.c.port.on))
        self.impairment, wall = impairment or Impairment(), self.end.contact
        line = self.impairment.delay, self.impairment.jitter, self.impairment.loss
        near = world.epsilon, world.cluster
        self.numbers = np.array([rate, *line, *near, wall.stiffness, wall.damping, wall.restitution])
        self.seen = np.concatenate([world.scene.q, world.scene.v])  # last state of the world, for ticks and views
        local.follow(self.seen)
        self.extras = SceneExtras(
            local_inputs(local) | number_inputs(NUMBERS, self.numbers),
            replace(world.tool, name=GHOST),
            self.seen[: len(world.tool_pose())],
            np.zeros(local.scene.c.objects[local.scene.c.held].nv),
        )
        self.failure = ""  # reason why the world stopped
        self.link: WorldLink | None = None
        self._lines: tuple[ImpairedTransport, ...] = ()
        self._node: WorldNode
        self._first, self._ticks = world.kept(), 0
        super().__init__("slow world")

    def start(self) -> Self:
        """Open the link and start both ends."""
        self._lines = line_pair(self.impairment)
        self._node = WorldNode(self.end, self._lines[0])
        self._node.tell = self._tell
        self.link = WorldLink(self.local, self._lines[1]).start()
        return super().start()

    def close(self) -> None:
        """End both threads and release the ports."""
        super().close()
        if self.link is not None:
            self.link.close()
            self._lines[0].close()

    @property
    def packets(self) -> dict[str, int]:
        """Packets of the world: sent, lost, accepted by the local model; and lost messages of the proxy."""
        lost = [end.line.lost for end in self._lines] or [0, 0]
        return {"sent": self.end.steps, "lost": lost[1], "taken": int(self.local.c.reasons[0]), "proxies_lost": lost[0]}

    @property
    def age(self) -> float:
        """Time since the last packet to the local model (s)."""
        return float(self.local.c.silent * self.local.scene.dt)

    def _run(self) -> None:
        try:
            self._node.run(stop=self._end)
        except Exception as error:  # the ticks continue, and their surfaces age; `failure` keeps the reason
            self.failure = f"{type(error).__name__}: {error}"

    def _tell(self) -> np.ndarray:
        """A step of the world with the present inputs."""
        self._take_numbers()
        self._follow_ticks()
        packet = self.end.step()
        scene = self.world.scene
        self.seen[:] = np.concatenate([scene.q, scene.v])
        return world_values(packet)

    def _take_numbers(self) -> None:
        now = dict(zip(NUMBERS, (float(x) for x in self.numbers), strict=True))
        self.end.period = self._node.period = 1.0 / now["world_rate"]
        self.world.epsilon, self.world.cluster = now["epsilon"], now["cluster"]
        self.end.contact = replace(
            self.end.contact, stiffness=now["stiffness"], damping=now["damping"], restitution=now["restitution"]
        )
        self.end.passive = bool(self.local.c.port.on)
        mine, theirs = self.world.scene.c.settings, self.local.scene.c.settings
        for name in ("stiffness", "damping", "restitution"):
            setattr(mine, name, now[name])
        for name in RUBBING:
            setattr(mine, name, getattr(theirs, name))
        self.impairment = replace(self.impairment, delay=now["delay"], jitter=now["jitter"], loss=now["loss"])
        for end in self._lines:
            end.line.impairment = self.impairment

    def _follow_ticks(self) -> None:
        """Reset the world together with the ticks; if the whole scene is rendered, copy its state."""
        felt, scene = self.local.scene, self.world.scene
        before, self._ticks = self._ticks, int(felt.c.memory.ticks)
        if self._ticks < before:
            self.end.begin_again(self._first)
        if self.local.c.whole:
            for k, made in enumerate(scene.c.objects[: scene.c.nobjects]):
                if k != self.world.index:
                    scene.q[made.q : made.q + made.nq] = felt.q[made.q : made.q + made.nq]
                    scene.v[made.v : made.v + made.nv] = felt.v[made.v : made.v + made.nv]

    @property
    def standing(self) -> str:
        """How the world is represented: one of STANDINGS."""
        return STANDINGS[2 if self.local.c.whole else int(self.local.c.intermediate)]
