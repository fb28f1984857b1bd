"""Cueing tuned by a swarm: felt errors, motion and return of table, hexapod and tilt in one cost.

    F = ∫ (γ_f ê_f² + γ_ω ê_ω² + γ_θ θ² + γ_θ̇ θ̇²) dt + Σ ∫ (γ_x x² + γ_r (∫x)² + γ_v ẋ² + γ_a ẍ²) dt + beyond limits

over table and hexapod (Houda 2020, section 4.3.4, with the squares that the print lacks). The cost is a state of the
compiled system, so a particle is one run in C without records. Washouts and the limit of the tilt rate stay as set by
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.analysis.swarm import SwarmResult, swarm
from symbody.elements.element import Motion, Named
from symbody.errors import DivergenceError
from symbody.expr.functions import absolute, maximum
from symbody.model.model import Model
from symbody.motion.cueing.cueing_model import add_scene, add_senses
from symbody.motion.cueing.method import CHANNELS, CueingMethod, TunedMethod, added
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.data import TURNS, Array, AxisLimit
from symbody.motion.filter_chain import Law, Reference
from symbody.motion.vestibular import Canal, Otolith
from symbody.system.system import System, system
from symbody.system.varied_parameters import varied

COST = "cost"
STEP = 5e-3  # s, of the runs while tuning


M = TypeVar("M", bound=TunedMethod)


@dataclass(frozen=True)
class CostWeights:
    """Weights γ of the cost of `tuned`.

    Parameters
    ----------
    force : float
        Error of the felt force. Default 10.
    turn : float
        Error of the turn rate. Default 0.05.
    position, velocity, acceleration : float
        Of the axes. Defaults 0.02, 0.02, 0.001.
    back : float
        Distance from neutral at the end. Default 0.002.
    tilt, tilt_rate : float
        Tilt angle and rate. Default 0.1.
    beyond : float
        Broken limits. Default 1e4.
    """

    force: float = 10.0
    turn: float = 0.05
    position: float = 0.02
    back: float = 0.002
    velocity: float = 0.02
    acceleration: float = 0.001
    tilt: float = 0.1
    tilt_rate: float = 0.1
    beyond: float = 1e4


@dataclass(frozen=True)
class Tuned(Generic[M]):
    """Result of `tuned`.

    Parameters
    ----------
    method : M
        The best one.
    search : SwarmResult
        Its history.
    """

    method: M
    search: SwarmResult


def tuned(
    by_hand: M,
    record: SceneRecord,
    limits: Mapping[str, AxisLimit],
    *,
    weights: CostWeights | None = None,
    particles: int = 100,
    iterations: int = 70,
    seed: int = 0,
    progress: bool = False,
) -> Tuned[M]:
    """Tune the numbers of a method by a particle swarm.

    Parameters
    ----------
    by_hand : M
        Initial numbers.
    record : SceneRecord
        The scene to tune on.
    limits : mapping of str to AxisLimit
        Of the axes by name (`PlatformData.limits`).
    weights : CostWeights, optional
        Of the cost. Default: `CostWeights()`.
    particles, iterations, seed : int
        Of the swarm. Defaults 100, 70, 0.
    progress : bool
        Whether a progress bar is printed. Default False.

    Returns
    -------
    Tuned
        The method with the least cost.
    """
    numbers = by_hand.tuned_numbers()
    low, high = np.array(list(numbers.values())).T
    start = [getattr(getattr(by_hand, part), key) for part, key in numbers]
    owners = [by_hand.parameters_of(number) for number in numbers]
    s = system(costed(by_hand, limits, weights or CostWeights()), outputs=[COST])
    samples = record.sampled(STEP)
    search = swarm(
        lambda places: np.array([_cost(s, samples, owners, place) for place in places]), low, high,
        particles=particles, iterations=iterations, start=start, seed=seed, progress=progress,
    )  # fmt: skip
    found: dict[str, Any] = {}
    for (part, key), value in zip(numbers, search.x.tolist(), strict=True):
        found[part] = replace(found.get(part, getattr(by_hand, part)), **{key: value})
    return Tuned(replace(by_hand, **found), search)  # type: ignore[type-var]


def costed(method: CueingMethod, limits: Mapping[str, AxisLimit], weights: CostWeights) -> Model:
    """A cueing model with its cost as the signal `cost`."""
    m = Model(f"tuning of {method.name}")
    add_scene(m)
    references = method.add(m)
    senses = add_senses(m, references, Otolith(), Canal())
    terms = [_felt_error(*senses[c.axis], weights.force) for c in CHANNELS]
    terms += [_felt_error(*senses[c.turn], weights.turn) for c in CHANNELS]
    for axis, reference in references.items():
        terms += _motion(m, axis, reference, limits[axis], weights)
    m.state(f"{COST}_integral")(added(*terms))
    m.signal(COST)(lambda s, p: p[f"{COST}_integral"])
    return m


def _felt_error(scene: Law, platform: Law, weight: float) -> Law:
    def term(s: Motion, p: Named) -> Any:
        error = scene(s, p) - platform(s, p)
        return weight * error * error

    return term


def _motion(m: Model, axis: str, reference: Reference, limit: AxisLimit, weights: CostWeights) -> list[Law]:
    """Costs of position, return, speed and acceleration of an axis, and of what is beyond its limits."""
    turns, area = axis in TURNS, f"{COST}_{axis.replace('.', '_')}_area"
    if not turns:
        m.state(area)(reference.position)

    def term(s: Motion, p: Named) -> Any:
        x, v, a = (law(s, p) for law in reference)
        beyond = [
            maximum(absolute(y) - most, 0.0) for y, most in ((x, 0.5 * (limit.high - limit.low)), (v, limit.speed))
        ]
        over = weights.beyond * sum(b * b for b in beyond)
        if turns:
            return over + weights.tilt * x * x + weights.tilt_rate * v * v
        back = p[area]
        return (
            over
            + weights.position * x * x
            + weights.back * back * back
            + weights.velocity * v * v
            + weights.acceleration * a * a
        )

    return [term]


def _cost(s: System, record: SceneRecord, owners: list[list[str]], place: Array) -> float:
    """The cost of one particle; infinite where the filters diverge."""
    values = {name: value for names, value in zip(owners, place.tolist(), strict=True) for name in names}
    with varied(s, **values):
        try:
            run = simulate(
                s, float(record.t[-1]), record.step, inputs=record.inputs(), at=[float(record.t[-1])], energy="ignore"
            )
        except DivergenceError:
            return np.inf
    return float(run[COST][-1])
