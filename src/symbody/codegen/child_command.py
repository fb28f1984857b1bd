"""Runs a command that ends with the process that started it, as a script: child_command.py FOLDER COMMAND…

Standard input stays open as long as the parent process lives. When it ends, the command and all its children end too
(they share a process group), and the unfinished folder is removed. Nothing of symbody is imported, so it starts fast.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading


def main(folder: str, *command: str) -> int:
    """Run the command; returns its exit status."""
    if hasattr(os, "nice"):
        os.nice(10)  # computations have priority
    signal.signal(signal.SIGTERM, lambda *_: None)  # the signal from `_end` is for the others of the group
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    orphaned = threading.Event()
    threading.Thread(target=_end, args=(process, orphaned), daemon=True).start()
    status = process.wait()
    if orphaned.is_set():
        shutil.rmtree(folder, ignore_errors=True)
    return status


def _end(process: subprocess.Popen[bytes], orphaned: threading.Event) -> None:
    """Wait for the end of the parent process, then end the command."""
    while os.read(0, 1):
        pass
    orphaned.set()
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGTERM)
    else:
        process.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
