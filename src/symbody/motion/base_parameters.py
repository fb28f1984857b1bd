"""Base parameters of the platform: 90 combinations of 210 inertial parameters (88 on a fixed table), in closed form.

Source: Houda 2020, §3.6.1, without its wrong squares in first moments and products of inertia. Its XX … ZZ, MX … MZ, M
are Ixx … Izz, mx … mz, m here; its links 1k, 2k, 3k are yoke, cylinder and rod of leg k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.analysis.base_parameters import BaseParameters, grouped, inertial_names
from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.model.model import Model
from symbody.motion.data import LEGS, Array, PlatformData
from symbody.motion.mechanism import mechanism
from symbody.motion.platform_motion import PlatformMotion, in_model, random_motion, velocity_basis

STATES = 60  # random states; each gives 8 rows, so there are more than two rows for each of the 210 columns

# Base parameters of a leg, as sums over inertial parameters of yoke (1), cylinder (2) and rod (3)
LEG_GROUPS: dict[str, dict[str, float]] = {
    "1.Izz": {"1.Izz": 1, "2.Iyy": 1, "3.Izz": 1},
    "1.mx": {"1.mx": 1},
    "1.my": {"1.my": 1, "2.mz": -1},
    "2.Ixx": {"2.Ixx": 1, "3.Ixx": 1, "2.Iyy": -1, "3.Izz": -1},
    "2.Ixy": {"2.Ixy": 1, "3.Ixz": -1},
    "2.Ixz": {"2.Ixz": 1, "3.Ixy": 1},
    "2.Iyz": {"2.Iyz": 1, "3.Iyz": -1},
    "2.Izz": {"2.Izz": 1, "3.Iyy": 1},
    "2.mx": {"2.mx": 1},
    "2.my": {"2.my": 1},
    "3.mx": {"3.mx": 1},
    "3.my": {"3.my": 1},
    "3.mz": {"3.mz": 1},
}
_BODY = {"1": "yoke", "2": "cylinder", "3": "rod"}


def groupings(data: PlatformData, table: bool = True) -> dict[str, dict[str, float]]:
    """Base parameters by their leading inertial parameter, as sums.

    Parameters
    ----------
    data : PlatformData
        The platform.
    table : bool
        Whether the table moves: 90 sums, otherwise 88. Default True.

    Returns
    -------
    dict of str to dict of str to float
        Factors by name of the parameter.
    """
    found: dict[str, dict[str, float]] = {}
    if table:
        found["table_y.m"] = {"table_y.m": 1.0}
        found["table_x.m"] = {"table_x.m": 1.0} | {f"{body}{k}.m": 1.0 for body in ("yoke", "cylinder") for k in LEGS}
    found |= {f"platform.{name}": {f"platform.{name}": 1.0} | _of_rods(name, data) for name in _PLATE}
    for k in LEGS:
        for lead, terms in LEG_GROUPS.items():
            found[_full(lead, k)] = {_full(name, k): float(share) for name, share in terms.items()}
    return found


def _full(name: str, leg: str) -> str:
    return f"{_BODY[name[0]]}{leg}{name[1:]}"


# A point mass M at L adds M, M L and M (L·L 1 − L Lᵀ) to the platform
_PLATE = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def _of_rods(name: str, data: PlatformData) -> dict[str, float]:
    """Contributions of the rod masses M_3k, which act on the platform at the leg tops L_k."""
    shares = {}
    for k, (x, y, z) in zip(LEGS, data.tops, strict=True):
        values = (1.0, x, y, z, y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)
        shares[f"rod{k}.m"] = float(values[_PLATE.index(name)])
    return {rod: share for rod, share in shares.items() if share}


def closed_base_parameters(data: PlatformData, table: bool = True) -> BaseParameters:
    """`groupings` as a matrix over the 210 inertial parameters of the model."""
    return as_matrix(groupings(data, table), inertial_names(mechanism(data, table)))


def as_matrix(groups: Mapping[str, Mapping[str, float]], names: list[str]) -> BaseParameters:
    """Combinations by name as a matrix over all names, in their order."""
    place = {name: i for i, name in enumerate(names)}
    leads = sorted(groups, key=place.__getitem__)
    combinations = np.zeros((len(leads), len(names)))
    for row, lead in enumerate(leads):
        for name, share in groups[lead].items():
            combinations[row, place[name]] = share
    return BaseParameters(names, [place[lead] for lead in leads], combinations)


def joint_regressor(model: Model) -> Function:
    """The engine's regressor of all joints of the mechanism."""
    return compile(model, "regressor", loads=False, live="none")


def torque_regressor(
    motion: PlatformMotion, model: Model, regressor: Function | None = None, columns: Sequence[int] | None = None
) -> Array:
    """Y of Γ = Y δ (n, 8, 210): the engine's regressor of all joints, projected onto the actuators; or some columns."""
    Y = np.asarray((regressor or joint_regressor(model))(*in_model(motion, model)))
    Y = Y if columns is None else np.take(Y, columns, axis=-1)  # row by row in memory, unlike Y[..., columns]
    return np.asarray(np.swapaxes(velocity_basis(motion, model), 1, 2) @ Y)


def base_parameters(data: PlatformData, table: bool = True, seed: int = 0) -> BaseParameters:
    """Base parameters found numerically: dependent columns of the engine's regressor at random closed states.

    Parameters
    ----------
    data : PlatformData
        The platform.
    table : bool
        Whether the table moves. Default True.
    seed : int
        Of the states. Default 0.

    Returns
    -------
    BaseParameters
        Independent columns, and the combinations of the others.
    """
    motion = random_motion(data, STATES, np.random.default_rng(seed), table)
    model = mechanism(data)
    Y = torque_regressor(motion, model)[:, 0 if table else 2 :]
    return grouped(Y.reshape(-1, Y.shape[-1]), inertial_names(model))
