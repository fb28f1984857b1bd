"""All elements of a model that can have a law."""

from __future__ import annotations

from collections.abc import Iterator

from symbody.model.law import Law
from symbody.model.model import Model


def every_law(model: Model) -> Iterator[tuple[str, str, Law | None, tuple[int, ...]]]:
    """For each element that can have a law: family, name, the law or None, and the allowed numbers of values."""
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
    for tie in model.nonholonomic_constraints.values():
        yield "nonholonomic_constraints", tie.name, tie.law, (tie.count,)
    for pair in model.interactions.values():
        yield "interactions", pair.name, pair.law, (3, 6)
    for coupling in model.couplings.values():
        yield "couplings", coupling.name, coupling.law, (len(coupling.joints),)
    for limit in model.limits.values():
        yield "limits", limit.name, limit.law, (1,)
    for signal in model.signals.values():
        yield "signals", signal.name, signal.law, (signal.count,)
