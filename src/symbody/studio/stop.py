"""Why a machine stopped, where and when, as text for the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.realtime.loop_memory import Shared
from symbody.stepping.failure import step_culprit
from symbody.stepping.start_state import StartState
from symbody.system.system import System

OUTSIDE = "output out of limits"
# Faults of the model, which would occur again from the same state: what happened, and what helps.
WORDS = {
    OUTSIDE: ("A quantity left the limits of this machine.", "Reset, and move it more gently."),
    "diverged": ("The simulation diverged.", "Reset, and use smaller forces or stiffnesses."),
    "near a singular position": (
        "The machine reached a position in which its joints do not determine its motion.",
        "Reset, and avoid positions in which its parts lie in one line or plane.",
    ),
    "not converged": ("A step of the equations found no solution.", "Reset, and use smaller forces."),
    "beyond a limit of the model": ("A limit of the model was exceeded.", "Reset, and stay within its limits."),
    "too far away to close its loops": (
        "A measurement moved the estimate so far that its loops could not be closed there.",
        "Reset, and use less noise or a narrower gate.",
    ),
}

NO_NUMBER = (
    "A law of the model has no value at this state.",
    "Reset; define the law for every state that the machine can reach.",
)


@dataclass(frozen=True)
class Stop:
    """The card of a stop. set: dials that were changed since the start, which a reset puts back."""

    why: str
    where: str
    cure: str
    t: float  # s
    set: list[str]


def stop_of(loop: Shared, changed: Sequence[str], blamed: Callable[[], str] = str) -> Stop | None:
    """Why a loop stopped; None if it runs, waits, or will recover.

    changed: labels of the dials that were set since the start. blamed: called after a divergence, for the law without a
    value, as text; empty: there is none.
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
    """The law without a value within a time (s) after the last record; empty: none, or states are not recorded."""
    values = dict(zip(loop.names, loop.newest().tolist(), strict=True))
    if not values.keys() >= {*s.states, *s.inputs}:
        return ""
    x, u = (np.array([values[name] for name in names]) for names in (s.states, s.inputs))
    t = (loop.latest().step - loop.begun[1]) * loop.statistics().period  # of the model: since its start
    found = step_culprit(StartState(s, x, s.start_guess, s.pivots), t, ahead, u)
    return str(found) if found and found.kind == "law" else ""


def _fastest(loop: Shared) -> str:
    """The joint that moved fastest at the end, if speeds are recorded."""
    found = dict(zip(loop.outputs, np.abs(loop.latest().outputs), strict=True))
    speeds = {name: x for name, x in found.items() if name.endswith(".qd") and np.isfinite(x)}
    if not speeds:
        return ""
    name = max(speeds, key=lambda key: speeds[key])
    return f"{name.removesuffix('.qd')} moved at {speeds[name]:.3g} {loop.channels.units.get(name, '')}".strip()
