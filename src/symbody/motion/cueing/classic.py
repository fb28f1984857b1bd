"""Classic cueing by linear filters, for the hexapod alone or with the table in the medium frequencies.

    hexapod     x_h = F_h a/s²,   F_h = K s²/(s² + 2ξω s + ω²) · s/(s + ω_f)           (high pass and washout)
    tilt        θ = F_l a/g + F_r ω/s,   F_l = K ω²/(s² + 2ξω s + ω²),   F_r as F_h
    table       x_t = F_i F_w a/s²,   F_i = H (ω₀/Q) s/(s² + (ω₀/Q) s + ω₀²),   F_w = s²/(s² + 2ξω_w s + ω_w²)

Houda 2020, section 4.3.2. The washout F_w is ours: with the band pass alone, a sustained acceleration would move the
table without end. The tilt rate is limited with an anti-windup.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import radians
from typing import Any

from symbody.elements.element import Motion, Named, declared
from symbody.elements.numbers import require_positive
from symbody.expr.functions import clip
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.method import CHANNELS, Channel, Number, References, added, scaled, scene
from symbody.motion.data import TURNS
from symbody.motion.filter_chain import SMOOTHING, Law, Reference, add_chain, monic, second_order

ANTI_WINDUP = 50.0  # 1/s, rate at which the limited tilt forgets what it could not do
CRITICAL = 1.0  # damping of the table's washout
FREE = 1e3  # rad/s: a tilt-rate limit that nothing reaches

BOUNDS = {  # of a tuning; washouts stay as set by hand
    "hexapod": {"gain": (0.1, 1.5), "damping": (0.4, 2.0), "cutoff": (0.5, 6.0)},
    "tilt": {"gain": (0.3, 1.3), "damping": (0.4, 2.0), "cutoff": (0.5, 8.0)},
    "table": {"gain": (0.05, 1.5), "quality": (0.2, 2.0), "centre": (0.3, 6.0)},
    "turn": {"gain": (0.1, 1.2), "damping": (0.4, 2.0), "cutoff": (0.1, 3.0)},
}


@dataclass(frozen=True)
class HighPass:
    """K s²/(s² + 2ξω s + ω²) · s/(s + ω_f).

    Parameters
    ----------
    gain : float
        K.
    damping : float
        ξ.
    cutoff : float
        ω (rad/s).
    washout : float
        ω_f (rad/s).
    """

    gain: float
    damping: float
    cutoff: float = field(metadata={"unit": "rad/s"})
    washout: float = field(metadata={"unit": "rad/s"})

    def check(self, name: str) -> None:
        """Raise ModelError for a number that is not positive."""
        require_positive(name, self, "damping", "cutoff", "washout")


@dataclass(frozen=True)
class TiltLowPass:
    """K ω²/(s² + 2ξω s + ω²) with a limit of the tilt rate.

    Parameters
    ----------
    gain : float
        K.
    damping : float
        ξ.
    cutoff : float
        ω (rad/s).
    rate_limit : float
        Largest tilt rate (rad/s). Default 1000.
    """

    gain: float
    damping: float
    cutoff: float = field(metadata={"unit": "rad/s"})
    rate_limit: float = field(default=FREE, metadata={"unit": "rad/s"})

    def check(self, name: str) -> None:
        """Raise ModelError for a number that is not positive."""
        require_positive(name, self, "damping", "cutoff", "rate_limit")


@dataclass(frozen=True)
class BandPass:
    """H (ω₀/Q) s/(s² + (ω₀/Q) s + ω₀²), for the table.

    Parameters
    ----------
    gain : float
        H.
    quality : float
        Q.
    centre : float
        ω₀ (rad/s).
    washout : float
        ω_w of the table's position (rad/s).
    """

    gain: float
    quality: float
    centre: float = field(metadata={"unit": "rad/s"})
    washout: float = field(metadata={"unit": "rad/s"})

    def check(self, name: str) -> None:
        """Raise ModelError for a number that is not positive."""
        require_positive(name, self, "quality", "centre", "washout")


@dataclass(frozen=True)
class Classic:
    """Classic cueing. The default numbers are tuned by hand for `descent()` and the limits of the built-in platform.

    Parameters
    ----------
    hexapod : HighPass, optional
        Filter of surge and sway.
    tilt : TiltLowPass, optional
        Filter of the tilt coordination.
    table : BandPass, optional
        Band pass of the table; None: the hexapod alone.
    heave : HighPass, optional
        Filter of heave.
    turn : HighPass, optional
        Filter of roll, pitch and yaw of the scene.
    label : str
        Name in tables. Default "classic".
    """

    hexapod: HighPass = HighPass(0.5, 1.0, 3.0, 0.3)
    tilt: TiltLowPass = TiltLowPass(0.95, 1.0, 3.0)
    table: BandPass | None = BandPass(0.3, 0.5, 2.0, 0.5)
    heave: HighPass = HighPass(0.4, 1.0, 3.0, 0.4)
    turn: HighPass = HighPass(0.3, 1.0, 1.0, 0.3)
    label: str = "classic"

    @property
    def name(self) -> str:
        """The label, with what moves."""
        return f"{self.label}, {'table' if self.table else 'hexapod'}"

    def tuned_numbers(self) -> dict[Number, tuple[float, float]]:
        """Numbers for a tuning, with their bounds."""
        return {(part, key): ends for part in BOUNDS if getattr(self, part) for key, ends in BOUNDS[part].items()}

    def parameters_of(self, number: Number) -> list[str]:
        """Parameters of the model that share a number: those of surge and sway, or of all turns."""
        part, key = number
        owners = TURNS if part == "turn" else [channel.name for channel in CHANNELS]
        return [f"{owner}_{part}_{key}" for owner in owners]

    def limited(self, tilt_rate: float | None) -> Classic:
        """The same filters with another limit of the tilt rate (°/s); None: without a limit."""
        limit = FREE if tilt_rate is None else radians(tilt_rate)
        return replace(self, tilt=replace(self.tilt, rate_limit=limit))

    def add(self, m: Model) -> References:
        """Add the filters of all axes."""
        found: References = {}
        for channel in CHANNELS:
            found |= self._channel(m, channel)
        found["z"] = washed_out(m, "heave_hexapod", self.heave, scene("z"))
        found["yaw"] = turned(m, "yaw_turn", self.turn, scene("yaw"))
        return found

    def _channel(self, m: Model, channel: Channel) -> References:
        a, name = scene(channel.axis), channel.name
        found = {channel.axis: washed_out(m, f"{name}_hexapod", self.hexapod, a)}
        tilt = tilted(m, f"{name}_tilt", self.tilt, a)
        turn = turned(m, f"{channel.turn}_turn", self.turn, scene(channel.turn))
        laws = zip(tilt, turn, strict=True)
        found[channel.turn] = Reference(*(added(scaled(t, channel.sign), r) for t, r in laws))
        if self.table is not None:
            found[f"table.{channel.axis}"] = banded(m, f"{name}_table", self.table, a)
        return found


def washed_out(m: Model, name: str, filter: HighPass, a: Law) -> Reference:
    """x = F_h a/s² (m) of an acceleration: it returns to zero."""
    live = declared(m, name, filter)
    w = add_chain(m, name, lambda p: monic(_high_pass(live(p)), [live(p).washout, 1.0]), a)
    return _derivatives(lambda p: live(p).gain, w, 1)


def turned(m: Model, name: str, filter: HighPass, rate: Law) -> Reference:
    """θ = F_r ω/s (rad) of a turn rate, smoothed for a finite θ̈: it returns to zero."""
    live = declared(m, name, filter)
    w = add_chain(m, name, lambda p: monic(_high_pass(live(p)), [live(p).washout, 1.0], [SMOOTHING, 1.0]), rate)
    return _derivatives(lambda p: live(p).gain * SMOOTHING, w, 2)


def banded(m: Model, name: str, filter: BandPass, a: Law) -> Reference:
    """x = F_i F_w a/s² (m) of an acceleration: it returns to zero."""
    live = declared(m, name, filter)

    def denominator(p: Named) -> list[Any]:
        f = live(p)
        return monic(second_order(0.5 / f.quality, f.centre), second_order(CRITICAL, f.washout))

    return _derivatives(
        lambda p: live(p).gain * live(p).centre / live(p).quality, add_chain(m, name, denominator, a), 1
    )


def tilted(m: Model, name: str, filter: TiltLowPass, a: Law) -> Reference:
    """θ = F_l a/g (rad), its rate limited."""
    live = declared(m, name, filter)

    def rate(s: Motion, p: Named) -> Any:
        return clip(p[f"{name}_rate"], -live(p).rate_limit, live(p).rate_limit)

    def second(s: Motion, p: Named) -> Any:
        f, wanted = live(p), p[f"{name}_rate"]
        pull = f.cutoff * f.cutoff * (f.gain * a(s, p) / GRAVITY - p[name]) - 2.0 * f.damping * f.cutoff * wanted
        return pull - ANTI_WINDUP * (wanted - rate(s, p))

    m.state(name)(rate)
    m.state(f"{name}_rate")(second)
    return Reference(lambda s, p: p[name], rate, second)


def _high_pass(f: HighPass) -> list[Any]:
    return second_order(f.damping, f.cutoff)


def _derivatives(gain: Callable[[Named], Any], w: Callable[[int], Law], first: int) -> Reference:
    """Reference gain · w⁽ᵏ⁾ from k = first."""
    return Reference(*(lambda s, p, k=k: gain(p) * w(k)(s, p) for k in range(first, first + 3)))
