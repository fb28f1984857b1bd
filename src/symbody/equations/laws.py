"""User laws traced into the graph: tensions of links and forces of joints, as generalised forces."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from symbody.equations.forces import Applied, link_lines, projected_forces
from symbody.equations.kinematics import poses
from symbody.equations.tree import Tree
from symbody.errors import ModelError
from symbody.expr.node import Expr, add, div, section, wrap
from symbody.expr.vector import Vec, dot, opposite, scaled, zeros
from symbody.model.model import Law


class NamedNumbers:
    """The model's parameters as attributes, for laws: `p.k`."""

    def __init__(self, names: Mapping[str, Expr]):
        self._names = names

    def __getattr__(self, name: str) -> Expr:
        if name not in self._names:
            near = ", ".join(difflib.get_close_matches(name, self._names, 3) or list(self._names)[:5])
            cure = f"add it to the parameters{f', or did you mean {near}' if near else ''}"
            raise ModelError(f"a law asks for the parameter '{name}'", element=f"parameters.{name}", cure=cure)
        return self._names[name]


def _traced(law: Law, where: str, *arguments: Any) -> Expr:
    """What a law returns for expressions; a law that needs numbers cannot be traced."""
    try:
        value = law(*arguments)
        return wrap(value)
    except (TypeError, ValueError, ZeroDivisionError) as error:
        cure = "use the arithmetic and the functions of symbody.expr.functions, and where() instead of if"
        raise ModelError(f"its law cannot be traced: {error}", element=where, cure=cure) from error


def law_forces(tree: Tree) -> Vec:
    """Generalised forces of all laws of the model; the tree is the one as given, because links hang on its points."""
    p = NamedNumbers(tree.numbers.names)
    applied: list[Applied] = []
    all_poses = poses(tree)
    for link, (a, b, d, length, rate) in zip(tree.model.links.values(), link_lines(tree, all_poses), strict=True):
        if link.law is not None:
            section(f"law of {link.name}")
            tension = _traced(link.law, f"links.{link.name}", length, div(dot(d, rate), length), p)
            pull = scaled(div(tension, length), d)
            applied += [(a, pull, zeros()), (b, opposite(pull), zeros())]
    Q = projected_forces(tree, all_poses, applied)
    for joint, law in tree.model.joint_laws.items():
        f = next((f for f in tree.frames if f.name == joint and f.kind != "ball"), None)
        if f is None:
            raise ModelError("a law for a joint that is not there", element=joint, cure="name an elementary joint")
        section(f"law of {joint}")
        Q[f.index] = add(Q[f.index], _traced(law, joint, f.q[0], f.v[0], p))
    return Q
