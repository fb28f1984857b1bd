"""Shutdown of long-running commands on signals, within a time limit."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

GRACE = 1.5  # s from a signal to the forced end of the process
ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl+C, a kill, a closed terminal


class Ending:
    """Signal handler: raises `KeyboardInterrupt` or `SystemExit` in the main thread, or calls `gently()` if it is set.

    Only the first signal counts, so that a second Ctrl+C does not interrupt the cleanup.
    """

    def __init__(self) -> None:
        self.gently: Callable[[], None] | None = None
        self.number = 0  # number of the signal received; 0: none

    def handle(self, number: int, _: object) -> None:
        """Handle a signal."""
        if self.number:
            return
        self.number = number
        if self.gently is not None:
            self.gently()
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            raise SystemExit(128 + number)


@contextmanager
def ending_on_signals(grace: float = GRACE) -> Iterator[Ending]:
    """End the process on signals. If the cleanup hangs, a daemon thread ends the process after `grace` s.

    Ignored signals (nohup) stay ignored. Outside the main thread nothing is installed.
    """
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    kinds = [kind for name in ENDINGS if (kind := getattr(signal, name, None)) is not None]
    before = {kind: signal.signal(kind, ending.handle) for kind in kinds if signal.getsignal(kind) != signal.SIG_IGN}
    try:
        with _watched(before, grace):
            yield ending
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


@contextmanager
def _watched(kinds: Mapping[int, Any], grace: float) -> Iterator[None]:
    """Start a thread that reads signal numbers from `set_wakeup_fd`: it works even while Python code is blocked."""
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    over = threading.Event()
    known = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, kinds, grace, over), name="ending", daemon=True).start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(known)
        writer.close()


def _watch(reader: socket.socket, kinds: Mapping[int, Any], grace: float, over: threading.Event) -> None:
    with reader:
        while heard := reader.recv(1):
            number = heard[0]
            if number in kinds:
                if not over.wait(grace):
                    os.write(2, f"symbody: ended by force, {grace:g} s after signal {number}\n".encode())
                    os._exit(128 + number)
                return
