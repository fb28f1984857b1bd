"""Two ways to make the same translation: how much the hexapod does, and how much the table.

Three resolutions of ẋ_table + ẋ_hexapod = v, each for one direction over a record:

- α-split (Houda 2020, section 5.2): the table moves alone up to its limits; beyond them the hexapod takes the lacking
  part of the whole motion, α = min(max(L_x, L_v, L_a), cap) with L = (M − limit)/M.
- weighted pseudo-inverse: q̇ = W⁻¹Jᵀ(JW⁻¹Jᵀ)⁻¹ v, J = [1 1]. The weight of a part grows towards the ends of its range,
  w = (1 + |∂H/∂q|)/range², H = range²/(4 (high − q)(q − low)) (Chan and Dubey 1995), while it moves towards them.
- null space: q̇ = J⁺v − κ (1 − J⁺J) ∇H, H = ½ q_hexapod²: the hexapod returns to its middle while the table makes up for
  it. In closed form ẋ_hexapod = β v − κ' x_hexapod, a high pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbody.motion.data import Array, AxisLimit

CAP = 0.285  # largest share of the hexapod: 0.4 m of 1.4 m of stroke together, as printed
RETURN = 0.5  # 1/s, κ': how fast the hexapod returns to its middle
FAST_SHARE = 0.5  # β of J⁺ with equal weights
NEAREST_END = 1e-3  # of the range: the weight is finite at its ends


class DirectionMotion(NamedTuple):
    """Positions (m), velocities (m/s) and accelerations (m/s²) of a direction, (n,) each."""

    x: Array
    v: Array
    a: Array

    def times(self, share: float) -> DirectionMotion:
        """A share of the motion."""
        return DirectionMotion(share * self.x, share * self.v, share * self.a)

    def less(self, other: DirectionMotion) -> DirectionMotion:
        """What another motion leaves of this one."""
        return DirectionMotion(self.x - other.x, self.v - other.v, self.a - other.a)


class Divided(NamedTuple):
    """The parts of hexapod and table; they add up to the whole motion."""

    hexapod: DirectionMotion
    table: DirectionMotion


def alpha_split(motion: DirectionMotion, table: AxisLimit, cap: float = CAP) -> Divided:
    """The hexapod takes the share α of the whole motion, the table 1 − α."""
    hexapod = motion.times(split_share(*motion, table, cap))
    return Divided(hexapod, motion.less(hexapod))


def split_share(x: Array, v: Array, a: Array, table: AxisLimit, cap: float = CAP) -> float:
    """Share α of the hexapod in a motion with positions x (m), velocities v (m/s) and accelerations a (m/s²).

    Positions count from one end to the other, as the table's stroke does.
    """
    reach = (float(np.ptp(x)), float(np.abs(v).max()), float(np.abs(a).max()))
    return share_of(reach, (table.high - table.low, table.speed, table.acceleration), cap)


def share_of(reach: tuple[float, float, float], limits: tuple[float, float, float], cap: float = CAP) -> float:
    """α from the largest travel, speed and acceleration, and the limits of the table."""
    lacks = [max(0.0, (most - limit) / most) if most > 0.0 else 0.0 for most, limit in zip(reach, limits, strict=True)]
    return min(max(lacks), cap)


def weighted_split(motion: DirectionMotion, dt: float, table: AxisLimit, hexapod: AxisLimit) -> Divided:
    """The weighted pseudo-inverse at each step dt (s); both parts begin at their share of the first position."""
    ranges = [limit.high - limit.low for limit in (hexapod, table)]
    share = ranges[0] ** 2 / (ranges[0] ** 2 + ranges[1] ** 2)
    x_h, rates = share * float(motion.x[0]), []
    places = []
    for x, v in zip(motion.x.tolist(), motion.v.tolist(), strict=True):
        w_h, w_t = _weight(x_h, v, hexapod), _weight(x - x_h, v, table)
        rate = v * w_t / (w_h + w_t)
        places.append(x_h)
        rates.append(rate)
        x_h += dt * rate
    own = DirectionMotion(np.array(places), np.array(rates), np.gradient(np.array(rates), dt))
    return Divided(own, motion.less(own))


def _weight(q: float, v: float, limit: AxisLimit) -> float:
    """(1 + |∂H/∂q|)/range² of a part at q that moves with the sign of v; 1/range² while it leaves the nearer end."""
    whole, middle = limit.high - limit.low, 0.5 * (limit.low + limit.high)
    if (q - middle) * v <= 0.0:
        return whole**-2
    above, below = (max(room, NEAREST_END * whole) for room in (limit.high - q, q - limit.low))
    slope = abs(whole**2 * (2.0 * q - limit.high - limit.low) / (4.0 * above**2 * below**2)) * whole
    return (1.0 + slope) / whole**2


def null_space_split(motion: DirectionMotion, dt: float, share: float = FAST_SHARE, back: float = RETURN) -> Divided:
    """The hexapod takes the share β of fast motion, and returns to its middle with κ' (1/s); dt is the step (s)."""
    x = _lagged(share * motion.v, back, dt)
    v = share * motion.v - back * x
    own = DirectionMotion(x, v, share * motion.a - back * v)
    return Divided(own, motion.less(own))


def _lagged(drive: Array, back: float, dt: float) -> Array:
    """x of ẋ = u − κ x from 0, exact for u that is linear between the samples."""
    decay = float(np.exp(-back * dt))
    first = (1.0 - decay) / back  # ∫ e^(−κ s) ds
    ramp = (dt - first) / back  # ∫∫, for the slope of u
    slopes = np.diff(drive) / dt
    x = np.zeros(len(drive))
    for k, (u, slope) in enumerate(zip(drive[:-1].tolist(), slopes.tolist(), strict=True)):
        x[k + 1] = decay * x[k] + first * u + ramp * slope
    return x
