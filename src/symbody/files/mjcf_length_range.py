"""Length ranges of muscles as MuJoCo's compiler finds them: each muscle pulls and pushes until joint limits stop it.

The motion starts at `qpos0`, without gravity, springs, dampers, friction and contacts. The force gives |M⁻¹ f| = accel,
velocities decrease with a time constant, and the range has the extreme lengths of the last seconds. Limits are soft:
min ½ (a − a₀)ᵀ M (a − a₀) + Σ ½ D min(J a − a*, 0)², a* = −b J v − k d (L − margin), D = d/((1 − d) J M⁻¹ Jᵀ).
Source: MuJoCo documentation, "Modeling: Length range" and "Computation: Constraint model".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.files.mjcf_numbers import real, reals, truth
from symbody.files.tree_motion import Moving, equations, frames, times
from symbody.model.model import Model
from symbody.model.placement import placement
from symbody.model.rotation import Matrix

_USUAL = {"accel": 20.0, "maxforce": 0.0, "timeconst": 1.0, "timestep": 0.01, "inttotal": 10.0, "interval": 2.0}
_SOLREF, _SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
_WORK = 100_000  # steps · joints of a simulation
_LEAST = 1e-15
_IMPEDANCE = (1e-4, 0.9999)  # bounds of d
_UNBOUNDED = "the simulation from which it follows does not converge: limit the joints"
_ROUNDS = 50  # of the solver

Row = Callable[[Matrix, Mapping[str, Moving]], tuple[Matrix, Matrix]]  # q, frames → L (B,) and ∂L/∂q (B, nv)


@dataclass(frozen=True)
class SoftLimit:
    """A range of a joint or a tendon in MuJoCo's coordinate, as a soft constraint."""

    low: float
    high: float
    margin: float
    solref: tuple[float, ...]
    solimp: tuple[float, ...]


def soft_limit(attributes: Mapping[str, str], low: float, high: float, where: str) -> SoftLimit:
    """The limit of a joint or a tendon, by its attributes."""
    solref = reals(attributes, "solreflimit", where, _SOLREF)
    return SoftLimit(
        low, high, real(attributes, "margin", where), solref, reals(attributes, "solimplimit", where, _SOLIMP)
    )


@dataclass(frozen=True)
class Pulling:
    """The length of a muscle, joint or tendon: Σ cᵢ (qᵢ + refᵢ), or a factor times the distance of a link's ends."""

    joints: Mapping[str, float]
    link: str = ""
    factor: float = 1.0

    def row(self, model: Model, references: Mapping[str, float]) -> Row:
        if self.link:
            return _distance(model, self.link, self.factor)
        c = np.array([self.joints.get(joint.name, 0.0) for joint in model.joints()])
        refs = np.array([references[joint.name] for joint in model.joints()])
        return lambda q, _: ((q + refs) @ c, np.broadcast_to(c, q.shape))


def _distance(model: Model, link: str, factor: float) -> Row:
    ends = [(end, placement(end, {})) for end in map(model.point_at, (model.links[link].a, model.links[link].b))]

    def row(q: Matrix, at: Mapping[str, Moving]) -> tuple[Matrix, Matrix]:
        a, b = (at[end.body].at(fixed) for end, fixed in ends)
        line = b.p - a.p
        length = np.linalg.norm(line, axis=1)
        along = line / np.maximum(length, _LEAST)[:, np.newaxis]
        return factor * length, factor * times((b.sliding - a.sliding).transpose(0, 2, 1), along)

    return row


def length_ranges(
    model: Model,
    options: Mapping[str, str],
    references: Mapping[str, float],
    muscles: Sequence[Pulling],
    limits: Sequence[tuple[Pulling, SoftLimit]],
) -> list[tuple[float, float]] | str:
    """The ranges of muscles (m, rad), or why MuJoCo's simulation cannot be repeated.

    options: attributes of <lengthrange>. references: `ref` of all joints. limits: of joints and tendons.
    """
    if any(joint.nq > 1 for joint in model.joints()):
        return "it follows from a simulation, which does not support free and ball joints here"
    given = {key: real(options, key, "lengthrange", usual) for key, usual in _USUAL.items()}
    steps = int(np.ceil(given["inttotal"] / given["timestep"])) if given["timestep"] > 0.0 else _WORK
    if steps * model.nv > _WORK:
        return "it follows from a simulation that would take too long"
    if not limits and not all(muscle.link for muscle in muscles):
        return _UNBOUNDED
    found = _simulated(model, given, references, muscles, limits)
    tolerance = real(options, "tolrange", "lengthrange", 0.05)
    for (low, high), spread in found:
        if not (high > low and spread <= tolerance * (high - low)):
            return _UNBOUNDED
    return [bounds for bounds, _ in found]


def uses_limits(options: Mapping[str, str]) -> bool:
    """Whether the range of a joint or a tendon is the length range of its muscle."""
    return truth(options, "uselimit", False)


