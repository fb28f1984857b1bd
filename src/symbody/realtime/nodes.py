"""Two nodes that keep a model and a device in touch, in separate processes or on separate machines.

The I/O node tells at a fixed rate what it measures; the model node answers each frame with its newest outputs. Whoever
hears nothing that it can believe for `limits.silence` goes safe, and goes on by itself when the partner is back. Frames
of NaN keep a line alive when there is nothing to tell: they are never believed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbody.errors import ModelError
from symbody.realtime.devices.device import Device
from symbody.realtime.link import Limits, LinkEnd
from symbody.realtime.packet import Transport

Array = np.ndarray
Record = Callable[[str, Array], None]  # is told "inputs" or "outputs", and their values
BATCH = 64  # frames heard between two beats at most: a flood does not keep a node from speaking
LOOK = 0.1  # s between looks at whether it is to stop, however long its period


class RunningModel(Protocol):
    """A model that runs by itself, such as `Loop`."""

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        """Give the inputs, (number of inputs,), with the `time.monotonic()` at which they were taken."""

    def latest(self) -> tuple[int, float, Array]:
        """Number of the newest step, its time (s), and outputs."""


@dataclass
class Node:
    """One end of the exchange: what it tells, what it does with what it hears, and what when it hears nothing."""

    transport: Transport
    link: LinkEnd
    tell: Callable[[], Array]
    hear: Callable[[Array], None]
    be_safe: Callable[[], None]
    period: float = 0.01  # s between frames
    answers: bool = False  # tells at once when it hears
    is_safe: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < 2.0 * self.period <= self.link.limits.silence:
            problem = f"a frame every {self.period:g} s and safe after {self.link.limits.silence:g} s"
            raise ModelError(problem, element="node", cure="be silent for two periods at least")

    def run(self, until: float = np.inf, stop: threading.Event | None = None) -> dict[str, Any]:
        """Exchange frames for `until` s, or until `stop` is set; what was counted."""
        end, beat = time.monotonic() + until, time.monotonic()
        try:
            while (now := time.monotonic()) < end and not (stop and stop.is_set()):
                if now >= beat:
                    self._speak()
                    beat = max(beat + self.period, now)  # a beat that was missed is not made up for
                if self._listen(min(beat, end, now + LOOK)) and self.answers:
                    self._speak()
                    beat = time.monotonic() + self.period
                self._watch()
        finally:
            self.be_safe()
        return self.summary()

    def summary(self) -> dict[str, Any]:
        """What was counted and measured, for a report."""
        return {**self.link.summary(), "refused": dict(self.transport.refused), "safe": self.is_safe}

    def _speak(self) -> None:
        self.transport.send(self.link.outgoing(self.tell(), time.monotonic_ns()))

    def _listen(self, end: float) -> bool:
        """Hear until a frame is believed, or until a time (s); the newest wins."""
        believed = None
        for _ in range(BATCH):
            wait = 0.0 if believed is not None else max(end - time.monotonic(), 0.0)
            if (frame := self.transport.receive(wait)) is None:
                break
            if self.link.believe(frame, time.monotonic_ns()):
                believed = frame.values
        if believed is not None:
            self.hear(believed)
        return believed is not None

    def _watch(self) -> None:
        silent = self.link.silent(time.monotonic_ns())
        if silent:
            self.be_safe()
            self.link.counts["safe"] += not self.is_safe
        self.is_safe = silent


def model_node(
    machine: RunningModel,
    transport: Transport,
    *,
    limits: Limits | None = None,
    period: float = 0.01,
    safe: Sequence[float] | None = None,
    record: Record | None = None,
) -> Node:
    """The node of a model: inputs as they come, outputs in answer.

    safe: inputs while nobody tells any; None: none are given, and the machine's own watchdog acts, as `Loop`'s does.
    A machine that makes no steps for `limits.silence` has nothing to tell.
    """
    link = LinkEnd(limits)
    newest, since = -1, time.monotonic()

    def tell() -> Array:
        nonlocal newest, since
        step, _, outputs = machine.latest()
        now = time.monotonic()
        if step != newest:
            newest, since = step, now
        if now - since > link.limits.silence:
            return np.full(len(outputs), np.nan)
        _recorded(record, "outputs", outputs)
        return outputs

    def hear(inputs: Array) -> None:
        machine.give(inputs, time.monotonic())
        _recorded(record, "inputs", inputs)

    def be_safe() -> None:
        if safe is not None:
            machine.give(np.array(safe, dtype=float), time.monotonic())

    return Node(transport, link, tell, hear, be_safe, period, answers=True)


def io_node(
    device: Device,
    transport: Transport,
    to_model: Callable[[Array], Array] = np.asarray,
    to_device: Callable[[Array], Array] = np.asarray,
    *,
    limits: Limits | None = None,
    period: float = 0.01,
    record: Record | None = None,
) -> Node:
    """The node of a device: what it measures to the model, what the model answers to it; see `wiring`.

    A device that fails is not told and not heard until it answers again; its failures are counted.
    """
    link = LinkEnd(limits)

    def tell() -> Array:
        try:
            measured = device.read()
        except OSError:
            link.counts["device"] += 1
            measured = np.full(len(device.measures), np.nan)
        inputs = to_model(measured)
        _recorded(record, "inputs", inputs)
        return inputs

    def hear(outputs: Array) -> None:
        _recorded(record, "outputs", outputs)
        guarded(lambda: device.command(to_device(outputs)))

    def guarded(action: Callable[[], None]) -> None:
        try:
            action()
        except OSError:
            link.counts["device"] += 1

    return Node(transport, link, tell, hear, lambda: guarded(device.safe), period)


def _recorded(record: Record | None, stream: str, values: Array) -> None:
    if record and np.all(np.isfinite(values)):
        record(stream, values)
