"""Did you mean …? The names nearest to one that is misspelt; of very many, only some are compared."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

COMPARED = 100  # names, at some 20 µs each: an answer takes milliseconds however many there are
LONGEST = 80  # characters that are looked at; comparing takes their square
LISTED = 12  # names that an error lists


def nearest(word: str, known: Iterable[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """At most so many of the known names, the nearest first; where there are too many, those that begin alike.

    cutoff: how much alike they are at least, from 0 to 1.
    """
    names = list(known)
    if len(names) > COMPARED:
        names = [name for name in names if name[:1] == word[:1] and abs(len(name) - len(word)) <= len(word) // 2]
    near = {name[:LONGEST]: name for name in reversed(names[:COMPARED])}
    return [near[name] for name in difflib.get_close_matches(word[:LONGEST], near, count, cutoff)]


def nearest_or_first(word: str, known: Iterable[str]) -> list[str]:
    """The three nearest of the known names; where none is near, the first five."""
    names = list(known)
    return nearest(word, names, 3) or names[:5]


def did_you_mean(word: str, known: Iterable[str], kind: str) -> str:
    """The cure of a name that is none: the nearest ones, else which there are. kind: what they are, "inputs"."""
    names = list(known)
    near = nearest(str(word), names, 3)
    if near:
        return f"did you mean {either(near)}?"
    more = f" … ({len(names)} in all)" if len(names) > LISTED else ""
    return f"the {kind} are {', '.join(names[:LISTED])}{more}" if names else f"there are no {kind}"


def either(names: Iterable[str]) -> str:
    """Names joined by commas and "or"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
