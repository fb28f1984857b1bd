"""Why a machine stopped by itself, where and when, in words for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from symbody.realtime.shared import Shared
from symbody.stepping.failure import step_culprit
from symbody.stepping.start_state import StartState
from symbody.system.system import System

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

NO_NUMBER = (
    "A law of the model has no value there.",
    "Begin again; to stay, the law must have one wherever it may come.",
)


@dataclass(frozen=True)
class Stop:
    """What a page says of it. set: dials that were turned since it began, which are put back with it."""

    why: str
    where: str
    cure: str
    t: float  # s
    set: list[str]


def stop_of(loop: Shared, changed: Mapping[str, float], blamed: Callable[[], str] = str) -> Stop | None:
    """Why a loop stopped; None where it runs, waits, or goes on by itself.

    blamed: asked where numbers were lost, which law it was, in words; empty where none was.
    """
    fault, _, culprit = loop.reason.partition(": ")
    if loop.state != "safe" or fault not in WORDS:
        return None
    if fault == "diverged" and (law := blamed()):
        why, cure = NO_NUMBER
        return Stop(why, law, cure, loop.latest().t, list(changed))
    why, cure = WORDS[fault]
    where = (culprit if fault == OUTSIDE else "") or _fastest(loop) or culprit
    return Stop(why, where, cure, loop.latest().t, list(changed))


def blamed_law(s: System, loop: Shared, ahead: float) -> str:
    """Which law has no value within a time (s) after the last record; empty where none, or states are not told."""
    told = dict(zip(loop.names, loop.newest().tolist(), strict=True))
    if not told.keys() >= {*s.states, *s.inputs}:
        return ""
    x, u = (np.array([told[name] for name in names]) for names in (s.states, s.inputs))
    found = step_culprit(StartState(s, x, s.start_guess, s.pivots), loop.latest().t, ahead, u)
    return str(found) if found and found.kind == "law" else ""


def _fastest(loop: Shared) -> str:
    """The joint that moved fastest at the end, where speeds are watched."""
    found = dict(zip(loop.outputs, np.abs(loop.latest().outputs), strict=True))
    speeds = {name: x for name, x in found.items() if name.endswith(".qd") and np.isfinite(x)}
    if not speeds:
        return ""
    name = max(speeds, key=lambda key: speeds[key])
    return f"{name.removesuffix('.qd')} moved at {speeds[name]:.3g} {loop.channels.units.get(name, '')}".strip()
