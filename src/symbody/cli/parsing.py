"""Parsing of arguments: a wrong argument is reported in one line with its cure, as any other error."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

from symbody.errors import SymbodyError
from symbody.suggestions import did_you_mean

USAGE = 2  # exit status
MOST_OPTIONS = 1000
_CHOICE = re.compile(r"(argument .*?: )?invalid choice: '?(.*?)'? \(choose from (.*)\)", re.DOTALL)


class LazyChoices(Collection[str]):
    """Choices of an option, imported when they are checked or listed. argparse lists them if there is no metavar."""

    def __init__(self, module: str, name: str):
        self._module, self._name = f"symbody.{module}", name

    def _listed(self) -> list[str]:
        return list(getattr(import_module(self._module), self._name))

    def __contains__(self, choice: object) -> bool:
        return choice in self._listed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed())

    def __len__(self) -> int:
        return len(self._listed())


class UsageError(SymbodyError):
    """Wrong arguments of a command."""


class CommandParser(argparse.ArgumentParser):
    """Reports wrong arguments with one line instead of a usage page; its help lists required arguments first."""

    def format_help(self) -> str:
        groups = [group._group_actions for group in self._mutually_exclusive_groups if group.required]
        one_of = [f"({' | '.join(action.option_strings[0] for action in group)})" for group in groups]
        self.usage = self.usage or " ".join([self.prog, *_needed(self._actions), *one_of, "[options]"])
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        match = _CHOICE.fullmatch(message)
        if match:
            choices = re.findall(r"[\w.-]+", match[3])
            where = f"{(match[1] or '').removeprefix('argument ')}"
            message = f"{where}unknown '{match[2]}' ({did_you_mean(match[2], choices, 'choices')})"
        elif "(" not in message:
            message = f"{message} (see {self.prog} --help)"
        raise UsageError(message)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """As in argparse; wrong arguments end the process with one line and status 2."""
        try:
            return self.parsed(sys.argv[1:] if args is None else args)
        except UsageError as error:
            self.exit(USAGE, f"symbody: {error}\n")

    def parsed(self, argv: Sequence[str]) -> argparse.Namespace:
        """The parsed arguments. Raises UsageError if they are wrong."""
        if (given := sum(word.startswith("-") for word in argv)) > MOST_OPTIONS:  # argparse needs their square in time
            raise UsageError(f"{self.prog}: {given} options in one command; give at most {MOST_OPTIONS}")
        arguments, left = self.parse_known_args(list(argv))
        if left:
            word = next((x for x in left if x.startswith("-")), left[0]).partition("=")[0]
            own = getattr(arguments, "parsers", {}).get(getattr(arguments, "command", ""), self)
            options = [option for option in own._option_string_actions if option.startswith("--")]
            kind, known = ("options", options) if word.startswith("-") else ("further arguments", [])
            raise UsageError(f"{own.prog} takes no {word} ({did_you_mean(word, known, kind)})")
        return arguments


def _needed(actions: Sequence[argparse.Action]) -> Iterator[str]:
    """The required arguments and options of a command, arguments first."""
    for action in actions:
        if not action.option_strings:
            name = str(action.metavar or action.dest)
            yield f"[{name}]" if action.nargs == argparse.OPTIONAL else name
    for action in actions:
        if action.option_strings and action.required:
            yield f"{action.option_strings[-1]} {action.metavar or action.dest.upper()}"
