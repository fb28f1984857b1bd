"""The linkage of Jaiswal's Publication II over its crank angle alone, written by hand from the printed equations (SI).

I(z) z̈ + I' ż²/2 + V' = s' F, with the loop closed by two circles; derivatives by complex steps.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp

LENGTHS, MASSES, PIVOT = np.array([2.0, 8.0, 5.0]), np.array([16.0, 64.0, 40.0]), 10.0
A2, A3 = math.pi / 4 * 0.08**2, math.pi / 4 * (0.08**2 - 0.035**2)
HOSE, TUBE = 1 / 1500e6 + 1 / 550e6, 1 / 1500e6 + 1 / 31500e6  # 1/Pa, each with its oil
SUPPLY, TANK, VALVE, THROTTLE = 7.6e6, 1e5, 2.138e-8, 0.8 * 2.83e-5 * math.sqrt(2 / 850)
STEP = 1e-30j


def places(z: complex) -> np.ndarray:
    """y and z of the three centres of mass, and the three absolute angles; analytic in the crank's angle z."""
    x, y = PIVOT - LENGTHS[0] * np.cos(z), -LENGTHS[0] * np.sin(z)
    square = x * x + y * y
    coupler = np.arctan(y / x) + np.arccos(
        (square + LENGTHS[1] ** 2 - LENGTHS[2] ** 2) / (2 * LENGTHS[1] * np.sqrt(square))
    )
    rocker = np.arctan((y - LENGTHS[1] * np.sin(coupler)) / (x - LENGTHS[1] * np.cos(coupler)))
    angles = np.array([z, coupler, rocker])
    bars = LENGTHS * np.array([np.cos(angles), np.sin(angles)])
    return np.concatenate([*(np.cumsum(bars, axis=1) - bars / 2), angles])


def inertia(z: float) -> float:
    """I of T = I ż²/2."""
    slope = np.imag(places(z + STEP)) / STEP.imag
    return float(MASSES @ (slope[:3] ** 2 + slope[3:6] ** 2 + LENGTHS**2 / 12 * slope[6:] ** 2))


def weight(z: float) -> float:
    """V' (N m/rad)."""
    return float(9.81 * MASSES @ np.imag(places(z + STEP))[3:6] / STEP.imag)


def brown_mcphee(v: float) -> float:
    r = v / 1.25e-2
    return 210.0 * math.tanh(4 * r) + 620.0 * r / (r * r / 4 + 0.75) ** 2 + 330.0 * math.tanh(4.0) * v


def root(drop: float) -> float:
    return drop / math.sqrt(max(abs(drop), 2e5))


def rates(x: np.ndarray, command: float) -> list[float]:
    """Of z, ż, spool, p1, p2, p3; the pins of the cylinder are 1 m from the crank's axis: s = 2 cos z/2."""
    z, zd, U, p1, p2, p3 = x
    s, slope = 2 * math.cos(z / 2), -math.sin(z / 2)
    v = slope * zd
    push = p2 * A2 - p3 * A3 - brown_mcphee(v)
    turning = (inertia(z + 1e-5) - inertia(z - 1e-5)) / 2e-5
    first, last = (SUPPLY, TANK) if U >= 0 else (TANK, SUPPLY)
    Q1, Q3 = VALVE * abs(U) * root(first - p1), VALVE * abs(U) * root(p3 - last)
    Qt = THROTTLE * root(p1 - p2)
    return [
        zd,
        (slope * push - weight(z) - turning * zd**2 / 2) / inertia(z),
        (command - U) / 6e-3,
        (Q1 - Qt) / (4.71e-5 * HOSE),
        (Qt - A2 * v) / (3.14e-5 * HOSE + A2 * (s - 1.1) * TUBE),
        (A3 * v - Q3) / (7.85e-5 * HOSE + A3 * (2.2 - s) * TUBE),
    ]


def start() -> np.ndarray:
    """At rest at 60°, p3 = 35 bar."""
    z = math.radians(60.0)
    p2 = (weight(z) / -math.sin(z / 2) + 3.5e6 * A3) / A2
    return np.array([z, 0.0, 0.0, p2, p2, 3.5e6])


def motion(pieces: list[tuple[float, float]], every: float) -> np.ndarray:
    """States every so many seconds, under commands (V) that each hold for some time (s)."""
    x, rows = start(), []
    for command, duration in pieces:
        times = np.linspace(0.0, duration, round(duration / every) + 1)
        found = solve_ivp(lambda t, x, u=command: rates(x, u), (0.0, duration), x, "BDF", times, rtol=1e-7, atol=1e-9)
        rows.append(found.y[:, :-1])
        x = found.y[:, -1]
    return np.hstack([*rows, x[:, None]])
