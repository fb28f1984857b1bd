"""Generated C reduced to what a compiler makes a library of: no comments, and no name of the model.

Programs that differ in comments, in the values of their parameters or in what they are called are then one library.
"""

from __future__ import annotations

import re

SYMBOL = "symbody"  # what every function is called in its library: symbody_call, symbody_hoist, symbody_batch

_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)
_BLANK = re.compile(r"[ \t]*\n\s*")


def bare(text: str, name: str) -> str:
    """C without comments and indentation, the function called `SYMBOL` in place of `name`."""
    text = _COMMENT.sub(lambda found: found[0] if found[0][0] in "\"'" else " ", text)
    return re.sub(rf"\b{re.escape(name)}(?=\b|_)", SYMBOL, _BLANK.sub("\n", text)).strip() + "\n"
