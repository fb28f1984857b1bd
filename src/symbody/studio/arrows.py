"""Forces as arrows: which forces of a model are recorded, and where they act.

A page draws them from the values of their channels and its own poses; it gets the meaning of each value once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from symbody.model.model import Model
from symbody.studio.pull import AT, PULL
from symbody.system.options import XYZ
from symbody.visual.geometry import Geometry, floats

ArrowKind = Literal["link", "force", "contact", "reaction", "pull"]
ArrowForm = Literal["along", "ground", "line", "own", "place", "held"]
KINDS: tuple[ArrowKind, ...] = get_args(ArrowKind)
MOST_REACTIONS = 40  # bodies of a model whose joint reactions are computed for arrows alone


@dataclass(frozen=True)
class Arrow:
    """A force at a point (m) of a frame; form: the meaning of its channels.

    along: the tension of a link, towards `to` on the frame `other`. ground: x y z in the ground frame. line: the same
    and the torque about the point. own: x y z in the frame. place: x y z and its point, both in the ground frame.
    held: x y z in the ground frame, and its point on the frame.
    """

    name: str
    kind: ArrowKind
    form: ArrowForm
    frame: int
    at: tuple[float, ...]
    channels: tuple[str, ...]
    other: int = 0
    to: tuple[float, ...] = (0.0, 0.0, 0.0)

    @property
    def row(self) -> list[object]:
        """As `contract.ArrowRow` declares it."""
        return [self.name, self.kind, self.form, self.frame, self.at, self.other, self.to]


def arrows(model: Model, known: Collection[str]) -> list[Arrow]:
    """The forces whose channels are all known: of links, force sites, contacts, cuts, joints and the pointer."""
    known = set(known)
    return [arrow for arrow in _every(model) if known.issuperset(arrow.channels)]


def arrow_outputs(model: Model, kinds: Collection[str] = KINDS) -> list[str]:
    """Outputs that a system needs for arrows of some kinds; joint reactions only for small models."""
    small = len(model.bodies) <= MOST_REACTIONS
    wanted = [arrow for arrow in _every(model) if arrow.kind in kinds and (small or arrow.form != "own")]
    return [name for name in channels_of(wanted) if name not in AT]


def channels_of(drawn: Sequence[Arrow]) -> list[str]:
    """The channels of some arrows, in their order."""
    return [name for arrow in drawn for name in arrow.channels]


def _every(model: Model) -> Iterator[Arrow]:
    g = Geometry(model)

    def place(path: str) -> tuple[int, tuple[float, ...]]:
        frame, at = g.place(path)
        return frame, tuple(map(float, at))

    for link in model.links.values():
        a, b = place(link.a), place(link.b)
        for (frame, at), (other, to) in ((a, b), (b, a)):
            if link.law is not None:
                yield Arrow(link.name, "link", "along", frame, at, (f"{link.name}.tension",), other, to)
    for site in model.force_sites.values():
        if site.law is None:
            continue
        if site.name.startswith(PULL):
            yield Arrow(site.name, "pull", "held", place(site.point)[0], _ZERO, (*_vector(site.name, "force"), *AT))
        else:
            yield Arrow(site.name, "force", "line", *place(site.point), _wrench(site.name))
    for pair in model.interactions.values():
        if pair.law is not None:
            kind: ArrowKind = "contact" if f"{pair.name}.load" in model.signals else "force"
            yield Arrow(pair.name, kind, "line", *place(pair.b), _wrench(pair.name))
    for contact in model.rolling_contacts.values():
        channels = (*_vector(contact.name, "force"), *_vector(contact.name, "contact"))
        yield Arrow(contact.name, "contact", "place", 0, _ZERO, channels)
    for cut in model.cuts.values():
        yield Arrow(cut.name, "reaction", "ground", *place(cut.b), _vector(cut.name, "force"))
    for body in model.bodies.values():
        if body.joints and not floats(body):
            joint = body.joints[-1].name  # whose frame is that of the body
            yield Arrow(joint, "reaction", "own", g.frames[body.name], _ZERO, _vector(f"{joint}.reaction", "force"))


_ZERO = (0.0, 0.0, 0.0)


def _vector(name: str, quantity: str) -> tuple[str, ...]:
    return tuple(f"{name}.{quantity}.{axis}" for axis in XYZ)


def _wrench(name: str) -> tuple[str, ...]:
    return (*_vector(name, "force"), *_vector(name, "torque"))
