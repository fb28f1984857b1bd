"""Scenes of `symbody bench --studio`: plain models, machines with their pilots, changing soil, particles."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from symbody import machines
from symbody.model.model import Model
from symbody.studio.cameras import Chase
from symbody.studio.landscape import Landscape
from symbody.studio.live import Live
from symbody.studio.machine import ChangingSurface, Machine, Particles
from symbody.studio.model_machine import model_machine
from symbody.terrain import HeightMap
from symbody.visual.scene import Cloud, HeightField
from symbody_bench.realtime_loops import standing

Array = np.ndarray
RATE = 1000.0  # Hz
EDGE, PATCH = 256, 48  # rows and columns of the height field, and of the part that changes at a time
SPACING = 0.02  # m
GRAINS = 5000
AREA, TREES = 8000.0, 8000  # m, of an edge of the landscape; its trees
SWARM = 1.0  # m, of the ball in which the particles circle


def shown(name: str) -> Live:
    """A scene by its name, or a model."""
    return SCENES[name]() if name in SCENES else Live(urgent(standing(name)))


def urgent(model: Model) -> Machine:
    """A model whose loop has real-time priority if the system allows it, as an interactive machine has."""
    return replace(model_machine(model, RATE, None, {}), priority=Machine.priority)


def piloted(name: str) -> Live:
    """The page of a machine, moved by its first pilot."""
    live = Live(machines.entry(name).page()).start()
    pilot = next(iter(live.machine.pilots))
    live.hands.appoint(pilot, live.machine.pilots[pilot])
    return live


def heights() -> Live:
    """A height field of 256 × 256 next to a pendulum; ten times per second another patch of it changes."""
    soil, rng = np.zeros((EDGE, EDGE), dtype=np.float32), np.random.default_rng(0)
    i, j = np.mgrid[0:PATCH, 0:PATCH] / PATCH - 0.5
    dent = np.exp(-20.0 * (i**2 + j**2)).astype(np.float32)

    def now() -> Array:
        row, column = rng.integers(0, EDGE - PATCH, 2)
        soil[row : row + PATCH, column : column + PATCH] += 0.03 * rng.choice((-1.0, 1.0)) * dent
        return soil

    half = 0.5 * EDGE * SPACING
    field = HeightField(0, (EDGE, EDGE), (SPACING, SPACING), (-half, -half, -1.5), "#8a6f4d")
    return Live(replace(urgent(standing("pendulum")), terrains=[ChangingSurface(field, now)]))


def kilometres() -> Live:
    """A pendulum on a hill of 8 × 8 km with 8000 trees, seen from behind and turning about it."""
    line, rng = np.arange(-0.5 * AREA, 0.5 * AREA + 1.0, 20.0), np.random.default_rng(2)
    ground = HeightMap(300.0 * np.cos(line / 900.0) * np.cos(line[:, None] / 700.0), 20.0, (line[0], line[0]))
    feet = rng.normal(scale=900.0, size=(TREES, 2))
    trees = np.column_stack([feet, ground.height(*feet.T)])
    land = Landscape.of(ground, origin=(0.0, 0.0, 302.0), snow=150.0, trees=trees)
    machine = replace(urgent(standing("pendulum")), landscape=land, grid=False, sky=True)
    body = list(machine.system.model.bodies)[-1]
    return Live(replace(machine, cameras=[Chase("Behind", body, 8.0, 3.0)], views=["Behind"]))


def particles() -> Live:
    """Five thousand balls that circle about a pendulum, each at its own speed."""
    rng = np.random.default_rng(1)
    start, pace = rng.normal(size=(GRAINS, 3)), rng.uniform(0.2, 1.0, GRAINS)
    start *= SWARM * rng.uniform(0.3, 1.0, (GRAINS, 1)) / np.linalg.norm(start, axis=1, keepdims=True)

    def now() -> Array:
        turn = pace * time.monotonic()
        x, y, z = start.T
        return np.column_stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn), z])

    return Live(replace(urgent(standing("pendulum")), particles=[Particles(Cloud(0, GRAINS, 0.012, "#c9a227"), now)]))


SCENES: dict[str, Callable[[], Live]] = {
    "piano": lambda: piloted("piano"),
    "driving": lambda: piloted("car"),
    "skiing": lambda: piloted("ride"),
    "heights": heights,
    "particles": particles,
    "kilometres": kilometres,
}
