"""Checks that the laws of a model are complete and possible. Formulas are evaluated with placeholders for all names."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from typing import Any

from symbody.errors import ModelError
from symbody.model.body import GROUND
from symbody.model.circuit_elements import Cylinder
from symbody.model.every_law import every_law
from symbody.model.formula import FUNCTIONS, MOTION, SPEED, evaluate_law, is_name, may_use, names_in
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.suggestions import did_you_mean

MAX_LETS = 2000  # of one law
NEEDS_A_LAW = (
    "states", "constraints", "nonholonomic_constraints", "signals", "couplings", "interactions", "limits"
)  # fmt: skip
_TIMELESS = ("constraints", "nonholonomic_constraints", "trajectories")  # may not use states and inputs
_KNOWS = {
    "constraints": "parameters and coordinates",
    "nonholonomic_constraints": "parameters, coordinates and velocities",
}

_VELOCITIES = ("qd", "rate", *SPEED)


def law_problems(model: Model) -> Iterator[ModelError]:
    """The problems of the model's laws. For Python and C laws only missing ones are found."""
    motion = _motion(model)
    circuits = model.circuits.values()  # circuits add their names when they become laws
    outside = {*model.inputs, *model.states, *(x for c in circuits for x in (*c.states, *c.commands))}
    parameters = {*model.parameters, *(x for c in circuits for x in c.parameters)}
    scopes = {family: _Known(family, outside, parameters, motion) for family in ARGUMENTS}
    for family, name, law, counts in every_law(model):
        found: Iterable[ModelError] = ()
        if law is None:
            if family in NEEDS_A_LAW:
                cure = "set its `law`, or attach one with the decorator"
                found = [ModelError("it has no law", cure=cure)]
        elif isinstance(law, FormulaLaw):
            found = _formula_problems(law, scopes[family], counts)
        elif not callable(law):
            cure = f"use a function, or FormulaLaw(({str(law)[:40]!r},), {ARGUMENTS[family]})"
            found = [ModelError("its law is neither a function nor a formula", cure=cure)]
        for error in found:
            error.element = f"{family}.{name}{error.element or ''}"
            yield error


class _Anything:
    """A placeholder for any number, to try a formula."""

    def _same(self, *_: Any) -> _Anything:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _same


class _Known:
    """Names and functions that formulas of a family may use, and the model's names that they may not use.

    outside: inputs and states of the model.
    """

    def __init__(
        self, family: str, outside: set[str], parameters: set[str], motion: Mapping[str, Callable[[str], Any]]
    ):
        self.arguments = ARGUMENTS[family]
        self.hidden = {*outside, "t"} - {*self.arguments} if family in _TIMELESS else set()
        self.ambiguous = {*self.arguments, "t"} & (outside | parameters)
        self.taken = outside | parameters | {*self.arguments, "t"}
        self.names = dict.fromkeys(self.taken - self.hidden, _Anything())
        self.functions: dict[str, Callable[..., Any]] = dict.fromkeys(FUNCTIONS, lambda *_: _Anything())
        if not self.arguments:
            self.functions |= motion
        if family == "constraints":
            self.functions |= dict.fromkeys(_VELOCITIES, _no_velocity)
        self.cure = f"{family} know {_KNOWS.get(family, 'parameters and t')} only"


def _motion(model: Model) -> dict[str, Callable[[str], _Anything]]:
    """The functions of names in laws over the whole motion, `formula.MOTION`."""
    bodies = {GROUND: model.ground, **model.bodies}
    paths = [f"{body}.{point}" for body, holder in bodies.items() for point in holder.points]
    joint = {"q": _look_up(model.coordinates, "coordinate"), "qd": _look_up(model.velocities, "velocity")}
    cylinders = (x.name for c in model.circuits.values() for x in c.of(Cylinder))
    others = {"link": _look_up([*model.links, *cylinders], "link"), "body.point": _look_up([*bodies, *paths], "point")}
    return {name: joint.get(name) or others[of] for name, of in MOTION.items()}


def _look_up(names: Iterable[str], kind: str) -> Callable[[str], _Anything]:
    known = dict.fromkeys(names)

    def found(name: str) -> _Anything:
        if name not in known:
            raise ModelError(f"unknown {kind} '{name[:80]}'", cure=did_you_mean(name, known, "names"))
        return _Anything()

    return found


def _no_velocity(name: str) -> _Anything:
    raise ModelError(f"a constraint uses the velocity '{name[:80]}'", cure="use coordinates only, or m.nonholonomic")


def _formula_problems(law: FormulaLaw, known: _Known, counts: tuple[int, ...]) -> Iterator[ModelError]:
    if law.arguments != known.arguments:
        yield ModelError(f"the arguments of its formula are {law.arguments}", cure=f"use {known.arguments}")
        return
    if not (isinstance(law.texts, tuple) and all(isinstance(text, str) for text in law.texts)):
        yield ModelError("its formulas are not a tuple of texts", cure='write FormulaLaw(("k*length",), …)')
        return
    if not (isinstance(law.lets, tuple) and all(map(_is_let, law.lets))):
        yield ModelError("its lets are not names and texts", cure='write FormulaLaw(…, lets=(("gap", "length - l0"),))')
        return
    if len(law.lets) > MAX_LETS:
        yield ModelError(f"the law has {len(law.lets)} named parts", element=".let", cure=f"use at most {MAX_LETS}")
        return
    if len(law.texts) not in counts:
        yield ModelError(f"the law has {len(law.texts)} formulas", cure=f"use {' or '.join(map(str, counts))}")
    own: dict[str, Any] = {}
    names, later = ChainMap(own, known.names), {name for name, _ in law.lets}
    for name, text in law.lets:
        wrong = [*_let_problems(name, known, later), *_text_problems(text, names, known, later)]
        for error in wrong:
            error.element = f".let.{name[:80]}"
            yield error
        if wrong:  # later problems would only be consequences
            return
        own[name] = _Anything()
        later.discard(name)
    for text in law.texts:
        yield from _text_problems(text, names, known)


def _let_problems(name: str, known: _Known, later: Container[str]) -> Iterator[ModelError]:
    if not is_name(name):
        cure = "use letters, digits and _, no Python keyword, not pi"
        yield ModelError(f"'{name[:80]}' cannot be a name in formulas", cure=cure)
    elif name in known.taken or name not in later:
        yield ModelError(f"'{name[:80]}' is already in use", cure="choose another name")


def _text_problems(
    text: str, names: Mapping[str, Any], known: _Known, later: Collection[str] = ()
) -> Iterator[ModelError]:
    used = names_in(text) if may_use(text, known.ambiguous, known.hidden, later) else set()
    for name in sorted(used & known.ambiguous):
        yield ModelError(f"'{name}' is both an argument of the law and a name of the model", cure="rename the latter")
    for name in sorted(used & known.hidden):
        yield ModelError(f"'{name}' cannot be used here", cure=known.cure)
    early = sorted(name for name in used if name in later)
    for name in early[:1]:
        cure = "define it earlier; a part cannot use itself"
        yield ModelError(f"'{name[:80]}' is used before it is defined", cure=cure)
    if not used & known.hidden and not early:
        try:
            evaluate_law(text, names, known.functions)
        except ModelError as error:
            yield error


def _is_let(entry: Any) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(part, str) for part in entry)
