"""The energy account of one end of a link (J): together, two ends never give more energy than they took.

Each end counts the energy that enters at its own port, and pays the other end what it does not store, as a total that
only grows. It spends no more than it has: balance = entered − stored − paid + received ≥ 0. Energy received is never
more than the energy paid. Therefore the sum of the energy that entered at both ends is never below the stored energy,
even if totals are delayed, reordered or lost: time-domain passivity (Hannaford and Ryu 2002; energy tanks: Franken et
al. 2011). port.h is the same in C.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from symbody.haptics.two_rates.port import CEILING

MOST = 1.0  # J: limit of the payment of one packet


@dataclass
class PortAccount:
    """entered: energy from the bodies at this end into the link; negative if it gave energy to them."""

    ceiling: float = CEILING
    entered: float = 0.0
    stored: float = 0.0
    received: float = 0.0
    paid: float = 0.0
    discarded: float = 0.0
    least: float = 0.0

    @property
    def balance(self) -> float:
        """Energy that may be spent."""
        return self.entered - self.stored - self.paid + self.received - self.discarded

    def settle(self) -> None:
        """Pay the other end what exceeds the received energy; energy above the ceiling is discarded."""
        self.paid += max(self.entered - self.stored - self.paid, 0.0)
        self.discarded += max(self.balance - self.ceiling, 0.0)
        self.least = min(self.least, self.balance)


@dataclass
class Total:
    """A growing total of the other end: late values change nothing; a new session starts at zero."""

    total: float = 0.0
    heard: float = 0.0
    session: int = 0

    def hear(self, total: float, session: int = 0) -> float:
        """The total over all sessions; each increase is limited."""
        if session != self.session:
            self.heard, self.session = 0.0, session
        if isfinite(total) and total > self.heard:
            self.total += min(total - self.heard, MOST)
            self.heard = total
        return self.total
