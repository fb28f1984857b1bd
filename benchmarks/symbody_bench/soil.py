"""`symbody bench --terrain`: processor time of a step of deformable soil against numbers of particles and cells.

heap: particles fall, meet and come to rest. slopes: every cell of a rough ground flows. blade: a bulldozer blade cuts
and pushes. All on one core.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.realtime.unclocked import Unclocked
from symbody.suggestions import did_you_mean
from symbody.terrain import Terrain, ToolBox
from symbody.terrain.soil.ground_contact import GroundContact
from symbody.terrain.soil.structures import TOOL

DT = 1e-3  # s
HEAPS = (125, 250, 500, 1000, 2000, 4000)  # particles
SLOPES = (64, 128, 256, 512)  # cells along an edge
STEPS, FEW = 1000, 100
Row = dict[str, Any]


def heap(count: int) -> Terrain:
    """Particles in a loose block above the ground."""
    ground = Terrain(np.zeros((64, 64)), 0.1, particles=count, merging=False)
    r, n, k = ground.particle_radius, round(np.ceil(count ** (1.0 / 3.0))), np.arange(count)
    places = np.column_stack([3.0 + 2.1 * r * (k % n), 3.0 + 2.1 * r * (k // n % n), 1.1 * r + 2.1 * r * (k // n**2)])
    ground.pour(places + np.random.default_rng(0).uniform(-0.05 * r, 0.05 * r, places.shape))
    return ground


def slopes(edge: int) -> Terrain:
    """Ground on which every cell is too steep."""
    return Terrain(np.random.default_rng(0).uniform(0.0, 1.0, (edge, edge)), 0.1, particles=0)


def stepped(ground: Terrain, steps: int) -> Iterator[float]:
    """Processor time (s) of each step."""
    source = Unclocked(ground, DT)
    for _ in range(steps):
        begun = thread_time()  # stands still while other programs have the processor
        source.step()
        yield thread_time() - begun


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
    return {"scene": scene, unit: size, "p50_us": half, "p99_us": rare, f"ns_per_{unit[:-1]}": 1e3 * half / size}


def soil_bench(folder: Path, only: Sequence[str] | None = None, quick: bool = False) -> dict[str, Any]:
    """Rows of all scenes, also as soil.json."""
    scenes: dict[str, Callable[[], list[Row]]] = {
        "heap": lambda: [
            row("heap", n, list(stepped(heap(n), FEW if quick else STEPS)), "particles")
            for n in HEAPS[: 3 if quick else None]
        ],
        "slopes": lambda: [
            row("slopes", n * n, list(stepped(slopes(n), FEW)), "cells") for n in SLOPES[: 2 if quick else None]
        ],
        "blade": lambda: [_blade_row(600 if quick else 6000)],
    }
    for name in only or ():
        if name not in scenes:
            raise ModelError("unknown scene", element=name, cure=did_you_mean(name, scenes, "scenes"))
    rows = [one for name, make in scenes.items() if not only or name in only for one in make()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "soil.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return {"rows": rows}


def _blade_row(steps: int) -> Row:
    times, ground = blade(steps)
    return row("blade", max(len(ground.particles), 1), times[len(times) // 2 :], "particles")
