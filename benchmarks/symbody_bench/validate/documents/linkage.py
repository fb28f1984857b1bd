"""A linkage in the hand (Constantinescu 2004, chapters 5 and 6): E6, E7 and E9."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from symbody.haptics.thesis_scenes.three_link import EARLY, REACH, Drift, drawn, pushed_to_stop, stop_time
from symbody.machines.linkage.enclosure import STILL, Collisions
from symbody.machines.linkage.enclosure import shaken as enclosed
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, number, ordered

THESIS = "Constantinescu 2004"
SEEDS = range(10)
shaken = cache(enclosed)


def drift(link: int) -> Outcome:
    """Drift at 4 s with and without penalty, from joints that a seed turns by up to 0.1 rad."""
    turned = [tuple(np.random.default_rng(k).uniform(-0.1, 0.1, 3)) for k in SEEDS]
    return ordered(
        {
            n: [drawn(link, penalty, turned=q).end for q in turned]
            for n, penalty in (("with", True), ("without", False))
        },
        "mm",
    )


def singular(link: int) -> float:
    """Share of ticks with a topology direction."""
    return float(np.mean(drawn(link, True).log["rank"] < 3.0))


def topology_directions() -> Outcome:
    second, third = singular(2), singular(3)
    return holds([second == 1.0 and 0.0 < third < 1.0], f"link 2: {second:.0%}, link 3: {third:.0%} of the time")


OBSERVER = 15.0  # 1/s, gain of the observer of the hand's force


@cache
def stopped(link: int, penalty: bool, seed: int) -> Drift:
    """The linkage pushed on the pantograph with its end stops, from joints that a seed turns."""
    turned = tuple(np.random.default_rng(seed).uniform(-0.05, 0.05, 3)) if seed else (0.0, 0.0, 0.0)
    return pushed_to_stop(link, penalty, OBSERVER, turned=turned)


def leaves_the_manifold(link: int) -> Outcome:
    """Drift when the device of the thesis met its stop."""
    cases = (("with", True), ("without", False))
    return ordered({n: [stopped(link, penalty, k).at(EARLY) for k in SEEDS] for n, penalty in cases}, "mm")


def end_stop(link: int) -> Outcome:
    """When the device meets its end stop without penalty."""
    times = [stop_time(stopped(link, False, k).log, REACH) for k in SEEDS]
    return number(float(np.nanmean(times)), EARLY, "s", 0.2, len(times))


def plastic_energy() -> Outcome:
    changes = [float(np.max(shaken(0.0, k).change)) for k in SEEDS]
    return holds([x <= STILL for x in changes], f"changes by {min(changes):.2g} to {max(changes):.2g} at most")


def elastic_energy() -> Outcome:
    return at_most(max(float(np.max(np.abs(shaken(1.0, k).change))) for k in SEEDS), STILL, "", len(SEEDS))


def at_once() -> Outcome:
    runs: list[Collisions] = [shaken(0.0, k) for k in SEEDS]
    most = max(float(np.max(run.struck)) for run in runs)
    return holds([most > 1.0], f"up to {most:g} contacts at once")


def wrench_ratio() -> Outcome:
    ratios = [shaken(0.0, k).ratio for k in SEEDS]
    largest = max(r for r in ratios if np.isfinite(r))
    return number(largest, 1e4, seeds=len(SEEDS))


ROWS = [
    Row(
        THESIS,
        "E6",
        "drift of device and linkage, held at link 2",
        "large without penalty, small with it",
        lambda: drift(2),
    ),
    Row(
        THESIS,
        "E6",
        "drift of device and linkage, held at link 3",
        "large without penalty, small with it",
        lambda: drift(3),
    ),
    Row(THESIS, "E6", "topology directions", "link 2 always, link 3 at singular positions", topology_directions),
    Row(
        THESIS,
        "E7",
        "drift at 0.7 s on the device, held at link 2",
        "leaves the manifold without penalty",
        lambda: leaves_the_manifold(2),
    ),
    Row(
        THESIS,
        "E7",
        "drift at 0.7 s on the device, held at link 3",
        "leaves the manifold without penalty",
        lambda: leaves_the_manifold(3),
    ),
    *(
        Row(
            THESIS,
            "E7",
            f"end stop without penalty, held at link {link}",
            "at about 0.7 s",
            partial(end_stop, link),
            "the observer's gain and the workspace are not printed; here 15 1/s and ±50 mm",
        )
        for link in (2, 3)
    ),
    Row(THESIS, "E9", "kinetic energy in collisions, e = 0", "falls, for any number of contacts", plastic_energy),
    Row(THESIS, "E9", "kinetic energy in collisions, e = 1", "is constant", elastic_energy),
    Row(THESIS, "E9", "simultaneous collisions", "several", at_once),
    Row(
        THESIS,
        "E9",
        "wrench of collisions relative to resting contact",
        "up to 10⁴",
        wrench_ratio,
        "the hand pushes with 8 N here; a weaker hand rests with less",
    ),
]
