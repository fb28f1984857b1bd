"""Gas-loaded accumulators: p Vⁿ = p₀ V₀ⁿ while oil compresses the bladder; below the precharge p₀ it is closed.

They have no state: at p the gas volume is V = V₀ (p₀/p)^{1/n}, so the node's compliance grows by C = V/(n p). C would
jump at p₀; over the last w = 2 bar, where the bladder leaves its seat, it rises with a smooth step r²(3 − 2r).
"""

from __future__ import annotations

from typing import Any

from symbody.elements.element import Named, account, declared
from symbody.elements.network import Network
from symbody.elements.numbers import Scalar
from symbody.expr.functions import clip, maximum
from symbody.model.circuit_elements import Accumulator


def compressed(gas: Accumulator, p: Scalar) -> tuple[Scalar, Scalar]:
    """Pressure (Pa) and volume V₀ (p₀/p)^{1/n} (m³) of the gas, never below p₀."""
    above = maximum(p, gas.precharge)
    return above, gas.size * (gas.precharge / above) ** (1.0 / gas.exponent)


def opening(gas: Accumulator, p: Scalar, w: Scalar) -> tuple[Scalar, Scalar]:
    """How far the bladder is off its seat, r from 0 to 1, and the compliance C₀ = V₀/(n p₀) (m³/Pa) at p₀."""
    return clip((p - gas.precharge) / w + 1.0, 0.0, 1.0), gas.size / (gas.exponent * gas.precharge)


def gas_compliance(gas: Accumulator, p: Scalar, w: Scalar) -> Scalar:
    """V/(n p) (m³/Pa); below the precharge C₀ r²(3 − 2r)."""
    above, volume = compressed(gas, p)
    r, _ = opening(gas, p, w)
    return volume / (gas.exponent * above) * r * r * (3.0 - 2.0 * r)


def gas_volume(gas: Accumulator, p: Scalar, w: Scalar) -> Scalar:
    """V (m³); below the precharge plus C₀ w (1/2 − r³ + r⁴/2), the part that the bladder still gives."""
    r, C0 = opening(gas, p, w)
    return compressed(gas, p)[1] + C0 * w * (0.5 - r**3 + r**4 / 2.0)


def gas_energy(gas: Accumulator, p: Scalar, w: Scalar) -> Scalar:
    """∫ p C dp (J): (p V − p₀ V₀)/(n − 1) above the precharge, C₀ w ((p₀ − w)(r³ − r⁴/2) + w (3r⁴/4 − 2r⁵/5)) below."""
    above, volume = compressed(gas, p)
    r, C0 = opening(gas, p, w)
    below = C0 * w * ((gas.precharge - w) * (r**3 - r**4 / 2.0) + w * (0.75 * r**4 - 0.4 * r**5))
    return (above * volume - gas.precharge * gas.size) / (gas.exponent - 1.0) + below


def add_accumulator(network: Network, accumulator: Accumulator) -> None:
    """Add the gas at a node, and the signal NAME.gas: its volume."""
    m, name = network.model, accumulator.name
    own = declared(m, name, accumulator)

    def at(p: Named) -> tuple[Accumulator, Any, Any]:
        return own(p), network.pressure(accumulator.node, p), network.oil(p).transition

    network.compliances.append((accumulator.node, lambda p: gas_compliance(*at(p))))
    m.signal(f"{name}.gas")(lambda s, p: gas_volume(*at(p)))
    account(m, name, stored=lambda s, p: gas_energy(*at(p)))