def _simulated(
    model: Model,
    given: Mapping[str, float],
    references: Mapping[str, float],
    muscles: Sequence[Pulling],
    limits: Sequence[tuple[Pulling, SoftLimit]],
) -> list[tuple[tuple[float, float], float]]:
    """Range of each muscle, and the largest change of its length in the last seconds of either motion."""
    h, nv, count = given["timestep"], model.nv, len(muscles)
    decay = np.exp(-h / max(0.01, given["timeconst"]))
    rows = [muscle.row(model, references) for muscle in muscles]
    bounds = [(pulling.row(model, references), limit) for pulling, limit in limits]
    side = np.repeat((-1.0, 1.0), count)
    q, v = np.zeros((2 * count, nv)), np.zeros((2 * count, nv))
    shares = _shares(model, q[:1], bounds)
    least, largest, t = np.full(2 * count, np.inf), np.full(2 * count, -np.inf), 0.0
    while t < given["inttotal"]:
        v *= decay
        at = frames(model, q, v)
        M, c = equations(model, at)
        lengths, levers = np.zeros(2 * count), np.zeros((2 * count, nv))
        for k, row in enumerate(rows):
            both = [k, k + count]
            L, J = row(q, at)
            lengths[both], levers[both] = L[both], J[both]
        swift = np.linalg.norm(_solved(M, levers), axis=1)
        force = levers * (side * given["accel"] / np.maximum(swift, _LEAST))[:, np.newaxis]
        size = np.linalg.norm(force, axis=1)
        if given["maxforce"] > 0.0:
            force *= np.minimum(1.0, given["maxforce"] / np.maximum(size, _LEAST))[:, np.newaxis]
        v = v + h * _accelerations(M, force - c, *_rows(q, v, at, bounds, shares, h))
        q, t = q + h * v, t + h
        if t > given["inttotal"] - given["interval"]:
            least, largest = np.minimum(least, lengths), np.maximum(largest, lengths)
    spread = largest - least
    return [
        ((float(least[k]), float(largest[k + count])), float(max(spread[k], spread[k + count]))) for k in range(count)
    ]


def _shares(model: Model, q: Matrix, bounds: Sequence[tuple[Row, SoftLimit]]) -> list[float]:
    """J M⁻¹ Jᵀ of each limit at the start."""
    at = frames(model, q, np.zeros_like(q))
    M, _ = equations(model, at)
    levers = [row(q, at)[1][0] for row, _ in bounds]
    return [float(J @ np.linalg.solve(M[0], J)) for J in levers]


def _rows(
    q: Matrix,
    v: Matrix,
    at: Mapping[str, Moving],
    bounds: Sequence[tuple[Row, SoftLimit]],
    shares: Sequence[float],
    h: float,
) -> tuple[Matrix, Matrix, Matrix]:
    """J (B, n, nv), a* (B, n) and D (B, n) of all limits; D is 0 where a limit is not reached."""
    J, wanted, D = [], [], []
    for (row, limit), share in zip(bounds, shares, strict=True):
        L, lever = row(q, at)
        for gap, one in ((L - limit.low, lever), (limit.high - L, -lever)):
            d, stiffness, damping = _softness(gap - limit.margin, limit, h)
            J.append(one)
            wanted.append(-damping * np.einsum("bj,bj->b", one, v) - stiffness * d * (gap - limit.margin))
            D.append(np.where(gap < limit.margin, d / np.maximum((1.0 - d) * share, _LEAST), 0.0))
    if not J:
        return np.zeros((len(q), 0, q.shape[1])), np.zeros((len(q), 0)), np.zeros((len(q), 0))
    return np.stack(J, axis=1), np.stack(wanted, axis=1), np.stack(D, axis=1)


def _softness(r: Matrix, limit: SoftLimit, h: float) -> tuple[Matrix, float, float]:
    """Impedance d(r), stiffness k and damping b."""
    low, high = (min(max(x, _IMPEDANCE[0]), _IMPEDANCE[1]) for x in limit.solimp[:2])
    width, middle, power = max(0.0, limit.solimp[2]), limit.solimp[3], max(1.0, limit.solimp[4])
    middle = min(max(middle, _IMPEDANCE[0]), _IMPEDANCE[1])
    x = np.minimum(np.abs(r) / width, 1.0) if width > _LEAST else np.ones_like(r)
    rising = x**power / middle ** (power - 1)
    falling = 1.0 - (1.0 - x) ** power / (1.0 - middle) ** (power - 1)
    d = low + (x if power == 1.0 else np.where(x <= middle, rising, falling)) * (high - low)
    if low == high or width <= _LEAST:
        d = np.full_like(r, (low + high) / 2)
    tau, ratio = limit.solref[:2]
    if tau > 0.0:
        tau = max(tau, 2.0 * h)
        return d, 1.0 / max(_LEAST, high**2 * tau**2 * ratio**2), 2.0 / max(_LEAST, high * tau)
    return d, -tau / max(_LEAST, high**2), -ratio / max(_LEAST, high)


def _accelerations(M: Matrix, force: Matrix, J: Matrix, wanted: Matrix, D: Matrix) -> Matrix:
    """a of the convex problem, by Newton's method on the limits that act."""
    a = _solved(M, force)
    acting = D * (times(J, a) < wanted)
    for _ in range(_ROUNDS):
        if not acting.any():
            return a
        weighted = J.transpose(0, 2, 1) * acting[:, np.newaxis, :]
        a = _solved(M + weighted @ J, force + times(weighted, wanted))
        now = D * (times(J, a) < wanted)
        if (now == acting).all():
            return a
        acting = now
    return a


def _solved(A: Matrix, b: Matrix) -> Matrix:
    return np.asarray(np.linalg.solve(A, b[:, :, np.newaxis])[:, :, 0])
