"""The `symbody` command. Each subcommand is a module here; it prints a table, or JSON with --json."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from symbody.cli.failure import INTERRUPTED, print_failure, warnings_in_a_line
from symbody.cli.parsing import CommandParser, UsageError
from symbody.cli.printing import print_result
from symbody.stages import stages_heard
from symbody.version import VERSION

COMMANDS = (
    "check", "generate", "assemble", "simulate", "equilibrium", "modal", "inverse", "sensitivity", "optimise", "sweep",
    "identify", "fit", "estimate", "animate", "export", "node", "studio", "edit", "demo", "scores", "validate", "bench",
    "cache", "completion",
)  # fmt: skip
ALONE = set(COMMANDS) - {"completion"}  # commands that need only their own options; completion lists all of them


def parser(names: Sequence[str] = COMMANDS) -> CommandParser:
    """The parser of these commands. The module of each has SUMMARY, EXAMPLE, options(parser) and run(arguments)."""
    about, more = (
        "From bodies and joints to compiled equations.",
        "symbody COMMAND --help shows the options of a command.",
    )
    made = CommandParser(prog="symbody", description=about, epilog=more)
    made.add_argument("--version", action="version", version=f"symbody {VERSION}")
    commands = made.add_subparsers(dest="command", required=True, title="commands", metavar="COMMAND")
    for name in names:
        command = import_module(f"symbody.cli.{name}")
        example = f"example: symbody {name} {command.EXAMPLE}"
        own = commands.add_parser(name, help=command.SUMMARY, description=command.SUMMARY, epilog=example)
        own.add_argument("--json", action="store_true", help="print JSON")
        command.options(own)
        own.set_defaults(run=command.run)
    made.set_defaults(parsers=commands.choices)
    return made


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit status; an error becomes one line on stderr (see failure.py)."""
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = parser(words[:1] if words and words[0] in ALONE else COMMANDS).parsed(words)
    except UsageError as error:
        return print_failure(error, argparse.Namespace(json="--json" in words), words)
    try:
        with warnings_in_a_line(arguments), stages_heard(_stage_reporter()):
            result = arguments.run(arguments)
        _print(result, arguments.json)
    except BrokenPipeError:  # the reader of the pipe (head, for example) has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as error:
        return print_failure(error, arguments, words)
    return INTERRUPTED if isinstance(result, dict) and result.get("interrupted") is True else 0


def _stage_reporter() -> Callable[[str], None]:
    """Writes each stage to stderr if $SYMBODY_PROGRESS is set, as the editor does for its analyses."""
    if not os.environ.get("SYMBODY_PROGRESS"):
        return lambda stage: None
    return lambda stage: print(f"stage: {stage}", file=sys.stderr, flush=True)


def _print(result: Any, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        print_result(result)
    sys.stdout.flush()
