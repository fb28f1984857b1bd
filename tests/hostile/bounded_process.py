"""A process of its own for what may take too much: it is stopped by the seconds of a processor that it uses."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import symbody

SECONDS = 20  # of a processor; what is to be caught takes minutes
MEGABYTES = 300
# Python has loaded what it needs when the memory is measured first.
BEFORE = """
import resource, sys
import symbody as sb
from symbody.errors import SymbodyError

def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)

def attempt(action):
    try:
        print("done", action())
    except SymbodyError as error:
        print("refused", error)
"""
AFTER = """
print("megabytes", used() - before)
"""


def bounded(prepare, code, *arguments, seconds=SECONDS, megabytes=MEGABYTES):
    """Run code after what it prepares; what it says, once it ended within its seconds and megabytes."""

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    source = Path(symbody.__file__).parents[1]
    text = "\n".join([BEFORE, prepare, "before = used()", code, AFTER])
    child = subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        capture_output=True, text=True, check=False, preexec_fn=limited,
        env=os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert child.returncode not in (-signal.SIGXCPU, -signal.SIGKILL), f"more than {seconds} s of a processor"
    assert child.returncode == 0, child.stderr
    said, _, grown = child.stdout.rpartition("megabytes ")
    assert float(grown) < megabytes, f"{float(grown):.0f} MB"
    return said
