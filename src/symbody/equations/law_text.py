"""Python laws as formulas: each law is called once with symbols named as in formulas, and its values are printed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from symbody.equations.formula_text import as_formulas
from symbody.equations.law_values import values_of
from symbody.equations.laws import At, ByJoint, rebuilt_at, rebuilt_pair
from symbody.expr.node import Expr, parameter, variable
from symbody.expr.node_table import fresh_graph
from symbody.files import formats
from symbody.files.safe_file import FilePath
from symbody.model import check
from symbody.model.every_law import every_law
from symbody.model.hooks import register_service
from symbody.model.law import ARGUMENTS, CLaw, FormulaLaw, Law, NumericLaw
from symbody.model.model import Model

_OF_JOINTS = {"joint_forces": "joint_laws", "trajectories": "trajectories"}  # here the law is the whole entry
_OURS = ("symbody.expr", "symbody.equations", "symbody.model", "symbody.files")  # modules that do not define laws


def save(model: Model, path: FilePath, **options: Any) -> None:
    """Check a model and write it to a .yaml or .mbs file, in one step. Traced laws become formulas.

    Parameters
    ----------
    model : Model
    path : str or Path
    laws : str
        "refuse" (default) raises ModelError for numeric laws and laws in C, which a file cannot hold; "drop" leaves
        them out.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> sb.save(m, folder / "pendulum.yaml")
    >>> (folder / "pendulum.yaml").exists()
    True
    """
    check(model)
    formats.save(with_formulas(model), path, **options)


@register_service("formulas")
def with_formulas(model: Model) -> Model:
    """The model with each traced law as an equivalent formula; numeric laws and laws in C stay unchanged."""
    with fresh_graph():
        names = {name: parameter(name) for name in model.parameters}
        names |= {name: variable(name) for name in (*model.inputs, *model.states, "t")}
        for circuit in model.circuits.values():
            names |= {name: parameter(name) for name in circuit.parameters}
            names |= {name: variable(name) for name in (*circuit.states, *circuit.commands)}
        arguments = {family: _arguments(model, family) for family in ARGUMENTS}
        laws = {
            (family, name): _formula(law, family, name, counts, arguments[family], names)
            for family, name, law, counts in every_law(model)
            if law is not None
        }
    own: dict[str, Any] = {
        a: {name: laws[family, name] for name in getattr(model, a)} for family, a in _OF_JOINTS.items()
    }
    attached: dict[str, Any] = {
        family: {name: replace(x, law=laws.get((family, name))) for name, x in getattr(model, family).items()}
        for family in ARGUMENTS
        if family not in _OF_JOINTS
    }
    return replace(model, **own, **attached)


def _formula(
    law: Law, family: str, name: str, counts: tuple[int, ...], arguments: Sequence[Any], names: Mapping[str, Expr]
) -> Law:
    """A law as a formula, if possible."""
    if isinstance(law, NumericLaw | CLaw | FormulaLaw):
        return law
    with fresh_graph():  # its own graph, so that the text does not depend on other laws
        called: dict[Expr, str] = {}
        values = values_of(_recording_names(law, called), f"{family}.{name}", counts, arguments, names, ())
        found = as_formulas(values, called, {*names, *ARGUMENTS[family]})
    return law if found is None else FormulaLaw(found[0], ARGUMENTS[family], found[1])


def _arguments(model: Model, family: str) -> Sequence[Any]:
    """The arguments of a law before p."""
    own = [variable(name) for name in ARGUMENTS[family]]
    if family == "force_sites":
        return rebuilt_at(*own)
    if family == "interactions":
        return rebuilt_pair(*own)
    return own or [_FormulaMotion(_by_joint("q", model.coordinates), _by_joint("qd", model.velocities))]


@dataclass(frozen=True)
class _FormulaMotion:
    """The motion of the system in terms of formulas: s.point("wheel").position[0] is x("wheel")."""

    q: ByJoint
    qd: ByJoint

    def point(self, path: str) -> At:
        return rebuilt_at(*(_asked(name, path) for name in ARGUMENTS["force_sites"]))[0]

    def length(self, link: str) -> Expr:
        return _asked("length", link)

    def rate(self, link: str) -> Expr:
        return _asked("rate", link)


def _by_joint(function: str, names: Sequence[str]) -> ByJoint:
    return ByJoint(names, [_asked(function, name) for name in names], {"q": "coordinate", "qd": "velocity"}[function])


def _asked(function: str, name: str) -> Expr:
    return variable(f'{function}("{name}")')


def _recording_names(law: Law, names: dict[Expr, str]) -> Law:
    """The law. When it is called, `names` records its variable names, so that formulas use the same names."""
    depths: dict[Expr, int] = {}
    depth = 0

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth
        depth += {"call": 1, "return": -1}.get(event, 0)
        module = str(frame.f_globals.get("__name__"))
        if event != "return" or module.startswith(_OURS) or module.partition(".")[0] in sys.stdlib_module_names:
            return
        for name, x in _numbers(frame.f_locals):
            if depth < depths.get(x, sys.maxsize):  # the law's own names before those of functions that it calls
                names[x], depths[x] = name, depth

    def called(*arguments: Any) -> Any:
        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            return law(*arguments)
        finally:
            sys.setprofile(before)

    return called


def _numbers(variables: Mapping[str, Any]) -> Iterator[tuple[str, Expr]]:
    """Expressions among a function's variables, then the components of vectors."""
    yield from ((name, x) for name, x in variables.items() if isinstance(x, Expr))
    for name, vector in variables.items():
        if isinstance(vector, tuple | list) and len(vector) == 3:
            components = zip("xyz", vector, strict=True)
            yield from ((f"{name}_{axis}", x) for axis, x in components if isinstance(x, Expr))
