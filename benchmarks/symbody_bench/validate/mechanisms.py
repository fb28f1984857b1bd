"""Random closed mechanisms against the multiplier equations: a run is right, warned about, or ends in a named error.

    python tests/system/check_mechanisms.py --cases 10000

A run is right where, at its samples, loops are closed in position and velocity, accelerations are those of the
multiplier equations, energy is kept, and q and v go from sample to sample as velocities and accelerations say: it is
then a solution of the independent equations to within these residuals. Anything else that ends without a word is wrong.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
from multiplier_reference import reference
from random_mechanisms import random_mechanism
from tqdm import tqdm

import symbody as sb
from symbody.analysis.energy_account import TOLERANCE
from symbody.errors import SymbodyError
from symbody.results.run import Run
from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names

UNTIL, STEP = 0.4, 1e-3  # s: of a run, and between its samples
STARTS = 100  # of a structure
OPEN, OPENING = 1e-6, 1e-5  # m (or rad), and by speed: how far loops may be open
ACCELERATION = 1e-6  # relative difference of accelerations, by the conditioning of the loops
JUMP = 1e-2  # of q and v from sample to sample, by their size: as exact as energy is kept
BEFORE = 5  # samples before an error that a step close to a singular position may spoil
EXAMINED = 8  # samples whose accelerations are compared
WAYS = ({"dt": STEP}, {"dt": STEP, "repartition": True}, {"method": "dop853", "every": STEP, "repartition": True})


@dataclass(frozen=True)
class Verdict:
    """How a run ended: "right", "warned", the name of an error, or "wrong"; and the number that says so."""

    what: str
    why: str = ""

    @property
    def sound(self) -> bool:
        return self.what != "wrong"


def structure(seed: int):
    """The system of the mechanism of a seed; None where the draw cannot move, or an error that names why not."""
    mechanism = random_mechanism(seed, planar=seed % 2 == 0, natures=seed % 4 < 2)
    if mechanism is None:
        return None
    try:
        named = (coordinate_names, velocity_names, acceleration_names)
        return sb.system(mechanism.model, outputs=[*(x for f in named for x in f(mechanism.model)), "energy.*"])
    except SymbodyError as error:
        return error


def starts(s: sb.System, seed: int, count: int):
    """The system's own start, then others around it, slow and fast, so that many runs meet singular positions."""
    rng, nq, nv = np.random.default_rng(seed), len(s.layout.coordinates), len(s.layout.velocities)
    yield s.x0
    for _ in range(count - 1):
        x = s.x0.copy()
        x[:nq] += rng.uniform(0.0, 0.6) * rng.normal(size=nq)
        for q in s.quaternion_places:
            x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
        x[nq:] = rng.uniform(0.5, 8.0) * rng.normal(size=nv)
        yield x


def verdict(s: sb.System, x, way) -> Verdict:
    """Simulate from a state, and compare; what is kept of a run that an error ends must be right, too, but its end."""
    ended = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run = sb.simulate(s, UNTIL, x0=x, **way)
        except SymbodyError as error:
            run, ended = getattr(error, "state", None), error
    drift = next((str(one.message) for one in told if issubclass(one.category, sb.EnergyWarning)), None)
    found = examined(run) if isinstance(run, Run) and len(run) > 3 else Verdict("right")
    if ended is None and "jumps" in found.why and "every" in way:  # or a peak between samples: look closer
        found = examined(sb.simulate(s, UNTIL, x0=x, energy="ignore", **{**way, "every": STEP / 10}))
    if ended is not None and (found.sound or drift):
        return Verdict(type(ended).__name__, str(ended))
    if ended is not None:
        name, last = type(ended).__name__, len(run) - BEFORE
        if last > 3 and examined(Run(run.system, run.t[:last], run.values[:last])).sound:
            return Verdict(f"{name}, the last {BEFORE} samples before it inexact", found.why)
        return Verdict("wrong", f"before {name}: {found.why}")
    return Verdict("warned", drift) if drift and not found.sound else found


