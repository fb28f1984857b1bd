"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007): compared with their formulas and table.

Linearised about upright, straight motion at a speed v, M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0 for lean and steer.
"""

from __future__ import annotations

from itertools import permutations
from math import cos, pi, sin
from time import thread_time
from typing import NamedTuple

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from symbody import machines
from symbody.analysis.simulate import simulate
from symbody.system.system import System, system
from symbody_bench.validate.figures import GRAVITY, Array, Figure, SolvedProblem, largest

NAME = "bicycle (Meijaard 2007)"
EIGENVALUES = 1e-12  # 1/s, largest error: their table has 14 decimals; the last ones are rounding errors of theirs
SPEEDS = 1e-11  # m/s
TABLE = {  # their table 2: speed (m/s), eigenvalues (1/s); of a pair the upper one
    0.0: (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393),
    1.0: (-7.11008014637442, -3.13423125066578, 3.52696170990070 + 0.80774027519930j),
    2.0: (-8.67387984831735, -3.07158645641514, 2.68234517512745 + 1.68066296590675j),
    3.0: (-10.35101467245920, -2.63366137253667, 1.70675605663975 + 2.31582447384325j),
    4.0: (-12.15861426576447, -1.42944427361326, 0.41325331521125 + 3.07910818603206j),
    5.0: (-14.07838969279822, -0.32286642900409, -0.77534188219585 + 4.46486771378823j),
    6.0: (-16.08537123098030, -0.00406690076970, -1.52644486584142 + 5.87673060598709j),
    7.0: (-18.15788466125262, 0.10268170574766, -2.13875644258362 + 7.19525913329805j),
    8.0: (-20.27940894394569, 0.14327879765713, -2.69348683581097 + 8.46037971396931j),
    9.0: (-22.43788559040858, 0.15790184030917, -3.21675402252485 + 9.69377351531791j),
    10.0: (-24.62459635017404, 0.16105338653172, -3.72016840437287 + 10.90681139476287j),
}
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837  # m/s: stable between them


class BicycleMatrices(NamedTuple):
    """M, C₁, K₀, K₂ over lean and steer."""

    M: Array
    C1: Array
    K0: Array
    K2: Array

    def state_matrix(self, v: float) -> Array:
        """A of (q, q̇) at a speed (m/s)."""
        K, C = GRAVITY * self.K0 + v * v * self.K2, v * self.C1
        return np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(self.M, K), -np.linalg.solve(self.M, C)]])


def matrices() -> BicycleMatrices:
    """From the 25 parameters by the formulas of the paper's appendix A, in its axes: x forward, z down."""
    w, c, tilt = 1.02, 0.08, pi / 10
    rR, mR, IRxx, IRyy = 0.3, 2.0, 0.0603, 0.12
    xB, zB, mB, IBxx, IBxz, IBzz = 0.3, -0.9, 85.0, 9.2, 2.4, 2.8
    xH, zH, mH, IHxx, IHxz, IHzz = 0.9, -0.7, 4.0, 0.05892, -0.00756, 0.00708
    rF, mF, IFxx, IFyy = 0.35, 3.0, 0.1405, 0.28
    s, co = sin(tilt), cos(tilt)
    mT, mA = mR + mB + mH + mF, mH + mF
    xT, zT = (xB * mB + xH * mH + w * mF) / mT, (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    ITxx = IRxx + IBxx + IHxx + IFxx + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    ITxz = IBxz + IHxz - mB * xB * zB - mH * xH * zH + mF * w * rF
    ITzz = IRxx + IBzz + IHzz + IFxx + mB * xB**2 + mH * xH**2 + mF * w**2
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    IAxx = IHxx + IFxx + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    IAxz = IHxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    IAzz = IHzz + IFxx + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    uA = (xA - w - c) * co - zA * s
    IAll = mA * uA**2 + IAxx * s**2 + 2 * IAxz * s * co + IAzz * co**2
    IAlx, IAlz = -mA * uA * zA + IAxx * s + IAxz * co, mA * uA * xA + IAxz * s + IAzz * co
    mu = c / w * co
    SR, SF = IRyy / rR, IFyy / rF
    ST, SA = SR + SF, mA * uA + mu * mT * xT
    off = IAlx + mu * ITxz
    lean_by_steer = mu * ST + SF * co + ITxz * co / w - mu * mT * zT
    steer_by_steer = IAlz * co / w + mu * (SA + ITzz * co / w)
    return BicycleMatrices(
        np.array([[ITxx, off], [off, IAll + 2 * mu * IAlz + mu**2 * ITzz]]),
        np.array([[0.0, lean_by_steer], [-(mu * ST + SF * co), steer_by_steer]]),
        np.array([[mT * zT, -SA], [-SA, -SA * s]]),
        np.array([[0.0, (ST - mT * zT) * co / w], [0.0, (SA + SF * s) * co / w]]),
    )


def lateral_matrix(s: System, v: float) -> Array:
    """Our matrix over lean, steer and their rates; in straight motion nothing else acts on them."""
    x = s.x0.copy()
    x[s.states.index("rear_wheel.qd")] = v / 0.3
    rows = [s.states.index(name) for name in ("lean.q", "steer.q", "lean.qd", "steer.qd")]
    A: Array = s.linear(0.0, x).A[np.ix_(rows, rows)]
    return A


def paired(found: Array, known: Array) -> Array:
    """Eigenvalues reordered to be nearest to the known ones."""
    best = min(permutations(range(len(known))), key=lambda p: float(np.abs(found[list(p)] - known).max()))
    return np.asarray(found[list(best)])


def by_mode(values: Array) -> Array:
    """Castering, capsize, and the two of weave, which are real at small speeds."""
    castering, *rest = sorted(values, key=lambda x: float(x.real))
    capsize = min(rest, key=lambda x: (abs(x.imag), x.real))
    weave = sorted((x for x in rest if x is not capsize), key=lambda x: (-x.imag, -x.real))
    return np.array([castering, capsize, *weave])


def tabled(v: float) -> Array:
    """The eigenvalues of their table at a speed, both of each pair."""
    listed = [complex(x) for x in TABLE[v]]
    return np.array([*listed, *(x.conjugate() for x in listed if x.imag)])


def critical_speeds(s: System) -> Array:
    """Speeds at which the weave pair and the capsize eigenvalue cross the imaginary axis (m/s)."""

    def oscillating(v: float) -> float:
        values = np.linalg.eigvals(lateral_matrix(s, v))
        return float(values[np.argmax(values.imag)].real)

    def capsizing(v: float) -> float:
        return float(np.linalg.det(lateral_matrix(s, v)))

    return np.array([brentq(oscillating, 4.0, 5.0, xtol=1e-14), brentq(capsizing, 5.5, 6.5, xtol=1e-14)])


def settling_error(v: float = 5.0, push: float = 1e-4, until: float = 5.0) -> tuple[float, float]:
    """Relative error of the lean after a small push (rad/s) compared with the linear motion; and seconds."""
    s = system(machines.model("bicycle", speed=v, lean_rate=push))
    simulate(s, until, 1e-3, every=0.05)
    start = thread_time()
    run = simulate(s, until, 1e-3, every=0.05)
    seconds, A = thread_time() - start, matrices().state_matrix(v)
    linear = np.array([(expm(A * t) @ [0.0, 0.0, push, 0.0])[0] for t in run.t])
    return largest(run["lean.q"] - linear) / largest(linear), seconds


def solve(fastest: float = 10.0) -> SolvedProblem:
    """Eigenvalues over the forward speed, the two critical speeds, and the decay of a disturbance."""
    s, theirs = system(machines.model("bicycle")), matrices()
    speeds = np.linspace(0.0, fastest, round(10 * fastest) + 1)
    lateral_matrix(s, 0.0)
    start = thread_time()
    found = [np.linalg.eigvals(lateral_matrix(s, v)) for v in speeds]
    seconds = thread_time() - start
    known = [by_mode(np.linalg.eigvals(theirs.state_matrix(v))) for v in speeds]
    ours = np.array([paired(a, b) for a, b in zip(found, known, strict=True)])
    error = largest(ours - np.array(known))
    listed = [v for v in TABLE if v <= fastest]
    printed = max(largest(paired(found[round(10 * v)], tabled(v)) - tabled(v)) for v in listed)
    critical = largest(critical_speeds(s) - [WEAVE, CAPSIZE])
    settling, run_seconds = settling_error()
    figures = [
        Figure(NAME, "eigenvalues (1/s)", "their formulas", error, EIGENVALUES, seconds),
        Figure(NAME, "eigenvalues (1/s)", "their table 2", printed, EIGENVALUES, seconds),
        Figure(NAME, "weave and capsize speed (m/s)", "their table 2", critical, SPEEDS, seconds),
        Figure(NAME, "lean after a push of 1e-4 rad/s, relative", "linear motion", settling, 1e-5, run_seconds),
    ]
    labels = tuple(f"{name} (1/s)" for name in ("castering", "capsize", "weave, Re", "weave, Re", "weave, Im"))
    found_parts, known_parts = (np.column_stack([x.real, x[:, 2].imag]) for x in (ours, np.array(known)))
    return SolvedProblem(NAME, speeds, labels, found_parts, known_parts, None, figures, "forward speed (m/s)")
