"""Why a machine stopped by itself, where and when, in words for whoever watches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symbody.realtime.shared import Shared

OUTSIDE = "output out of limits"
# Faults of the model itself, which come again from the same state: what happened, and what helps.
WORDS = {
    OUTSIDE: ("It went further than this machine can.", "Begin again, more gently."),
    "diverged": ("Its numbers grew beyond all bounds.", "Begin again; smaller forces or stiffnesses keep it calm."),
    "near a singular position": (
        "It came to a position in which its joints no longer determine how it moves.",
        "Begin again, and stay away from where its parts lie in one line or plane.",
    ),
    "not converged": ("A step of its equations found no solution.", "Begin again; smaller forces keep it calm."),
    "beyond a limit of the model": ("It passed a limit of the model.", "Begin again, and stay within its limits."),
    "too far away to close its loops": (
        "A measurement moved the estimate so far that its loops could not be followed there.",
        "Begin again, with less noise or a narrower gate.",
    ),
}


@dataclass(frozen=True)
class Stop:
    """What a page says of it. set: dials that were turned since it began, which are put back with it."""

    why: str
    where: str
    cure: str
    t: float  # s
    set: list[str]


def stop_of(loop: Shared, changed: Mapping[str, float]) -> Stop | None:
    """Why a loop stopped; None where it runs, waits, or goes on by itself."""
    fault, _, culprit = loop.reason.partition(": ")
    if loop.state != "safe" or fault not in WORDS:
        return None
    why, cure = WORDS[fault]
    where = (culprit if fault == OUTSIDE else "") or _fastest(loop) or culprit
    return Stop(why, where, cure, loop.latest().t, list(changed))


def _fastest(loop: Shared) -> str:
    """The joint that moved fastest at the end, where speeds are watched."""
    found = dict(zip(loop.outputs, np.abs(loop.latest().outputs), strict=True))
    speeds = {name: x for name, x in found.items() if name.endswith(".qd") and np.isfinite(x)}
    if not speeds:
        return ""
    name = max(speeds, key=lambda key: speeds[key])
    return f"{name.removesuffix('.qd')} moved at {speeds[name]:.3g} {loop.channels.units.get(name, '')}".strip()
