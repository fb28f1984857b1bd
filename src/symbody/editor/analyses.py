"""Analyses of the command line as forms: their options as data, and the arguments that a filled form becomes.

`python -m symbody.cli.analyses` prints the forms, so that the editor knows every command without importing it.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypedDict

from symbody.links.rejected import Rejected

COMMAND = (sys.executable, "-m", "symbody")
FORMS = (sys.executable, "-m", "symbody.cli.analyses")
PATIENCE = 60.0  # s that the list of forms may take
LONGEST, MOST = 1000, 50  # characters of a value, and values of an option

OptionKind = Literal["number", "integer", "text", "choice", "switch", "file"]


class AnalysisOption(TypedDict):
    """An option of a command. flag: as on the command line. group: of options that exclude each other."""

    flag: str
    kind: OptionKind
    about: str
    form: str  # how a value looks, such as NAME=VALUES
    default: str
    choices: list[str]
    required: bool
    several: bool  # it may be given several times
    listed: bool  # all values follow one flag
    group: str  # empty: none


class Analysis(TypedDict):
    """A command with its options."""

    name: str
    about: str
    options: list[AnalysisOption]


def analyses() -> list[Analysis]:
    """The forms of all analyses of the command line; empty if they cannot be listed."""
    try:
        done = subprocess.run(FORMS, capture_output=True, timeout=PATIENCE, check=True)
        found: list[Analysis] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return []
    return found


def arguments_of(form: Analysis, values: Mapping[str, Any], file: Callable[[str], Path]) -> list[str]:
    """The arguments of a filled form. file: the path of a file by its name. Wrong values raise Rejected."""
    options = {option["flag"]: option for option in form["options"]}
    for flag in values:
        if flag not in options:
            raise Rejected("no such option", flag[:80])
    made: list[str] = []
    for flag, option in options.items():
        given = values.get(flag)
        if option["kind"] == "switch":
            if given not in (None, True, False):
                raise Rejected("wrong type", flag)
            made += [flag] if given else []
            continue
        words = [_word(option, x, file) for x in (given if isinstance(given, list) else [given]) if x not in (None, "")]
        if len(words) > (MOST if option["several"] else 1):
            raise Rejected("too many values", flag)
        if option["required"] and not words:
            raise Rejected("a value is missing", flag)
        if option["listed"]:
            made += [flag, *words] if words else []
        else:
            made += [f"{flag}={word}" for word in words]
    return made


def _word(option: AnalysisOption, value: Any, file: Callable[[str], Path]) -> str:
    """A value as a word of the command line, checked by the kind of its option."""
    flag, kind = option["flag"], option["kind"]
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > LONGEST:
        raise Rejected("wrong type", flag)
    text = str(value).strip()
    if kind in ("number", "integer"):
        try:
            number = int(text) if kind == "integer" else float(text)
        except ValueError:
            raise Rejected("not a number", f"{flag} {text[:40]}") from None
        if not math.isfinite(number):
            raise Rejected("not a number", f"{flag} {text[:40]}")
    elif kind == "choice" and text not in option["choices"]:
        raise Rejected("no such choice", f"{flag} {text[:40]}")
    elif kind == "file":
        return str(file(text))
    elif option["listed"] and text.startswith("-"):
        raise Rejected("not a value", f"{flag} {text[:40]}")
    return text
