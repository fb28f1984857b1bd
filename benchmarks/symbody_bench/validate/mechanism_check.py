"""One random mechanism, simulated in every way, against the multiplier equations: equal, refused, warned or wrong.

A run is equal if it follows the independent solution of the multiplier equations, its loops are closed, and its
accelerations, cut forces and efforts of drives are the ones of these equations at its own states. Where the solution
ends at a singular position, the run must stay a solution: it keeps its energy balance and does not jump.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

import symbody as sb
from symbody.errors import SymbodyError
from symbody.results.run import Run
from symbody.stepping.cvode import CVODE
from symbody.stepping.registry import FIXED, METHODS
from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names
from symbody.system.options import CLOSURES, XYZ
from symbody_bench.validate.multipliers import Array, Motion, Reference, coordinate_rates, reference, solution
from symbody_bench.validate.random_mechanisms import Mechanism

UNTIL, STEP = 0.2, 1e-3  # s: of a run, and between its samples
SINGULAR = 1e-3  # smallest singular value of the loops over the largest: the independent solution ends there
MOST = 4000  # evaluations of the independent solution
EXAMINED = 6  # samples whose accelerations and forces are compared
COARSE = 2e-2  # of the size of q and v: a larger difference from the independent solution needs a warning
SHRINKS = 0.5  # largest share of a smaller difference that may remain with a quarter of the step or a hundredth of rtol
NUDGE, UNSTABLE = 1e-7, 1e3  # a change of the start, and the growth that makes a motion unpredictable
JUMP = 1e-2  # of q and v from sample to sample, over their size
BALANCED = 40  # samples for the energy balance
BALANCE = 2e-2  # of the energy exchanged, where there is no solution to compare with
FIRST_ORDER = 10.0  # times as wide may loops open with a method of first order
BEFORE = 5  # samples before an error that a step close to a singular position may spoil


@dataclass(frozen=True)
class Tolerance:
    """Largest errors: open loops (m, rad), accelerations and forces, motion; the last two relative."""

    open: float
    opening: float
    acceleration: float
    motion: float


# Penalty and augmented closures let loops open a little; their accelerations contain the forces that close them.
TOLERANCES = {
    "partitioning": Tolerance(1e-6, 1e-5, 1e-6, 1e-3),
    "augmented": Tolerance(1e-5, 1e-3, 1e-2, 1e-3),
    "penalty": Tolerance(1e-3, 1e-2, 1e-2, 1e-2),
}
VERDICTS = ("equal", "refused", "ended", "warned", "wrong")


@dataclass(frozen=True)
class Way:
    """A way to simulate: method, closure of loops, and whether coordinates may change."""

    method: str
    closure: str = "partitioning"
    repartition: bool = False

    def __str__(self) -> str:
        return f"{self.method}, {self.closure}{', repartition' if self.repartition else ''}"

    def options(self, finer: bool = False) -> dict[str, Any]:
        """Options of `sb.simulate`; finer: a quarter of the step, or a hundredth of rtol."""
        given: dict[str, Any] = {"repartition": self.repartition, "every": STEP}
        if self.method in FIXED:
            return given | {"method": self.method, "dt": STEP / 4 if finer else STEP}
        rtol = 1e-9 if finer else 1e-7
        return given | {"method": sb.VariableStep(self.method, rtol=rtol, atol=0.1 * rtol)}


def every_way() -> list[Way]:
    """All methods with all closures that they support; partitioning with and without a change of coordinates."""
    able = [m for m in METHODS.values() if m.name != CVODE.name or find_spec("sksundae")]
    pairs = [(method.name, closure) for method in able for closure in CLOSURES if closure in method.closures]
    swaps = {"partitioning": (False, True)}
    return [Way(*pair, swap) for pair in pairs for swap in swaps.get(pair[1], (False,))]


@dataclass(frozen=True)
class Verdict:
    """How a run ended: one of `VERDICTS`, and why."""

    what: str
    why: str = ""


@dataclass
class Judge:
    """A mechanism, its independent solution, and its systems by closure, compiled once."""

    mechanism: Mechanism
    truth: Motion
    systems: dict[str, tuple[sb.System | SymbodyError, str]]  # with their warnings

    def system(self, closure: str) -> tuple[sb.System | SymbodyError, str]:
        """The system with a closure, or why it is refused; and the warnings."""
        if closure not in self.systems:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                self.systems[closure] = _system(self.mechanism, closure), ""
            self.systems[closure] = self.systems[closure][0], _text(said)
        return self.systems[closure]

    def verdict(self, way: Way) -> Verdict:
        """Simulate in one way and compare."""
        s, said = self.system(way.closure)
        if isinstance(s, SymbodyError):
            return Verdict("refused", f"{type(s).__name__}: {s}")
        run, error, warned = self._simulated(s, way)
        warned = "; ".join(filter(None, (said, warned)))
        if error is not None and (run is None or len(run) < 2):
            return Verdict("refused", f"{type(error).__name__}: {error}")
        assert run is not None
        wrong = self.error_of(run, way)
        if error is None:
            if wrong and not warned and self._explained(s, run, way):
                wrong = ""
            return Verdict("warned", warned) if wrong and warned else Verdict("wrong" if wrong else "equal", wrong)
        kept = len(run) - BEFORE
        if wrong and not warned and kept > 1:
            run = _first(run, kept)
            wrong = self.error_of(run, way)
        if wrong and not warned and not self._explained(s, run, way):
            return Verdict("wrong", f"before {type(error).__name__}: {wrong}")
        return Verdict("ended", f"{type(error).__name__}: {error}")

    def _simulated(self, s: sb.System, way: Way, finer: bool = False) -> tuple[Run | None, SymbodyError | None, str]:
        """The run, the error that ended it, and its warnings."""
        run: Run | None
        error: SymbodyError | None
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                run, error = sb.simulate(s, UNTIL, inputs=self.mechanism.inputs, **way.options(finer)), None
            except SymbodyError as failure:
                state = getattr(failure, "state", None)
                run, error = state if isinstance(state, Run) else None, failure
        return run, error, _text(said)

    def _explained(self, s: sb.System, run: Run, way: Way) -> bool:
        """Whether only the size of the steps, or an unstable motion, makes a run differ."""
        off, first_order = self.difference(run), METHODS[way.method].order == 1
        if self.error_of(run, way, motion=False) or (off > COARSE and not first_order and not self.unstable):
            return False
        finer, _, _ = self._simulated(s, way, finer=True)
        n = len(run)
        if finer is None or len(finer) < n:
            return False
        return self.difference(_first(finer, n)) < max(SHRINKS * off, TOLERANCES[way.closure].motion)

    @cached_property
    def unstable(self) -> bool:
        """Whether a small change of the start grows by a large factor."""
        m, t = self.mechanism, self.truth.t
        if len(t) < 2:
            return True
        rng = np.random.default_rng(0)
        v = m.v + NUDGE * rng.normal(size=len(m.v)) * (m.v != 0.0)
        moved = solution(m.model, m.q, v, t, m.acting, singular=0.0, most=MOST)
        n = len(moved.t)
        return bool(np.abs(moved.v - self.truth.v[:n]).max() > UNSTABLE * NUDGE)

    def difference(self, run: Run) -> float:
        """The largest difference from the independent solution, relative to the size of q and v."""
        n = min(len(run), len(self.truth.t))
        pairs = ((run.q[:n], self.truth.q[:n]), (run.qd[:n], self.truth.v[:n]))
        if not np.allclose(run.t[:n], self.truth.t[:n], atol=1e-9):
            return np.inf
        return max(float(np.abs(a - b).max(initial=0.0) / (1.0 + np.abs(b).max(initial=0.0))) for a, b in pairs)

    def error_of(self, run: Run, way: Way, motion: bool = True) -> str:
        """What is wrong with a run, in words; empty if nothing is."""
        if not np.all(np.isfinite(run.values)):
            return "records are not finite"
        there = self._at_states(run, way)
        if there:
            return there
        off = self.difference(run) if motion else 0.0
        if off > TOLERANCES[way.closure].motion:
            return f"the motion differs by {off:.1e} from the solution of the multiplier equations"
        return self._beyond(run, len(self.truth.t)) if len(run) > len(self.truth.t) + 2 else ""

    def _at_states(self, run: Run, way: Way) -> str:
        """Loops, accelerations and forces at some states of a run: at its start, where they are large, and between."""
        allowed, model = TOLERANCES[way.closure], self.mechanism.model
        coarse = FIRST_ORDER if METHODS[way.method].order == 1 else 1.0
        q, v, a = run.q, run.qd, run._columns(acceleration_names(model))
        even = np.linspace(0, len(run) - 1, EXAMINED // 2).astype(int)
        picked = {*even.tolist(), *np.argsort(-np.abs(a).max(axis=1))[: EXAMINED // 2].tolist()}
        for k in sorted(picked):
            there = reference(model, q[k], v[k], t=float(run.t[k]), acting=self.mechanism.acting)
            at, speed = f"at t = {run.t[k]:g} s", 1.0 + np.abs(v[k]).max()
            gap, opening = np.abs(there.h).max(initial=0.0), np.abs(there.hd).max(initial=0.0)
            if gap > coarse * allowed.open or opening > coarse * allowed.opening * speed:
                return f"loops are open by {gap:.1e} and open at {opening:.1e}/s {at}"
            scale, least = 1.0 + np.abs(there.qdd).max(), allowed.acceleration * (1.0 + 1.0 / there.smallest)
            error = float(np.abs(there.qdd - a[k]).max() / scale)
            if error > least:
                return f"accelerations differ by {error:.1e} {at}"
            error = _force_error(run, k, model.velocities, there) if there.unique else 0.0
            if error > least * scale:
                return f"cut forces or efforts differ by {error:.1e} {at}"
        return ""

    def _beyond(self, run: Run, first: int) -> str:
        """Jumps and the energy balance after the independent solution ended."""
        model, acting = self.mechanism.model, self.mechanism.acting
        t, q, v = run.t[first - 1 :], run.q[first - 1 :], run.qd[first - 1 :]
        a = run._columns(acceleration_names(model))[first - 1 :]
        jump = max(_jump(t, q, coordinate_rates(model, q, v)), _jump(t, v, a))
        if jump > JUMP:
            return f"the motion jumps by {jump:.1e} after the singular position at t = {t[0]:g} s"
        stride = max(1, (len(t) - 1) // BALANCED)
        n = (len(t) - 1) // (2 * stride) * 2 + 1
        picked = stride * np.arange(n)
        found = [reference(model, q[k], v[k], t=float(t[k]), acting=acting) for k in picked]
        power, energy = np.array([r.power for r in found]), np.array([r.energy for r in found])
        h = np.diff(t[picked])[::2]
        work = np.concatenate([[0.0], np.cumsum(h / 3 * (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]))])
        drift = np.abs(energy[::2] - energy[0] - work).max()
        exchange = np.ptp(energy) + np.abs(work).max() + np.ptp(run.kinetic[first - 1 :])
        if drift > BALANCE * max(exchange, 1e-3):
            return f"energy is off by {drift:.1e} J after the singular position at t = {t[0]:g} s"
        return ""


def _first(run: Run, count: int) -> Run:
    return Run(run.system, run.t[:count], run.values[:count], names=run.names)


def _text(said: list[warnings.WarningMessage]) -> str:
    return "; ".join(str(w.message) for w in said if issubclass(w.category, UserWarning))


def _force_error(run: Run, k: int, names: list[str], there: Reference) -> float:
    """The largest relative difference of cut forces and efforts at a sample."""
    worst = 0.0
    for cut, wrench in there.cuts.items():
        for kind, expected in zip(("force", "torque"), wrench, strict=True):
            found = np.array([run[f"{cut}.{kind}.{axis}"][k] for axis in XYZ])
            worst = max(worst, float(np.abs(found - expected).max() / (1.0 + np.abs(expected).max())))
    for i, effort in there.efforts.items():
        worst = max(worst, abs(float(run[f"{names[i]}.effort"][k]) - effort) / (1.0 + abs(effort)))
    return worst


def _jump(t: Array, y: Array, yd: Array) -> float:
    """The largest y(t+2h) − y(t) − ∫ẏ dt by Simpson's rule, relative to the size of y.

    Where ẏ changes quickly, the error of the rule is not a jump: up to h times the second difference of ẏ.
    """
    if len(t) < 3:
        return 0.0
    steady = np.abs(np.diff(t, 2)) < 1e-9  # a last step may be shorter
    h = np.diff(t)[1:, None]
    simpson = h / 3 * (yd[:-2] + 4 * yd[1:-1] + yd[2:])
    defect = np.abs(y[2:] - y[:-2] - simpson) - h * np.abs(np.diff(yd, 2, axis=0))
    return float((defect[steady] / (1.0 + np.abs(y).max())).max(initial=0.0))


def _system(mechanism: Mechanism, closure: str) -> sb.System | SymbodyError:
    model = mechanism.model
    named = [x for names in (coordinate_names, velocity_names, acceleration_names) for x in names(model)]
    forces = [f"{cut}.{kind}.{axis}" for cut in model.cuts for kind in ("force", "torque") for axis in XYZ]
    efforts = [f"{model.velocities[i]}.effort" for i in mechanism.acting.prescribed]
    outputs = [*named, *forces, *efforts, "energy.*"]
    try:
        return sb.system(model, closure=closure, inputs=list(mechanism.inputs), outputs=outputs)
    except SymbodyError as error:
        return error


def judge(mechanism: Mechanism) -> Judge:
    """The independent solution of a mechanism at the samples of its runs."""
    times = STEP * np.arange(round(UNTIL / STEP) + 1)
    found = solution(
        mechanism.model, mechanism.q, mechanism.v, times, mechanism.acting, singular=SINGULAR, most=MOST
    )  # fmt: skip
    return Judge(mechanism, found, {})


def verdicts(mechanism: Mechanism, ways: list[Way]) -> Iterator[tuple[Way, Verdict]]:
    """A verdict for each way to simulate a mechanism; an error that is not symbody's own is wrong."""
    judging = judge(mechanism)
    for way in ways:
        try:
            yield way, judging.verdict(way)
        except (ArithmeticError, ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
            yield way, Verdict("wrong", f"{type(error).__name__}: {error}")
