"""Numbers and switches in the attributes of MJCF elements, and how an element inherits them from its class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from symbody.errors import ModelError
from symbody.files.safe_xml import number

Attributes = dict[str, str]
# Attributes of which an element may write the first numbers only: the others come from its class.
_PARTIAL = ("gainprm", "biasprm", "dynprm", "gear", "size", "damping", "stiffness")


def merged(usual: Mapping[str, str], own: Mapping[str, str]) -> Attributes:
    """Attributes of an element over those of its class."""
    found = {**usual, **own}
    for key in _PARTIAL:
        if key in usual and key in own:
            words = own[key].split()
            found[key] = " ".join((*words, *usual[key].split()[len(words) :]))
    return found


def reals(
    attributes: Mapping[str, str], key: str, where: str, usual: Sequence[float] = (), count: int | None = None
) -> tuple[float, ...]:
    """The numbers of an attribute, as many as `usual` (or `count`). Missing numbers are taken from `usual`."""
    words = attributes.get(key, "").split()
    wanted = count if count is not None else len(usual)
    if not words and (key not in attributes or len(usual) == wanted):
        return tuple(usual)
    values = tuple(number(word, where) for word in words)
    if not all(map(math.isfinite, values)) or len(values) > wanted or (count is not None and len(values) < count):
        raise ModelError(
            f'{key}="{attributes[key][:60]}" does not have {wanted} numbers', element=where, cure="correct it"
        )
    return (*values, *usual[len(values) :])


def real(attributes: Mapping[str, str], key: str, where: str, usual: float = 0.0) -> float:
    """The number of an attribute. More than one raises ModelError."""
    return reals(attributes, key, where, (usual,))[0]


def truth(attributes: Mapping[str, str], key: str, usual: bool) -> bool:
    """true or false; "auto" means `usual`."""
    return {"true": True, "false": False}.get(attributes.get(key, ""), usual)
