"""A source shown to browsers: each gets the motion and sends what its hands do; the loop never waits for them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from symbody.errors import SymbodyError
from symbody.links.rejected import Rejected
from symbody.studio.height_patches import HeightPatches
from symbody.studio.messages import Looking, Message
from symbody.studio.past_plots import PastPlots
from symbody.studio.source import StudioSource
from symbody.studio.stream import RECORDS, plot_message
from symbody.studio.tiles import TilePyramid
from symbody.studio.visitor import (
    Visitor,
    chart_messages,
    hello_message,
    motion_messages,
    plot_messages,
    refusal_message,
    scene_message,
    scene_settled,
    status_messages,
    surface_messages,
    tile_messages,
    value_messages,
)
from symbody.visual.scene import Scene
from symbody.web.gate import Gate
from symbody.web.inbox import Inbox
from symbody.web.shared_cache import SharedCache
from symbody.web.sockets import ConnectionClosed, ServerConnection
from symbody.web.turnstile import Turnstile
from symbody.web.worker import Worker

log = logging.getLogger(__name__)

FRAMES = 60.0  # poses a second to one browser, at most
ALL_FRAMES = 2000.0  # poses a second to all browsers: with many of them, each gets fewer
PLOT_EVERY, VALUES_EVERY, SURFACES_EVERY, STATUS_EVERY = 2, 3, 6, 12  # frames between two messages of a kind
STATUS_LASTS = 0.1  # s
BEAT = 0.5  # s without news after which an empty message is sent, so that a page knows that the server is alive
YIELD = 4.0  # periods of lateness that one who only watches waits, so that those who drive come first
TOGETHER = 2  # watchers that are served before the messages of drivers are looked for again
RECALL = 0.5  # s until one who only watches gets the past of plots again: it is long, and changes little meanwhile
REST = 0.01  # s after a refused message, so that a flood waits in the network
TOO_BIG = 1009  # close code of a socket whose message was too long
OPENING = 30.0  # s until a scene is ready
OBEYING = 1.0  # s that a message may take


class StudioSession:
    """A source and its visitors; identity: of this start of the studio."""

    def __init__(self, source: StudioSource, gate: Gate[Message], identity: str):
        self.source, self.gate, self.identity = source, gate, identity
        self.visitors: list[Visitor] = []
        self._welcomed = False
        self._turnstile = Turnstile(TOGETHER)
        self._scene: tuple[int, Scene, str] | None = None  # version, shapes and text
        self._poses = SharedCache(source.poses, 0.5 / FRAMES)
        self._status = SharedCache(source.status, STATUS_LASTS)
        self._past_plots = PastPlots(source)
        self._height_patches = HeightPatches(source.heights)
        self._pyramid = None if source.landscape is None else TilePyramid(source.landscape)
        self._orders, self._scenes = Worker("orders"), Worker("scenes")  # one message is obeyed at a time
        self._tiles = Worker("tiles")  # a landscape may take long, or hang

    def close(self) -> None:
        """Stop the workers, and close the source."""
        for worker in (self._orders, self._scenes, self._tiles, self._past_plots):
            worker.close()
        self.source.close()

    def drawn(self) -> tuple[Scene, str]:
        """The shapes now, and the scene as JSON, made once for all visitors."""
        version = self.source.version
        if self._scene is None or self._scene[0] != version:
            shapes = self.source.shapes()
            self._scene = version, shapes, json.dumps(self.source.scene(shapes))
        return self._scene[1:]

    async def visit(self, connection: ServerConnection, touch: bool) -> None:
        """Send and receive until the browser leaves; touch: whether it may do more than watch."""
        visitor = Visitor(touch, self.source.version)
        self.visitors.append(visitor)
        try:
            if not self._welcomed:
                self._welcomed = True
                await self._orders.done(self.source.welcome, OPENING)
            visitor.shapes, scene = await self._scenes.done(self.drawn, OPENING)
            await connection.send(hello_message(self.source, visitor, self.identity, scene))
            inbox = Inbox(self.gate.verbs)
            await first(
                self._listen(connection, visitor, inbox),
                self._heed(connection, visitor, inbox),
                self._send(connection, visitor),
            )
        except Rejected as refusal:
            self.gate.count(refusal.reason)
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == TOO_BIG:
                self.gate.count("too long")
        finally:
            self.visitors.remove(visitor)
            for message in visitor.let_go():  # the browser itself cannot any more
                self._orders.submit(partial(self.source.obey, message))

    # -- from browsers ----------------------------------------------------------------------------------------------

    async def _listen(self, connection: ServerConnection, visitor: Visitor, inbox: Inbox[Message]) -> None:
        """Read each message at once; those to be carried out wait in the inbox."""
        while True:
            raw = await connection.recv()
            try:
                message = self.gate.admit(raw, visitor.touch, visitor.rate_limit)
            except Rejected as refusal:
                await self._refuse(connection, refusal)
                continue
            async with self._refusals_answered(connection):
                if isinstance(message, Looking):
                    visitor.look(self.source, message)
                else:
                    inbox.put(message)

    async def _heed(self, connection: ServerConnection, visitor: Visitor, inbox: Inbox[Message]) -> None:
        """Carry out the messages of the inbox, one after the other."""
        while True:
            message = await inbox.take()
            visitor.note_hold(message)
            async with self._refusals_answered(connection):
                await self._orders.done(partial(self.source.obey, message), OBEYING)

    @asynccontextmanager
    async def _refusals_answered(self, connection: ServerConnection) -> AsyncIterator[None]:
        """Count a message that cannot be carried out, and answer with the reason."""
        try:
            yield
        except SymbodyError as error:  # the model runs on
            refusal = error if isinstance(error, Rejected) else Rejected("not possible", str(error))
            self.gate.count(refusal.reason)
            await self._refuse(connection, refusal)

    async def _refuse(self, connection: ServerConnection, refusal: Rejected) -> None:
        if refusal.reason != "too many":
            await connection.send(refusal_message(refusal))
        await asyncio.sleep(REST)

    # -- to browsers ------------------------------------------------------------------------------------------------

    async def _send(self, connection: ServerConnection, visitor: Visitor) -> None:
        """Send poses, plots and status whenever they have changed; a slow browser delays only itself."""
        clock = asyncio.get_running_loop().time
        tick, due, tiling = 0, clock(), None
        beat = recall = due
        while True:
            if not visitor.touch:
                await self._turnstile.turn()
            news = self._news(visitor, tick)
            if not news and clock() - beat > BEAT:
                news = ["{}"]
            if news:
                beat = clock()
            for message in news:
                await connection.send(message)
            asks = visitor.channels and (visitor.record == 0 or visitor.zoom)
            if asks and (visitor.touch or clock() >= recall):
                recall = clock() + RECALL
                if visitor.record == 0:
                    await self._send_past(connection, visitor)
                elif visitor.zoom:
                    await self._send_records(connection, visitor, *visitor.zoom)
            if self._pyramid and (tiling is None or tiling.done()) and (visitor.asked or tick % SURFACES_EVERY == 0):
                tiling = asyncio.create_task(self._send_tiles(connection, visitor, self._pyramid))
            if tick % STATUS_EVERY == 0 and scene_settled(self.source, visitor):
                shapes, _ = await self._scenes.done(self.drawn, OPENING)
                change = partial(scene_message, self.source, visitor, shapes)
                await connection.send(await self._scenes.done(change, OPENING))
            late = max(clock() - due, 0.0)
            period = max(1.0 / FRAMES, len(self.visitors) / ALL_FRAMES, 0.0 if visitor.touch else YIELD * late)
            tick, due = tick + 1, max(due + period, clock())
            await asyncio.sleep(due - clock())

    async def _send_past(self, connection: ServerConnection, visitor: Visitor) -> None:
        """Send the past of newly chosen channels; the next tick tries again if too many ask for theirs."""
        choice = visitor.choice
        with suppress(Rejected):
            record, plots = await self._past_plots.of(visitor.channels)
            if visitor.choice == choice:  # not yet another one
                visitor.record = record
                for rows in plots:
                    await connection.send(plot_message(choice, rows))

    async def _send_tiles(self, connection: ServerConnection, visitor: Visitor, pyramid: TilePyramid) -> None:
        """Send tiles of the landscape, beside the motion: ground that hangs or fails delays no poses.

        The next tick tries again if too many ask for theirs; a page draws coarser tiles until finer ones come.
        """
        try:
            for message in await self._tiles.done(partial(tile_messages, pyramid, visitor), OPENING):
                await connection.send(message)
        except (Rejected, ConnectionClosed):
            return
        except Exception:  # in the height function of the machine
            log.exception("a tile of the landscape could not be made")

    async def _send_records(self, connection: ServerConnection, visitor: Visitor, since: float, until: float) -> None:
        """Send the records between two times (s), once; a page asks again for others."""
        choice, visitor.zoom = visitor.choice, None
        with suppress(Rejected):
            rows = await self._past_plots.between(visitor.channels, since, until)
            if visitor.choice == choice:
                await connection.send(plot_message(choice, rows, RECORDS))

    def _news(self, visitor: Visitor, tick: int) -> list[str | bytes]:
        news = motion_messages(self.source, visitor, self._poses())
        if tick % PLOT_EVERY == 0:
            news += plot_messages(self.source, visitor)
        if tick % VALUES_EVERY == 0:
            news += value_messages(self.source, visitor)
        if tick % SURFACES_EVERY == 0:
            news += surface_messages(self.source, visitor, self._height_patches)
        if tick % STATUS_EVERY == 0:
            known = {"watchers": len(self.visitors), "refused": sum(self.gate.refused.values())}
            news += status_messages(self.source, visitor, self._status() | known)
            news += chart_messages(self.source, visitor)
        return news


async def first(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run tasks until one of them ends; its error is raised."""
    tasks = {asyncio.create_task(one) for one in coroutines}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
