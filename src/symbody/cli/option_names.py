"""Error messages on the command line name options instead of Python arguments."""

from __future__ import annotations

import argparse
import re

SPELT = {"outputs": "record", "free_inputs": "free"}  # Python arguments whose option has another name
_ELEMENT = re.compile(r"^(\w+)(?=: )")
_ASSIGNED = re.compile(r"""\b(\w+)=('[^']*'|"[^"]*"|\[[^]]*\]|\{[^}]*\}|…|[-+\w.]+)""")
_NAMED = re.compile(r"`(\w+)`")


def in_options(text: str, arguments: argparse.Namespace) -> str:
    """The message with options instead of Python arguments: `dt` becomes --dt, every=0.01 becomes --every 0.01."""
    parser = getattr(arguments, "parsers", {}).get(getattr(arguments, "command", ""))
    actions = {action.dest: action for action in parser._actions if action.option_strings} if parser else {}

    def option(name: str) -> str:
        action = actions.get(SPELT.get(name, name))
        return str(max(action.option_strings, key=len)) if action else ""

    def assigned(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if not option(name):
            return match[0]
        if "…" in value:
            value = str(actions[SPELT.get(name, name)].metavar or "…")
        return option(name) if value == "True" else f"{option(name)} {value.strip(chr(39) + chr(34))}"

    text = _ELEMENT.sub(lambda m: option(m[1]) or m[1], text)
    return _NAMED.sub(lambda m: option(m[1]) or m[1], _ASSIGNED.sub(assigned, text))
