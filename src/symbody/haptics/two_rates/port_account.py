"""The energy account of one end of a line (J), and the rule by which two ends cannot give more than they took.

Each end counts what entered at its own port, and pays the other what it does not store, as a total that only grows.
It spends no more than it has: balance = entered − stored − paid + received ≥ 0. Since what was received is never more
than what was paid, the sum of what entered at both ends is never below what they store, however late, reordered or lost
the totals are: time-domain passivity (Hannaford and Ryu 2002; energy tanks: Franken et al. 2011). port.h has it in C.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from symbody.haptics.two_rates.port import CEILING

MOST = 1.0  # J: more than that is not believed of one packet


@dataclass
class PortAccount:
    """entered: from the bodies at this end into the line, negative where it gave them some."""

    ceiling: float = CEILING
    entered: float = 0.0
    stored: float = 0.0
    received: float = 0.0
    paid: float = 0.0
    discarded: float = 0.0
    least: float = 0.0

    @property
    def balance(self) -> float:
        """What may be spent."""
        return self.entered - self.stored - self.paid + self.received - self.discarded

    def settle(self) -> None:
        """Pay the other end what is there beyond what was received; what is above the ceiling is gone."""
        self.paid += max(self.entered - self.stored - self.paid, 0.0)
        self.discarded += max(self.balance - self.ceiling, 0.0)
        self.least = min(self.least, self.balance)


@dataclass
class Total:
    """A total of the other end that only grows: late ones say nothing new, a new session begins at zero."""

    total: float = 0.0
    heard: float = 0.0
    session: int = 0

    def hear(self, told: float, session: int = 0) -> float:
        """The total over all sessions, each step of it bounded."""
        if session != self.session:
            self.heard, self.session = 0.0, session
        if isfinite(told) and told > self.heard:
            self.total += min(told - self.heard, MOST)
            self.heard = told
        return self.total
