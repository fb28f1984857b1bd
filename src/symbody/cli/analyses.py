"""Forms of the analyses for the editor, made of the options of each command: `python -m symbody.cli.analyses`."""

from __future__ import annotations

import argparse
import json
import sys

from symbody.cli import parser
from symbody.editor.analyses import Analysis, AnalysisOption, OptionKind

OFFERED = (
    "check", "assemble", "simulate", "equilibrium", "modal", "inverse", "sensitivity", "optimise", "sweep", "identify",
    "fit", "estimate", "generate", "export",
)  # fmt: skip
OUTPUT = "--output"
HIDDEN = {"--help", "--json", OUTPUT, "--overwrite", "--workers"}  # the editor sets them
READING = "reading a model file"  # group of options: the editor's model is read already


def forms() -> list[Analysis]:
    """All analyses with their options."""
    parsers = parser(OFFERED).get_default("parsers")
    return [form_of(name, parsers[name]) for name in OFFERED]


def form_of(name: str, command: argparse.ArgumentParser) -> Analysis:
    """The form of a command: every option that the editor does not set itself."""
    hidden = {id(a) for group in command._action_groups if group.title == READING for a in group._group_actions}
    exclusive = {
        id(action): f"{name}-{k}"
        for k, group in enumerate(command._mutually_exclusive_groups)
        for action in group._group_actions
    }
    options = [
        _option(action, exclusive.get(id(action), ""))
        for action in command._actions
        if action.option_strings and id(action) not in hidden and not HIDDEN & set(action.option_strings)
    ]
    return {"name": name, "about": command.description or "", "options": options}


def _option(action: argparse.Action, group: str) -> AnalysisOption:
    several = isinstance(action, argparse._AppendAction) or action.nargs == argparse.ONE_OR_MORE
    shown = "" if action.default in (None, []) or action.nargs == 0 else str(action.default)
    return {
        "flag": max(action.option_strings, key=len) if action.nargs != 0 else action.option_strings[0],
        "kind": _kind(action),
        "about": (action.help or "") % vars(action) if "%(" in (action.help or "") else (action.help or ""),
        "form": str(action.metavar or ""),
        "default": shown,
        "choices": [str(choice) for choice in action.choices or ()],
        "required": action.required,
        "several": several,
        "listed": action.nargs == argparse.ONE_OR_MORE,
        "group": group,
    }


def _kind(action: argparse.Action) -> OptionKind:
    if action.nargs == 0:
        return "switch"
    if action.choices is not None:
        return "choice"
    if action.metavar == "FILE":
        return "file"
    return "integer" if action.type is int else "number" if action.type is float else "text"


if __name__ == "__main__":
    json.dump(forms(), sys.stdout)
