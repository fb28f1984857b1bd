"""Options of Newton's method in implicit steps."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.errors import ModelError

TANGENTS = ("exact", "kept", "numerical")
TOLERANCE, PENALTY_TOLERANCE = 1e-7, 1e-10  # rad or m


@dataclass(frozen=True)
class Newton:
    """Newton's method within a step of the trapezoidal rule or of generalised-α.

    Parameters
    ----------
    tolerance : float, optional
        It stops if a correction is smaller: rad or m; for states, times their scale. Default: 1e-7, and 1e-10 with the
        closure "penalty", where the stiffness of the loops multiplies the last correction.
    tangent : str
        "exact" at every iteration, "kept" as long as it converges, or "numerical", by differences.
    limit : int
        Largest number of iterations.
    strict : bool
        Whether a step that needs more iterations ends the run. Otherwise it is accepted (real time).
    rho : float
        Spectral radius at infinity of generalised-α, from 0 (full damping) to 1 (no damping).

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> steps = sb.FixedStep("trapezoidal", newton=sb.Newton(tolerance=1e-9))
    >>> run = sb.simulate(m, 0.1, 1e-2, method=steps)
    >>> run.meta["iterations_max"] < 10
    True
    """

    tolerance: float | None = None
    tangent: str = "exact"
    limit: int = 30
    strict: bool = True
    rho: float = 0.8

    def __post_init__(self) -> None:
        if self.tangent not in TANGENTS:
            raise ModelError(f"unknown tangent '{self.tangent}'", cure=f"use {', '.join(TANGENTS)}")
        if not ((self.tolerance is None or self.tolerance > 0) and self.limit >= 1 and 0 <= self.rho <= 1):
            cure = "use tolerance > 0, limit >= 1 and 0 <= rho <= 1"
            raise ModelError("options of Newton's method are out of range", cure=cure)

    def tolerance_of(self, closure: str) -> float:
        """The tolerance for a closure of the loops."""
        return self.tolerance or (PENALTY_TOLERANCE if closure == "penalty" else TOLERANCE)
