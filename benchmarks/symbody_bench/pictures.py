"""`symbody bench --studio`: frames per second of browsers without a graphics card, and their effect on the loop."""

from __future__ import annotations

import json
import os
import platform
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from math import sin, tau
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.errors import ModelError
from symbody.realtime.statistics import Histogram, Statistics
from symbody.studio.live import Live
from symbody.studio.messages import Reset
from symbody.studio.photograph import SIZE, browser
from symbody.studio.pull import INPUTS
from symbody.studio.server import Studio
from symbody_bench.gestures import gestures_bench
from symbody_bench.realtime_loops import AMPLITUDE, FEED, SWAY
from symbody_bench.studio_scenes import SCENES, shown

NAMES = ("pendulum", "stewart", "car", *SCENES)
BROWSERS = (0, 1, 4)  # watching at the same time
VIEWS = 2  # of each of the last ones, in a further row
SECONDS = 10.0  # of each measurement
SETTLED = 8.0  # s until a page has adapted its resolution
HOMING = {"skiing": 12.0}  # s until a machine moves
PREPARING = 900.0  # s until a machine is compiled and runs
LOADING, SLOW = 60.0, 60.0  # s until a page draws, for each page; and that a row may take beyond its measurement
COUNTED = """() => {
  const { seen } = studio, { draw } = seen;
  seen.spent = 0;
  seen.draw = () => { const t = performance.now(); draw(); seen.spent += performance.now() - t; };
}"""
COUNTS = """() => ({
  pictures: studio.drawn, poses: studio.received, script: studio.seen.spent, t: performance.now() / 1000,
  sharpness: studio.seen.shown.sharpness,
})"""
TWICE = """() => { // a second view: another camera of the machine, or the same one again
  const { names: [first] } = studio.seen.views(), options = [...document.querySelectorAll("#switches select option")];
  const other = options.map(({ value }) => value).find((name) => name && name !== first) ?? first;
  studio.seen.showViews({ names: [first, other], arrangement: "split" });
}"""


def pictures_bench(
    output: Path,
    names: Sequence[str] = NAMES,
    seconds: float = SECONDS,
    *,
    browsers: Sequence[int] = BROWSERS,
    views: int = VIEWS,
    settled: float = SETTLED,
    progress: bool = True,
) -> dict[str, Any]:
    """Measure models in the studio with different numbers of browsers; write the rows into a folder.

    views: of each page in a last row, with the last number of browsers (1: without that row).
    """
    cases = [(count, 1) for count in browsers] + ([(browsers[-1], views)] if views > 1 else [])
    rows: list[dict[str, Any]] = []
    rights: tuple[str, ...] = ()
    with tqdm(total=len(names) * len(cases), disable=not progress, unit="run") as bar:
        for name in names:
            bar.set_description(f"{name}, preparing")
            live = prepared(name, PREPARING)
            with Studio(live) as studio:
                for count, seen in cases:
                    bar.set_description(f"{name}, {count} browsers, {seen} views")
                    live.obey(Reset())  # a car that has driven for minutes would have left the drawn scene
                    rest = settled + HOMING.get(name, 0.0)
                    limit = seconds + rest + SLOW + LOADING * count
                    found = row_within(limit, live, studio.address, count, seen, seconds=seconds, settled=rest)
                    rows.append({"model": name, "browsers": count, "views": seen, **found})
                    bar.update()
                rights = live.loop.statistics().rights
        answered = []
        if "piano" in names:
            with browser() as chrome:
                answered = [gestures_bench(chrome)]
    result: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.release()}",
        "page": f"{SIZE['width']} × {SIZE['height']}, drawn by the processor",
        "times": "of the loop in µs",
        "rights": list(rights),
        "pictures": rows,
        "from an event to its pose": answered,
    }
    output.mkdir(parents=True, exist_ok=True)
    file = output / "pictures.json"
    file.write_text(json.dumps(result, indent=2))
    return result | {"files": [str(file)]}


def prepared(name: str, limit: float) -> Live:
    """The running machine of a scene; an error if its preparation takes longer than a limit (s)."""
    made: Future[Live] = Future()

    def work() -> None:
        try:
            made.set_result(shown(name).start())
        except BaseException as error:
            made.set_exception(error)

    threading.Thread(target=work, daemon=True, name=f"prepares {name}").start()
    try:
        return made.result(limit)
    except TimeoutError:
        raise ModelError(
            f"not ready after {limit:g} s", element=name, cure="run the command again: its C is kept"
        ) from None


