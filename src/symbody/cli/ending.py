"""How a command ends that runs until it is told: what a signal begins is over soon, whatever hangs."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

GRACE = 1.5  # s from a signal to the end of the process, in order or not
ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl+C, a kill, a closed terminal


class Ending:
    """What a signal does: `KeyboardInterrupt` or `SystemExit` in the main thread, or `gently()` where that is set.

    Only the first one counts: cleaning up is not interrupted by impatience.
    """

    def __init__(self) -> None:
        self.gently: Callable[[], None] | None = None
        self.told = 0  # number of the signal that came

    def hear(self, number: int, _: object) -> None:
        """Handle a signal."""
        if self.told:
            return
        self.told = number
        if self.gently is not None:
            self.gently()
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            raise SystemExit(128 + number)


@contextmanager
def ending_on_signals(grace: float = GRACE) -> Iterator[Ending]:
    """End on signals, within `grace` s: a thread that waits for nobody ends the process where it hangs.

    What is ignored, as by nohup, stays ignored; only the main thread can hear signals.
    """
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    kinds = [kind for name in ENDINGS if (kind := getattr(signal, name, None)) is not None]
    before = {kind: signal.signal(kind, ending.hear) for kind in kinds if signal.getsignal(kind) != signal.SIG_IGN}
    try:
        with _watched(before, grace):
            yield ending
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


@contextmanager
def _watched(kinds: Mapping[int, Any], grace: float) -> Iterator[None]:
    """A thread to which the system itself writes what signals come: it hears them even while Python cannot."""
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
