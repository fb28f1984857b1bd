"""What a passenger feels: otoliths (specific force) and semicircular canals (angular rate) as states of a model.

    otolith  f̂/f = K (τ_L s + 1) / ((τ₁ s + 1)(τ₂ s + 1)),
    canal    ω̂/ω = K τ₁ τ_a s² (τ_L s + 1) / ((τ_a s + 1)(τ₁ s + 1)(τ₂ s + 1)).

Numbers: Houda 2020, section 4.2. With its K = 3.44 (a firing rate) a canal multiplies a medium-frequency rate by 3.44;
`Canal(gain=1.0)` gives rates in rad/s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symbody.elements.element import declared
from symbody.elements.numbers import require_positive
from symbody.model.model import Model
from symbody.motion.filter_chain import Law, add_chain, monic


@dataclass(frozen=True)
class Otolith:
    """Sense of specific force: gain K, lead τ_L, slow and fast time constants τ₁, τ₂."""

    gain: float = 0.4
    lead: float = field(default=13.2, metadata={"unit": "s"})
    slow: float = field(default=5.33, metadata={"unit": "s"})
    fast: float = field(default=0.66, metadata={"unit": "s"})

    def check(self, name: str) -> None:
        """Raise ModelError for a number that is not positive."""
        require_positive(name, self, "gain", "lead", "slow", "fast")

    def denominator(self) -> list[Any]:
        """c_0, c_1 of (s + 1/τ₁)(s + 1/τ₂)."""
        return monic([1.0 / self.slow, 1.0], [1.0 / self.fast, 1.0])

    def numerator(self) -> list[Any]:
        """K (τ_L s + 1)/(τ₁ τ₂), lowest power first."""
        k = self.gain / (self.slow * self.fast)
        return [k, k * self.lead]


@dataclass(frozen=True)
class Canal:
    """Sense of angular rate: gain K, adaptation τ_a, lead τ_L, slow and fast time constants τ₁, τ₂."""

    gain: float = 3.44
    adaptation: float = field(default=80.0, metadata={"unit": "s"})
    lead: float = field(default=0.006, metadata={"unit": "s"})
    slow: float = field(default=5.73, metadata={"unit": "s"})
    fast: float = field(default=0.005, metadata={"unit": "s"})

    def check(self, name: str) -> None:
        """Raise ModelError for a number that is not positive."""
        require_positive(name, self, "gain", "adaptation", "lead", "slow", "fast")

    def denominator(self) -> list[Any]:
        """c_0 … c_2 of (s + 1/τ_a)(s + 1/τ₁)(s + 1/τ₂)."""
        return monic([1.0 / self.adaptation, 1.0], [1.0 / self.slow, 1.0], [1.0 / self.fast, 1.0])

    def numerator(self) -> list[Any]:
        """K s² (τ_L s + 1)/τ₂, lowest power first."""
        return [0.0, 0.0, self.gain / self.fast, self.gain * self.lead / self.fast]


def add_sense(m: Model, name: str, organ: Otolith | Canal, stimulus: Law) -> Law:
    """Add an organ with the parameters NAME_gain … to a model; returns the law of what it reports of the stimulus.

    stimulus: the law of the specific force without gravity at rest (m/s²), or of the angular rate (rad/s).
    """
    live = declared(m, name, organ)
    w = add_chain(m, name, lambda p: live(p).denominator(), stimulus)

    def felt(s: Any, p: Any) -> Any:
        return sum(b * w(k)(s, p) for k, b in enumerate(live(p).numerator()))

    return felt
