"""How the equations of an implicit step are solved."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.errors import ModelError

TANGENTS = ("exact", "kept", "numerical")
TOLERANCE, PENALTY_TOLERANCE = 1e-7, 1e-10  # rad or m


@dataclass(frozen=True)
class Newton:
    """Newton's method within a step of the trapezoidal rule or of generalised-α.

    tolerance: a step of Newton's method below which it stops: rad or m; of a state, times its scale. Default: 1e-7, and
    1e-10 with the closure "penalty", where the loops' stiffness multiplies the last correction.
    tangent: "exact" at every iteration, "kept" while it serves, or "numerical", by differences.
    limit: iterations; strict: whether a step that needs more ends the run (else it is taken as it is: real time).
    rho: spectral radius at infinity of generalised-α, from 0 (damps at once) to 1 (never).
    """

    tolerance: float | None = None
    tangent: str = "exact"
    limit: int = 30
    strict: bool = True
    rho: float = 0.8

    def __post_init__(self) -> None:
        if self.tangent not in TANGENTS:
            raise ModelError(f"no tangent '{self.tangent}'", cure=f"use {', '.join(TANGENTS)}")
        if not ((self.tolerance is None or self.tolerance > 0) and self.limit >= 1 and 0 <= self.rho <= 1):
            cure = "give tolerance > 0, limit >= 1 and 0 <= rho <= 1"
            raise ModelError("numbers of Newton's method out of range", cure=cure)

    def tolerance_of(self, closure: str) -> float:
        """The tolerance with a closure of the loops."""
        return self.tolerance or (PENALTY_TOLERANCE if closure == "penalty" else TOLERANCE)
