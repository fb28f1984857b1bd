"""Signals end a command in order where it can, and by force where it cannot: tests of cli/shutdown.py."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from symbody.cli.shutdown import Ending, ending_on_signals
from waiting import PATIENCE

pytestmark = [pytest.mark.posix, pytest.mark.clock]


def test_the_first_signal_counts():
    ending = Ending()
    with pytest.raises(SystemExit, match="143"):
        ending.handle(signal.SIGTERM, None)
    ending.handle(signal.SIGTERM, None)  # cleaning up goes on
    with pytest.raises(KeyboardInterrupt):
        Ending().handle(signal.SIGINT, None)


def test_a_gentle_end_raises_nothing():
    ending, stop = Ending(), threading.Event()
    ending.gently = stop.set
    ending.handle(signal.SIGTERM, None)
    assert stop.is_set()


def test_handlers_are_as_before_afterwards():
    before = signal.getsignal(signal.SIGTERM)

    def told_to_end():
        with ending_on_signals():
            assert signal.getsignal(signal.SIGTERM) != before
            os.kill(os.getpid(), signal.SIGTERM)
            threading.Event().wait(PATIENCE)

    with pytest.raises(SystemExit):
        told_to_end()
    assert signal.getsignal(signal.SIGTERM) == before
    assert signal.set_wakeup_fd(-1) == -1


def test_in_another_thread_nothing_is_heard():
    before, seen = signal.getsignal(signal.SIGTERM), []

    def work():
        with ending_on_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


HANGS = {
    "closing": "try: runs(); time.sleep(600)\nfinally: time.sleep(600)",
    "locked": "lock = threading.Lock(); lock.acquire()\ntry: runs(); lock.acquire()\nfinally: lock.acquire()",
    "in C": "threading.Timer(0.5, runs).start(); twice = ctypes.create_string_buffer(128), ctypes.CDLL(None)\n"
    "for _ in range(2): twice[1].pthread_mutex_lock(twice[0])",  # where Python hears no signal
}


@pytest.mark.parametrize("where", HANGS)
def test_what_hangs_is_ended_by_force(where):
    if where == "in C" and sys.platform != "linux":
        pytest.skip("a lock of zeros is one of Linux")
    code = "\n".join(
        [
            "import ctypes, threading, time",
            "from symbody.cli.shutdown import ending_on_signals",
            "def runs(): print('runs', flush=True)",
            "with ending_on_signals(0.3):",
            *(f"    {line}" for line in HANGS[where].splitlines()),
        ]
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as process:
        try:
            assert process.stdout.readline() == "runs\n"
            process.terminate()
            assert "ended by force" in process.communicate(timeout=PATIENCE)[1]
            assert process.returncode == 143
        finally:
            process.kill()
