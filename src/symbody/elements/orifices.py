"""Flow through orifices and valves (m³/s) as a function of the pressure drop Δp (Pa).

Q = K sgn(Δp) √|Δp| has an infinite slope at rest, unlike real oil: below a drop p_l (2 bar) the flow is laminar. The
"linear" law K Δp/√p_l meets the root with a kink. The "smooth" law is the cubic that meets it in value and slope, with
a 25 % larger slope at rest; it suits Newton's method with exact tangents.
"""

from __future__ import annotations

from typing import Any

from symbody.expr.functions import absolute, maximum, minimum, sqrt, where
from symbody.model.circuit import Circuit
from symbody.model.circuit_elements import CheckValve, ReliefValve, Throttle, Valve

Flow = Any  # a number or an expression, m³/s
Drop = Any  # Pa


def orifice(K: Any, drop: Drop, oil: Circuit) -> Flow:
    """K sgn(Δp) √|Δp|, laminar below p_l: K Δp/√p_l, or K Δp/√p_l · (5 − (Δp/p_l)²)/4; K in m³/(s √Pa)."""
    p_l = oil.transition
    root = K * drop / sqrt(maximum(absolute(drop), p_l))
    return root if oil.laminar == "linear" else root * (5.0 - minimum((drop / p_l) ** 2, 1.0)) / 4.0


def one_way(K: Any, drop: Drop, oil: Circuit) -> Flow:
    """K √Δp, and zero backwards; below p_l K √p_l r² (5 − 3 r)/2 with r = Δp/p_l, so it opens without a kink."""
    p_l = oil.transition
    r = minimum(maximum(drop / p_l, 0.0), 1.0)
    return K * sqrt(maximum(drop, p_l)) * r * r * (5.0 - 3.0 * r) / 2.0


def throttle_flow(throttle: Throttle, drop: Drop, oil: Circuit) -> Flow:
    """C_d A √(2/ρ) √Δp; Jaiswal, 2.2.1."""
    return orifice(throttle.discharge * throttle.area * sqrt(2.0 / oil.density), drop, oil)


def valve_flows(
    valve: Valve, U: Any, supply: Any, tank: Any, a: Any, b: Any, oil: Circuit
) -> tuple[Flow, Flow, Flow, Flow]:
    """From supply to a, b to tank (open for U > 0), supply to b, a to tank (open for U < 0): c_v |U| √Δp."""
    straight, crossed = valve.cv * maximum(U, 0.0), valve.cv * maximum(-U, 0.0)
    return (
        orifice(straight, supply - a, oil),
        orifice(straight, b - tank, oil),
        orifice(crossed, supply - b, oil),
        orifice(crossed, a - tank, oil),
    )


def check_valve_flow(valve: CheckValve, drop: Drop, oil: Circuit) -> Flow:
    """c_v √(Δp − p_cracking), one way."""
    return one_way(valve.cv, drop - valve.cracking, oil)


def relief_flow(valve: ReliefValve, drop: Drop, oil: Circuit) -> Flow:
    """Slope times (Δp − p_opening), zero below; over the first p_l it opens along a parabola, half as far."""
    over, p_l = maximum(drop - valve.opening, 0.0), oil.transition
    return valve.slope * where(over < p_l, over * over / (2.0 * p_l), over - p_l / 2.0)
