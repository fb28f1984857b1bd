"""A world's end of a line: it hears where the proxy is, makes a step, and tells what is near in a packet.

Where it is passive, the tool gives no more energy to bodies than the other end has paid for: a step that would give
more is undone, and made again with a tool that goes less far. One that stands still gives none. What contacts of the
tool with bodies have lost is the other end's to spend, once nothing touches.

What is told is what is near the proxy, also where the tool was held back. A proxy that passed a body unfelt leaves its
tool behind there; after `patience` s the tool is put past the body, as near to the proxy as it is in no body: nothing
is touched on the way, so this costs no energy and gives none.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.haptics.settings import ContactModel, finite
from symbody.haptics.two_rates.packet import FIXED, Array, ProxyPacket, WorldPacket, WorldStep, world_packet
from symbody.haptics.two_rates.port import CEILING
from symbody.haptics.two_rates.port_account import PortAccount, Total
from symbody.haptics.two_rates.wire import proxy_of, world_values
from symbody.haptics.two_rates.world import World, between
from symbody.realtime.link import Limits, LinkEnd
from symbody.realtime.nodes import Node
from symbody.realtime.packet import Transport
from symbody.realtime.rejected import Rejected

TRIES = 6  # of a step, with a tool that goes less and less far
PLACES = 8  # of the way to the proxy that are tried, the nearest to it first
PATIENCE = 0.5  # s: longer than a line takes there and back
FURTHEST = 100.0  # m, rad: no proxy is as far away
SILENCE = 0.5  # s without a believed frame, after which another partner is listened to


class WorldEnd:
    """A world in steps of 1/rate s; contact: numbers of the walls that packets tell. passive, patience: see above."""

    def __init__(
        self,
        world: World,
        contact: ContactModel | None = None,
        rate: float = 30.0,
        *,
        passive: bool = True,
        ceiling: float = CEILING,
        patience: float = PATIENCE,
    ):
        self.world, self.contact, self.passive = world, contact or ContactModel(), passive
        self.period = 1.0 / finite("rate", rate, 0.1, 1e4)
        self.account = PortAccount(finite("ceiling", ceiling))
        if not patience >= 0.0:
            raise ModelError(f"patience = {patience}", element="world", cure="give seconds, or infinity")
        self.patience, self.behind = patience, 0.0  # s, since the tool was last where it should be
        self.steps, self.t = 0, 0.0
        self.counts: Counter[str] = Counter()  # proxies refused by reason; steps with the tool held back, put past
        self._goal, self._nv = world.tool_pose(), 0
        self._heard, self._session, self._paid = -1, 0, Total()
        self._between = 0.0  # J, stored or lost in contacts of the tool with bodies
        self.made = 0.0  # J, that the engine made in them by itself: no line can know of it

    def hear(self, proxy: ProxyPacket, session: int = 0) -> None:
        """Where the proxy is; what is late, of another tool or nowhere is refused and counted."""
        q = np.array(proxy.q[: proxy.nq])
        if session != self._session:
            self._session, self._heard = session, -1
        if proxy.sequence <= self._heard:
            self.counts["late" if proxy.sequence < self._heard else "repeated"] += 1
        elif len(q) != len(self._goal):
            self.counts["another tool"] += 1
        elif not np.all(np.abs(q) < FURTHEST) or (proxy.nq != proxy.nv and np.linalg.norm(q[3:]) < 0.5):
            self.counts["nowhere"] += 1  # NaN, too
        else:
            if proxy.nq != proxy.nv:
                q[3:] /= np.linalg.norm(q[3:])
            self._heard, self._goal, self._nv = proxy.sequence, q, int(proxy.nv)
            self.account.received = self._paid.hear(proxy.paid, session)

    def step(self) -> WorldPacket:
        """Advance the world, and tell what is near its tool."""
        step = self._advance()
        self.account.entered -= step.work
        self._between += step.work - step.gained
        if not _is_in_body(step):  # nothing is stored: it was lost
            self.account.entered += max(self._between, 0.0)
            self.made += max(-self._between, 0.0)
            self._between = 0.0
        self.account.settle()
        self.steps, self.t = self.steps + 1, self.t + self.period
        made, near = self.contact, self._near_proxy(step)
        packet = world_packet(
            self.steps, self.t, near.constraints, near.tool, made.stiffness, made.damping,
            made.restitution,
        )  # fmt: skip
        packet.paid = self.account.paid
        return packet

    def begin_again(self, kept: Any) -> None:
        """The world as it was kept; accounts go on, as those of the other end do."""
        self.world.restore(kept)
        self._goal, self.behind = self.world.tool_pose(), 0.0

    def _advance(self) -> WorldStep:
        """To the proxy, or as far as there is energy for: work goes with the square of the tool's velocity."""
        if not self.passive:
            self.behind = 0.0
            return self.world.advance(self._goal, self.period)
        begin, kept, share, most = self.world.tool_pose(), self.world.kept(), 1.0, max(self.account.balance, 0.0)
        for k in range(TRIES):
            goal = self._goal if k == 0 else between(begin, self._goal, share, self._nv or len(begin))
            step = self.world.advance(goal, self.period)
            if step.work <= most:
                self.behind = self.behind if k else 0.0
                return step
            self.world.restore(kept)
            if k == 0:
                self.counts["held"] += 1
                self.behind += self.period
                if self.behind > self.patience and self._put_past(begin, kept):
                    break
            share *= min(0.5, 0.9 * float(np.sqrt(most / step.work)))
        return self.world.advance(self.world.tool_pose(), self.period)

    def _put_past(self, begin: Array, kept: Any) -> bool:
        """Put the tool as near to the proxy as it is in no body, but behind one; False: there is no such place."""
        ways = [between(begin, self._goal, k / PLACES, self._nv or len(begin)) for k in range(PLACES, 0, -1)]
        free = [not _is_in_body(self.world.place(q)) for q in ways]
        past = [k for k, is_free in enumerate(free) if is_free and (k == 0 or not all(free[k:]))]
        self.world.restore(kept)
        if past:
            self.counts["put past"] += 1
            self.world.place(ways[past[0]])
        return bool(past)

    def _near_proxy(self, step: WorldStep) -> WorldStep:
        """What is near the tool where it should be: as the step has it, unless the tool was held back."""
        if not self.behind:
            return step
        kept = self.world.kept()
        near = self.world.place(self._goal)
        self.world.restore(kept)
        return near


def _is_in_body(step: WorldStep) -> bool:
    """Whether the tool is in a body that can move."""
    return any(one.s < 0.0 and one.body > FIXED for one in step.constraints)


class WorldNode(Node):
    """The node of a world: one packet a step, whether somebody hears it or not."""

    def __init__(self, end: WorldEnd, transport: Transport, *, limits: Limits | None = None):
        self.end = end
        link = LinkEnd(limits or Limits(silence=max(SILENCE, 2.0 * end.period)))
        super().__init__(transport, link, lambda: world_values(end.step()), self._hear, lambda: None, end.period)

    def summary(self) -> dict[str, Any]:
        """What was counted and measured, and the world's energies (J)."""
        return {
            **super().summary(),
            "world": {"steps": self.end.steps, **self.end.counts},
            "energy": {**vars(self.end.account), "made_by_engine": self.end.made},
        }

    def _hear(self, values: np.ndarray) -> None:
        try:
            self.end.hear(proxy_of(values), self.link.partner)
        except Rejected as refusal:
            self.link.counts[refusal.reason] += 1
