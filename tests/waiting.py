"""Waiting for what must happen, however busy the machine is: nothing here asserts how long anything takes."""

import os
import time

PATIENCE = float(os.environ.get("SYMBODY_PATIENCE", 60.0))  # s after which something that must happen has failed


def wait_for(condition, timeout=PATIENCE):
    """Whether something becomes true; how long (s) it took, or None."""
    start = time.monotonic()
    while True:
        if condition():
            return time.monotonic() - start or 1e-9
        if time.monotonic() - start > timeout:
            return None
        time.sleep(2e-3)


def eventually(happened):
    """Wait until something is true: a loaded machine may take its time."""
    assert wait_for(happened), "it never happened"
