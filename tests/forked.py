"""Processes that begin where an interpreter stands after some imports: forks of a server that does nothing else.

`python forked.py MODULE …` imports the modules and reads requests from its standard input, one in a line: a folder, a
file for what is printed, a script and its arguments. A forked process then runs the script in the folder as
`python SCRIPT ARGUMENTS` would; the answer is the status with which it ended. The server itself never runs a script, so
no process sees what another has done.
"""

from __future__ import annotations

import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Ended(NamedTuple):
    """The status of a process, and what it printed: its output and its errors together."""

    status: int
    printed: str


class ForkServer:
    """The server, to be closed at the end. Where no process can be forked, each script gets a fresh interpreter."""

    def __init__(self, modules: Sequence[str], environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.server: subprocess.Popen[str] | None = None
        if hasattr(os, "fork"):
            command = [sys.executable, __file__, *modules]
            self.server = subprocess.Popen(
                command, env=environment, stdin=-1, stdout=-1, text=True, start_new_session=True
            )

    def run(self, folder: Path, script: str, arguments: Sequence[str], limit: float) -> Ended:
        """Run a script in a folder; TimeoutError after `limit` (s)."""
        with tempfile.TemporaryDirectory(prefix="symbody-said-") as kept:
            said = Path(kept, "said.txt")
            said.touch()
            status = (self._forked if self.server else self._fresh)(folder, said, [script, *arguments], limit)
            return Ended(status, said.read_text(encoding="utf-8", errors="replace"))

    def _forked(self, folder: Path, said: Path, command: Sequence[str], limit: float) -> int:
        assert self.server is not None and self.server.stdin is not None and self.server.stdout is not None  # noqa: PT018
        print(json.dumps([str(folder), str(said), *command]), file=self.server.stdin, flush=True)
        if not select.select([self.server.stdout], [], [], limit)[0]:
            self.close()
            raise TimeoutError(f"{' '.join(command)}: more than {limit:g} s")
        return int(self.server.stdout.readline())

    def _fresh(self, folder: Path, said: Path, command: Sequence[str], limit: float) -> int:
        with said.open("w") as out:
            command = [sys.executable, *command]
            return subprocess.run(
                command, cwd=folder, env=self.environment, stdout=out, stderr=out, timeout=limit, check=False
            ).returncode

    def close(self) -> None:
        """End the server, and the process that it waits for."""
        if self.server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.server.pid, signal.SIGKILL)
            self.server.communicate()


def serve(modules: Sequence[str]) -> list[str]:
    """Answer requests to the last one; in a forked process, return its script and arguments."""
    for module in modules:
        with suppress(ImportError):  # an optional package
            import_module(module)
    for line in sys.stdin:
        command: list[str]
        folder, said, *command = json.loads(line)
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            _redirect(said)
            return command
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit()


def _redirect(said: str) -> None:
    """No input; output and errors go to a file."""
    for path, mode, targets in ((os.devnull, os.O_RDONLY, (0,)), (said, os.O_WRONLY | os.O_APPEND, (1, 2))):
        opened = os.open(path, mode)
        for target in targets:
            os.dup2(opened, target)
        os.close(opened)


if __name__ == "__main__":
    sys.argv = serve(sys.argv[1:])
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
