"""The memory of a loop, used by its owner or by another process: read outputs without waiting, give inputs.

`Shared.attach(name)` reads; with `write=True` it may also give inputs, pause and resume. Only one process gives inputs:
the first one keeps this right until `release()`, or until it ends.
"""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from symbody.errors import ModelError
from symbody.realtime.loop_file import Array, open_memory, read_channels
from symbody.realtime.loop_layout import BEGIN_AGAIN, CLEAR, HEAD, STATES, UNLIMITED, SharedBlock, library
from symbody.realtime.statistics import FAULTS, Statistics, statistics_of
from symbody.results.channels import matching
from symbody.results.run import Run
from symbody.suggestions import did_you_mean


class Snapshot(NamedTuple):
    """The newest outputs.

    Parameters
    ----------
    step : int
        Its number.
    t : float
        Model time (s).
    outputs : array, shape (outputs,)
        One number per output.
    """

    step: int
    t: float
    outputs: Array


class Shared:
    """A loop accessed through its memory: `latest()`, `history()`, `statistics()`, `give()`, `state`. `attach` makes
    one.

    Parameters
    ----------
    name : str
        Of the loop.
    memory : mmap
        Its memory.
    file : int
        Descriptor of the memory.
    write : bool
        Whether inputs may be given.
    """

    def __init__(self, name: str, memory: mmap.mmap, file: int, write: bool):
        self._library = library()
        self.name, self._memory, self._file, self._write = name, memory, file, write
        self._bytes = np.frombuffer(memory, dtype=np.uint8)  # keeps the address valid
        self._address = self._bytes.ctypes.data
        self._block = SharedBlock.from_address(self._address)
        weakref.finalize(self, os.close, file)
        self.channels = read_channels(self._block, memory)
        self._sample = np.array([*self.channels.start, 0.0])  # the last element is the time
        self._gives, self._lock = False, threading.Lock()

    @staticmethod
    def attach(name: str, *, write: bool = False) -> Shared:
        """Open the memory of a running loop: to read, or with `write` also to give inputs and commands."""
        return Shared(name, *open_memory(name, write), write)

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """One of "running", "paused", "safe", "stopped"."""
        return STATES[self._block.state]

    @property
    def stands(self) -> bool:
        """Whether it was commanded to pause, or to make some steps and then pause; its state follows later."""
        return bool(self._block.allowed != UNLIMITED)

    @property
    def alive(self) -> bool:
        """Whether it runs and has made progress within the watchdog's time."""
        return bool(self._library.block_alive(self._address))

    @property
    def reason(self) -> str:
        """The reason of the safe state; empty otherwise."""
        b = self._block
        if not b.fault:
            return ""
        fault = FAULTS[b.fault - 1]
        names = self.channels.given if fault.startswith("input") else self.channels.outputs
        return fault + (f": {names[b.culprit]} = {b.blamed:g}" if 0 <= b.culprit < len(names) else "")

    @property
    def begun(self) -> tuple[int, int]:
        """How often it has restarted, and the number of the first step since."""
        while True:
            count, first = self._block.restarts, self._block.begun
            if count == self._block.restarts:
                return int(count), int(first)

    @property
    def thread(self) -> int:
        """The system's number of its thread (`chrt -p`, `taskset -p`); 0 before the start."""
        return int(self._block.thread)

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, in the order of `latest().outputs`."""
        return self.channels.outputs

    @property
    def names(self) -> list[str]:
        """Names in a record: "loop.step" …, inputs and outputs."""
        return [*HEAD, *self.channels.inputs, *self.channels.outputs]

    def newest(self) -> Array:
        """The newest record, in the order of `names`; efforts are zero unless the loop is `alive`. NaN: none yet."""
        record = np.full(len(self.names), np.nan)
        self._library.block_latest(self._address, record.ctypes.data)
        return record

    def latest(self) -> Snapshot:
        """The newest outputs, as in `newest()`; step −1 if there are none yet."""
        record = self.newest()
        outputs = record[len(HEAD) + self._block.nu :]
        if not np.isfinite(record[0]):  # no record yet, or the memory was overwritten
            return Snapshot(-1, 0.0, np.full_like(outputs, np.nan))
        return Snapshot(int(record[0]), float(record[1]), outputs)

    def records(self, since: int = 0) -> tuple[int, Array]:
        """Number of the next record, and the records from a number on that are still kept: rows of `names`."""
        head = int(self._library.block_records(self._address))
        first = max(since, head - self._block.capacity + 1, 0)
        rows = np.empty((max(head - first, 0), len(self.names)))
        lost = self._library.block_read(self._address, first, len(rows), rows.ctypes.data)
        return head, rows[lost:]

    def history(self, *patterns: str, since: float = 0.0) -> Run:
        """The last seconds as a `Run` from a model time on: channels by names or patterns; default: all outputs."""
        _, rows = self.records()
        rows = rows[rows[:, 1] >= since]
        place = {name: k for k, name in enumerate(self.names)}  # a measured joint's q is both input and output
        wanted = matching(list(place), patterns or self.outputs)
        values, units = rows[:, [place[name] for name in wanted]], self.channels.units
        return Run(None, rows[:, 1], values, names=wanted, units=units, meta={"model": self.channels.model})

    def statistics(self) -> Statistics:
        """Latencies, durations, faults and rejected inputs since the start."""
        return statistics_of(self._block)

    # -- inputs and commands -----------------------------------------------------------------------------------------

    def give(self, inputs: Mapping[str, float] | Sequence[float] | Array, stamp: float | None = None) -> None:
        """Set inputs by name (others keep their values), or all in the order of `channels.given`.

        stamp: `time.monotonic()` of the measurement (default now). Measurements for a filter count once: missing or NaN
        means not measured. The loop takes the newest complete sample of a period, so give simultaneous measurements
        together.
        """
        given = self.channels.given
        with self._lock:
            self._claim()
            if isinstance(inputs, Mapping):
                self._sample[[given.index(name) for name in self.channels.momentary]] = np.nan
                for name, value in inputs.items():
                    if name not in given:
                        raise ModelError("unknown input", element=name, cure=did_you_mean(name, given, "inputs"))
                    self._sample[given.index(name)] = value
            elif np.shape(inputs) != (len(given),):
                cure = f"give a number for each of {', '.join(given)}"
                raise ModelError(f"inputs of shape {np.shape(inputs)}", element=self.name, cure=cure)
            else:
                self._sample[:-1] = inputs
            at = 0 if stamp is None else round(1e9 * stamp)
            self._library.block_give(self._address, self._sample.ctypes.data, at)

    def release(self) -> None:
        """Let another process give the inputs."""
        import fcntl

        with self._lock:
            fcntl.flock(self._file, fcntl.LOCK_UN)
            self._gives = False

    def pause(self) -> None:
        """Make no more steps; efforts are zero."""
        self._tell(allowed=0)

    def resume(self) -> None:
        """Continue after a pause or a safe state; a pending restart is done first."""
        begins = self._block.command == BEGIN_AGAIN  # a restart also clears the safe state and must not be lost
        self._tell(allowed=UNLIMITED, **({} if begins else {"command": CLEAR}))

    def restart(self) -> None:
        """Restart from the initial state at the time zero of the model; the time of the records continues."""
        self._tell(allowed=UNLIMITED, command=BEGIN_AGAIN)

    def slow(self, factor: float) -> None:
        """Let one second of the model take `factor` seconds of the clock."""
        if not (factor > 0.0 and np.isfinite(factor)):
            raise ModelError(f"a slowdown factor of {factor:g}", element=self.name, cure="give a positive factor")
        self._tell(slow=factor)

    def _tell(self, **fields: float) -> None:
        self._check_writable()
        for field, value in fields.items():
            setattr(self._block, field, value)

    def _claim(self) -> None:
        """Take the right to give inputs: two writers would corrupt the mailbox."""
        if self._gives:
            return
        self._check_writable()
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            cure = "call release() there, or stop it"
            raise ModelError("another process gives the inputs of this loop", element=self.name, cure=cure) from error
        self._gives = True

    def _check_writable(self) -> None:
        if not self._write:
            raise ModelError(
                "the memory is attached for reading only", element=self.name, cure="use Shared.attach(name, write=True)"
            )
