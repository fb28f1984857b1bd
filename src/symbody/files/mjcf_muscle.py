"""Muscles of MJCF as formulas: force–length–velocity curves, passive force, and activation dynamics.

Source: MuJoCo documentation, "Modeling: Muscles". Lengths are in units of the optimal length L₀, which the actuator's
length range fixes; velocities in units of L₀ vmax.
"""

from __future__ import annotations

from collections.abc import Sequence

RANGE, LMIN, LMAX, VMAX, FPMAX, FVMAX = slice(0, 2), 4, 5, 6, 7, 8  # places in gainprm


def muscle_gain(force: str, prm: Sequence[float], lengthrange: tuple[float, float], length: str, rate: str) -> str:
    """−F · FL(L) · FV(V)."""
    L, L0 = _scaled(prm, lengthrange, length)
    return f"(-{force}*{_active(L, prm[LMIN], prm[LMAX])}*{_velocity(f'({rate}/{L0 * prm[VMAX]!r})', prm[FVMAX])})"


def muscle_bias(force: str, prm: Sequence[float], lengthrange: tuple[float, float], length: str) -> str:
    """F · FP(L): quadratic from the optimal length to b, the middle between it and lmax, then linear."""
    L, _ = _scaled(prm, lengthrange, length)
    width = (prm[LMAX] - 1.0) / 2
    x = f"(({L} - 1)/{width!r})"
    passive = f"where({L} <= 1, 0, where({x} <= 1, 0.5*{x}**2, {x} - 0.5))"
    return f"({force}*{prm[FPMAX]!r}*{passive})"


def activation_rate(control: str, state: str, rising: float, falling: float, width: float) -> str:
    """(u − a)/τ, τ = rising (½ + 3/2 a) or falling/(½ + 3/2 a); over `width` a smooth blend of both (s)."""
    u, slow = f"min(max({control}, 0), 1)", f"(0.5 + 1.5*min(max({state}, 0), 1))"
    up, down, ahead = f"{rising!r}*{slow}", f"{falling!r}/{slow}", f"({u} - {state})"
    if width < 1e-15:
        return f"{ahead}/where({ahead} > 0, {up}, {down})"
    x = f"min(max({ahead}/{width!r} + 0.5, 0), 1)"
    return f"{ahead}/({down} + ({up} - {down})*{x}**3*(3*{x}*(2*{x} - 5) + 10))"


def _scaled(prm: Sequence[float], lengthrange: tuple[float, float], length: str) -> tuple[str, float]:
    """L in units of L₀, and L₀ (m, rad)."""
    low, high = prm[RANGE]
    L0 = (lengthrange[1] - lengthrange[0]) / (high - low)
    return f"({low!r} + ({length} - ({lengthrange[0]!r}))/{L0!r})", L0


def _active(L: str, lmin: float, lmax: float) -> str:
    """FL: four parabolas, 0 at lmin and lmax, 1 at the optimal length."""
    a, b = (lmin + 1.0) / 2, (1.0 + lmax) / 2
    falling = f"where({L} <= {b!r}, 1 - 0.5*(({L} - 1)/{b - 1.0!r})**2, 0.5*(min({L} - {lmax!r}, 0)/{lmax - b!r})**2)"
    rising = f"where({L} <= {a!r}, 0.5*(max({L} - {lmin!r}, 0)/{a - lmin!r})**2, 1 - 0.5*((1 - {L})/{1.0 - a!r})**2)"
    return f"where({L} <= 1, {rising}, {falling})"


def _velocity(V: str, fvmax: float) -> str:
    """FV: 0 at −1, 1 at 0, fvmax from fvmax − 1."""
    y = fvmax - 1.0
    return f"where({V} <= 0, max({V} + 1, 0)**2, {fvmax!r} - max({y!r} - {V}, 0)**2/{max(y, 1e-15)!r})"
