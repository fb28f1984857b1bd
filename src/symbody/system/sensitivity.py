"""A system whose state includes the derivatives of its motion by parameters: integrating x also integrates S = dx/dp.

ẋ = f(t, x, u, p),  Ṡ = ∂f/∂x S + ∂f/∂p,  ψ = G(t₁, x₁, p) + ∫F dt,  dψ/dp = ∂G/∂x S + ∂G/∂p + ∫(∂F/∂x S + ∂F/∂p) dt,
all exact, through the loops: dv/dp = −Jv⁻¹(∂h/∂p + ∂h/∂u du/dp) for the dependent coordinates v.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from symbody.codegen import build
from symbody.codegen.program import Program
from symbody.equations.functions import vector_output
from symbody.equations.law_values import FORMULA_FUNCTIONS
from symbody.equations.laws import MotionView, motion_values
from symbody.errors import ModelError
from symbody.expr.node import ZERO, Expr, parameter, wrap
from symbody.expr.node_table import section
from symbody.expr.vector import Vec, stack, variables
from symbody.model.law import Law
from symbody.system.channels import channels, selected_channels
from symbody.system.not_finite import NotFinite
from symbody.system.programs import Programs, program_of
from symbody.system.sensitivity_formula import evaluate_over
from symbody.system.sensitivity_slopes import cheapest
from symbody.system.sensitivity_start import pivots_at, start
from symbody.system.system import Array, Guess, InitialState, Mode, System
from symbody.system.trace import Traced

Term = Law | str  # a law (s, p) like a signal's, the name of an output, or a formula over outputs


@dataclass(frozen=True)
class Objective:
    """An objective ψ(p) = G(t₁) + ∫F dt: `Objective(integrand=lambda s, p: s["heave.qdd"] ** 2, final="heave.q")`.

    Parameters
    ----------
    integrand : function, str or None
        F. A law (s, p), the name of an output, or a formula over outputs. A law reads the motion as signals do (`s.q`,
        `s.qd`, `s.point(…)`) and every output by name, `s["strut.tension"]`; `p` has parameters, states, inputs and
        `t`.
    final : function, str or None
        G, in the same form.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> comfort = sb.Objective(integrand="heave.qdd**2")
    >>> found = sb.sensitivity(m, comfort, ["c_strut"], until=0.2, dt=1e-3)
    """

    integrand: Term | None = None
    final: Term | None = None


class Observed:
    """The motion for an objective's law: the view of signals, and each output by name."""

    def __init__(self, view: MotionView, outputs: Mapping[str, Expr]):
        self._view, self._outputs = view, outputs

    def __getitem__(self, name: str) -> Expr:
        return cast(Expr, evaluate_over(name, self._outputs, {}, {}))  # raises with suggestions for an unknown name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


def slope_name(output: str, parameter: str) -> str:
    """The channel of dy/dp."""
    return f"d({output})/d({parameter})"


class Sensitive(System):
    """A system with the state z = (x, S, ∫F, ∫dF/dp) and the outputs y, ψ and their derivatives dy/dp, dψ/dp."""

    def __init__(
        self,
        base: System,
        objectives: Mapping[str, Objective],
        parameters: Sequence[str],
        outputs: Sequence[str] | None = None,
    ):
        if base.options.closure != "partitioning":
            raise ModelError(
                "sensitivities need exactly closed loops", cure='make the system with closure="partitioning"'
            )
        self.base, self.objectives, self.by, self.recorded = base, dict(objectives), list(parameters), outputs
        at = self._start()  # raises for unknown parameters before any program is written
        super().__init__(base.functions, at)
        recorded = base.states if outputs is None else outputs
        both = base.make(lambda traced: sensitive_programs(traced, self.objectives, self.by, recorded))
        more = [slope_name(x, p) for x in base.states for p in self.by]
        more += [f"integral({o})" for o in self.objectives]
        more += [slope_name(f"integral({o})", p) for o in self.objectives for p in self.by]
        layout = replace(base.layout, states=[*base.layout.states, *more])
        self.definition = replace(base.definition, layout=layout, states=[*base.states, *more])
        observed = [*both.names, *self.objectives]
        self.outputs = observed + [slope_name(y, p) for p in self.by for y in observed]
        self.possible_outputs = self.outputs
        self.rates_function = self.parameters.follow(build(both.rates, backend=base.backend))
        self.outputs_function = self.parameters.follow(build(both.outputs, backend=base.backend))

    @cached_property
    def plain(self) -> Sensitive:
        """The same objectives without derivatives."""
        return Sensitive(self.base, self.objectives, [], [])

    @property
    def notes(self) -> tuple[str, ...]:
        """How Ṡ is computed, with the number of operations of both methods."""
        return self.rates_function.notes

    def restarted(self) -> Sensitive:
        """The same system, starting where the present parameters put it: x₀(p), S₀ = dx₀/dp."""
        return self.starting(self._start())

    def _start(self) -> InitialState:
        at = start(self.base, self.by)
        z = np.r_[at.x, at.dx.ravel(), np.zeros(len(self.objectives) * (1 + len(self.by)))]
        return InitialState(z, at.guess, pivots_at(self.base, at))

    def kernel_programs(self, traced: Traced, outputs: Sequence[str]) -> Programs:
        """Rates of z and chosen outputs, for kernels of many states."""
        recorded = self.base.states if self.recorded is None else self.recorded
        both = sensitive_programs(traced, self.objectives, self.by, recorded)
        y = both.outputs.outputs["y"].elements
        chosen = vector_output([y[self.outputs.index(name)] for name in outputs])
        return Programs(both.rates, replace(both.outputs, outputs={"y": chosen}), list(outputs), self.outputs)

    @property
    def kernel_key(self) -> str:
        """Text that determines these programs; empty with objectives in Python."""
        terms = [term for o in self.objectives.values() for term in (o.integrand, o.final)]
        if not self.functions.key or any(term is not None and not isinstance(term, str) for term in terms):
            return ""
        return f"{self.functions.key}\nsensitive {self.objectives} {self.by} {self.recorded}"

    def dependent(self, t: float, x: Array, u: Array | None = None, *, guess: Guess = None, mode: Mode = None) -> Array:
        """The dependent coordinates at a state, or at many."""
        return self.base.dependent(t, x[..., : self.base.layout.size], u, guess=guess, mode=mode)

    def __reduce__(self) -> tuple[Any, ...]:
        return Sensitive, (self.base, self.objectives, self.by, self.recorded)

    def motion(self, t: float, x: Array, u: Array | None = None, guess: Array | None = None) -> tuple[Array, Array]:
        return self.base.motion(t, x[: self.base.layout.size], u, guess)

    def culprit(self, t: float, x: Array, u: Array, guess: Array | None = None) -> NotFinite | None:
        return self.base.culprit(t, x[: self.base.layout.size], u, guess)

    def over(self, q: Array, v: Array, states: Array, swap: bool = False) -> System:
        """The same with another order of the loops' pivots; other coordinates would need other sensitivities."""
        own = len(self.base.model.states)
        other = self.base.over(q, v, states[:own], swap)
        if other.states != self.base.states:
            raise ModelError(
                "sensitivities cannot continue with other coordinates", cure=f"make {other.states} independent"
            )
        made = Sensitive(other, self.objectives, self.by, self.recorded)
        return made.starting(InitialState(np.r_[other.x0, states[own:]], other.start_guess, other.pivots))


