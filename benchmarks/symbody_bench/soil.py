"""`symbody bench --terrain`: processor time of a step of deformable soil against numbers of particles and cells.

heap: particles fall, meet and come to rest. slopes: every cell of a rough ground flows. blade: a bulldozer blade cuts
and pushes. tractor: the whole step of the tractor beside 1000 particles, and its multibody and hydraulics alone. These
are on one core. threads: a large heap with several threads, by the clock.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.machines.tractor.model import ground as tractor_ground
from symbody.machines.tractor.work_cycle import DT as TRACTOR_DT
from symbody.machines.tractor.work_cycle import chain, compiled
from symbody.realtime.chain import Chain, Stage
from symbody.realtime.stepper import LoopSource
from symbody.realtime.unclocked import Unclocked
from symbody.suggestions import did_you_mean
from symbody.terrain import Terrain, ToolBox
from symbody.terrain.soil.ground_contact import GroundContact
from symbody.terrain.soil.structures import TOOL

DT = 1e-3  # s
HEAPS = (125, 250, 500, 1000, 2000, 4000)  # particles
SLOPES = (64, 128, 256, 512)  # cells along an edge
STEPS, FEW = 1000, 100
CREW = (1, 2, 4, 8)  # threads
BESIDE = 1000  # particles beside the tractor
PICTURE = "soil-cost.png"
Row = dict[str, Any]


def heap(count: int, threads: int = 1) -> Terrain:
    """Particles in a loose block above the ground."""
    ground = Terrain(np.zeros((64, 64)), 0.1, particles=count, merging=False, threads=threads)
    pour_block(ground, count, (3.0, 3.0, 0.0))
    return ground


def pour_block(ground: Terrain, count: int, corner: tuple[float, float, float]) -> None:
    """Pour a loose block of particles with its lowest corner (m) at a place."""
    r, n, k = ground.particle_radius, round(np.ceil(count ** (1.0 / 3.0))), np.arange(count)
    places = corner + r * np.column_stack([2.1 * (k % n), 2.1 * (k // n % n), 1.1 + 2.1 * (k // n**2)])
    ground.pour(places + np.random.default_rng(0).uniform(-0.05 * r, 0.05 * r, places.shape))


def slopes(edge: int) -> Terrain:
    """Ground on which every cell is too steep."""
    return Terrain(np.random.default_rng(0).uniform(0.0, 1.0, (edge, edge)), 0.1, particles=0)


def stepped(
    source: LoopSource, steps: int, dt: float = DT, clock: Callable[[], float] = thread_time
) -> Iterator[float]:
    """Time (s) of each step; the processor's time stands still while other programs have the processor."""
    made = Unclocked(source, dt)
    for _ in range(steps):
        begun = clock()
        made.step()
        yield clock() - begun


def tractor(steps: int) -> list[Row]:
    """Steps of the tractor at rest: all of it with particles beside it, and multibody and hydraulics on a plane."""
    soil = tractor_ground()
    soil.merging = False
    pour_block(soil, BESIDE, (5.0, 3.0, 0.2))
    s = compiled(soil)
    return [
        row("tractor with soil", BESIDE, list(stepped(chain(soil, s), steps, TRACTOR_DT)), "particles"),
        row("tractor without soil", 0, list(stepped(Chain("tractor", [Stage(s)]), steps, TRACTOR_DT)), "particles"),
    ]


def threads(count: int, steps: int) -> list[Row]:
    """Steps of a heap by the clock, with more and more threads up to the number of cores."""
    crews = [n for n in CREW if n <= max(2, os.cpu_count() or 1)]
    return [
        row("threads", count, list(stepped(heap(count, n), steps, clock=perf_counter)), "particles") | {"threads": n}
        for n in crews
    ]


