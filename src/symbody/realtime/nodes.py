"""Two nodes that connect a model and a device, in separate processes or on separate computers.

The I/O node sends its measurements at a fixed rate; the model node answers each frame with its newest outputs. A node
without a valid frame for `limits.silence` goes to its safe state, and continues when the partner is back. Frames of NaN
keep a link alive when there are no values; their values are never used.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from symbody.errors import ModelError
from symbody.links.devices.device import Device
from symbody.links.link import Limits, LinkEnd
from symbody.links.packet import Transport

Array = np.ndarray
Record = Callable[[str, Array], None]  # called with "inputs" or "outputs", and their values
BATCH = 64  # frames received at most between two periods, so that a flood does not stop the sending
LOOK = 0.1  # s between checks of the stop flag, for any period


class RunningModel(Protocol):
    """A model that runs on its own, such as `Loop`."""

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        """Give the inputs, (number of inputs,), with the `time.monotonic()` of their measurement."""

    def latest(self) -> tuple[int, float, Array]:
        """Number of the newest step, its time (s), and outputs."""


@dataclass
class Node:
    """One end of the exchange: the values to send, and the reactions to received values and to silence.

    Parameters
    ----------
    transport : Transport
        The link.
    link : LinkEnd
        Checks of the frames of the partner.
    tell : function
        Returns the values to send.
    hear : function
        Called with the values of each valid frame.
    be_safe : function
        Called when the partner is silent.
    period : float
        Time between frames (s). Default 0.01.
    answers : bool
        Whether it sends at once after each valid frame. Default False.
    is_safe : bool
        Whether it is in the safe state. Default False.
    """

    transport: Transport
    link: LinkEnd
    tell: Callable[[], Array]
    hear: Callable[[Array], None]
    be_safe: Callable[[], None]
    period: float = 0.01
    answers: bool = False
    is_safe: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < 2.0 * self.period <= self.link.limits.silence:
            problem = f"a frame every {self.period:g} s, but safe after {self.link.limits.silence:g} s"
            raise ModelError(problem, element="node", cure="make `silence` at least two periods")

    def run(self, until: float = np.inf, stop: threading.Event | None = None) -> dict[str, Any]:
        """Exchange frames for `until` s, or until `stop` is set; return the counters."""
        end, beat = time.monotonic() + until, time.monotonic()
        try:
            while (now := time.monotonic()) < end and not (stop and stop.is_set()):
                if now >= beat:
                    self._send()
                    beat = max(beat + self.period, now)  # missed periods are skipped
                if self._receive(min(beat, end, now + LOOK)) and self.answers:
                    self._send()
                    beat = time.monotonic() + self.period
                self._watch()
        finally:
            self.be_safe()
        return self.summary()

    def summary(self) -> dict[str, Any]:
        """Counters and measurements, for a report."""
        return {**self.link.summary(), "refused": dict(self.transport.refused), "safe": self.is_safe}

    def _send(self) -> None:
        self.transport.send(self.link.outgoing(self.tell(), time.monotonic_ns()))

    def _receive(self, end: float) -> bool:
        """Receive until a frame is valid, or until a time (s); the newest frame wins."""
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
    """The node of a model: it receives inputs and answers with outputs.

    Parameters
    ----------
    machine : RunningModel
        The model, such as a `Loop`.
    transport : Transport
        The model's end of a link.
    limits : Limits, optional
        When frames are rejected and when the node is silent.
    period : float
        Time between frames (s, default 0.01).
    safe : sequence of float, optional
        Inputs while no partner sends any. None (default): the machine's own watchdog acts, as in `Loop`.
    record : function, optional
        Called with "inputs" or "outputs" and their values.

    Returns
    -------
    Node
        Call `run()`. While the machine makes no steps for `limits.silence`, it sends NaN.

    Examples
    --------
    Model and device, each at its end of a UDP link:

    >>> import threading
    >>> import symbody as sb
    >>> from symbody.links import SimulatedImpedance, UdpTransport, wiring
    >>> from symbody.realtime import Loop, Node, Safety, io_node, model_node
    >>> loop = Loop(sb.system(sb.machines.model("four-bar"), outputs=["*.q"]), safety=Safety(stale=None, overrun=None))
    >>> names, outputs = loop.channels.given, loop.channels.outputs
    >>> here = UdpTransport(outputs, names, bind=("127.0.0.1", 0))
    >>> device = SimulatedImpedance(("x",))
    >>> there = UdpTransport(names, outputs, partner=here.address)
    >>> to_model = wiring(names, device.measures, {"torque": "x.q"})
    >>> to_device = wiring(device.takes, outputs, {"x.Q": "crank.q"})
    >>> model: Node = model_node(loop, here)
    >>> hand = io_node(device, there, to_model, to_device)
    >>> with loop:
    ...     thread = threading.Thread(target=model.run, args=(0.3,))
    ...     thread.start()
    ...     counts = hand.run(until=0.2)
    ...     thread.join()
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
    """The node of a device: it sends measurements to the model and the model's answers to the device.

    Parameters
    ----------
    device : Device
        The device. If it fails, it is skipped until it answers again; failures are counted.
    transport : Transport
        The device's end of a link.
    to_model, to_device : function array → array
        From measurements to the model's inputs, and from its outputs to commands; see `wiring` (default: unchanged).
    limits, period, record
        As in `model_node`.

    Returns
    -------
    Node
        Call `run()`.
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