# -- the programs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SensitivePrograms:
    """Rates of z, outputs with derivatives, and the names of the chosen outputs."""

    rates: Program
    outputs: Program
    names: list[str]


def sensitive_programs(
    traced: Traced, objectives: Mapping[str, Objective], parameters: Sequence[str], outputs: Sequence[str]
) -> SensitivePrograms:
    """(t, z, u, guess) → ż, v, pivots, and → (y, ψ, then dy/dp, dψ/dp for each parameter)."""
    every = channels(traced)
    names = selected_channels(traced, every, outputs) if outputs else []
    nx, n, m = len(traced.x), len(parameters), len(objectives)
    z = variables("x", (nx + m) * (1 + n))
    S = [z.take(range(nx + j, nx + nx * n, n)) for j in range(n)]  # one column for each parameter
    past, past_slopes = z[nx * (1 + n) :][:m], z[nx * (1 + n) + m :]
    F = [_value(traced, every, o.integrand, f"integrand of {name}") for name, o in objectives.items()]
    G = [_value(traced, every, o.final, f"final value of {name}") for name, o in objectives.items()]
    section("sensitivities")
    hot = nx + m
    values = [*traced.rates, *F, *(every[name] for name in names), *G]
    found = cheapest(traced, values, [parameter(name) for name in parameters], S, hot)
    zd = [*found.values[:nx], *(d[i] for i in range(nx) for d in found.slopes)]
    zd += [*found.values[nx:hot], *(d[nx + k] for k in range(m) for d in found.slopes)]
    slopes = (_with_past(d[hot:], past_slopes[j::n]) for j, d in enumerate(found.slopes))
    y = stack(_with_past(found.values[hot:], past), *slopes)
    rates = {"xd": zd, "v": traced.unknowns, "pivots": traced.pivots}
    summary, more = "of the system and of its sensitivities", {"x": len(z)}
    made = program_of("sensitive_rates", f"dz/dt {summary}", traced, rates, more=more)
    seen = program_of("sensitive_outputs", f"outputs {summary}", traced, {"y": y}, more=more)
    return SensitivePrograms(replace(made, notes=found.notes), seen, names)


def _with_past(values: Sequence[Expr], past: Sequence[Expr]) -> Vec:
    """The last of the values, G, plus the integral of F so far."""
    first = len(values) - len(past)
    return stack(values[:first], Vec(values[first:]) + past)


def _value(traced: Traced, every: Mapping[str, Expr], term: Term | None, where: str) -> Expr:
    """One number of the motion: zero, an output, a formula over outputs, or a law."""
    if term is None:
        return ZERO
    section(where)
    if isinstance(term, str):
        if term in every:
            return every[term]
        return wrap(evaluate_over(term, every, traced.names, {**FORMULA_FUNCTIONS, **traced.view.formula_scope()[1]}))
    return motion_values(term, where, 1, cast(MotionView, Observed(traced.view, every)), traced.names)[0]
