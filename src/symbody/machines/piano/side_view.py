"""Side view of the piano action at an instant of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.machines.piano.model import MM, drawing
from symbody.model.body import GROUND
from symbody.results.run import Run
from symbody.visual.report_plots import draw_circle

Array = np.ndarray
COLOURS = {
    GROUND: "0.45", "key": "tab:brown", "whippen": "tab:blue", "jack": "tab:red", "lever": "tab:green",
    "hammer": "tab:purple", "damper": "0.2",
}  # fmt: skip
CLOSE = ((-240.0, -40.0), (-25.0, 200.0))  # mm: all but the key's front


def draw_action(axes: Any, run: Run, t: float) -> None:
    """Faces and discs of all bodies, with lines to the hinges that carry them."""
    drawn, instant = drawing(), int(np.searchsorted(run.t, t))
    q = {body: float(run[f"{body}.q"][instant]) for body in drawn["bodies"] if f"{body}.q" in run.names}
    for contact in drawn["contacts"].values():
        of_disc, middle, radius = contact["disc"]
        of_face, begin, end = contact["face"]
        if {of_disc, of_face} <= {GROUND, *q}:
            centre, ends = moved(of_disc, middle, q), (moved(of_face, begin, q), moved(of_face, end, q))
            draw_circle(axes, centre, radius, COLOURS[of_disc])
            axes.plot(*np.transpose(ends), color=COLOURS[of_face], lw=2.5)
            for body, place in ((of_disc, centre), (of_face, (ends[0] + ends[1]) / 2.0)):
                _draw_arm(axes, body, place, q)
    axes.set(xlim=CLOSE[0], ylim=CLOSE[1], aspect="equal", xticks=[], yticks=[])


def moved(body: str, place: Any, q: Mapping[str, float]) -> Array:
    """Position (mm) of a place of the drawing at joint coordinates q."""
    at = np.asarray(place, dtype=float)
    if body == GROUND:
        return at
    given = drawing()["bodies"][body]
    if "joint" in given:
        return np.array([at[0], at[1] + q[body] / MM])
    hinge, c, s = np.asarray(given["hinge"], dtype=float), np.cos(q[body]), np.sin(q[body])
    return moved(given["carrier"], hinge + np.array([[c, s], [-s, c]]) @ (at - hinge), q)


def _draw_arm(axes: Any, body: str, place: Array, q: Mapping[str, float]) -> None:
    if body == GROUND or "joint" in drawing()["bodies"][body]:
        return
    given = drawing()["bodies"][body]
    hinge = moved(given["carrier"], given["hinge"], q)
    axes.plot(*np.transpose((hinge, place)), color=COLOURS[body], lw=0.7, alpha=0.7)
    axes.plot(*hinge, "o", ms=3.5, color=COLOURS[body])
