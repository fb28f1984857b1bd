"""Adaptive cueing: gains that follow the gradient of a cost, for the hexapod alone or with the table.

    r = a − a_t − g θ,   a_h = p₁ r − d ẋ_h − c x_h,   a_t = p₂ r − d_t ẋ_t − c_t x_t,   θ̇ = p₄ r + p₃ ω,
    J = ½ (a_h + a_t + g θ − a)² + ½ w_ω (θ̇ − ω)² + ½ Σ w x² + ½ Σ w ẋ²,   ṗ_i = −γ_i ∂J/∂p_i − ρ (p_i − p_i(0)).

Houda 2020, section 4.3.3; p₂ = 0 is the version of the literature. The equation of a_t is solved for a_t. Derivatives
of the filters with respect to the gains are states, too. The last term, which leads the gains back, is ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symbody.elements.element import Motion, Named, declared
from symbody.elements.numbers import require_positive
from symbody.expr.functions import clip, maximum
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.classic import FREE
from symbody.motion.cueing.method import CHANNELS, Channel, Number, References, scaled, scene
from symbody.motion.filter_chain import Law, Reference, smoothed

GAINS = ("hexapod", "table", "turn", "tilt")  # p₁ … p₄
COORDINATES = ("xh", "vh", "xt", "vt", "tilt")
BOUNDS = {  # of a tuning
    "hexapod": (0.05, 1.5), "table": (0.05, 6.0), "turn": (0.0, 1.0), "tilt": (0.02, 0.8),
    "hexapod_damping": (0.5, 8.0), "hexapod_stiffness": (0.3, 10.0), "table_damping": (0.2, 4.0),
    "table_stiffness": (0.05, 3.0), "hexapod_speed": (0.0, 0.2), "table_speed": (0.0, 0.2), "tilt_speed": (0.0, 0.02),
}  # fmt: skip
RETURN = 0.5  # 1/s, rate at which the yaw returns to zero
BACK = 50.0  # 1/s, rate at which a negative gain returns to zero


@dataclass(frozen=True)
class AdaptiveNumbers:
    """Gains p of adaptive cueing, their speeds γ, damping d and stiffness c, weights of the cost.

    Parameters
    ----------
    hexapod, table, turn : float
        Initial gains of accelerations and turn rates. Defaults 0.25, 0.5, 0.2.
    tilt : float
        Initial gain of the tilt coordination (s/m). Default 0.3.
    hexapod_speed, table_speed, turn_speed, tilt_speed : float
        Speeds γ of these gains. Defaults 0.05, 0.05, 0.05, 0.002.
    hexapod_damping, table_damping : float
        d (1/s). Defaults 4, 2.2.
    hexapod_stiffness, table_stiffness : float
        c (1/s²). Defaults 4, 1.5.
    weight_turn, weight_position, weight_velocity : float
        Weights of the cost. Defaults 1, 1, 0.3.
    return_rate : float
        Rate at which gains return to their initial values (1/s). Default 0.3.
    rate_limit : float
        Largest tilt rate (rad/s). Default 1000.
    """

    hexapod: float = 0.25
    table: float = 0.5
    turn: float = 0.2
    tilt: float = field(default=0.3, metadata={"unit": "s/m"})
    hexapod_speed: float = 0.05
    table_speed: float = 0.05
    turn_speed: float = 0.05
    tilt_speed: float = 0.002
    hexapod_damping: float = field(default=4.0, metadata={"unit": "1/s"})
    hexapod_stiffness: float = field(default=4.0, metadata={"unit": "1/s²"})
    table_damping: float = field(default=2.2, metadata={"unit": "1/s"})
    table_stiffness: float = field(default=1.5, metadata={"unit": "1/s²"})
    weight_turn: float = 1.0
    weight_position: float = 1.0
    weight_velocity: float = 0.3
    return_rate: float = field(default=0.3, metadata={"unit": "1/s"})
    rate_limit: float = field(default=FREE, metadata={"unit": "rad/s"})

    def check(self, name: str) -> None:
        """Raise ModelError for a number that is not positive."""
        require_positive(
            name, self, "hexapod_damping", "hexapod_stiffness", "table_damping", "table_stiffness", "rate_limit"
        )


# With the table, r contains a_t, which slows the tilt. A larger gain p₄ gives it its largest rate again.
WITH_TABLE = AdaptiveNumbers(table=1.0, tilt=0.45, table_damping=1.0, table_stiffness=0.5)


@dataclass(frozen=True)
class Adaptive:
    """Adaptive cueing.

    The numbers are tuned by hand for `descent()`: with and without the table, the largest tilt rate is about 20 °/s.

    Parameters
    ----------
    numbers : AdaptiveNumbers, optional
        Gains and weights. Default: tuned with the table.
    table : bool
        Whether the table moves, too; False is the version of the literature, with the hexapod alone. Default True.
    """

    numbers: AdaptiveNumbers = WITH_TABLE
    table: bool = True

    @classmethod
    def hexapod(cls) -> Adaptive:
        """The version of the literature with its own numbers."""
        return cls(AdaptiveNumbers(), table=False)

    @property
    def name(self) -> str:
        """The method and the part that it moves."""
        return f"adaptive, {'table' if self.table else 'hexapod'}"

    def tuned_numbers(self) -> dict[Number, tuple[float, float]]:
        """Numbers for a tuning, with their bounds."""
        return {("numbers", key): ends for key, ends in BOUNDS.items() if self.table or "table" not in key}

    def parameters_of(self, number: Number) -> list[str]:
        """Parameters of the model that share a number."""
        return [f"{owner}_adaptive_{number[1]}" for owner in ("surge", "sway")]

    def add(self, m: Model) -> References:
        """Add the filters of all axes."""
        found: References = {}
        for channel in CHANNELS:
            found |= self._channel(m, channel)
        found["z"] = _AdaptiveChannel(m, "heave", self.numbers, scene("z"), None, False).references()[0]
        found["yaw"] = adapted_turn(m, "yaw", self.numbers, scene("yaw"))
        return found

    def _channel(self, m: Model, channel: Channel) -> References:
        a, rate = scene(channel.axis), scaled(scene(channel.turn), channel.sign)
        hexapod, table, tilt = _AdaptiveChannel(m, channel.name, self.numbers, a, rate, self.table).references()
        found = {channel.axis: hexapod, channel.turn: Reference(*(scaled(law, channel.sign) for law in tilt))}
        return found | ({f"table.{channel.axis}": table} if self.table else {})


class _AdaptiveChannel:
    """One direction: states x_h, ẋ_h, x_t, ẋ_t, θ, their derivatives with respect to the gains, and the gains."""

    def __init__(self, m: Model, name: str, numbers: AdaptiveNumbers, a: Law, rate: Law | None, table: bool) -> None:
        self.name, self.a, self.rate = name, a, rate
        self.live = declared(m, f"{name}_adaptive", numbers)
        left_out = {"table", "turn", "tilt"} if rate is None else set()
        self.gains = [gain for gain in GAINS if gain not in left_out and (table or gain != "table")]
        moved = ("xh", "vh") if rate is None else COORDINATES if table else ("xh", "vh", "tilt")
        for coordinate in moved:
            m.state(f"{name}_{coordinate}")(lambda s, p, c=coordinate: self.motion(s, p)[c])
        self.moved = moved
        for gain in self.gains:
            m.state(f"{name}_gain_{gain}", Formula(f"{name}_adaptive_{gain}"))(
                lambda s, p, g=gain: self.adaptation(s, p, g)
            )
            for coordinate in moved:
                m.state(f"{name}_{coordinate}_{gain}")(lambda s, p, c=coordinate, g=gain: self.slopes(s, p, g)[c])
        self.tilt = smoothed(m, f"{name}_tilt", self._read("tilt"), lambda s, p: self.motion(s, p)["tilt"])

    def _read(self, coordinate: str) -> Law:
        return lambda s, p: self.value(p, coordinate)

    def value(self, p: Named, coordinate: str, gain: str = "") -> Any:
        """A coordinate, or its derivative with respect to a gain."""
        return p[f"{self.name}_{coordinate}{'_' if gain else ''}{gain}"] if coordinate in self.moved else 0.0

    def gain(self, p: Named, gain: str) -> Any:
        """p_i ≥ 0."""
        return maximum(p[f"{self.name}_gain_{gain}"], 0.0) if gain in self.gains else 0.0

    def motion(self, s: Motion, p: Named) -> dict[str, Any]:
        """Rates of the coordinates, with the residual r and the free tilt rate."""
        n = self.live(p)
        xh, vh, xt, vt, tilt = (self.value(p, c) for c in COORDINATES)
        p1, p2, p3, p4 = (self.gain(p, g) for g in GAINS)
        rest = self.a(s, p) - GRAVITY * tilt
        at = (p2 * rest - n.table_damping * vt - n.table_stiffness * xt) / (1.0 + p2)
        r = rest - at
        free = p4 * r + p3 * self.turned(s, p)
        return {
            "xh": vh, "vh": p1 * r - n.hexapod_damping * vh - n.hexapod_stiffness * xh, "xt": vt, "vt": at,
            "tilt": clip(free, -n.rate_limit, n.rate_limit), "r": r, "free": free,
        }  # fmt: skip

    def turned(self, s: Motion, p: Named) -> Any:
        """ω of the scene in the direction of the tilt (rad/s)."""
        return 0.0 if self.rate is None else self.rate(s, p)

    def slopes(self, s: Motion, p: Named, gain: str) -> dict[str, Any]:
        """Rates of the derivatives of the coordinates with respect to a gain."""
        n, r = self.live(p), self.motion(s, p)["r"]
        xh, vh, xt, vt, tilt = (self.value(p, c, gain) for c in COORDINATES)
        p1, p2, _, p4 = (self.gain(p, g) for g in GAINS)
        own = {g: 1.0 if g == gain else 0.0 for g in GAINS}
        at = (own["table"] * r - p2 * GRAVITY * tilt - n.table_damping * vt - n.table_stiffness * xt) / (1.0 + p2)
        dr = -at - GRAVITY * tilt
        ah = own["hexapod"] * r + p1 * dr - n.hexapod_damping * vh - n.hexapod_stiffness * xh
        rate = own["tilt"] * r + p4 * dr + own["turn"] * self.turned(s, p)
        return {"xh": vh, "vh": ah, "xt": vt, "vt": at, "tilt": rate}

    def adaptation(self, s: Motion, p: Named, gain: str) -> Any:
        """ṗ_i = −γ_i ∂J/∂p_i."""
        n, now, slope = self.live(p), self.motion(s, p), self.slopes(s, p, gain)
        error = now["vh"] + now["vt"] + GRAVITY * self.value(p, "tilt") - self.a(s, p)
        gradient = error * (slope["vh"] + slope["vt"] + GRAVITY * self.value(p, "tilt", gain))
        gradient += n.weight_turn * (now["free"] - self.turned(s, p)) * slope["tilt"]
        for coordinate, weight in (("xh", n.weight_position), ("vh", n.weight_velocity)):
            gradient += weight * self.value(p, coordinate) * self.value(p, coordinate, gain)
        for coordinate, weight in (("xt", n.weight_position), ("vt", n.weight_velocity)):
            gradient += weight * self.value(p, coordinate) * self.value(p, coordinate, gain)
        raw = p[f"{self.name}_gain_{gain}"]
        back = n.return_rate * (raw - getattr(n, gain))
        return -getattr(n, f"{gain}_speed") * gradient - back + BACK * maximum(-raw, 0.0)

    def references(self) -> tuple[Reference, Reference, Reference]:
        """Hexapod, table and tilt."""

        def rate(coordinate: str) -> Law:
            return lambda s, p: self.motion(s, p)[coordinate]

        hexapod, table = (Reference(self._read(f"x{k}"), self._read(f"v{k}"), rate(f"v{k}")) for k in "ht")
        return hexapod, table, self.tilt


def adapted_turn(m: Model, name: str, numbers: AdaptiveNumbers, rate: Law) -> Reference:
    """θ̇ = p ω − c θ (rad/s) with the gain p, ṗ = −γ ∂J/∂p − ρ (p − p(0)) and J = ½ w_ω (θ̇ − ω)² + ½ w θ²."""
    live = declared(m, f"{name}_adaptive", numbers)

    def turning(s: Motion, p: Named) -> Any:
        return maximum(p[f"{name}_gain"], 0.0) * rate(s, p) - RETURN * p[name]

    def slope(s: Motion, p: Named) -> Any:
        return rate(s, p) - RETURN * p[f"{name}_slope"]

    def adaptation(s: Motion, p: Named) -> Any:
        n, raw = live(p), p[f"{name}_gain"]
        gradient = (
            n.weight_turn * (turning(s, p) - rate(s, p)) * slope(s, p)
            + n.weight_position * p[name] * p[f"{name}_slope"]
        )
        return -n.turn_speed * gradient - n.return_rate * (raw - n.turn) + BACK * maximum(-raw, 0.0)

    m.state(name)(turning)
    m.state(f"{name}_slope")(slope)
    m.state(f"{name}_gain", Formula(f"{name}_adaptive_turn"))(adaptation)
    return smoothed(m, name, lambda s, p: p[name], turning)
