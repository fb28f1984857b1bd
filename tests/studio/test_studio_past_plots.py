"""The past of plotted channels: computed off the event loop, once for all who ask alike, and not for each of them."""

import asyncio
import threading

import numpy as np
import pytest

from symbody.links.rejected import Rejected
from symbody.studio.past_plots import PastPlots
from symbody.studio.source import StudioSource
from symbody.studio.visitor import LOOKING, Visitor, past_plot
from symbody.web.gate import BURST
from symbody.web.worker import MOST_WAITING


class Recorded(StudioSource):
    """A source with 1000 recent records of the channel a = t, after 10 s of a kept past; it notes who asks."""

    def __init__(self):
        self.asked, self.held = [], threading.Event()
        self.held.set()

    def samples(self, since, channels):
        self.asked.append((threading.current_thread().name, tuple(channels)))
        self.held.wait(30.0)
        t = np.linspace(10.0, 11.0, 1000)[since:]
        return 1000, t, np.column_stack([t for _ in channels])

    def recalled(self, until, channels):
        t = np.arange(0.0, until, 0.01)
        return t, np.column_stack([t for _ in channels])


@pytest.fixture
def source():
    return Recorded()


def test_the_past_comes_before_the_last_records(source):
    record, (kept, recent) = past_plot(source, ["a"])
    assert record == 1000
    assert 9.9 < kept[-1, 0] < recent[0, 0] < recent[-1, 0] == 11.0
    np.testing.assert_allclose(recent[:, 2], recent[:, 0])  # the largest value of a band is its last


def test_many_who_ask_alike_cost_one_plot_off_the_loop(source):
    plots = PastPlots(source)

    async def ask():
        return await asyncio.gather(*(plots.of(("a",)) for _ in range(50)), plots.of(("a", "b")))

    found = asyncio.run(ask())
    plots.close()
    assert {id(one) for one in found[:50]} == {id(found[0])}
    assert [channels for _, channels in source.asked] == [("a",), ("a", "b")]
    assert {thread for thread, _ in source.asked} == {"past plots"}


def test_the_loop_goes_on_while_a_plot_is_made(source):
    plots = PastPlots(source)
    source.held.clear()

    async def ask():
        asked = asyncio.ensure_future(plots.of(("a",)))
        for _ in range(100):
            await asyncio.sleep(0.0)
        waiting = not asked.done()
        source.held.set()
        return waiting, await asked

    waiting, (record, _) = asyncio.run(ask())
    plots.close()
    assert waiting
    assert record == 1000


def test_too_many_different_plots_are_refused_for_now(source):
    plots = PastPlots(source)
    source.held.clear()

    async def ask():
        asked = [asyncio.ensure_future(plots.of((f"c{k}",))) for k in range(2 * MOST_WAITING)]
        await asyncio.sleep(0.05)
        source.held.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    found = asyncio.run(ask())
    plots.close()
    refused = [one for one in found if isinstance(one, Rejected)]
    assert 0 < len(refused) <= MOST_WAITING
    assert len(source.asked) == len(found) - len(refused)


def test_one_who_only_watches_may_say_less_than_one_who_drives():
    looker, driver = Visitor(touch=False, version=0), Visitor(touch=True, version=0)
    for visitor, most in ((looker, LOOKING), (driver, BURST)):
        visitor.rate_limit.clock = lambda: 5.0
        assert sum(visitor.rate_limit.take() for _ in range(1000)) == most
    assert LOOKING < BURST
