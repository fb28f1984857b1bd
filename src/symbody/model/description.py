"""A summary of a model in words: its degrees of freedom, and a table for notebooks."""

from __future__ import annotations

from typing import Any

from symbody.html_text import object_html
from symbody.model.hooks import degrees_of_freedom

HELD = ("driven", "locked")  # natures of joints that are not free


def freedoms_text(model: Any) -> str:
    """The degrees of freedom, and what removes some: "1 degree of freedom (of 3: 2 taken by loops)"."""
    free, joints = degrees_of_freedom(model), list(model.joints())
    if free is None:
        return f"{model.nv} joint velocities, not complete yet"
    held = sum(joint.nv for joint in joints if joint.nature in HELD)
    taken = {"driven or locked": held, "taken by loops and rolling": model.nv - held - free}
    listed = ", ".join(f"{n} {what}" for what, n in taken.items() if n)
    return f"{free} degree{'' if free == 1 else 's'} of freedom{f' (of {model.nv}: {listed})' if listed else ''}"


def model_html(model: Any) -> str:
    """Bodies, joints, loops, inputs and parameters as a table."""
    loops = [*model.cuts, *model.constraints, *model.rolling_contacts, *model.nonholonomic_constraints]
    rows = {"motion": freedoms_text(model), "bodies": [*model.bodies], "joints": [j.name for j in model.joints()]}
    rows |= {"loops and rolling": loops, "inputs": [*model.inputs], "states": [*model.states]}
    records = [{"parameter": p.name, "value": p.value, "unit": p.unit} for p in model.parameters.values()]
    return object_html(model.name, {name: value for name, value in rows.items() if value}, records)
