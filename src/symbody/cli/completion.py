"""`symbody completion`: shell completion of commands, options and machine names."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symbody import machines

SUMMARY = "Print a script for shell completion of commands, options and machine names."
MODELS = ("model", "what", "name")  # positional arguments that accept a machine's name
EXAMPLE = "bash"


@dataclass(frozen=True)
class CommandWords:
    """The words that may follow a command: its options with their choices (empty: any value), and machine names."""

    name: str
    summary: str
    options: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", choices=("bash", "zsh", "fish"), help="the first line of the script says how to install it"
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Print the script and nothing else, so that a shell can evaluate it."""
    script = {"bash": bash, "zsh": zsh, "fish": fish}[arguments.shell](command_words(arguments.parsers))
    if arguments.json:
        return {"shell": arguments.shell, "script": script}
    sys.stdout.write(script)
    return {}


def command_words(parsers: Mapping[str, argparse.ArgumentParser]) -> list[CommandWords]:
    """The words of each command, read from its parser."""
    return [_words(name, own) for name, own in parsers.items()]


def _words(name: str, parser: argparse.ArgumentParser) -> CommandWords:
    found: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    for action in parser._actions:
        choices = tuple(str(x) for x in action.choices or () if " " not in str(x))  # a shell would split it into two
        for option in action.option_strings:
            if option.startswith("--") and action.help != argparse.SUPPRESS:
                found[option] = choices
        if not action.option_strings:
            words += [*choices, *(machines.names() if action.dest in MODELS else ())]
    return CommandWords(name, parser.description or "", found, tuple(words))


def bash(commands: list[CommandWords]) -> str:
    """For ~/.bashrc: eval "$(symbody completion bash)"."""
    cases = [
        f'        "{c.name} {option}") words="{" ".join(choices)}" ;;'
        for c in commands
        for option, choices in c.options.items()
        if choices
    ]
    cases += [f'        "{c.name} "*) words="{" ".join([*c.options, *c.words])}" ;;' for c in commands]
    names = " ".join(c.name for c in commands)
    lines = [
        '# For ~/.bashrc: eval "$(symbody completion bash)"',
        "_symbody() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
        '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f'        COMPREPLY=($(compgen -W "{names}" -- "$word"))',
        "        return",
        "    fi",
        '    case "${COMP_WORDS[1]} $before" in',
        *cases,
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))',
        "}",
        "complete -o filenames -F _symbody symbody",
    ]
    return "\n".join(lines) + "\n"


def zsh(commands: list[CommandWords]) -> str:
    """For ~/.zshrc, after compinit: eval "$(symbody completion zsh)"."""
    described = " ".join(shlex.quote(f"{c.name}:{c.summary}") for c in commands)
    cases = [
        f"        {shlex.quote(f'{c.name} {option}')}) compadd -- {' '.join(choices)}; return ;;"
        for c in commands
        for option, choices in c.options.items()
        if choices
    ]
    cases += [f"        '{c.name} '*) compadd -- {' '.join([*c.options, *c.words])} ;;" for c in commands]
    lines = [
        '# For ~/.zshrc, after compinit: eval "$(symbody completion zsh)"',
        "_symbody() {",
        "    if (( CURRENT == 2 )); then",
        f"        local -a commands=({described})",
        "        _describe command commands",
        "        return",
        "    fi",
        '    case "$words[2] $words[CURRENT-1]" in',
        *cases,
        "    esac",
        "    _files",
        "}",
        "compdef _symbody symbody",
    ]
    return "\n".join(lines) + "\n"


def fish(commands: list[CommandWords]) -> str:
    """For ~/.config/fish/completions/symbody.fish."""
    lines = ["# symbody completion fish > ~/.config/fish/completions/symbody.fish"]
    for c in commands:
        first = f"complete -c symbody -n __fish_use_subcommand -f -a {c.name} -d {shlex.quote(c.summary)}"
        after = f"complete -c symbody -n '__fish_seen_subcommand_from {c.name}'"
        lines.append(first)
        for option, choices in c.options.items():
            taken = f" -x -a {shlex.quote(' '.join(choices))}" if choices else ""
            lines.append(f"{after} -l {option.removeprefix('--')}{taken}")
        if c.words:
            lines.append(f"{after} -a {shlex.quote(' '.join(c.words))}")
    return "\n".join(lines) + "\n"