def row_within(
    limit: float, live: Live, address: str, count: int, views: int, *, seconds: float, settled: float
) -> dict[str, Any]:
    """Figures of a row in a browser of its own; after a limit (s) that browser is ended, and the row says so.

    A page that gets no processor time answers no question of the driver, and most questions wait without a limit.
    """
    from playwright.sync_api import Error  # an extra

    step = ["starting the browser"]
    with browser() as chrome:
        session = chrome.new_browser_cdp_session()
        parts = session.send("SystemInfo.getProcessInfo")["processInfo"]
        pid = next(int(part["id"]) for part in parts if part["type"] == "browser")
        late = threading.Event()

        def end() -> None:
            late.set()
            os.kill(pid, signal.SIGKILL)

        timer = threading.Timer(limit, end)
        timer.start()
        try:
            with watched(chrome, address, count, views, step) as pages:
                return measured(live, pages, seconds, settled, step)
        except Error as error:
            why = f"not ended after {limit:.0f} s" if late.is_set() else str(error).splitlines()[0]
            return {"load": round(os.getloadavg()[0], 1), "not measured": f"{why}, while {step[0]}"}
        finally:
            timer.cancel()


@contextmanager
def watched(chrome: Any, address: str, count: int, views: int, step: list[str]) -> Iterator[list[Any]]:
    """Pages that draw, each in its own browser, with one or two views; step: what happens now."""
    contexts = [chrome.new_context(viewport=SIZE, bypass_csp=True) for _ in range(count)]
    try:
        pages = [context.new_page() for context in contexts]
        for k, page in enumerate(pages, 1):
            page.set_default_timeout(1e3 * LOADING)
            step[0] = f"loading page {k} of {count}"
            page.goto(address)
            step[0] = f"waiting for the first picture of page {k} of {count}"
            page.wait_for_function("studio.drawn > 0", polling=100)
            page.evaluate(COUNTED)
            if views > 1:
                page.evaluate(TWICE)
        yield pages
        step[0] = "closing the pages"
    finally:
        for context in contexts:
            context.close()


def measured(live: Live, pages: Sequence[Any], seconds: float, settled: float, step: list[str]) -> dict[str, Any]:
    """Figures of the slowest page, and of the loop meanwhile; step: what happens now."""
    step[0] = "letting the pages settle"
    sway(live, settled)
    step[0] = "asking the pages for their counts"
    statistics, before = live.loop.statistics(), [page.evaluate(COUNTS) for page in pages]
    sway(live, 0.6 * seconds)
    step[0] = "collecting the garbage of the pages"
    held = [heap(page) for page in pages]  # of ten minutes, after the plots have filled: they keep five
    sway(live, 0.4 * seconds)
    after, loop = [page.evaluate(COUNTS) for page in pages], live.loop.statistics()
    row: dict[str, Any] = {"load": round(os.getloadavg()[0], 1)}
    if pages:
        row |= min((drawn(*both) for both in zip(before, after, strict=True)), key=lambda found: found["pictures/s"])
        now = [heap(page) for page in pages]
        grown = max(later - earlier for earlier, later in zip(held, now, strict=True))
        row |= {"heap MB": round(max(now), 1), "grown MB": round(grown, 1)}
    return row | between(statistics, loop)


def heap(page: Any) -> float:
    """Memory (MB) of a page's script after its garbage is collected."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return float(used) / 1e6


def sway(live: Live, seconds: float) -> None:
    """Move the inputs for some seconds, for models that would otherwise rest: a scene at rest is not redrawn."""
    amplitude, until = AMPLITUDE.get(live.title, 0.0), time.monotonic() + seconds
    still = dict(zip(live.machine.system.inputs, map(float, live.machine.system.u0), strict=True))
    while (now := time.monotonic()) < until:
        if amplitude:
            push = amplitude * sin(tau * SWAY * now)
            live.loop.give({name: u + push for name, u in still.items() if name not in INPUTS})
        time.sleep(FEED)


def drawn(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """Pictures and poses per second, script time per picture (ms), and the share of pixels at the end."""
    spent = {name: after[name] - before[name] for name in after}
    return {
        "pictures/s": round(spent["pictures"] / spent["t"], 1),
        "poses/s": round(spent["poses"] / spent["t"], 1),
        "script ms": round(spent["script"] / max(spent["pictures"], 1), 2),
        "sharpness": round(after["sharpness"], 2),
    }


def between(before: Statistics, after: Statistics) -> dict[str, float]:
    """Figures of a loop between two instants."""
    counts = {"steps": after.steps - before.steps, "overruns": after.overruns - before.overruns}
    latency, duration = (less(getattr(after, kind), getattr(before, kind)) for kind in ("latency", "duration"))
    return counts | latency.record("latency") | duration.record("step")


def less(after: Histogram, before: Histogram) -> Histogram:
    """The durations since `before`; the largest is known up to the width of its bin."""
    counts = after.counts - before.counts
    filled = np.flatnonzero(counts)
    ends = np.append(after.edges[1:], np.inf)
    largest = min(after.largest, float(ends[filled[-1]])) if len(filled) else 0.0
    total = after.mean * after.total - before.mean * before.total
    return Histogram(after.edges, counts, total / max(int(counts.sum()), 1), largest)
