"""Equalities of MJCF: connect and weld as cuts, joint as a constraint. MuJoCo's are soft, ours are exact."""

from __future__ import annotations

from collections import ChainMap
from typing import Any

import numpy as np

from symbody.files.file_tree import Seat, free_name, quaternion_matrix, relative
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_numbers import Attributes, reals, truth
from symbody.model.components import Constraint, Cut
from symbody.model.law import FormulaLaw
from symbody.model.model import Model
from symbody.model.placement import Placement, compose

_HOME = np.eye(3)


def add_equalities(model: Model, document: MjcfDocument, names: MjcfNames) -> None:
    """Add all active and supported equalities."""
    taken = ChainMap[str, Any](model.cuts, model.constraints)
    for k, element in enumerate(document.section("equality")):
        kind = str(element.tag)
        attributes = document.attributes(element, kind="equality") | dict(element.attrib)
        title = free_name(element.get("name") or f"{kind}{k + 1}", taken)
        names.equalities.append((kind, title))
        if not truth(attributes, "active", True):
            document.drop(f"equality {kind}", title, "it is not active", matters=False)
        elif kind == "joint":
            _couple_joints(model, document, names, attributes, title)
        elif kind in ("connect", "weld"):
            ends = _ends(model, document, names, attributes, title, kind)
            if ends:
                model.cuts[title] = Cut(title, "ball" if kind == "connect" else "solid", *ends)
        else:
            document.drop(f"equality {kind}", title, "not supported")


def _ends(
    model: Model, document: MjcfDocument, names: MjcfNames, attributes: Attributes, name: str, kind: str
) -> tuple[str, str] | None:
    """The two points that an equality keeps together."""
    if "site1" in attributes:
        return names.site(attributes["site1"], name), names.site(attributes.get("site2", ""), name)
    one, at_one = names.body(attributes.get("body1", ""), name)
    two, at_two = names.body(attributes.get("body2", "world"), name)
    if one.body is two.body:
        document.drop(f"equality {kind}", name, "both ends are on one body", matters=False)
        return None
    if kind == "connect":
        anchor: Placement = (_HOME, np.array(reals(attributes, "anchor", name, (0.0, 0.0, 0.0))))
        return _placed(one, anchor, name), _placed(two, relative(at_two, compose(at_one, anchor)), name)
    pose = np.array(reals(attributes, "relpose", name, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    joined = relative(at_one, at_two)  # as at the start, if the file gives nothing
    if any(pose[3:]):
        joined = quaternion_matrix(pose[3:].tolist(), name), pose[:3]
    anchor = (_HOME, np.array(reals(attributes, "anchor", name, (0.0, 0.0, 0.0))))
    return _placed(one, compose(joined, anchor), name), _placed(two, anchor, name)


def _placed(seat: Seat, pose: Placement, name: str) -> str:
    return seat.point(name, pose).path


def _couple_joints(model: Model, document: MjcfDocument, names: MjcfNames, attributes: Attributes, title: str) -> None:
    """q₁ = a₀ + a₁ q₂ + … + a₄ q₂⁴, both relative to their initial values."""
    follower = names.joint(attributes.get("joint1", ""), title)
    coefficients = reals(attributes, "polycoef", title, (0.0, 1.0, 0.0, 0.0, 0.0))
    leader = names.joint(attributes["joint2"], title) if "joint2" in attributes else None
    if follower.nq > 1 or (leader and leader.nq > 1):
        document.drop("equality joint", title, "not supported for joints with several coordinates")
        return
    if leader is None:
        follower.nature, follower.q0 = "locked", (coefficients[0],)
        return
    start = float(leader.q0[0]) if isinstance(leader.q0[0], float) else 0.0
    follower.nature = "dependent"
    follower.q0 = (sum(c * start**k for k, c in enumerate(coefficients)),)
    terms = [repr(coefficients[0])] if coefficients[0] else []
    x = f'q("{leader.name}")'
    terms += [f"({c!r})*{x}{f'**{k}' if k > 1 else ''}" for k, c in enumerate(coefficients) if k and c]
    law = FormulaLaw((f'q("{follower.name}") - ({" + ".join(terms) or "0"})',))
    model.constraints[title] = Constraint(title, law=law)