def blade(steps: int) -> tuple[list[float], Terrain]:
    """Times (s) of steps while a blade cuts up to a thousand particles and pushes them."""
    ground = Terrain(np.zeros((128, 128)), 0.1, particles=1500)
    plate = ToolBox((0.08, 2.0, 0.8), (0.0, 0.0, 0.4))
    ground.contacts.append(GroundContact("blade", TOOL, boxes=(plate,), pitch=0.07))
    source, times = Unclocked(ground, DT), []
    u = np.zeros(len(source.model.inputs))
    u[3:12] = np.eye(3).ravel()
    for k in range(steps):
        down = k * DT < 0.5
        u[:3] = 2.0 + 0.8 * k * DT, 6.4, 0.05 - min(0.4 * k * DT, 0.2)
        u[12:15] = 0.8, 0.0, -0.4 if down else 0.0
        source.give(u)
        begun = thread_time()
        source.step()
        times.append(thread_time() - begun)
    return times, ground


def row(scene: str, size: int, times: Sequence[float], unit: str) -> Row:
    """Median, 99th percentile and time of one unit (a particle, a cell)."""
    us = 1e6 * np.array(times)
    half, rare = np.percentile(us, [50.0, 99.0])
    found = {"scene": scene, unit: size, "p50_us": half, "p99_us": rare}
    return found | ({f"ns_per_{unit[:-1]}": 1e3 * half / size} if size else {})


def growth(rows: Sequence[Row], unit: str) -> float:
    """Exponent of median time over size: 1 if the cost is linear."""
    sizes, times = (np.log([one[key] for one in rows]) for key in (unit, "p50_us"))
    return float(np.polyfit(sizes, times, 1)[0])


def cost_plot(rows: Sequence[Row], path: Path) -> Path:
    """Time of a step against the numbers of particles and of cells, with lines of linear cost."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import NullFormatter

    figure, both = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for axes, scene, unit in zip(both, ("heap", "slopes"), ("particles", "cells"), strict=True):
        chosen = [one for one in rows if one["scene"] == scene]
        if not chosen:
            continue
        sizes = [one[unit] for one in chosen]
        for key, label in (("p50_us", "median"), ("p99_us", "99th percentile")):
            axes.loglog(sizes, [one[key] for one in chosen], "o-", label=label)
        axes.loglog(sizes, [chosen[0]["p50_us"] * size / sizes[0] for size in sizes], "k:", label="linear")
        title = f"{scene}: exponent {growth(chosen, unit):.2f}" if len(chosen) > 1 else scene
        axes.set(xlabel=unit, ylabel="µs per step", title=title)
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def soil_bench(folder: Path, only: Sequence[str] | None = None, quick: bool = False) -> dict[str, Any]:
    """Rows of all scenes, also as soil.json, and the plot of cost against size."""
    scenes: dict[str, Callable[[], list[Row]]] = {
        "heap": lambda: [
            row("heap", n, list(stepped(heap(n), FEW if quick else STEPS)), "particles")
            for n in HEAPS[: 3 if quick else None]
        ],
        "slopes": lambda: [
            row("slopes", n * n, list(stepped(slopes(n), FEW)), "cells") for n in SLOPES[: 2 if quick else None]
        ],
        "blade": lambda: [_blade_row(600 if quick else 6000)],
        "tractor": lambda: tractor(FEW if quick else 3 * STEPS),
        "threads": lambda: threads(HEAPS[2] if quick else HEAPS[-1], FEW if quick else STEPS),
    }
    for name in only or ():
        if name not in scenes:
            raise ModelError("unknown scene", element=name, cure=did_you_mean(name, scenes, "scenes"))
    rows = [one for name, make in scenes.items() if not only or name in only for one in make()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "soil.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    drawn = [cost_plot(rows, folder / PICTURE)] if any(one["scene"] in ("heap", "slopes") for one in rows) else []
    return {"rows": rows, "plots": [str(path) for path in drawn]}


def _blade_row(steps: int) -> Row:
    times, ground = blade(steps)
    return row("blade", max(len(ground.particles), 1), times[len(times) // 2 :], "particles")
