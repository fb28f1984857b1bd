"""Local models of slow worlds (Constantinescu 2004, chapter 6): E8 and E10 to E13."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.haptics.thesis_scenes.pushed_linkage import FELT, pushed_up
from symbody.haptics.thesis_scenes.static_wall import THESIS, pushed_down
from symbody.haptics.thesis_scenes.tight_hole import shaken as shaken_in_hole
from symbody.haptics.thesis_scenes.two_rate_testbed import BOTTOM
from symbody_bench.validate.documents.row import Outcome, Row, holds, ordered

SOURCE = "Constantinescu 2004"
SEEDS = range(10)
SMOOTHING = 0.2  # s, at updates: the point of the map of drifts with the printed ones
wall, shaken, struck = cache(pushed_down), cache(shaken_in_hole), cache(pushed_up)


def hole(case: str, measure: str, unit: str, *names: str) -> Outcome:
    """An excursion in the hole, from least to largest."""
    return ordered({name: [float(getattr(shaken(name, case, k), measure)) for k in SEEDS] for name in names}, unit)


def drift(name: str) -> Outcome:
    """Drift of the wall against the printed one."""
    found = [wall(name, k, world_rate=60.0, smoothing=SMOOTHING).drift for k in SEEDS]
    printed = BOTTOM - THESIS[name]
    text = f"{min(found):.2g} to {max(found):.2g} mm"
    return holds([abs(x - printed) < max(1.0, 0.3 * printed) for x in found], text)


def wall_removed() -> Outcome:
    return ordered({name: [wall(name, k).drift for k in SEEDS] for name in ("lm5", "lm0")}, "mm")


def stays(name: str, case: str) -> Outcome:
    """Whether the tool stays in the hole."""
    runs = [shaken(name, case, k) for k in SEEDS]
    return holds([not run.left for run in runs], f"within {max(run.across for run in runs):.2g} mm across")


def loses_contact() -> Outcome:
    lost = {name: [struck(name, k).lost for k in SEEDS] for name in FELT}
    kept = [all(lost[name][k] > 1 for name in FELT) for k in SEEDS]
    return holds(kept, ", ".join(f"{name} {min(row)} to {max(row)} times" for name, row in lost.items()))


def bounces_most(other: str) -> Outcome:
    return ordered({name: [struck(name, k).rebound for k in SEEDS] for name in (other, "ir")}, "mm")


def same_kind() -> Outcome:
    ratios = [struck("kc", k).rebound / max(struck("sc", k).rebound, 1e-6) for k in SEEDS]
    return holds([1 / 3 < r < 3.0 for r in ratios], f"rebound of KC is {np.mean(ratios):.2g} of SC's")


NOT_PRINTED = "neither the start nor the time of the smoothing is printed; the map of drifts has the point"
ROWS = [
    Row(
        SOURCE,
        "E8",
        "slow push in an exact hole, motion across",
        "drifts with LM_0, not with LM_5",
        lambda: hole("slow", "across", "mm", "lm5", "lm0"),
    ),
    Row(SOURCE, "E10", "wall felt through LM_5", "no drift (116 mm)", lambda: drift("lm5"), NOT_PRINTED),
    Row(SOURCE, "E10", "wall felt through LM_0", "36 mm beyond", lambda: drift("lm0"), NOT_PRINTED),
    Row(
        SOURCE,
        "E10",
        "wall felt through the intermediate representation",
        "29 mm beyond",
        lambda: drift("ir"),
        NOT_PRINTED,
    ),
    Row(SOURCE, "E10", "drift of the wall", "removed by ε = 5 mm", wall_removed),
    Row(
        SOURCE,
        "E11",
        "excursion across the hole, LM_5 and LM_0",
        "LM_5 less",
        lambda: hole("shaken", "across", "mm", "lm5", "lm0"),
    ),
    Row(
        SOURCE,
        "E11",
        "excursion across the hole, LM_5 and IR",
        "LM_5 less",
        lambda: hole("shaken", "across", "mm", "lm5", "ir"),
    ),
    Row(
        SOURCE,
        "E11",
        "rotation in the hole, LM_5 and LM_0",
        "LM_5 less",
        lambda: hole("shaken", "turn", "°", "lm5", "lm0"),
    ),
    Row(
        SOURCE,
        "E11",
        "rotation in the hole, LM_5 and IR",
        "LM_5 less",
        lambda: hole("shaken", "turn", "°", "lm5", "ir"),
    ),
    Row(SOURCE, "E11", "intermediate representation at 4000 N/m", "stable in the hole", lambda: stays("ir", "shaken")),
    Row(SOURCE, "E12", "LM_5 at 15000 N/m", "stable", lambda: stays("lm5", "stiff")),
    Row(
        SOURCE,
        "E12",
        "excursion across the hole at 15000 N/m",
        "LM_0 2 cm more than LM_5",
        lambda: hole("stiff", "across", "mm", "lm5", "lm0"),
    ),
    Row(
        SOURCE,
        "E12",
        "rotation in the hole at 15000 N/m",
        "LM_0 more than LM_5",
        lambda: hole("stiff", "turn", "°", "lm5", "lm0"),
    ),
    Row(
        SOURCE,
        "E13",
        "contact of tool and link",
        "lost several times with every method",
        loses_contact,
        "force and time of the push are not printed; here the tool often stays in contact",
    ),
    Row(SOURCE, "E13", "bounce, IR and SC", "IR bounces most", lambda: bounces_most("sc")),
    Row(SOURCE, "E13", "bounce, IR and KC", "IR bounces most", lambda: bounces_most("kc")),
    Row(SOURCE, "E13", "static and kinematic constraints", "alike in kind", same_kind),
]
