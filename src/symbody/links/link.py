"""One end of a link: it decides which frames of a partner are valid, also if the partner dies, restarts or is faked.

A frame is valid if it replies to us (`heard`), is newer than the last one, is finite and within bounds, and its
clock runs like ours. While a partner is accepted, others are ignored. After `silence` without a valid frame the node
goes to its safe state. The last sequence number of each session is kept, so that old packets cannot be replayed.
"""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.links.packet import Packet
from symbody.links.rejected import Rejected

Array = np.ndarray
SECOND = 1_000_000_000  # ns
REMEMBERED = 10_000  # round trips, and past sessions


@dataclass(frozen=True)
class Limits:
    """Limits beyond which a node rejects frames.

    Parameters
    ----------
    silence : float
        Time without a valid frame until the safe state (s). Default 0.1.
    oldest : float
        Longest round trip of a frame (s). Default 1.
    jump : float
        Largest change of the partner's clock relative to ours, between two frames (s). Default 1.
    low, high : sequence of float or float
        Range of the values, one for all or one for each. Defaults -inf, inf.
    """

    silence: float = 0.1
    oldest: float = 1.0
    jump: float = 1.0
    low: Sequence[float] | float = -np.inf
    high: Sequence[float] | float = np.inf


class LinkEnd:
    """The state of one end of a link; `now` is always ns of this computer's monotonic clock."""

    def __init__(self, limits: Limits | None = None):
        self.limits = limits or Limits()
        self.session = secrets.randbits(63) | 1  # 0 means none
        self.counts: Counter[str] = Counter()  # sent, received, lost, sessions, and rejected frames by reason
        self.round_trips: deque[float] = deque(maxlen=REMEMBERED)  # s
        self.jitter = 0.0  # s, mean change of the delay from frame to frame (RFC 3550, 6.4.1)
        self._newest: dict[int, int] = {}  # last sequence number of each session that answered us
        self._partner = 0
        self._address: Any = None
        self._last: Packet | None = None  # of the partner, valid or not: reference for sequence and clock
        self._last_at = 0
        self._believed_at: int | None = None
        self._sent = 0

    def outgoing(self, values: Array, now: int) -> Packet:
        """The next frame to the partner; it contains the last session heard, and how long ago."""
        echo, held = (self._last.stamp, now - self._last_at) if self._last else (0, 0)
        frame = Packet(self.session, self._partner, self._sent, now, echo, held, values, self._address)
        self._sent += 1
        self.counts["sent"] += 1
        return frame

    def believe(self, frame: Packet, now: int) -> bool:
        """Whether the values of a frame may be used; if not, the reason is counted."""
        try:
            self._judge(frame, now)
        except Rejected as refusal:
            self.counts[refusal.reason] += 1
            return False
        self.counts["received"] += 1
        self._believed_at = now
        return True

    def silent(self, now: int) -> bool:
        """Whether there was no valid frame for longer than `silence`."""
        return self._believed_at is None or now - self._believed_at > self.limits.silence * SECOND

    @property
    def partner(self) -> int:
        """Session of the accepted partner; 0: none yet."""
        return self._partner

    @property
    def loss(self) -> float:
        """Share of the partner's frames that were lost or came too late."""
        return self.counts["lost"] / max(self.counts["lost"] + self.counts["received"], 1)

    def summary(self) -> dict[str, Any]:
        """Counts, loss and round trips (s), for a report."""
        trips = np.array(self.round_trips)
        shares = {"median": 0.5, "99 %": 0.99, "largest": 1.0}
        seconds = {name: float(np.quantile(trips, share)) for name, share in shares.items() if len(trips)}
        return {"counts": dict(self.counts), "loss": self.loss, "jitter_s": self.jitter, "round_trip_s": seconds}

    def _judge(self, frame: Packet, now: int) -> None:
        if frame.session != self._partner:
            self._meet(frame, now)
        last, last_at = self._last, self._last_at
        if frame.sequence <= self._newest.get(frame.session, -1):
            raise Rejected("late")
        self._last, self._last_at, self._address = frame, now, frame.address
        if frame.heard is not None and frame.heard != self.session:
            raise Rejected("greeting")  # our answer contains our session; the partner's next frame is valid
        self._newest[frame.session] = frame.sequence
        if last:
            self.counts["lost"] += frame.sequence - last.sequence - 1
            self._compare_clocks((now - last_at) - (frame.stamp - last.stamp))
        if frame.echo:
            self._measure(now - frame.echo - frame.held)
        if not np.isfinite(frame.values).all():
            raise Rejected("not finite")
        if (frame.values < self.limits.low).any() or (frame.values > self.limits.high).any():
            raise Rejected("out of bounds")

    def _meet(self, frame: Packet, now: int) -> None:
        """Accept another partner, or the old one after a restart: only if the last one is silent."""
        if not self.silent(now):
            raise Rejected("second partner")
        if frame.session == self.session:
            raise Rejected("own frame")
        while len(self._newest) > REMEMBERED:
            del self._newest[next(iter(self._newest))]
        self._partner, self._last = frame.session, None
        self.counts["sessions"] += 1

    def _compare_clocks(self, change: int) -> None:
        """Reject a frame whose clock jumps; after repeated jumps all frames are rejected."""
        if abs(change) > self.limits.jump * SECOND:
            raise Rejected("clock")
        self.jitter += (abs(change) / SECOND - self.jitter) / 16

    def _measure(self, round_trip: int) -> None:
        if round_trip < 0:
            raise Rejected("clock")
        if round_trip > self.limits.oldest * SECOND:
            raise Rejected("old")
        self.round_trips.append(round_trip / SECOND)
