"""The past of plotted channels, computed off the event loop and once for all browsers that plot the same channels."""

from __future__ import annotations

import asyncio
from functools import partial

import numpy as np

from symbody.studio.source import StudioSource
from symbody.studio.visitor import past_plot, zoomed_plot
from symbody.web.worker import Worker

Array = np.ndarray
Plot = tuple[int, list[Array]]  # the number of the next record, and bands
LASTS = 0.5  # s for which browsers that ask alike get the same plot; newer records follow
TAKING = 10.0  # s that a plot may take


class PastPlots:
    """Plots by channels, until `close()`."""

    def __init__(self, source: StudioSource):
        self._source, self._worker = source, Worker("past plots")
        self._made: dict[tuple[str, ...], tuple[float, asyncio.Future[Plot]]] = {}

    async def of(self, channels: tuple[str, ...]) -> Plot:
        """The past of some channels until now; `Rejected` if the worker is busy."""
        now = asyncio.get_running_loop().time()
        self._made = {key: made for key, made in self._made.items() if now - made[0] < LASTS}
        if channels not in self._made:
            made = asyncio.ensure_future(self._worker.done(partial(past_plot, self._source, channels), TAKING))
            self._made[channels] = now, made
        return await asyncio.shield(self._made[channels][1])

    async def between(self, channels: tuple[str, ...], since: float, until: float) -> Array:
        """The records of some channels between two times (s); `Rejected` if the worker is busy."""
        return await self._worker.done(partial(zoomed_plot, self._source, channels, since, until), TAKING)

    def close(self) -> None:
        """End after the plots that wait already."""
        self._worker.close()
