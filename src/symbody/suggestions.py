""" "Did you mean …?": the known names nearest to a misspelt one. If there are very many, only some are compared."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

COMPARED = 100  # names at about 20 µs each, so that an answer takes milliseconds
LONGEST = 80  # characters compared of each name; the cost grows with their square
LISTED = 12  # names that an error lists


def nearest(word: str, known: Iterable[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """At most `count` known names, the nearest first. Of more than COMPARED names, only names that start alike count.

    cutoff: the least similarity, from 0 to 1.
    """
    names = list(known)
    if len(names) > COMPARED:
        names = [name for name in names if name[:1] == word[:1] and abs(len(name) - len(word)) <= len(word) // 2]
    near = {name[:LONGEST]: name for name in reversed(names[:COMPARED])}
    return [near[name] for name in difflib.get_close_matches(word[:LONGEST], near, count, cutoff)]


def nearest_or_first(word: str, known: Iterable[str]) -> list[str]:
    """The three nearest known names; if none is near, the first five."""
    names = list(known)
    return nearest(word, names, 3) or names[:5]


def did_you_mean(word: str, known: Iterable[str], kind: str) -> str:
    """The cure for an unknown name: the nearest names, or else a list of all.

    kind: what they are, for example "inputs".
    """
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
