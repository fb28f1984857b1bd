"""The linkage as a model like any other, pushed at the centre of mass of its last link (thesis, table 5.1).

What is held in the studio is a haptic scene (`symbody.haptics`); this is the same linkage in the engine's own
equations, against which the scene's is tested.
"""

from __future__ import annotations

from symbody.haptics.thesis_scenes.three_link import DRAWN_BY, DRAWN_FROM, LENGTHS, three_link
from symbody.model.model import Model


def model() -> Model:
    """The linkage at rest; inputs push_x and push_y (N)."""
    m = three_link()
    m.name = "linkage"
    for name, value in zip(("push_x", "push_y"), DRAWN_BY, strict=False):
        m.input(name, value, "N")
    for joint, q in zip(m.joints(), DRAWN_FROM, strict=True):
        joint.q0 = (q,)
    held = m.bodies["link3"].point("hold", (LENGTHS[2] / 2, 0.0, 0.0))
    m.force_site("hand", held)(lambda at, p: (p.push_x, p.push_y, 0.0))
    return m
