"""Base parameters: the combinations of inertial parameters that determine the joint forces or the ground reaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from symbody.analysis.random_states import random_state
from symbody.equations.compile import compile
from symbody.equations.regressor import INERTIAL
from symbody.errors import ModelError
from symbody.model.body import ELEMENTARY, GROUND, ORIGIN, Body, Joint
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.model.tree import carrier

Array = np.ndarray
MEASURED = ("torques", "reactions", "both")  # joint forces; ground force and torque; reactions, then torques
STATES_PER_PARAMETER = 2  # random states per column of the regressor: enough to determine its rank
RANK_TOLERANCE = 1e-9  # relative to the largest diagonal element of R
NEGLIGIBLE = 1e-8  # smaller coefficients are rounding errors


@dataclass(frozen=True)
class BaseParameters:
    """Q = Y_base·base with base = combinations @ all; `all` holds the ten parameters of each body in order."""

    names: list[str]  # of all inertial parameters
    independent: list[int]  # index of the leading parameter of each combination
    combinations: Array  # (number, len(names))

    @property
    def number(self) -> int:
        return len(self.independent)

    @property
    def expressions(self) -> list[str]:
        """Each base parameter as a sum over inertial parameters."""
        return [_sum_text(row, self.names, lead) for row, lead in zip(self.combinations, self.independent, strict=True)]

    def __repr__(self) -> str:
        return f"<BaseParameters: {self.number} combinations of {len(self.names)} inertial parameters>"


def _sum_text(row: Array, names: list[str], lead: int) -> str:
    order = [lead, *(int(i) for i in np.flatnonzero(row) if i != lead)]
    text = ""
    for i in order:
        c = row[i]
        size = "" if abs(abs(c) - 1) < NEGLIGIBLE else f"{abs(c):.6g}*"
        text += (" - " if c < 0 else " + " if text else "") + size + names[i]
    return text


def base_parameters(model: Model, seed: int = 0, measured: str = "torques") -> BaseParameters:
    """Base parameters of a model, by QR decomposition of the regressor at random states (Gautier 1991).

    Parameters
    ----------
    model : Model
        A model with joints; its laws and loads do not matter.
    seed : int
        Seed of the random states (default 0).
    measured : str
        The measurement that the parameters are seen in: "torques" of the joints (default), "reactions" of the ground
        (force and torque), or "both".

    Returns
    -------
    BaseParameters
        Their number, and each one as a sum over the ten inertial parameters per body (kg, kg m, kg m²).

    Raises
    ------
    ModelError
        If `measured` is none of these names.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> sb.base_parameters(m).number
    3
    """
    rng = np.random.default_rng(seed)
    states = max(4, STATES_PER_PARAMETER * len(INERTIAL) * len(model.bodies) // max(model.nv, 1) + 1)
    q, qd, qdd = map(np.stack, zip(*(random_state(model, rng, np.pi) for _ in range(states)), strict=True))
    Y = regressor(model, measured)(q, qd, qdd)
    return grouped(Y.reshape(-1, Y.shape[-1]), inertial_names(model))


def grouped(Y: Array, names: list[str]) -> BaseParameters:
    """The linear combinations of the columns of Y that its rows determine."""
    from scipy.linalg import qr, solve_triangular  # imported here: it takes longer than the import of symbody

    R = qr(Y, mode="r", pivoting=True)[0]
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK_TOLERANCE * diagonal[0])) if diagonal.size and diagonal[0] > 0 else 0
    independent = _independent_columns(Y, rank)
    dependent = [i for i in range(len(names)) if i not in set(independent)]
    Q, R = np.linalg.qr(Y[:, independent])
    shares = solve_triangular(R, Q.T @ Y[:, dependent])
    combinations = np.zeros((rank, len(names)))
    combinations[np.arange(rank), independent] = 1.0
    combinations[:, dependent] = np.where(np.abs(shares) < NEGLIGIBLE, 0.0, shares)
    return BaseParameters(names, independent, combinations)


def _independent_columns(Y: Array, rank: int) -> list[int]:
    """Independent columns; earlier columns first, so that a parameter a joint does not see joins the carrying body."""
    basis = np.zeros((Y.shape[0], 0))
    kept: list[int] = []
    noise = RANK_TOLERANCE * float(np.linalg.norm(Y, axis=0).max(initial=0.0))  # smaller columns are rounding errors
    for i in range(Y.shape[1]):
        column = Y[:, i]
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > max(np.sqrt(RANK_TOLERANCE) * np.linalg.norm(column), noise) and len(kept) < rank:
            basis = np.column_stack([basis, rest / size])
            kept.append(i)
    return kept


# -- names, values and regressor -------------------------------------------------------------------------------------


def inertial_names(model: Model) -> list[str]:
    """Ten names per body: mass, first moments m·c, inertia about the body's origin."""
    return [f"{body}.{p}" for body in model.bodies for p in INERTIAL]


def inertial_values(model: Model) -> Array:
    """The values of these parameters in the model (kg, kg m, kg m²)."""
    return np.concatenate([_ten(body, model.values) for body in model.bodies.values()] or [np.zeros(0)])


def _ten(body: Body, values: dict[str, float]) -> Array:
    """m, m c, I = Ic + m (c·c 1 − c cᵀ)."""
    m, c = float(evaluate(body.mass, values)), np.array([evaluate(x, values) for x in body.com], dtype=float)
    about_centre = np.array([evaluate(x, values) for x in body.inertia], dtype=float)
    moved = m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([m, *(m * c), *(about_centre + moved[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])])


def regressor(model: Model, measured: str = "torques") -> Callable[[Array, Array, Array], Array]:
    """Function (q, qd, qdd), one row per state → regressor Y (states, rows, 10 · bodies) of the measurement.

    The ground's force and torque are the efforts of six fixed joints between the ground and the model.
    """
    if measured not in MEASURED:
        raise ModelError(
            f"unknown measurement '{measured}'", element="measured", cure=f"use one of {', '.join(MEASURED)}"
        )
    whole = compile(model if measured == "torques" else on_pedestal(model), "regressor", live="none")

    def rows(q: Array, qd: Array, qdd: Array) -> Array:
        if measured == "torques":
            return np.asarray(whole(q, qd, qdd))
        still = np.zeros((len(q), len(ELEMENTARY)))
        Y = np.asarray(whole(*(np.hstack([still, x]) for x in (q, qd, qdd))))[:, :, len(INERTIAL) :]
        return Y[:, : len(ELEMENTARY)] if measured == "reactions" else Y

    return rows


def on_pedestal(model: Model) -> Model:
    """The model on a base body with six joints (slides T1 T2 T3, rotations R1 R2 R3) instead of the ground."""
    name = "pedestal"
    while name in model.bodies:
        name += "_"
    points = {point.name: replace(point, body=name) for point in model.ground.points.values()}
    slides_first = sorted(ELEMENTARY, key=lambda kind: (kind[0] != "T", kind))
    joints = [Joint(f"{name}.{kind}", kind) for kind in slides_first]
    bodies = {name: Body(name, f"{GROUND}.{ORIGIN}", joints, points=points)}
    for key, body in model.bodies.items():
        on = body.on.replace(GROUND, name, 1) if carrier(body.on) == GROUND else body.on
        bodies[key] = replace(body, on=on)
    return Model(model.name, model.gravity, model.parameters, bodies)
