"""Numbers and switches in the attributes of MJCF elements, and how an element inherits them from its class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from symbody.errors import ModelError
from symbody.files.safe_xml import number
from symbody.model.formula import literal

Attributes = dict[str, str]
# Attributes of which an element may write the first numbers only: the others come from its class.
_PARTIAL = ("gainprm", "biasprm", "dynprm", "gear", "size", "damping", "stiffness")
_SHORT = 80  # characters of a text whose numbers are kept


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
    text = attributes.get(key, "")
    wanted = count if count is not None else len(usual)
    if not text.strip() and (key not in attributes or len(usual) == wanted):
        return tuple(usual)
    values = _known(text) if len(text) <= _SHORT else None
    if values is None:
        values = tuple(number(word, where) for word in text.split())
    if not all(map(math.isfinite, values)) or len(values) > wanted or (count is not None and len(values) < count):
        raise ModelError(
            f'{key}="{attributes[key][:60]}" does not have {wanted} numbers', element=where, cure="correct it"
        )
    return (*values, *usual[len(values) :])


@lru_cache(4096)
def _known(text: str) -> tuple[float, ...] | None:
    """The numbers of a short text, of which files repeat many; None if a word is none."""
    values = tuple(map(literal, text.split()))
    return None if None in values else cast(tuple[float, ...], values)


def real(attributes: Mapping[str, str], key: str, where: str, usual: float = 0.0) -> float:
    """The number of an attribute. More than one raises ModelError."""
    return reals(attributes, key, where, (usual,))[0]


def truth(attributes: Mapping[str, str], key: str, usual: bool) -> bool:
    """true or false; "auto" means `usual`."""
    return {"true": True, "false": False}.get(attributes.get(key, ""), usual)