def examined(run: Run) -> Verdict:
    """A run against the multiplier equations, and against itself."""
    model = run.model
    if not np.all(np.isfinite(run.values)):
        return Verdict("wrong", "records are not finite")
    q, v, a = run.q, run.qd, run._columns(acceleration_names(model))
    if run.energy_drift > TOLERANCE:
        return Verdict("wrong", f"energy drifts by {run.energy_drift:.1e}")
    jump = max(_jump(run.t, q, coordinate_rates(model, q, v)), _jump(run.t, v, a))
    if jump > JUMP:
        return Verdict("wrong", f"the motion jumps by {jump:.1e}")
    picked = {
        *np.linspace(0, len(run) - 1, EXAMINED // 2).astype(int),
        *np.argsort(-np.abs(a).max(axis=1))[: EXAMINED // 2],
    }
    for k in sorted(picked):
        there = reference(model, q[k], v[k])
        speed = 1.0 + np.abs(v[k]).max()
        if np.abs(there.h).max() > OPEN or np.abs(there.hd).max() > OPENING * speed:
            worst = max(np.abs(there.h).max(), np.abs(there.hd).max())
            return Verdict("wrong", f"loops are open by {worst:.1e} at t = {run.t[k]:g} s")
        error = np.abs(there.qdd - a[k]).max() / (1.0 + np.abs(there.qdd).max())
        if error > ACCELERATION * (1.0 + 1.0 / there.smallest):
            return Verdict("wrong", f"accelerations differ by {error:.1e} at t = {run.t[k]:g} s")
    return Verdict("right")


def coordinate_rates(model, q, v):
    """dq/dt: the velocities, of quaternions ½ q ∘ (0, ω)."""
    found, iq, iv = np.zeros_like(q), 0, 0
    for joint in model.joints():
        for _ in range(joint.nq - 4 if joint.nq > 1 else 1):
            found[:, iq] = v[:, iv]
            iq, iv = iq + 1, iv + 1
        if joint.nq > 1:
            e, w = q[:, iq : iq + 4], v[:, iv : iv + 3]
            found[:, iq] = -0.5 * np.sum(e[:, 1:] * w, axis=1)
            found[:, iq + 1 : iq + 4] = 0.5 * (e[:, :1] * w + np.cross(e[:, 1:], w))
            iq, iv = iq + 4, iv + 3
    return found


def _jump(t, y, yd) -> float:
    """The largest of y(t+2h) − y(t) − ∫ẏ dt by Simpson's rule, by the size of y.

    Where ẏ is violent, the rule's own error is no jump: up to h times its second difference. A position that jumps is
    found all the same, for its velocity does not.
    """
    if len(t) < 3:
        return 0.0
    steady = np.abs(np.diff(t, 2)) < 1e-9  # a last step may be shorter
    h = np.diff(t)[1:, None]
    simpson = h / 3 * (yd[:-2] + 4 * yd[1:-1] + yd[2:])
    defect = np.abs(y[2:] - y[:-2] - simpson) - h * np.abs(np.diff(yd, 2, axis=0))
    return float((defect[steady] / (1.0 + np.abs(y).max())).max(initial=0.0))


def check_structure(seed: int, count: int):
    """Verdicts of one structure over so many starts, in turn by all the ways to simulate it."""
    s = structure(seed)
    if s is None:
        return
    if isinstance(s, SymbodyError):
        yield f"{type(s).__name__} of the model", None, Verdict(type(s).__name__, str(s))
        return
    for k, x in enumerate(starts(s, seed, count)):
        yield k, WAYS[k % len(WAYS)], verdict(s, x, WAYS[k % len(WAYS)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=10000, help="runs (default 10000)")
    parser.add_argument("--starts", type=int, default=STARTS, help=f"of a structure (default {STARTS})")
    parser.add_argument("--minutes", type=float, default=np.inf, help="after which no further structure begins")
    parser.add_argument("--seed", type=int, default=0, help="of the first structure (default 0)")
    arguments = parser.parse_args()
    counts: dict[str, Counter] = {"planar": Counter(), "spatial": Counter()}
    wrong, structures, seed, cases = [], 0, arguments.seed, 0
    last = time.monotonic() + 60 * arguments.minutes
    with tqdm(total=arguments.cases, unit="run", desc="mechanisms") as bar:
        while cases < arguments.cases and time.monotonic() < last:
            verdicts = list(check_structure(seed, min(arguments.starts, arguments.cases - cases)))
            structures += bool(verdicts)
            for start, way, found in verdicts:
                counts["spatial" if seed % 2 else "planar"][found.what] += 1
                if not found.sound:
                    wrong.append(f"seed {seed}, start {start}, {way}: {found.why}")
                    tqdm.write(wrong[-1], file=sys.stderr)
            cases += len(verdicts)
            bar.update(len(verdicts))
            seed += 1
    print(f"\n{cases} runs of {structures} structures (seeds {arguments.seed} to {seed - 1})\n")
    print("| ended | planar | spatial |\n|---|---|---|")
    for what in sorted({*counts["planar"], *counts["spatial"]}, key=lambda w: -sum(c[w] for c in counts.values())):
        print(f"| {what} | {counts['planar'][what]} | {counts['spatial'][what]} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
