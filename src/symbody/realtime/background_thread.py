"""A background thread in parallel with the ticks of a loop, from `start()` to `close()`: for links, worlds, devices."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

CLOSING = 1.0  # s that the thread may take to end


class BackgroundThread:
    """`_run` does the work until `_end` is set; as a context manager it starts and closes."""

    def __init__(self, name: str):
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def start(self) -> Self:
        """Start the thread."""
        self._thread.start()
        return self

    def close(self) -> None:
        """End the thread; a thread that hangs is abandoned."""
        self._end.set()
        if self.alive:
            self._thread.join(CLOSING)

    def _run(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
