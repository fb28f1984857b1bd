"""Tyres on a flat road: saturating slip forces, the magic formula, and bristles; all with a radial spring.

A law gives the road's forces at a `Patch`. With memory it has names of `states` and gets their values z. `tyre`
attaches it to the centre of a wheel that rotates about axis 2 of its point; the road is z = 0.
"""

from __future__ import annotations

from typing import Any

from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.numbers import Scalar
from symbody.elements.tyre_bristle import BristleTyre as BristleTyre
from symbody.elements.tyre_patch import Patch, patch, wrench
from symbody.elements.tyre_slip import MagicTyre as MagicTyre
from symbody.elements.tyre_slip import SaturatingTyre as SaturatingTyre
from symbody.elements.tyre_slip import Tyre
from symbody.model.body import Body, Point
from symbody.model.formula import evaluate
from symbody.model.model import Model


def tyre(m: Model, name: str, wheel: Body | Point | str, law: Tyre) -> None:
    """Attach a tyre to the centre of a wheel: a force site NAME, states NAME_STATE, energies.

    Parameters
    ----------
    m : Model
    name : str
    wheel : Body, Point or str
        Centre of the wheel, which rotates about axis 2; the road is z = 0.
    law : Tyre
    """
    site = m.force_site(name, wheel)
    prefix = name.replace(".", "_")
    own = declared(m, prefix, law)

    def z(p: Named) -> tuple[Scalar, ...]:
        return tuple(p[f"{prefix}_{state}"] for state in law.states)

    def met(at: Any, p: Named) -> Patch:
        return patch(at, own(p).radius, own(p).sag)

    @site
    def force(at: Any, p: Named) -> tuple[Scalar, ...]:
        return wrench(met(at, p), own(p).road(met(at, p), z(p)))

    for k, (state, scale) in enumerate(zip(law.states, law.scales, strict=True)):
        rate = m.state(f"{prefix}_{state}", scale=float(evaluate(scale, m.values)))
        rate(lambda s, p, k=k: own(p).rates(met(s.point(site.point), p), z(p))[k])

    def stored(s: Motion, p: Named) -> Scalar:
        return own(p).stored(met(s.point(site.point), p), z(p))

    def dissipated(s: Motion, p: Named) -> Scalar:
        return own(p).dissipated(met(s.point(site.point), p), z(p))

    account(m, name, stored=stored, dissipated=dissipated)
