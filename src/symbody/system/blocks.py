"""A model divided into two blocks for weak coupling: the mechanics, and the states of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from symbody.elements.hydraulics import with_circuits
from symbody.equations.law_values import FORMULA_FUNCTIONS, NamedNumbers
from symbody.errors import ModelError
from symbody.expr.node import Expr, variable
from symbody.expr.node_table import fresh_graph
from symbody.model.components import State, UserInput
from symbody.model.formula import evaluate
from symbody.model.law import CLaw, FormulaLaw, Law, NumericLaw
from symbody.model.model import Model


@dataclass(frozen=True)
class Blocks:
    """Two models: `mechanics` has the states as inputs; `states` has the motion that it needs as inputs.

    `motion` maps these inputs to the channels of the mechanics.
    """

    mechanics: Model
    states: Model
    motion: dict[str, str]


@dataclass
class Exchanged:
    """The motion for the laws of states, if it comes from the other block: each quantity is an input."""

    number: Callable[[str], Any]  # the value of a channel

    @property
    def q(self) -> Mapping[str, Any]:
        return _Asked(lambda joint: self.number(f"{joint}.q"))

    @property
    def qd(self) -> Mapping[str, Any]:
        return _Asked(lambda joint: self.number(f"{joint}.qd"))

    def length(self, link: str) -> Any:
        """Length of a link (m)."""
        return self.number(f"{link}.length")

    def rate(self, link: str) -> Any:
        """Rate of a link's length (m/s)."""
        return self.number(f"{link}.rate")

    def point(self, path: str) -> Any:
        raise ModelError(
            f"the law of a state uses the point '{path}'",
            cure="weak coupling supports joints and links only: use a link",
        )

    def formula_scope(self) -> tuple[dict[str, Expr], dict[str, Any]]:
        """Functions for a formula."""
        return {}, {"q": self.q.__getitem__, "qd": self.qd.__getitem__, "length": self.length, "rate": self.rate}


@dataclass(frozen=True)
class _Asked(Mapping[str, Any]):
    ask: Callable[[str], Any] = field(compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.ask(name)

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


def blocks(model: Model) -> Blocks:
    """The two blocks of a model with states."""
    model = with_circuits(model)
    if not model.states:
        raise ModelError("weak coupling needs a model with states", element=model.name, cure="use simulate")
    values = model.values
    given = {name: UserInput(name, float(evaluate(state.start, values))) for name, state in model.states.items()}
    mechanics = replace(model, states={}, inputs={**model.inputs, **given})
    motion = _asked_for(model)
    states = Model(f"{model.name}: states")
    states.parameters, states.inputs = dict(model.parameters), dict(model.inputs)
    for name in motion:
        states.input(name)
    for name, state in model.states.items():
        states.states[name] = State(name, state.start, state.scale, law=_over_inputs(state.law, motion))
    return Blocks(mechanics, states, motion)


def _input(channel: str) -> str:
    return "of_" + "".join(c if c.isalnum() else "_" for c in channel)


def _over_inputs(law: Law | None, motion: Mapping[str, str]) -> Law:
    """The law of a state as a function of inputs instead of a motion."""
    assert law is not None

    def over(s: Any, p: Any) -> Any:
        return _called(law, Exchanged(lambda channel: p[_input(channel)]), p)

    return over


def _called(law: Law, s: Exchanged, p: Any) -> Any:
    if isinstance(law, FormulaLaw):
        names = {name: p[name] for name in p}
        return law.evaluate(names, {**FORMULA_FUNCTIONS, **s.formula_scope()[1]})[0]
    return law(s, p)


def _asked_for(model: Model) -> dict[str, str]:
    """For each input the channel of the motion, for everything that the laws of states use."""
    found: dict[str, str] = {}

    def number(channel: str) -> Expr:
        found[_input(channel)] = channel
        return variable(f"{_input(channel)}[0]")

    with fresh_graph():
        named = {name: variable(f"{name}[0]") for name in (*model.parameters, *model.inputs, *model.states, "t")}
        for state in model.states.values():
            if isinstance(state.law, NumericLaw | CLaw):
                raise ModelError("its law cannot be traced", element=f"states.{state.name}", cure="use simulate")
            _called(state.law, Exchanged(number), NamedNumbers(named))  # type: ignore[arg-type]
    return found
