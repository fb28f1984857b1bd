"""Laws: functions over named numbers that a user attaches to links, joints, sites, states … and the ways they run.

A plain function, or a formula as files hold it, is traced once into the equations. One that cannot be traced (it
branches on values, calls a library) is marked `numeric` and called back from the compiled code at every evaluation; or
it is given as C text, `c_law`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symbody.errors import ModelError
from symbody.model.formula import FUNCTIONS, evaluate_law, names_in

if TYPE_CHECKING:
    from symbody.model.model import Model

Law = Callable[..., Any]  # an ordinary function over numbers or expressions

ARGUMENTS: dict[str, tuple[str, ...]] = {  # of formulas, by what the law belongs to
    "links": ("length", "rate"),
    "joint_forces": ("q", "qd"),
    "trajectories": ("t",),
    "force_sites": ("x", "y", "z", "vx", "vy", "vz"),
    "states": (),
    "constraints": (),
    "signals": (),
    "couplings": (),
    "interactions": tuple(f"{end}_{x}" for end in "ab" for x in ("x", "y", "z", "vx", "vy", "vz")),
}


@dataclass(frozen=True)
class NumericLaw:
    """A law that takes and returns plain numbers: Python in the loop, the slow path."""

    function: Law

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@dataclass(frozen=True)
class CLaw:
    """A law as C99 text that defines a function of doubles; `names` are the named numbers it takes last."""

    function: str
    source: str
    names: tuple[str, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"'{self.function}' is C text; it runs in compiled code only")


@dataclass(frozen=True)
class FormulaLaw:
    """A law as text: a formula for each of its values, over its `arguments`, the named numbers and the time `t`."""

    texts: tuple[str, ...]
    arguments: tuple[str, ...] = ()

    def evaluate(self, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> list[Any]:
        """The values, computed with the objects and functions given (see `formula.FUNCTIONS`)."""
        return [evaluate_law(text, names, functions) for text in self.texts]

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError("a formula is evaluated by names: use `evaluate`")


def numeric(law: Law) -> NumericLaw:
    """Decorator for a law that needs plain numbers.

    @m.link("strut", a, b)
    @numeric
    def strut(length, rate, p):
        return p.k * (length - p.l0) if length > p.l0 else 0.0
    """
    return NumericLaw(law)


def c_law(function: str, source: str, *names: str) -> CLaw:
    """A law in C: `double FUNCTION(…)` of the law's own arguments, then of the named numbers, all doubles.

    m.link("strut", a, b)(c_law("strut", "double strut(double length, double rate, double k) { … }", "k"))

    A law of several values is `void FUNCTION(…, double *y)`.
    """
    return CLaw(function, source, names)


# -- is a law complete and possible? ---------------------------------------------------------------------------------


def every_law(model: Model) -> Iterator[tuple[str, str, Law | None, tuple[int, ...]]]:
    """Family, name, law if there is one, and how many values it may have, of all that can have a law."""
    for link in model.links.values():
        yield "links", link.name, link.law, (1,)
    for site in model.force_sites.values():
        yield "force_sites", site.name, site.law, (3, 6)
    for joint, law in model.joint_laws.items():
        yield "joint_forces", joint, law, (1,)
    for joint, law in model.trajectories.items():
        yield "trajectories", joint, law, (1,)
    for state in model.states.values():
        yield "states", state.name, state.law, (1,)
    for constraint in model.constraints.values():
        yield "constraints", constraint.name, constraint.law, (constraint.count,)
    for pair in model.interactions.values():
        yield "interactions", pair.name, pair.law, (3, 6)
    for coupling in model.couplings.values():
        yield "couplings", coupling.name, coupling.law, (len(coupling.joints),)
    for signal in model.signals.values():
        yield "signals", signal.name, signal.law, (signal.count,)


def dropped(laws: str) -> bool:
    """What the option `laws` of a writer says: whether laws that the file cannot hold are left out."""
    if laws not in ("refuse", "drop"):
        raise ModelError(f"laws='{laws}'", element="options", cure='use "refuse" or "drop"')
    return laws == "drop"


def law_problems(model: Model) -> Iterator[ModelError]:
    """What is wrong with the model's laws; of Python and C laws only that one is missing where there must be one."""
    outside = {*model.inputs, *model.states}
    scopes = {family: _Known(model, family, outside) for family in ARGUMENTS}
    for family, name, law, counts in every_law(model):
        found: Iterable[ModelError] = ()
        if law is None:
            if family in ("states", "constraints", "signals", "couplings", "interactions"):
                cure = "give its `law`, or attach one with the decorator"
                found = [ModelError("it has no law", cure=cure)]
        elif isinstance(law, FormulaLaw):
            found = _formula_problems(law, scopes[family], counts)
        elif not callable(law):
            cure = f"use a function, or FormulaLaw(({str(law)[:40]!r},), {ARGUMENTS[family]})"
            found = [ModelError("its law is neither a function nor a formula", cure=cure)]
        for error in found:
            error.element = f"{family}.{name}"
            yield error


