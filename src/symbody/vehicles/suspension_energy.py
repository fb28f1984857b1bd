"""Energies of struts and anti-roll bars: NAME.stored (J) and NAME.dissipated (W)."""

from __future__ import annotations

from symbody.elements.element import Energy, Motion, Named, account
from symbody.elements.numbers import Scalar
from symbody.model.model import Model
from symbody.vehicles.axles import FRONT, REAR
from symbody.vehicles.corner import Half
from symbody.vehicles.multi_link_car import BAR_LAG


def account_suspension(m: Model) -> None:
    """Add energy signals for struts and anti-roll bars of both axles."""
    for axle in (FRONT, REAR):
        twist = f"{axle.name}_bar.twist"
        account(m, twist, **_bar(axle.name, twist))
        for side in (1, -1):
            half = Half(axle, side)
            account(m, f"{half.name}.strut", **_strut(half))


def _bar(axle: str, twist: str) -> dict[str, Energy]:
    """Stored ½ k q², dissipated k τ q̇²."""
    return {
        "stored": lambda s, p: 0.5 * p[f"bar_{axle}"] * s.q[twist] ** 2,
        "dissipated": lambda s, p: BAR_LAG * p[f"bar_{axle}"] * s.qd[twist] ** 2,
    }


def _strut(half: Half) -> dict[str, Energy]:
    """Stored F₀ x + ½ k x² with x = q + ℓ, where −q is the length of the strut; dissipated c q̇²."""
    axle, strut = half.axle.name, f"{half.name}.strut"

    def stored(s: Motion, p: Named) -> Scalar:
        x = s.q[strut] + half.strut
        return (p[f"preload_{axle}"] + 0.5 * p[f"spring_{axle}"] * x) * x

    return {"stored": stored, "dissipated": lambda s, p: p[f"damper_{axle}"] * s.qd[strut] ** 2}
