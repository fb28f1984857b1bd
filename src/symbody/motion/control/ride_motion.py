"""References for controllers: a part of a ski descent by optimal cueing, as in Houda 2020, section 5.3.3."""

from __future__ import annotations

from functools import cache

import numpy as np

from symbody.motion.control.sampled_loop import DT
from symbody.motion.cueing.cueing_model import cueing_model, run_over
from symbody.motion.cueing.optimal import Optimal
from symbody.motion.cueing.scene_record import SceneRecord, descent
from symbody.motion.data import AXES, PlatformData
from symbody.motion.platform_motion import PlatformMotion
from symbody.system.system import System, system

SHARE = 0.9  # of the cueing's motion, so that its tilt of 15.4° stays within the limits
BEGIN, LASTS = 0.6, 3.0  # s: rest, then the start of the descent with its strongest acceleration


@cache
def _cueing() -> System:
    return system(cueing_model(Optimal()))


def descent_motion(
    data: PlatformData, seed: int | None = None, begin: float = BEGIN, lasts: float = LASTS
) -> PlatformMotion:
    """Axes over a part of a descent, sampled for the loop.

    Parameters
    ----------
    data : PlatformData
        The platform.
    seed : int, optional
        Varies the descent. Default: the standard one.
    begin, lasts : float
        Start and duration of the part (s). Defaults 0.6, 3.

    Returns
    -------
    PlatformMotion
        Within the limits of the axes.
    """
    record = descent(DT, seed)
    n = round((begin + lasts) / DT) + 1
    run = run_over(_cueing(), SceneRecord(record.t[:n], record.acceleration[:n], record.rate[:n]))
    rows = [np.column_stack([run[f"{axis}{end}"] for axis in AXES])[:n] for end in ("", ".rate", ".second")]
    first = round(begin / DT)
    axes, rates, second = (SHARE * one[first:] for one in rows)
    return PlatformMotion(record.t[first:n], data.neutral_axes + axes, rates, second, data)
