"""Are the laws of a model complete and possible? Formulas are tried with stand-ins for all that they may name."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from symbody.errors import ModelError
from symbody.model.body import GROUND
from symbody.model.circuit_elements import Cylinder
from symbody.model.every_law import every_law
from symbody.model.formula import FUNCTIONS, MOTION, SPEED, evaluate_law, is_name, names_in
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.nearest import did_you_mean

MAX_LETS = 2000  # of one law
NEEDS_A_LAW = (
    "states", "constraints", "nonholonomic_constraints", "signals", "couplings", "interactions", "limits"
)  # fmt: skip
_TIMELESS = ("constraints", "nonholonomic_constraints", "trajectories")  # know no states and inputs
_KNOWS = {
    "constraints": "parameters and coordinates",
    "nonholonomic_constraints": "parameters, coordinates and velocities",
}

_VELOCITIES = ("qd", "rate", *SPEED)


def law_problems(model: Model) -> Iterator[ModelError]:
    """What is wrong with the model's laws; of Python and C laws only that one is missing where there must be one."""
    motion = _motion(model)
    scopes = {family: _Known(model, family, motion) for family in ARGUMENTS}
    for family, name, law, counts in every_law(model):
        found: Iterable[ModelError] = ()
        if law is None:
            if family in NEEDS_A_LAW:
                cure = "give its `law`, or attach one with the decorator"
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
    """Stands for any number, to try a formula without one."""

    def _same(self, *_: Any) -> _Anything:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __pow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _same


class _Known:
    """What the formulas of a family know: names, functions, and of the names of the model those that they do not."""

    def __init__(self, model: Model, family: str, motion: Mapping[str, Callable[[str], Any]]):
        circuits = model.circuits.values()  # what they bring is there once they are laws
        outside = {*model.inputs, *model.states, *(x for c in circuits for x in (*c.states, *c.commands))}
        parameters = {*model.parameters, *(x for c in circuits for x in c.parameters)}
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
    """Functions of names that laws over the whole motion may ask, `formula.MOTION`."""
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
            raise ModelError(f"there is no {kind} '{name[:80]}'", cure=did_you_mean(name, known, "names"))
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
    if not (isinstance(law.lets, tuple) and all(map(_is_let, law.lets))):
        yield ModelError("its lets are not names and texts", cure='write FormulaLaw(…, lets=(("gap", "length - l0"),))')
        return
    if len(law.lets) > MAX_LETS:
        yield ModelError(f"{len(law.lets)} names for parts of one law", element=".let", cure=f"use at most {MAX_LETS}")
        return
    if len(law.texts) not in counts:
        yield ModelError(f"{len(law.texts)} formulas", cure=f"give {' or '.join(map(str, counts))}")
    own: dict[str, Any] = {}
    names, later = ChainMap(own, known.names), {name for name, _ in law.lets}
    for name, text in law.lets:
        wrong = [*_let_problems(name, known, later), *_text_problems(text, names, known, later)]
        for error in wrong:
            error.element = f".let.{name[:80]}"
            yield error
        if wrong:  # what follows would only tell of the consequences
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
        yield ModelError(f"'{name[:80]}' has a meaning already", cure="choose another name")


def _text_problems(
    text: str, names: Mapping[str, Any], known: _Known, later: Container[str] = ()
) -> Iterator[ModelError]:
    used = names_in(text)
    for name in sorted(used & known.ambiguous):
        yield ModelError(f"'{name}' is an argument of the law and a name of the model", cure="rename the latter")
    for name in sorted(used & known.hidden):
        yield ModelError(f"'{name}' cannot be used here", cure=known.cure)
    early = sorted(name for name in used if name in later)
    for name in early[:1]:
        cure = "put what it needs before it; none may use itself"
        yield ModelError(f"'{name[:80]}' is used before it is known", cure=cure)
    if not used & known.hidden and not early:
        try:
            evaluate_law(text, names, known.functions)
        except ModelError as error:
            yield error


def _is_let(entry: Any) -> bool:
    return isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(part, str) for part in entry)
