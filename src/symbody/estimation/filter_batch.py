"""Many error-state filters of one system at once: n states (n, nx) and n covariances, with the algebra of one filter.

x⁻ = f(x, u), P⁻ = F P Fᵀ + Q;   y = o − h(x⁻), δz = K y, x = x⁻ + δz, for each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.batch.of_system import device_of
from symbody.errors import ModelError
from symbody.estimation.device_filters import DeviceFilters
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.host_filters import HostFilters
from symbody.system.system import Array


class FilterBatch:
    """n filters like one of `sb.estimate`, stepped together; each has its own estimate, covariance and measurements.

    Parameters
    ----------
    like : StateFilter
        A filter of `sb.estimate` (error-state) without estimated parameters, of a system without quaternions.
    n : int
        Number of filters.
    x, P : array, optional
        Estimates (n, nx) and covariances (n, m, m) at the start, in the order of `like.covariance`. Default: those of
        `like`.
    device : str
        "cpu" (default), or "cuda": a filter in each thread of a graphics card, in double precision. Its arrays are
        those of PyTorch or CuPy, and so may be the inputs and measurements.

    Examples
    --------
    >>> import numpy as np
    >>> import symbody as sb
    >>> from symbody.estimation import FilterBatch
    >>> s = sb.system(sb.machines.model("pendulum"))
    >>> many = FilterBatch(sb.estimate(s, ["bob.q"], noise={"bob.q": 0.01}), 3)
    >>> many.step(z=np.array([[0.1], [0.2], [0.3]]))
    >>> many.x.shape, many.covariance.shape
    ((3, 2), (3, 4, 4))
    """

    def __init__(self, like: Any, n: int, x: Any = None, P: Any = None, device: str = "cpu"):
        if not isinstance(like, ErrorStateFilter):
            raise ModelError(
                "not an error-state filter", element="like", cure="give sb.estimate(…, filter='error-state')"
            )
        s = like.system
        if s.quaternions or len(like.doubt.estimated) > len(like._inputs):
            cure = "use a system without quaternions, and consider parameters (model_error) instead of estimating them"
            raise ModelError("these filters cannot run in a batch", element=s.model.name, cure=cure)
        if n < 1:
            raise ModelError(f"{n} filters", element="n", cure="give at least one")
        self.system, self.dt, self.gate, self.n, self._like = s, like.dt, like.gate, n, like
        states = _rows("x", like.x if x is None else x, (n, len(s.states)))
        covariances = _rows("P", like.covariance if P is None else P, (n, *like.covariance.shape))
        self._filters: HostFilters | DeviceFilters
        if device == "cpu":
            self._filters = HostFilters(like, n, states, covariances)
        else:
            self._filters = DeviceFilters(like, device_of(device), states, covariances)

    @property
    def x(self) -> Any:
        """Estimates (n, nx) of the states."""
        return self._filters.x

    @property
    def covariance(self) -> Any:
        """Covariances (n, m, m) of the errors, followed by unknown inputs and parameters."""
        return self._filters.covariance

    @property
    def shares(self) -> Any:
        """y²/S (n, sensors) of the last measurements; NaN without a measurement."""
        return self._filters.shares

    @property
    def failures(self) -> dict[int, str]:
        """Filters whose model could not make a step, with the reason; their estimates are NaN."""
        return self._filters.failures

    @property
    def t(self) -> float:
        """Time (s) of the estimates."""
        return self._filters.t

    @property
    def sigma(self) -> Any:
        """Standard deviations (n, errors) of the states."""
        k = list(range(self._like._errors))
        return self.covariance[:, k, k] ** 0.5

    def step(self, u: Any = None, z: Any = None) -> None:
        """Predict one step with inputs u (nu,) or (n, nu); correct by z (n, sensors) if given (NaN: not measured)."""
        self.predict(u)
        if z is not None:
            self.correct(z)

    def predict(self, u: Any = None) -> None:
        """Advance the models and the covariances by one step."""
        shape = (self.n, len(self.system.inputs))
        self._filters.predict(self._given("u", self.system.u0 if u is None else u, shape))

    def correct(self, z: Any) -> None:
        """Correct by measurements z (n, sensors), one sensor after the other."""
        self._filters.correct(self._given("z", z, (self.n, len(self._like.sensors))))

    def _given(self, name: str, given: Any, shape: tuple[int, int]) -> Any:
        """Numbers for a call, with a row for each filter or one for all: on the processor a copy."""
        if isinstance(self._filters, HostFilters):
            return _rows(name, given, shape)
        _check(name, tuple(np.shape(given)), shape)
        return given

    def __repr__(self) -> str:
        return f"<FilterBatch of {self.system.model.name}: {self.n} filters, t = {self.t:g} s>"


def _rows(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """A copy of an array with a row for each filter; one row is given to all."""
    found = np.asarray(given, dtype=float)
    _check(name, found.shape, shape)
    return np.array(np.broadcast_to(found, shape))


def _check(name: str, found: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if found not in (shape, shape[1:]):
        raise ModelError(f"shape {found}", element=name, cure=f"give {shape}, or {shape[1:]} for all filters")
