"""A05, the stiff flyball governor: compared with Lagrange's equations of its symmetric motion."""

from __future__ import annotations

from math import cos, hypot, sin

import numpy as np
from scipy.integrate import solve_ivp

from symbody import machines
from symbody.system.assembly import initial_state
from symbody.system.system import system
from symbody_bench.validate.figures import GRAVITY, PLACE, Array, Figure, SolvedProblem, largest, timed
from symbody_bench.validate.mujoco_peer import Peering, TendonSpring, by_mujoco

NAME = "A05 flyball"
DT = {"rk4": 1e-4, "trapezoidal": 1e-3}  # s; limited by stability, and by accuracy
SAMPLE = 0.01  # s
LENGTH, OFFSET, SECTION, CUBE = 1.0, 0.05, 0.01, 0.1  # m
ROD, BALL, SLIDER = 0.3, 5.0, 3.0  # kg
STIFFNESS, DAMPING, REST = 8e5, 4e4, 0.5  # N/m, N s/m, m
_ACROSS, _ALONG = ROD * (LENGTH**2 + SECTION**2) / 12, ROD * SECTION**2 / 6  # kg m²
_HINGE = _ACROSS + ROD * LENGTH**2 / 4 + BALL * LENGTH**2  # kg m², of a rod with its ball about its hinge


def about_shaft(alpha: float) -> tuple[float, float]:
    """Moment of inertia about the shaft (kg m²) and its derivative, for rods at an angle below the horizontal."""
    c, s = cos(alpha), sin(alpha)
    middle, end = OFFSET + LENGTH / 2 * c, OFFSET + LENGTH * c
    own = _ALONG + SLIDER * CUBE**2 / 6
    inertia = own + 2 * (_ALONG * s**2 + _ACROSS * c**2 + ROD * middle**2 + BALL * end**2)
    slope = 2 * (2 * (_ALONG - _ACROSS) * s * c - ROD * middle * LENGTH * s - 2 * BALL * end * LENGTH * s)
    return inertia, slope


def lagrange(t: Array) -> Array:
    """s (m) of the slider: three degrees of freedom; the shaft's follows from its angular momentum."""
    momentum = about_shaft(np.pi / 6)[0] * 2 * np.pi

    def rates(_: float, y: Array) -> tuple[float, float, float, float]:
        s, alpha, ds, dalpha = y.tolist()  # formulas of floats: NumPy's are slower for single numbers
        x, z = LENGTH / 2 * cos(alpha), LENGTH - LENGTH / 2 * sin(alpha) - s
        length = hypot(x, z)
        by_s, by_alpha = -z / length, -LENGTH / 2 * (x * sin(alpha) + z * cos(alpha)) / length
        pull = 2 * (STIFFNESS * (length - REST) + DAMPING * (by_s * ds + by_alpha * dalpha))
        inertia, slope = about_shaft(alpha)
        weight = 2 * GRAVITY * cos(alpha) * LENGTH * (ROD / 2 + BALL)
        turning = slope / 2 * (momentum / inertia) ** 2 + weight - pull * by_alpha
        return ds, dalpha, -GRAVITY - pull * by_s / SLIDER, turning / (2 * _HINGE)

    start = (0.5, np.pi / 6, 0.0, 0.0)
    found = solve_ivp(rates, (0.0, t[-1]), start, "Radau", t_eval=t, rtol=1e-9, atol=1e-11)
    return np.asarray(found.y[0])


def solve(until: float = 10.0) -> SolvedProblem:
    """The governor in explicit steps, and in larger steps of the trapezoidal rule."""
    model = machines.model("flyball")
    run, seconds = timed(system(model), until, DT["rk4"], SAMPLE)
    smooth, smooth_seconds = timed(system(model, closure="augmented"), until, DT["trapezoidal"], SAMPLE)
    exact = lagrange(run.t)
    springs = {name: TendonSpring(STIFFNESS, DAMPING, REST) for name in model.links}
    flat = np.stack([np.zeros_like(exact), np.zeros_like(exact), exact], axis=1)
    peer = by_mujoco(model, Peering("slider.origin", DT["rk4"], springs=springs), *initial_state(model), run.t, flat)
    said = "Lagrange's equations, Radau"
    figures = [
        Figure(NAME, "s (m), rk4", said, largest(run["s.q"] - exact), PLACE, seconds, peer),
        Figure(NAME, "s (m), trapezoidal", said, largest(smooth["s.q"] - exact), PLACE, smooth_seconds),
    ]
    return SolvedProblem(NAME, run.t, ("s (m)",), run["s.q"][:, None], exact[:, None], None, figures)
