"""A cylinder on a supply of constant pressure, with a 4/3 valve and a throttle: the drive of Jaiswal's mechanisms.

The valve feeds a hose (pressure p1 of the papers), and a throttle connects the hose to the piston side (p2). The rod
side (p3) has its own hose.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from symbody.elements.friction import Friction
from symbody.elements.friction_static import Efficiency
from symbody.model.model import Model

# Jaiswal, dissertation (2021), Publications I and II, Table 1.
SUPPLY, TANK = 7.6e6, 0.1e6  # Pa
BORE, ROD = 0.080, 0.035  # m
PISTON_AREA, ROD_AREA = math.pi / 4 * BORE**2, math.pi / 4 * (BORE**2 - ROD**2)  # m²
VALVE = 2.138e-8  # m³/(s V √Pa)
OIL, HOSE, TUBE = 1500e6, 550e6, 31500e6  # Pa, bulk moduli
HOSES = (4.71e-5, 3.14e-5, 7.85e-5)  # m³
THROTTLE = 2.83e-5  # m²
LENGTH = 1.1  # m, of the tube and of the stroke (Publication II prints 0.9, which is too short for its motion)
BACK = 3.5e6  # Pa on the rod sides at the start, as in the publications
FULL = 10.0  # V
LAG = 6e-3  # s, of the spool; not printed, fitted to the work of Publication II, which hardly depends on it


LOSSES = Efficiency()  # of the cylinder, 0.88; the law itself is not printed


def hydraulic_drive(m: Model, a: str, b: str, friction: Friction, held: float) -> None:
    """Add a cylinder between two points with the input `U_ref` (V); at `held` (Pa) its piston side holds the load."""
    c = m.circuit("hydraulics", density=850.0, bulk=OIL, laminar="linear")
    P, T = c.source("P", SUPPLY), c.tank("T", TANK)
    hose = c.volume("hose", HOSES[0], HOSE, start=held)
    piston = c.volume("piston", HOSES[1], HOSE, start=held)
    rod = c.volume("rod", HOSES[2], HOSE, start=BACK)
    c.valve("valve", P, T, hose, rod, cv=VALVE, command="U_ref", lag=LAG)
    c.throttle("throttle", hose, piston, area=THROTTLE, discharge=0.8)
    shape = {"bore": BORE, "rod_diameter": ROD, "closed": LENGTH, "stroke": LENGTH, "wall": TUBE}
    c.cylinder("cylinder", a, b, piston=piston, rod=rod, **shape, friction=friction)


def pulses(*intervals: tuple[float, float, float]) -> Callable[[float], float]:
    """A command over time: (start, end, voltage) intervals (s, s, V), zero elsewhere."""
    return lambda t: next((volts for start, end, volts in intervals if start <= t < end), 0.0)


COMMAND = pulses((1.0, 2.5, FULL), (5.0, 8.0, -FULL))  # of both four-bar linkages: out, and in again
