"""A thread that looks at the newest version of a document: checks, freedoms, the 3-D view, operations."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from symbody.editor.report import figures, operations
from symbody.editor.view import KnownLooks, view_data
from symbody.errors import SymbodyError
from symbody.model.check import problems
from symbody.model.model import Model

log = logging.getLogger(__name__)

Tell = Callable[[dict[str, Any]], None]


class Analyst:
    """Computes figures and view of the newest model; older ones are skipped."""

    def __init__(self, tell: Tell):
        self._tell = tell
        self._waiting: tuple[int, Model] | None = None
        self._came = threading.Condition()
        self._closed = False
        self._looks = KnownLooks()
        threading.Thread(target=self._work, name="analyst", daemon=True).start()

    def look_at(self, version: int, model: Model) -> None:
        """Compute the figures of this version soon."""
        with self._came:
            self._waiting = version, model
            self._came.notify_all()

    def close(self) -> None:
        with self._came:
            self._closed = True
            self._came.notify_all()

    def _outdated(self) -> bool:
        return self._waiting is not None or self._closed

    def _work(self) -> None:
        while True:
            with self._came:
                self._came.wait_for(self._outdated)
                if self._closed:
                    return
                assert self._waiting is not None
                (version, model), self._waiting = self._waiting, None
            try:
                self._analyse(version, model)
            except SymbodyError as error:
                self._tell({"figures": {"version": version, "problem": str(error)}})
            except Exception:  # a model that is being typed may be odd: the editor goes on
                log.exception("the model could not be analysed")
                self._tell({"figures": {"version": version, "problem": "an internal error; the terminal shows it"}})

    def _analyse(self, version: int, model: Model) -> None:
        if problems(model):
            return
        found, q = figures(model)
        self._tell({"figures": {"version": version, **found}})
        if not self._outdated():
            self._tell({"view": {"version": version, **view_data(model, q, self._looks)}})
        if not self._outdated() and not found["problem"]:
            self._tell({"operations": {"version": version, "rows": operations(model, q)}})
