"""Energy kept account of over a run: what bodies and elements hold, lose and are given; what does not add up is drift.

held(t) − held(0) + ∫ dissipated dt = ∫ supplied dt, powers integrated by the trapezoidal rule over the recorded steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.results.channels import matching
from symbody.results.run import Run

Array = np.ndarray
KINDS = ("stored", "dissipated", "supplied")  # signals by which elements keep account (J, W, W)


@dataclass(frozen=True)
class EnergyBalance:
    """Energies (J) since the start of a run, over its times t (s)."""

    t: Array
    held: Array  # kinetic, potential, stored
    lost: Array  # dissipated
    given: Array  # work from outside

    @property
    def error(self) -> Array:
        """What does not add up (J)."""
        return np.asarray(self.held + self.lost - self.given)

    @property
    def drift(self) -> float:
        """The largest error (J)."""
        return float(np.abs(self.error).max(initial=0))

    @property
    def work(self) -> float:
        """The largest work done from outside, either way (J)."""
        return float(np.abs(self.given).max(initial=0))

    @property
    def drift_percent(self) -> float:
        """Drift in percent of the largest work."""
        return 100.0 * self.drift / max(self.work, np.finfo(float).tiny)

    def __repr__(self) -> str:
        return f"<EnergyBalance over {len(self.t)} instants: drift {self.drift:.3g} J of {self.work:.3g} J of work>"


def energy_balance(
    run: Run, *, links: Sequence[str] = (), drives: Sequence[str] = (), elements: Sequence[str] = ()
) -> EnergyBalance:
    """The balance of the bodies, of the elements given (names, or patterns such as "*"), and of what drives them.

    links: those whose forces count as work from outside; drives: driven joints, alike. elements: those whose signals
    NAME.stored, NAME.dissipated and NAME.supplied are added; what is an element here must not be a link here as well.
    """
    names = [name for name in run.names if name.rpartition(".")[2] in KINDS]
    accounts = matching(names, [f"{element}.*" for element in elements]) if elements else []

    def total(kind: str) -> Array:
        return sum((run[name] for name in accounts if name.endswith(f".{kind}")), np.zeros(len(run)))

    held = run.kinetic + run.potential + total("stored")
    powers = [total("supplied"), *(link_power(run, name) for name in links)]
    powers += [run[f"{name}.effort"] * run[f"{name}.qd"] for name in drives]
    return EnergyBalance(
        run.t, held - held[:1], integral(run.t, total("dissipated")), integral(run.t, np.sum(powers, axis=0))
    )


def link_power(run: Run, name: str) -> Array:
    """−T dℓ/dt (W): the power of a link's tension on the bodies."""
    return np.asarray(-run[f"{name}.tension"] * run[f"{name}.rate"])


def integral(t: Array, power: Array) -> Array:
    """∫ P dt from the start (J)."""
    from scipy.integrate import cumulative_trapezoid

    return np.asarray(cumulative_trapezoid(power, t, initial=0))
