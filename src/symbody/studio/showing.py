"""A source shown to browsers: each hears of the motion, and says what its hands do; the loop never waits for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from symbody.errors import SymbodyError
from symbody.realtime.rejected import Rejected
from symbody.studio.gate import Gate
from symbody.studio.inbox import Inbox
from symbody.studio.lately import Lately
from symbody.studio.messages import Looking
from symbody.studio.source import StudioSource
from symbody.studio.visitor import (
    Visitor,
    hello_message,
    motion_messages,
    plot_messages,
    refusal_message,
    scene_message,
    scene_settled,
    status_messages,
    surface_messages,
    value_messages,
)
from symbody.studio.worker import Worker
from symbody.visual.scene import Scene

FRAMES = 60.0  # poses in a second to one browser, at most
ALL_FRAMES = 2000.0  # to all of them: with many, each gets fewer
PLOT_EVERY, VALUES_EVERY, SURFACES_EVERY, STATUS_EVERY = 2, 3, 6, 12  # of them: plots, numbers, surfaces, status
STATUS_LASTS = 0.1  # s
REST = 0.01  # s after a refused message: what floods waits in the network, not here
TOO_BIG = 1009  # how a socket says that a message was longer than it takes
OPENING = 30.0  # s until a scene is ready
OBEYING = 1.0  # s that a message may take


class Showing:
    """A source and those who watch it; identity: which start of a studio this is."""

    def __init__(self, source: StudioSource, gate: Gate, identity: str):
        self.source, self.gate, self.identity = source, gate, identity
        self.visitors: list[Visitor] = []
        self._welcomed = False
        self._scene: tuple[int, Scene, str] | None = None  # version, shapes and text
        self._poses = Lately(source.poses, 0.5 / FRAMES)
        self._status = Lately(source.status, STATUS_LASTS)
        self._orders, self._scenes = Worker("orders"), Worker("scenes")  # one message is obeyed at a time

    def close(self) -> None:
        """Close the source; what does not end is left behind."""
        for worker in (self._orders, self._scenes):
            worker.close()
        self.source.close()

    def drawn(self) -> tuple[Scene, str]:
        """The shapes now, and the scene as JSON, made once for all who come."""
        version = self.source.version
        if self._scene is None or self._scene[0] != version:
            shapes = self.source.shapes()
            self._scene = version, shapes, json.dumps(self.source.scene(shapes))
        return self._scene[1:]

    async def visit(self, connection: ServerConnection, touch: bool) -> None:
        """Tell and listen until the browser leaves; touch: whether it may do more than watch."""
        visitor = Visitor(touch, self.source.version)
        self.visitors.append(visitor)
        try:
            if not self._welcomed:
                self._welcomed = True
                await self._orders.done(self.source.welcome, OPENING)
            visitor.shapes, scene = await self._scenes.done(self.drawn, OPENING)
            await connection.send(hello_message(self.source, visitor, self.identity, scene))
            inbox = Inbox()
            await first(
                self._listen(connection, visitor, inbox),
                self._heed(connection, visitor, inbox),
                self._tell(connection, visitor),
            )
        except Rejected as refusal:
            self.gate.count(refusal.reason)
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == TOO_BIG:
                self.gate.count("too long")
        finally:
            self.visitors.remove(visitor)
            for message in visitor.let_go():  # nobody is left who could
                self._orders.submit(partial(self.source.obey, message))

    # -- what browsers ask -------------------------------------------------------------------------------------------

    async def _listen(self, connection: ServerConnection, visitor: Visitor, inbox: Inbox) -> None:
        """Read what comes as soon as it comes; what has to be done waits in the inbox."""
        while True:
            raw = await connection.recv()
            try:
                message = self.gate.admit(raw, visitor.touch, visitor.rate_limit)
            except Rejected as refusal:
                await self._refuse(connection, refusal)
                continue
            async with self._told(connection):
                if isinstance(message, Looking):
                    visitor.look(self.source, message)
                else:
                    inbox.put(message)

    async def _heed(self, connection: ServerConnection, visitor: Visitor, inbox: Inbox) -> None:
        """Do what is asked, one after the other."""
        while True:
            message = await inbox.take()
            visitor.note_hold(message)
            async with self._told(connection):
                await self._orders.done(partial(self.source.obey, message), OBEYING)

    @asynccontextmanager
    async def _told(self, connection: ServerConnection) -> AsyncIterator[None]:
        """What cannot be done is counted, and told to the browser that asked."""
        try:
            yield
        except SymbodyError as error:  # a model that cannot take it goes on
            refusal = error if isinstance(error, Rejected) else Rejected("not possible", str(error))
            self.gate.count(refusal.reason)
            await self._refuse(connection, refusal)

    async def _refuse(self, connection: ServerConnection, refusal: Rejected) -> None:
        if refusal.reason != "too many":
            await connection.send(refusal_message(refusal))
        await asyncio.sleep(REST)

    # -- what they are told ------------------------------------------------------------------------------------------

    async def _tell(self, connection: ServerConnection, visitor: Visitor) -> None:
        """Poses, plots and status, each only where there is news; a slow browser makes only itself wait."""
        clock = asyncio.get_running_loop().time
        tick, due = 0, clock()
        while True:
            for news in self._news(visitor, tick):
                await connection.send(news)
            if tick % STATUS_EVERY == 0 and scene_settled(self.source, visitor):
                shapes, _ = await self._scenes.done(self.drawn, OPENING)
                change = partial(scene_message, self.source, visitor, shapes)
                await connection.send(await self._scenes.done(change, OPENING))
            period = max(1.0 / FRAMES, len(self.visitors) / ALL_FRAMES)
            tick, due = tick + 1, max(due + period, clock())
            await asyncio.sleep(due - clock())

    def _news(self, visitor: Visitor, tick: int) -> list[str | bytes]:
        news = motion_messages(self.source, visitor, self._poses())
        if tick % PLOT_EVERY == 0:
            news += plot_messages(self.source, visitor)
        if tick % VALUES_EVERY == 0:
            news += value_messages(self.source, visitor)
        if tick % SURFACES_EVERY == 0:
            news += surface_messages(self.source, visitor)
        if tick % STATUS_EVERY == 0:
            known = {"watchers": len(self.visitors), "refused": sum(self.gate.refused.values())}
            news += status_messages(visitor, self._status() | known)
        return news


async def first(*works: Coroutine[Any, Any, None]) -> None:
    """Until one of them ends; its error is ours."""
    tasks = {asyncio.create_task(work) for work in works}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
