"""A crowd of watchers does not delay what a driver does: test of session.py, with sockets that are queues."""

import asyncio
import json
import time

import pytest
from studio_models import swing

import symbody as sb
from symbody.studio import Player
from symbody.studio.messages import VERBS
from symbody.studio.session import TOGETHER, StudioSession
from symbody.web.gate import Gate

CROWD = 40
ROUNDS = 4  # of the event loop until a message is carried out
SENT = 5 * CROWD  # services of watchers before the driver acts
STALL = 2.0  # s after which all watchers are due at once


class Socket:
    """A browser that reads everything at once and sends what is put into its queue."""

    def __init__(self):
        self.sent = asyncio.Queue()
        self.recv = self.sent.get

    async def send(self, message):
        pass


@pytest.fixture
def session():
    made = StudioSession(Player(sb.simulate(sb.system(swing()), 0.1, 1e-2)), Gate(VERBS), "0123")
    made.source.start()
    yield made
    made.close()


@pytest.mark.posix
def test_few_watchers_are_served_between_a_message_of_a_driver_and_its_order(session, monkeypatch):
    served, before = [], []

    async def crowded():
        driver = Socket()
        news = session._news

        def counted(visitor, tick):
            if not visitor.touch:
                served.append(visitor)
                if len(served) == SENT - CROWD // 2:
                    time.sleep(STALL)
                if len(served) == SENT:
                    driver.sent.put_nowait(json.dumps({"do": "pause"}))
            return news(visitor, tick)

        async def ordered(task, timeout):
            before.append(len(served) - SENT)

        monkeypatch.setattr(session, "_news", counted)
        visits = [asyncio.create_task(session.visit(Socket(), False)) for _ in range(CROWD)]
        visits.append(asyncio.create_task(session.visit(driver, True)))
        while len(session.visitors) <= CROWD or not served:
            await asyncio.sleep(0.01)
        monkeypatch.setattr(session._orders, "done", ordered)
        while not before:
            await asyncio.sleep(0.01)
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    asyncio.run(asyncio.wait_for(crowded(), 60.0))
    assert before[0] <= ROUNDS * TOGETHER
