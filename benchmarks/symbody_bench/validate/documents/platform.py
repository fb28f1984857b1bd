"""The motion platform (Houda 2020, chapter 3): items 1 to 4."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from symbody.machines.platform.cases import apart, cases, engine
from symbody.machines.platform.data import platform_data
from symbody.motion.identification import PlatformFit, base_parameters, exciting, identify_platform
from symbody.motion.platform_log import synthetic_log
from symbody.motion.singularity import cubic, determinant, locus, powers, z_floor
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, number

SOURCE = "Houda 2020"
DATA = platform_data()
WORK = (0.35, 0.65)  # m, heights of the work range
BOUNDS = {"sliders": 4.0, "platform": 2.0, "inertia of legs": 5.0, "friction of legs": 5.0}  # %
MOVES = 24


@cache
def errors() -> dict[str, float]:
    """Largest difference of closed form and engine by case."""
    by_engine = engine(DATA)
    return {case.name: apart(case.motion.forces(), by_engine(case.motion)) for case in cases(DATA)}


def forces(pace: str) -> Outcome:
    found = [error for name, error in errors().items() if name.endswith(pace)]
    return at_most(100.0 * max(found), 5.0, "%", len(found))


@cache
def fit() -> PlatformFit:
    return identify_platform(synthetic_log(exciting(DATA, moves=MOVES).moves, DATA)[0], DATA)


def sigma(group: str) -> Outcome:
    return at_most(fit().sigma_percent_by_group[group], BOUNDS[group], "%")


def energies() -> Outcome:
    """Of sliders, platform and friction, by energy rows as in the document."""
    log = synthetic_log(exciting(DATA, moves=MOVES).moves, DATA)[0]
    return at_most(identify_platform(log, DATA, rows="energies").sigma_percent_max, 5.0, "%")


def twenty_terms() -> Outcome:
    random = np.random.default_rng(0)
    worst = 0.0
    for _ in range(10):
        angles, places = random.uniform(-0.5, 0.5, 3), random.uniform((-0.2, -0.2, 0.3), (0.2, 0.2, 0.7), (50, 3))
        poses = np.hstack([places, np.tile(angles, (50, 1))])
        exact = determinant(poses, DATA)
        worst = max(worst, float(np.abs(powers(places) @ cubic(angles, DATA) - exact).max() / np.abs(exact).max()))
    return at_most(worst, 1e-12, "relative", 10)


def free(mode: str, z: float) -> Outcome:
    """Whether a motion mode has no singular position within ±0.1 m and the tilts of the platform at a height."""
    tilt = DATA.limits["roll"].high
    found = np.abs(locus(mode, [np.linspace(-tilt, tilt, 61)], DATA, z))
    least = float(np.nanmin(found)) if np.isfinite(found).any() else float("inf")
    return holds([not np.any(found <= 0.1)], f"nearest at {least:.2g} m" if np.isfinite(least) else "none")


def floor() -> Outcome:
    limits = DATA.limits
    found = z_floor(DATA, tilt=limits["roll"].high, yaw=limits["yaw"].high, shift=limits["x"].high)
    return at_most(found.z, WORK[0], "m")


ROWS = [
    Row(
        SOURCE, "1", "forces, closed form against multibody, low acceleration", "error below 5 %", lambda: forces("low")
    ),
    Row(
        SOURCE,
        "1",
        "forces, closed form against multibody, high acceleration",
        "error below 5 %",
        lambda: forces("high"),
    ),
    Row(SOURCE, "2", "base parameters", "90 of 210", lambda: number(base_parameters(DATA).number, 90, "", 0.0)),
    Row(
        SOURCE,
        "2",
        "base parameters, table fixed",
        "88 by rank",
        lambda: number(base_parameters(DATA, table=False).number, 88, "", 0.0),
    ),
    *(
        Row(
            SOURCE,
            "3",
            f"largest σ of identified parameters, {group}",
            f"below {bound:g} %",
            partial(sigma, group),
            "the data show little of it: its forces are below the noise",
        )
        for group, bound in BOUNDS.items()
    ),
    Row(
        SOURCE,
        "3",
        "largest σ by energy rows, without the inertia of legs",
        "below 5 %",
        energies,
        "energy rows have an eighth of the data",
    ),
    Row(SOURCE, "4", "determinant over the position", "a cubic of twenty terms", twenty_terms),
    Row(SOURCE, "4", "singular positions in surge at z = 0.2 m", "none", lambda: free("surge", 0.2)),
    Row(
        SOURCE, "4", "singular positions in transverse motion at z = 0.2 m", "removed", lambda: free("transverse", 0.2)
    ),
    Row(SOURCE, "4", "height above which all modes are safe", "0.35 m", floor),
]