class _Anything:
    """Stands for any number, to try a formula without one."""

    def _same(self, *_: Any) -> _Anything:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _same


class _Known:
    """What the formulas of a family know: names, functions, and of the names of the model those that they do not."""

    def __init__(self, model: Model, family: str, outside: set[str]):
        self.arguments = ARGUMENTS[family]
        self.hidden = {*outside, "t"} - {*self.arguments} if family in ("constraints", "trajectories") else set()
        self.ambiguous = {*self.arguments, "t"} & (outside | model.parameters.keys())
        names = (outside | model.parameters.keys() | {*self.arguments, "t"}) - self.hidden
        self.names = dict.fromkeys(names, _Anything())
        self.functions: dict[str, Callable[..., Any]] = dict.fromkeys(FUNCTIONS, lambda *_: _Anything())
        if not self.arguments:
            self.functions["q"] = _look_up(model.coordinates, "coordinate")
            self.functions["qd"] = _no_velocity if family == "constraints" else _look_up(model.velocities, "velocity")
        knows = 'parameters and q("joint")' if family == "constraints" else "parameters and t"
        self.cure = f"{family} know {knows} only"


def _look_up(names: Iterable[str], kind: str) -> Callable[[str], _Anything]:
    known = dict.fromkeys(names)

    def found(name: str) -> _Anything:
        if name not in known:
            listed = ", ".join([*known][:12]) or "none"
            raise ModelError(f"there is no {kind} '{name[:80]}'", cure=f"the names are {listed}")
        return _Anything()

    return found


def _no_velocity(name: str) -> _Anything:
    raise ModelError(f"a constraint over the velocity '{name[:80]}'", cure="write it over coordinates only")


def _formula_problems(law: FormulaLaw, known: _Known, counts: tuple[int, ...]) -> Iterator[ModelError]:
    if law.arguments != known.arguments:
        yield ModelError(f"its formula has the arguments {law.arguments}", cure=f"they are {known.arguments} here")
        return
    if not (isinstance(law.texts, tuple) and all(isinstance(text, str) for text in law.texts)):
        yield ModelError("its formulas are not a tuple of texts", cure='write FormulaLaw(("k*length",), …)')
        return
    if len(law.texts) not in counts:
        yield ModelError(f"{len(law.texts)} formulas", cure=f"give {' or '.join(map(str, counts))}")
    for text in law.texts:
        used = names_in(text)
        for name in sorted(used & known.ambiguous):
            yield ModelError(f"'{name}' is an argument of the law and a name of the model", cure="rename the latter")
        for name in sorted(used & known.hidden):
            yield ModelError(f"'{name}' cannot be used here", cure=known.cure)
        if not used & known.hidden:
            try:
                evaluate_law(text, known.names, known.functions)
            except ModelError as error:
                yield error
