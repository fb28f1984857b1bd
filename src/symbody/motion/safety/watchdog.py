"""A watchdog: it expires when its partner has been silent for longer than a limit."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.errors import ModelError


@dataclass
class Watchdog:
    """Expires some time after the last call of `feed`. Times come from one clock that never goes back.

    Parameters
    ----------
    limit : float
        Longest time between calls (s).
    last : float, optional
        Time of the last call (s).
    """

    limit: float
    last: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.limit < float("inf"):
            raise ModelError(f"a limit of {self.limit} s", element="watchdog", cure="give a positive number")

    def feed(self, now: float) -> None:
        """The partner is alive at a time (s)."""
        self.last = now

    def silent(self, now: float) -> float:
        """How long the partner has been silent (s); 0 before the first call of `feed`."""
        return 0.0 if self.last is None else now - self.last

    def expired(self, now: float) -> bool:
        """Whether the partner has been silent for too long; a time that is not a number counts, too."""
        return not self.silent(now) <= self.limit
