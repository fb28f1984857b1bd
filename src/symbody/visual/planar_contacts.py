"""Side view of a planar mechanism whose contacts are discs on straight faces, from its drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.elements.planar_drawing import MM, Drawing
from symbody.model.body import GROUND
from symbody.visual.report_plots import draw_circle

Array = np.ndarray


def draw_planar_contacts(axes: Any, drawn: Drawing, q: Mapping[str, float], colours: Mapping[str, str]) -> None:
    """Faces and discs of the bodies at coordinates q (rad, m), with lines to the hinges that carry them.

    drawn (mm): `bodies` by name, each with its `carrier` and `hinge`, and a `joint` if it slides along z; `contacts` by
    name, each with a `disc` (body, centre, radius) and a `face` (body, from, to). Bodies without a coordinate are left
    out, with their contacts.
    """
    for contact in drawn["contacts"].values():
        of_disc, middle, radius = contact["disc"]
        of_face, begin, end = contact["face"]
        if {of_disc, of_face} <= {GROUND, *q}:
            centre, ends = moved(drawn, of_disc, middle, q), [moved(drawn, of_face, at, q) for at in (begin, end)]
            draw_circle(axes, centre, radius, colours[of_disc])
            axes.plot(*np.transpose(ends), color=colours[of_face], lw=2.5)
            for body, place in ((of_disc, centre), (of_face, (ends[0] + ends[1]) / 2.0)):
                _draw_arm(axes, drawn, body, place, q, colours)
    axes.set(aspect="equal", xticks=[], yticks=[])


def moved(drawn: Drawing, body: str, place: Any, q: Mapping[str, float]) -> Array:
    """Position (mm) of a place of the drawing at joint coordinates q."""
    at = np.asarray(place, dtype=float)
    if body == GROUND:
        return at
    given = drawn["bodies"][body]
    if "joint" in given:
        return np.array([at[0], at[1] + q[body] / MM])
    hinge, c, s = np.asarray(given["hinge"], dtype=float), np.cos(q[body]), np.sin(q[body])
    return moved(drawn, given["carrier"], hinge + np.array([[c, s], [-s, c]]) @ (at - hinge), q)


def _draw_arm(
    axes: Any, drawn: Drawing, body: str, place: Array, q: Mapping[str, float], colours: Mapping[str, str]
) -> None:
    if body == GROUND or "joint" in drawn["bodies"][body]:
        return
    given = drawn["bodies"][body]
    hinge = moved(drawn, given["carrier"], given["hinge"], q)
    axes.plot(*np.transpose((hinge, place)), color=colours[body], lw=0.7, alpha=0.7)
    axes.plot(*hinge, "o", ms=3.5, color=colours[body])
