"""The energy check of a running machine: `energy.unaccounted` over the last seconds, as a sentence for the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from symbody.analysis.energy_account import ENERGIES, TOLERANCE, negligible_energy
from symbody.errors import ModelError
from symbody.results.run import energy_exchange
from symbody.system.power import UNACCOUNTED
from symbody.system.system import Array, System

CHANNELS = (*ENERGIES, UNACCOUNTED)
WINDOW = 10  # s of the model: a machine runs for hours, and the check judges its last seconds
SETTLES = 0.1  # s of the model until a changed parameter is in effect: it changes the energy at once
WarnOrIgnore = Literal["warn", "ignore"]
Records = Callable[[int, Sequence[str]], tuple[int, Array, Array]]  # (number, channels) → next number, times, values


class EnergyWatch:
    """Compares the unaccounted energy of the last `WINDOW` s with the largest exchange of energy within such a time.

    how: "ignore" switches the check off. records: those of the loop since a number. settings: the values of the
    parameters now.
    """

    def __init__(self, s: System, how: WarnOrIgnore, records: Records, settings: Callable[[], Mapping[str, float]]):
        if how not in get_args(WarnOrIgnore):
            raise ModelError(f"unknown value '{how}'", element="energy", cure="use warn or ignore")
        self._watches, self._floor = how == "warn" and all(x in s.outputs for x in CHANNELS), negligible_energy(s.model)
        self._records, self._settings, self._known = records, settings, dict(settings())
        self._blocks: deque[tuple[int, Array]] = deque(maxlen=WINDOW)  # a second each: least and largest values in it
        self._next, self._from, self._anew = 0, -np.inf, False
        self._exchange = self._floor

    def begin_again(self) -> None:
        """Forget the past: the machine starts again. Its state changes, but not by a motion."""
        self._anew = True

    def line(self) -> str:
        """What is wrong, as text; empty if energy is accounted for, or not watched."""
        if not self._watches:
            return ""
        self._read()
        if not self._blocks:
            return ""
        least = np.min([block[0] for _, block in self._blocks], axis=0)
        most = np.max([block[1] for _, block in self._blocks], axis=0)
        kinetic, potential, supplied, missing = zip(least, most, strict=True)
        now = max(energy_exchange(np.array(kinetic), np.array(potential)), float(np.ptp(supplied)))
        self._exchange, unaccounted = max(self._exchange, now), float(np.ptp(missing))
        if unaccounted <= TOLERANCE * self._exchange:
            return ""
        share = f"{100 * unaccounted / self._exchange:.2g} % of the {self._exchange:.2g} J exchanged"
        found = f"{unaccounted:.2g} J within {len(self._blocks)} s, {share}"
        return f"Energy is not accounted for: {found}. Use a higher rate or another method."

    def _read(self) -> None:
        """Add the new records to the blocks."""
        self._next, t, values = self._records(self._next, CHANNELS)
        if not len(t):
            return
        settings = dict(self._settings())
        if self._anew or settings != self._known:
            self._anew, self._known, self._from = False, settings, float(t[-1]) + SETTLES
            self._blocks.clear()
            self._exchange = self._floor
        kinetic, potential, missing = values.T
        rows = np.array([kinetic, potential, kinetic + potential - missing, missing]).T
        good = np.isfinite(rows).all(axis=1) & (t >= self._from)
        seconds = np.floor(t)
        for second in np.unique(seconds[good]):
            block = rows[good & (seconds == second)]
            ends = np.array([block.min(axis=0), block.max(axis=0)])
            if self._blocks and self._blocks[-1][0] == second:
                last = self._blocks.pop()[1]
                ends = np.array([np.minimum(last[0], ends[0]), np.maximum(last[1], ends[1])])
            self._blocks.append((int(second), ends))
