"""Messages that wait for their turn (inbox.py): in order, but of those that set the same thing only the newest."""

import asyncio

import pytest
from web_notes import VERBS, Erase, Scroll, Write

from symbody.links.rejected import Rejected
from symbody.web.inbox import Inbox
from waiting import PATIENCE


def taken(*messages):
    """The messages that are left to carry out."""

    async def run():
        inbox = Inbox(VERBS)
        for message in messages:
            inbox.put(message)
        return [await inbox.take() for _ in range(len(inbox._waiting))]

    return asyncio.run(run())


def test_of_messages_that_set_the_same_thing_the_newest_counts():
    assert taken(Scroll(1), Scroll(2)) == [Scroll(2)]
    assert taken(Write("a", "red"), Write("b", "blue"), Write("c", "red")) == [Write("c", "red"), Write("b", "blue")]


def test_a_message_that_always_counts_is_never_overtaken():
    order = [Scroll(1), Erase(), Scroll(2), Erase(), Erase()]
    assert taken(*order) == order


def test_too_many_are_refused_and_the_first_are_kept():
    async def run():
        inbox = Inbox(VERBS)
        for _ in range(64):
            inbox.put(Erase())
        with pytest.raises(Rejected, match="busy"):
            inbox.put(Erase())
        await inbox.take()
        inbox.put(Erase())

    asyncio.run(run())


def test_who_waits_gets_what_comes_later():
    async def run():
        inbox = Inbox(VERBS)
        for k in range(3):
            waits = asyncio.create_task(inbox.take())
            await asyncio.sleep(0)
            inbox.put(Scroll(k))
            assert await asyncio.wait_for(waits, PATIENCE) == Scroll(k)

    asyncio.run(run())
