"""Measures of the clock, and theory: period, amplitude, energy of a swing."""

from __future__ import annotations

from itertools import pairwise
from math import pi, sqrt

import numpy as np

from symbody.analysis.balance import integral
from symbody.machines.pendulum_clock.model import FALL, LENS, ROD
from symbody.model.formula import evaluate
from symbody.results.run import Run
from symbody.system.system import System

Array = np.ndarray


# -- theory ------------------------------------------------------------------------------------------------------------


def gravity(s: System) -> float:
    """g (m/s²)."""
    return -float(evaluate(s.model.gravity[2], s.model.values))


def inertia(s: System) -> float:
    """I (kg m²) of the pendulum about its suspension."""
    (rod, long), length = ROD, s.parameters["length"]
    return float(rod * long**2 / 3.0 + s.parameters["lens_mass"] * (length**2 + LENS[1] ** 2 / 2.0))


def restoring(s: System) -> float:
    """m g d (N m/rad), d from the suspension to the centre of mass."""
    (rod, long), p = ROD, s.parameters
    return float(gravity(s) * (rod * long / 2.0 + p["lens_mass"] * p["length"]))


def small_swing(s: System) -> float:
    """2π √(ℓ/g) (s) of small swings, ℓ = I/(m d) being the length of the simple pendulum that swings alike."""
    return 2.0 * pi * sqrt(inertia(s) / restoring(s))


def theory_period(s: System, amplitude: float) -> float:
    """2π √(ℓ/g) (1 + A²/16); an escapement that pushes evenly about the middle does not change it (Airy, 1826).

    Parameters
    ----------
    s : System
        The compiled clock.
    amplitude : float
        A (rad).

    Returns
    -------
    float
        s.
    """
    return small_swing(s) * (1.0 + amplitude**2 / 16.0)


def theory_amplitude(s: System) -> float:
    """A (rad) at which the loss in air, π c ω A², equals the energy of two teeth, 2 M g ρ L, in a period."""
    p, omega = s.parameters, 2.0 * pi / small_swing(s)
    given = 2.0 * p["weight_mass"] * gravity(s) * FALL * p["escapement_lift"]
    return sqrt(given / (pi * p["air_damping"] * omega))


def quality(s: System) -> float:
    """Q = I ω/c."""
    return inertia(s) * 2.0 * pi / small_swing(s) / float(s.parameters["air_damping"])


# -- measures ----------------------------------------------------------------------------------------------------------


def passages(run: Run) -> Array:
    """Times (s) at which the pendulum passes the middle towards the positive side."""
    q, t = run["pendulum.q"], run.t
    k = np.flatnonzero((q[:-1] < 0.0) & (q[1:] >= 0.0))
    return np.asarray(t[k] - q[k] * (t[k + 1] - t[k]) / (q[k + 1] - q[k]))


def period(run: Run) -> float:
    """The mean time of a swing to and fro.

    Parameters
    ----------
    run : Run
        Of the clock.

    Returns
    -------
    float
        s.

    Examples
    --------
    >>> import symbody as sb
    >>> from symbody.machines.pendulum_clock import period, swing_energies, theory_period
    >>> s = sb.system(sb.machines.model("pendulum-clock"), outputs=["*.q", "*.qd", "escapement.*", "air.*"])
    >>> run = sb.simulate(s, until=6.0, dt=2e-4, every=2e-3)
    >>> bool(abs(period(run) / theory_period(s, abs(run["pendulum.q"]).max()) - 1.0) < 0.01)
    True
    >>> energies = swing_energies(run)
    """
    return float(np.diff(passages(run)).mean())


def amplitudes(run: Run) -> tuple[Array, Array]:
    """Times (s) and angles (rad) of the ends of swings on the positive side."""
    ends = passages(run)
    q = [run["pendulum.q"][(run.t >= a) & (run.t < b)].max() for a, b in pairwise(ends)]
    return (ends[:-1] + ends[1:]) / 2.0, np.array(q)


def growth(run: Run) -> tuple[float, float]:
    """Mean of A² (rad²) in a run, and its growth per second."""
    t, a = amplitudes(run)
    slope, _ = np.polyfit(t, a**2, 1)
    return float((a**2).mean()), float(slope)


def kept_amplitude(below: Run, above: Run) -> float:
    """A (rad) of the limit cycle, at which A² neither grows nor shrinks, between two runs."""
    (x0, v0), (x1, v1) = growth(below), growth(above)
    return sqrt(x0 + (x1 - x0) * v0 / (v0 - v1))


def swing_energies(run: Run) -> dict[str, float]:
    """Mean energies of a period, over whole swings of a run.

    Parameters
    ----------
    run : Run
        Of the clock.

    Returns
    -------
    dict of str to float
        From the weight, lost in air and escapement (J).
    """
    ends = passages(run)
    swings = len(ends) - 1

    def over(x: Array) -> float:
        a, b = np.interp(ends[[0, -1]], run.t, x)
        return float(b - a) / swings

    assert run.system is not None
    weight = run.system.parameters["weight_mass"] * gravity(run.system)
    return {
        "weight_J": -weight * over(run["weight.q"]),
        "air_J": over(integral(run.t, run["air.dissipated"])),
        "escapement_J": over(integral(run.t, run["escapement.dissipated"])),
        "pendulum_J": over(integral(run.t, run["escapement.impulse"] * run["pendulum.qd"])),
    }
