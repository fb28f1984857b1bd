"""Attaching springs, dampers, stops and friction: along the line between two points, or on an elementary joint.

If a name has dots, parameters and states have underscores: `front.strut` has `front_strut_stiffness`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields

from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.friction import Friction
from symbody.elements.numbers import Scalar
from symbody.elements.springs import Massless
from symbody.errors import ModelError
from symbody.model.body import Body, Point
from symbody.model.formula import evaluate
from symbody.model.model import Model

Element = Massless | Friction
Law = Callable[[Scalar, Scalar, Named], Scalar]  # of a stretch x, its rate v, and named numbers


def on_link(
    m: Model, name: str, a: Body | Point | str, b: Body | Point | str, *elements: Element, load: Law | None = None
) -> None:
    """Attach elements in parallel along the line between two points: a link NAME whose tension (N) is their sum.

    Parameters
    ----------
    m : Model
    name : str
    a, b : Body, Point or str
    *elements
        Springs, dampers, stops and friction laws.
    load : function, optional
        A law (length, rate, p) for the load (N) of friction by efficiency.
    """
    link = m.link(name, a, b)
    link(_resistance(m, name, elements, load, lambda s: (s.length(name), s.rate(name))))


def on_joint(m: Model, name: str, joint: str, *elements: Element, load: Law | None = None) -> None:
    """Attach elements in parallel on an elementary joint: a coupling NAME against the sum of their forces (N, N m).

    Parameters
    ----------
    m : Model
    name : str
    joint : str
        A joint may have several such couplings.
    *elements
        Springs, dampers, stops and friction laws.
    load : function, optional
        A law (q, qd, p) for the load (N, N m) of friction by efficiency.
    """
    coupling = m.coupling(name, joint)
    resistance = _resistance(m, name, elements, load, lambda s: (s.q[joint], s.qd[joint]))
    coupling(lambda s, p: -resistance(s.q[joint], s.qd[joint], p))


@dataclass(frozen=True)
class _Acting:
    """An element whose numbers are live parameters of a model."""

    force: Law  # N, N m
    stored: Law  # J
    dissipated: Law  # W


def _resistance(
    m: Model,
    name: str,
    elements: tuple[Element, ...],
    load: Law | None,
    motion: Callable[[Motion], tuple[Scalar, Scalar]],
) -> Law:
    """Add the elements with their parameters, states and energies to the model; returns the sum of their forces."""
    _check_names(name, elements)
    prefix = name.replace(".", "_")
    acting = [
        _sprung(m, prefix, x) if isinstance(x, Massless) else _rubbing(m, prefix, x, load, motion) for x in elements
    ]
    account(
        m,
        name,
        stored=lambda s, p: sum(x.stored(*motion(s), p) for x in acting),
        dissipated=lambda s, p: sum(x.dissipated(*motion(s), p) for x in acting),
    )
    return lambda x, v, p: sum(each.force(x, v, p) for each in acting)


def _sprung(m: Model, prefix: str, element: Massless) -> _Acting:
    own = declared(m, prefix, element)
    return _Acting(
        lambda x, v, p: own(p).force(x, v),
        lambda x, v, p: own(p).stored(x),
        lambda x, v, p: own(p).dissipated(x, v),
    )


def _rubbing(
    m: Model, prefix: str, law: Friction, load: Law | None, motion: Callable[[Motion], tuple[Scalar, Scalar]]
) -> _Acting:
    own, carried = declared(m, prefix, law), load or (lambda x, v, p: 0.0)
    if law.needs_load and load is None:
        problem = f"{type(law).__name__} needs a load"
        raise ModelError(problem, element=prefix, cure="add load=lambda x, v, p: …")
    names = [f"{prefix}_{state}" for state in law.states]

    def z(p: Named) -> tuple[Scalar, ...]:
        return tuple(p[state] for state in names)

    for k, (state, scale) in enumerate(zip(names, law.scales, strict=True)):
        m.state(state, scale=evaluate(scale, m.values))(lambda s, p, k=k: own(p).rates(motion(s)[1], z(p))[k])
    return _Acting(
        lambda x, v, p: own(p).force(v, z(p), carried(x, v, p)),
        lambda x, v, p: own(p).stored(z(p)),
        lambda x, v, p: own(p).dissipated(v, z(p), carried(x, v, p)),
    )


def _check_names(name: str, elements: tuple[Element, ...]) -> None:
    """Raise ModelError if two elements would share the name of a parameter."""
    numbers = Counter(f.name for element in elements for f in fields(element))  # type: ignore[arg-type]
    twice = [number for number, count in numbers.items() if count > 1]
    if twice or not elements:
        problem = f"two elements have a number '{twice[0]}'" if twice else "no element"
        raise ModelError(problem, element=name, cure="attach each under its own name")
