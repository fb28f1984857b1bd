"""Analyses of the edited model in processes of their own, so that they can be cancelled at any moment.

`python -m symbody.editor.job` computes a job; it writes progress to stderr and one JSON object to a file.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from symbody.links.rejected import Rejected

KINDS = ("assemble", "equilibrium", "modes", "simulate", "code", "fmu")
LARGEST = 60_000_000  # bytes of a result
OUTPUT = "output.json"  # what a command of the job prints
PROGRESS = "SYMBODY_PROGRESS"  # set: a command writes its progress to stderr, also without a terminal
_SHARE = re.compile(rb"(\d+)%\|")
_STAGE = re.compile(rb"^stage: (.*)$", re.MULTILINE)

Report = Callable[[dict[str, Any]], None]


def last_line(errors: bytes) -> str:
    """The last words of a process."""
    lines = errors.decode(errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else "the process ended"


class Job:
    """One analysis. `report` is called with its state: running with a stage and a share, done, failed, cancelled."""

    def __init__(self, kind: str, text: str, options: dict[str, Any], report: Report):
        if kind not in KINDS:
            raise Rejected("no such analysis", kind)
        self._order = {"kind": kind, **options}
        self._begin(kind, text, report)

    def _begin(self, kind: str, text: str, report: Report) -> None:
        self.kind, self._report, self.cancelled = kind, report, False
        self._folder = tempfile.TemporaryDirectory(prefix="symbody-job-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        (folder / "model.yaml").write_text(text, encoding="utf-8")
        with open(folder / OUTPUT, "wb") as output:
            self._process = subprocess.Popen(
                self._command(folder),
                stdout=output,
                stderr=subprocess.PIPE,
                env=os.environ | {PROGRESS: "1"},
                start_new_session=True,  # so that its own processes end with it
            )
        self._thread = threading.Thread(target=self._follow, args=(folder,), name=f"job {kind}", daemon=True)
        self._thread.start()

    def _command(self, folder: Path) -> list[str]:
        """The command of the process."""
        (folder / "order.json").write_text(json.dumps(self._order), encoding="utf-8")
        return [sys.executable, "-m", "symbody.editor.job", str(folder)]

    @property
    def runs(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        """End the process; the report says cancelled."""
        self.cancelled = True
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def wait(self, timeout: float) -> bool:
        """Whether it ended within some seconds."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _follow(self, folder: Path) -> None:
        stage, share, errors = "reading the model", 0.0, b""
        self._tell("running", stage=stage, share=share)
        assert self._process.stderr is not None
        while chunk := self._process.stderr.read1(4096):  # type: ignore[attr-defined]  # a buffered reader
            errors = (errors + chunk)[-8192:]
            stages, shares = _STAGE.findall(errors), _SHARE.findall(chunk)
            now = stages[-1].decode(errors="replace") if stages else stage, int(shares[-1]) / 100 if shares else share
            if now != (stage, share):
                stage, share = now
                self._tell("running", stage=stage, share=share)
        self._process.wait()
        try:
            self._end(folder, errors)
        finally:
            self._folder.cleanup()

    def _end(self, folder: Path, errors: bytes) -> None:
        if self.cancelled:
            return self._tell("cancelled")
        try:
            result = self._result(folder, errors)
        except (OSError, ValueError, MemoryError) as error:  # a full disk, for example
            result = {"problem": f"the result cannot be read: {error}"}
        if "problem" in result:
            return self._tell("failed", problem=result["problem"])
        return self._tell("done", result=result)

    def _result(self, folder: Path, errors: bytes) -> dict[str, Any]:
        """The result of the process, or its problem; errors: the end of its stderr."""
        path = folder / "result.json"
        if not path.exists() or path.stat().st_size > LARGEST:
            return {"problem": "the result is too large" if path.exists() else last_line(errors)}
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def _tell(self, state: str, **more: Any) -> None:
        self._report({"kind": self.kind, "state": state, **more})
