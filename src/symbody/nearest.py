"""Did you mean …? The names nearest to one that is misspelt; of very many, only some are compared."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

COMPARED = 100  # names, at some 20 µs each: an answer takes milliseconds however many there are
LONGEST = 80  # characters that are looked at; comparing takes their square


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
