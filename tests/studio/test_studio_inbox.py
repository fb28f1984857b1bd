"""A browser sends faster than the studio can obey: its messages are read at once, and its hand is not late."""

import asyncio
import json
import threading
import time

from studio_models import swing
from test_studio_freeze import connected, say

from symbody.studio import Live, Studio
from symbody.studio.messages import VERBS, LetGo, Move, Pull, Release, Seek, Set
from symbody.web.inbox import Inbox
from waiting import PATIENCE, eventually


def pull(x):
    return Pull(frame=1, at=(0.0, 0.0, 0.0), to=(x, 0.0, 0.0))


def move(name, value):
    return Move(name=name, value=value, seconds=1.0)


def taken(*messages):
    """What is left to do of messages that came before anything was done."""

    async def run():
        inbox = Inbox(VERBS)
        for message in messages:
            inbox.put(message)
        left = []
        while inbox._waiting:
            left.append(await inbox.take())
        return left

    return asyncio.run(run())


def test_of_places_of_a_hand_the_newest_counts():
    assert taken(pull(1.0), pull(2.0), pull(3.0)) == [pull(3.0)]
    assert taken(move("a", 1.0), move("b", 1.0), move("a", 2.0), move("b", 2.0)) == [move("a", 2.0), move("b", 2.0)]
    assert taken(Seek(1.0), Seek(2.0)) == [Seek(2.0)]
    assert taken(Set("k", 1.0), Set("k", 2.0), Set("l", 3.0)) == [Set("k", 2.0), Set("l", 3.0)]


def test_what_counts_by_itself_keeps_its_place():
    order = [pull(1.0), Release(), pull(2.0)]
    assert taken(*order) == order
    assert taken(move("a", 1.0), LetGo("a"), move("a", 2.0), move("a", 3.0)) == [
        move("a", 1.0), LetGo("a"), move("a", 3.0),
    ]  # fmt: skip
    assert taken(Release(), Release()) == [Release(), Release()]


def test_a_hand_is_not_late_in_a_studio_without_time():
    """Messages that come four times as fast as they are obeyed leave no queue behind them."""
    live, obeyed, pulls, slow = Live(swing()), [], 100, threading.Event()

    def obey(message):
        obeyed.append(message)
        slow.wait(0.02)

    live.obey = obey
    with Studio(live) as studio, connected(studio.port, studio.token) as browser:
        browser.recv(timeout=PATIENCE)
        for k in range(pulls):
            say(browser, do="pull", frame=1, at=[0, 0, 0], to=[k / pulls, 0, 0])
            time.sleep(0.005)
        eventually(lambda: obeyed and obeyed[-1].to[0] == (pulls - 1) / pulls)
        assert len(obeyed) < 0.7 * pulls
        assert [message.to[0] for message in obeyed] == sorted(message.to[0] for message in obeyed)
        assert not studio.gate.refused


def test_a_place_that_is_refused_is_told():
    with Studio(Live(swing())) as studio, connected(studio.port, studio.token) as browser:
        browser.recv(timeout=PATIENCE)
        say(browser, do="set", name="nothing", value=1.0)
        while not (isinstance(heard := browser.recv(timeout=PATIENCE), str) and "refused" in json.loads(heard)):
            pass
        assert json.loads(heard)["refused"]["reason"] == "no such dial"
        assert studio.gate.refused == {"no such dial": 1}
