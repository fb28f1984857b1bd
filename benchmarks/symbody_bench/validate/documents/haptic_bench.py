"""Contact, friction and limits of a haptic device (Constantinescu 2004, chapter 4): E1 to E5."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.haptics.settings import Rendering, WrenchLimit
from symbody.haptics.thesis_scenes import corner as scene
from symbody.haptics.thesis_scenes.corner import LIMITED, METHODS, PUSH, SECONDS, Corner, hardware
from symbody.haptics.thesis_scenes.two_link import THEORY, loss
from symbody.machines.haptic_bench.stick_slip import DRIVE, MODELS, StickSlip, drawn, measures
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, number, ordered, shares

THESIS = "Constantinescu 2004"
SEEDS = range(10)
RESTITUTIONS = np.linspace(0.0, 0.9, 10)
UNDAMPED, CRITICAL = "reset-integrator, β = 0", "reset-integrator, β = 118"
LIMIT = (15.0, 15.0, 1.0)  # N, N, N m


def push(seed: int) -> tuple[float, float, float]:
    """The push into the corner (N, N m); a seed varies both forces."""
    x, y = shares(seed, 2)
    return x * PUSH[0], y * PUSH[1], 0.0


@cache
def corner(method: str, seed: int, limit: str = "full", on_hardware: bool = False) -> Corner:
    """The peg pushed into the corner, on an ideal device or on the pantograph."""
    chosen = METHODS[method]
    rendering = Rendering(chosen.contact, chosen.friction, chosen.controller, WrenchLimit(limit))
    made = scene.corner(rendering, hardware() if on_hardware else None)
    return scene.measured(made.run(SECONDS, push(seed)), "tool" if method == "ideal" else "x")


@cache
def stuck(model: str, seed: int) -> StickSlip:
    """A friction law with a drive of 0.05 N for seed 0, and 0.3 % more for each following seed."""
    return measures(drawn(MODELS[model], (1.0 + 0.003 * seed) * DRIVE))


# -- E1: two links -----------------------------------------------------------------------------------------------------


def plastic_loss(place: float) -> Outcome:
    before, lost = loss(place, 0.0)
    return number(lost / before, THEORY[place] / THEORY[1.5], "of the kinetic energy", 1e-9)


def loss_by_restitution() -> Outcome:
    """Loss against (1 − e²) of the plastic one."""
    errors = [abs(loss(p, e)[1] / THEORY[p] - (1.0 - e * e)) for p in THEORY for e in map(float, RESTITUTIONS)]
    return at_most(max(errors), 1e-9, "apart", len(errors))


# -- E2: friction ------------------------------------------------------------------------------------------------------


def all_stick_and_slip() -> Outcome:
    found = {name: [stuck(name, k) for k in SEEDS] for name in MODELS}
    kept = [all(0.02 < found[name][k].stuck < 0.98 for name in MODELS) for k in SEEDS]
    least = min(one.transitions for row in found.values() for one in row)
    return holds(kept, f"all six laws, at least {least} transitions")


def oscillation(*quiet_to_loud: str) -> Outcome:
    return ordered({name: [1e6 * stuck(name, k).oscillation for k in SEEDS] for name in quiet_to_loud}, "µm/s")


def classical_drifts() -> Outcome:
    return ordered({name: [1e6 * stuck(name, k).creep for k in SEEDS] for name in (CRITICAL, "classical")}, "µm/s")


def pad_misses_transitions() -> Outcome:
    return ordered({name: [float(stuck(name, k).transitions) for k in SEEDS] for name in ("finger-pad", UNDAMPED)})


# -- E3 to E5: the corner ----------------------------------------------------------------------------------------------


def penetration(least: str, most: str) -> Outcome:
    return ordered({name: [max(corner(name, k).penetration) for k in SEEDS] for name in (least, most)}, "mm")


def balance() -> Outcome:
    """The wrench at the end against the push."""
    felt = [corner("impulse", k).log["felt"][-200:, :2].mean(axis=0) for k in SEEDS]
    ratios = [-w / np.array(push(k)[:2]) for k, w in enumerate(felt)]
    return holds([bool(np.all(np.abs(r - 1.0) < 0.05)) for r in ratios], f"{np.mean(ratios):.3g} of the push")


def peak_at_impact() -> Outcome:
    return ordered({name: [max(corner(name, k).peak) for k in SEEDS] for name in ("penalty", "impulse")}, "N")


def energy_lost() -> Outcome:
    methods = ("penalty", "coupler", "impulse")
    lost = {name: [1e3 * corner(name, k).lost for k in SEEDS] for name in methods}
    kept = [lost["impulse"][k] > max(lost["penalty"][k], lost["coupler"][k]) for k in SEEDS]
    return holds(kept, ", ".join(f"{name} {np.mean(lost[name]):.3g} mJ" for name in methods))


def limits_by_penetration() -> Outcome:
    return ordered({how: [max(corner("impulse", k, how).penetration) for k in SEEDS] for how in LIMITED}, "mm")


def limits_by_settling() -> Outcome:
    return ordered({how: [max(corner("impulse", k, how).settled) for k in SEEDS] for how in LIMITED}, "s")


def spread_and_springs() -> Outcome:
    pair = {"spread": ("impulse", "spread"), "springs": ("penalty", "saturate")}
    return ordered({n: [max(corner(m, k, how).penetration) for k in SEEDS] for n, (m, how) in pair.items()}, "mm")


def within_limits() -> Outcome:
    runs = [corner("impulse", k, how) for how in LIMITED[1:] for k in SEEDS]
    most = max(float(np.max(np.abs(run.log["felt"][:, :3]) / LIMIT)) for run in runs)
    return at_most(most, 1.0, "of the limit", len(runs))


HARDWARE = {"springs": ("penalty", "spread"), "limited": ("impulse", "spread"), "full": ("impulse", "full")}


def on_pantograph(measure: str, unit: str, best_first: bool) -> Outcome:
    """Full impulses, limited ones, springs."""
    names = reversed(HARDWARE) if best_first else HARDWARE

    def value(name: str, seed: int) -> float:
        found = getattr(corner(HARDWARE[name][0], seed, HARDWARE[name][1], True), measure)
        return float(np.max(found)) * (1e3 if unit == "mJ" else 1.0)

    return ordered({name: [value(name, k) for k in SEEDS] for name in names}, unit)


ROWS = [
    Row(
        THESIS,
        "E1",
        "plastic impact at 1.5 m, the centre of percussion",
        "all kinetic energy is lost",
        lambda: plastic_loss(1.5),
    ),
    Row(THESIS, "E1", "plastic impact at 0.7 m", "a part is lost (1/8 by theory)", lambda: plastic_loss(0.7)),
    Row(THESIS, "E1", "loss over restitution e", "falls with e (1 − e² by theory)", loss_by_restitution),
    Row(THESIS, "E2", "friction of all models", "sticks and slips", all_stick_and_slip),
    Row(
        THESIS,
        "E2",
        "reset integrator in stiction",
        "β = 0 oscillates, β = 118 does not",
        lambda: oscillation(CRITICAL, UNDAMPED),
    ),
    Row(
        THESIS,
        "E2",
        "reset integrator, more damping",
        "β = 1180 does not oscillate",
        lambda: oscillation("reset-integrator, β = 1180", UNDAMPED),
    ),
    Row(THESIS, "E2", "modified Dahl model in stiction", "oscillates", lambda: oscillation(CRITICAL, "modified-dahl")),
    Row(THESIS, "E2", "finger-pad model in stiction", "oscillates", lambda: oscillation(CRITICAL, "finger-pad")),
    Row(THESIS, "E2", "classical model in stiction", "drifts", classical_drifts),
    Row(THESIS, "E2", "finger-pad model, transitions", "misses some", pad_misses_transitions),
    Row(
        THESIS,
        "E3",
        "penetration, impulses and springs",
        "impulses penetrate less",
        lambda: penetration("impulse", "penalty"),
    ),
    Row(
        THESIS,
        "E3",
        "penetration, impulses and coupler",
        "impulses penetrate less",
        lambda: penetration("impulse", "coupler"),
    ),
    Row(THESIS, "E3", "wrench at impact", "large with impulses", peak_at_impact),
    Row(THESIS, "E3", "wrench after the impact", "balances the push", balance),
    Row(THESIS, "E3", "kinetic energy that the hand loses at contact", "largest with impulses", energy_lost),
    Row(THESIS, "E4", "penetration by limit of the wrench", "full < spread < scale < saturate", limits_by_penetration),
    Row(
        THESIS,
        "E4",
        "settling by limit of the wrench",
        "full < spread < scale < saturate",
        limits_by_settling,
        "scaled and saturated impulses settle about equally late",
    ),
    Row(THESIS, "E4", "penetration, spread impulses and springs", "spread impulses penetrate less", spread_and_springs),
    Row(THESIS, "E4", "wrench on the device", "never above the limit", within_limits),
    Row(
        THESIS,
        "E5",
        "energy lost at contact on the pantograph",
        "full > limited > springs",
        lambda: on_pantograph("lost", "mJ", False),
    ),
    Row(
        THESIS,
        "E5",
        "settling on the pantograph",
        "full < limited < springs",
        lambda: on_pantograph("settled", "s", True),
    ),
    Row(
        THESIS,
        "E5",
        "bounces on the pantograph",
        "full < limited < springs",
        lambda: on_pantograph("bounces", "", True),
        "counts of 0 to 3 are equal in some starts",
    ),
    Row(
        THESIS,
        "E5",
        "penetration on the pantograph",
        "full < limited < springs",
        lambda: on_pantograph("penetration", "mm", True),
    ),
]
