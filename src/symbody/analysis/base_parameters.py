"""Base parameters: the combinations of inertial parameters on which the joint forces really depend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.analysis.states import random_state
from symbody.equations.compile import compile
from symbody.equations.regressor import INERTIAL
from symbody.model.model import Model

STATES_PER_PARAMETER = 2  # random states per column of the regressor: enough to see its rank
RANK_TOLERANCE = 1e-9  # relative to the largest diagonal of R
NEGLIGIBLE = 1e-8  # coefficients below it are rounding


@dataclass(frozen=True)
class BaseParameters:
    """Q = Y_base·base with base = combinations @ all, `all` being the ten parameters of each body in order."""

    names: list[str]  # of all inertial parameters
    independent: list[int]  # the parameter that leads each combination
    combinations: np.ndarray  # (number, len(names))

    @property
    def number(self) -> int:
        return len(self.independent)

    @property
    def expressions(self) -> list[str]:
        """Each base parameter as a sum over inertial parameters."""
        return [_sum_text(row, self.names, lead) for row, lead in zip(self.combinations, self.independent, strict=True)]


def _sum_text(row: np.ndarray, names: list[str], lead: int) -> str:
    order = [lead, *(int(i) for i in np.flatnonzero(row) if i != lead)]
    text = ""
    for i in order:
        c = row[i]
        size = "" if abs(abs(c) - 1) < NEGLIGIBLE else f"{abs(c):.6g}*"
        text += (" - " if c < 0 else " + " if text else "") + size + names[i]
    return text


def base_parameters(model: Model, seed: int = 0) -> BaseParameters:
    """Number and expressions of the base parameters, by QR of the regressor at random states (Gautier)."""
    from scipy.linalg import qr, solve_triangular  # here, because it takes longer to import than all of symbody

    names = [f"{body}.{p}" for body in model.bodies for p in INERTIAL]
    rng = np.random.default_rng(seed)
    states = max(4, STATES_PER_PARAMETER * len(names) // max(model.nv, 1) + 1)
    q, qd, qdd = map(np.stack, zip(*(random_state(model, rng, np.pi) for _ in range(states)), strict=True))
    Y = compile(model, "regressor", live="none")(q, qd, qdd).reshape(states * model.nv, len(names))
    R = qr(Y, mode="r", pivoting=True)[0]
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK_TOLERANCE * diagonal[0])) if diagonal.size and diagonal[0] > 0 else 0
    independent = _independent_columns(Y, rank)
    dependent = [i for i in range(len(names)) if i not in set(independent)]
    Q, R = np.linalg.qr(Y[:, independent])
    grouped = solve_triangular(R, Q.T @ Y[:, dependent])
    combinations = np.zeros((rank, len(names)))
    combinations[np.arange(rank), independent] = 1.0
    combinations[:, dependent] = np.where(np.abs(grouped) < NEGLIGIBLE, 0.0, grouped)
    return BaseParameters(names, independent, combinations)


def _independent_columns(Y: np.ndarray, rank: int) -> list[int]:
    """The first columns are kept where there is a choice: what a joint cannot feel is grouped into the carrier."""
    basis = np.zeros((Y.shape[0], 0))
    kept: list[int] = []
    for i in range(Y.shape[1]):
        column = Y[:, i]
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size = np.linalg.norm(rest)
        if size > np.sqrt(RANK_TOLERANCE) * max(np.linalg.norm(column), 1e-12) and len(kept) < rank:
            basis = np.column_stack([basis, rest / size])
            kept.append(i)
    return kept
