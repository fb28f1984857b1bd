"""Work in a thread of its own beside the ticks of a loop, from `start()` to `close()`: lines, worlds, devices."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

CLOSING = 1.0  # s that the thread may take to end


class BackgroundThread:
    """`_run` is the work, until `_end` is set; as a context it starts and closes."""

    def __init__(self, name: str):
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Whether it is at work."""
        return self._thread.is_alive()

    def start(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def close(self) -> None:
        """End it; one that is lost in its work is left behind."""
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
