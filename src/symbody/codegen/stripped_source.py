"""Generated C without comments and without the name of the model, as compiled into a library.

Programs that differ only in comments, parameter values or names then share one library.
"""

from __future__ import annotations

import re

SYMBOL = "symbody"  # name of every function in its library: symbody_call, symbody_hoist, symbody_batch

_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def without_comments(text: str, same_lines: bool = False) -> str:
    """C with every comment replaced by a space; same_lines: and by its line ends, so that lines keep their numbers."""

    def replaced(found: re.Match[str]) -> str:
        if found[0][0] in "\"'":
            return found[0]
        return " " + "\n" * found[0].count("\n") * same_lines

    return _COMMENT.sub(replaced, text)


def bare(text: str, name: str) -> str:
    """C without comments and indentation, the function called `SYMBOL` in place of `name`."""
    text = "\n".join(filter(None, map(str.strip, without_comments(text).split("\n")))) + "\n"

    def renamed(found: re.Match[str]) -> str:
        before = text[found.start() - 1 : found.start()]
        return found[0] if before == "_" or before.isalnum() else SYMBOL  # a longer name stays

    # the pattern begins with fixed text, which is found faster than `\b`
    return re.sub(rf"{re.escape(name)}(?=\b|_)", renamed, text)
