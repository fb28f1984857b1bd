"""The controller's side of a CANopen bus: it configures drives, moves them cycle by cycle, and stops them at a fault.

Each cycle sends a set point to every drive and then SYNC; every drive answers with its state and position. Whatever is
wrong ends in the safe state: the controller sends quick stops and no set points any more, until it is opened again.

| fault | safe after at most |
|---|---|
| frames of a drive are lost, late or malformed | (tolerated + 2) cycles |
| a drive is dead, or has restarted | (tolerated + 2) cycles, or its next heartbeat |
| no heartbeat, although positions come | the time of `heartbeat`, and a cycle |
| a drive reports a fault or an emergency, or leaves operation | the cycle in which its frame arrives |
| the bus refuses frames, a set point is invalid | the same cycle |
| the controller is silent | `watchdog`, and a poll of the drive: each drive stops on its own |
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.links import cia402
from symbody.links.canopen.objects import (
    BOOT_UP,
    CONSUMER_HEARTBEAT,
    CONTROL,
    CONTROLLER,
    DECELERATION,
    DEVICE_TYPE,
    EMERGENCY,
    FEEDBACK,
    HEARTBEAT,
    MODE,
    NODES,
    OPERATIONAL,
    POSITION,
    PROCESS_DATA,
    PRODUCER_HEARTBEAT,
    PROFILE,
    SETPOINT,
    STATUS,
    SYNC,
    SYNCHRONOUS,
    TARGET,
    object_dictionary,
    opened_bus,
    packages,
)

OFF, READY, RUNNING, SAFE = "off", "ready", "running", "safe"
MS = 1000  # per s
MODE_NAME = "cyclic position"
WAITING = 4096  # frames that may wait for the next cycle; more are a flood
Clock = Callable[[], float]


@dataclass(frozen=True)
class BusLimits:
    """Limits beyond which the bus goes to its safe state.

    Parameters
    ----------
    period : float
        Of a cycle (s). Default 0.01.
    tolerated : int
        Cycles in a row without a valid frame of a drive. Default 2.
    heartbeat : float
        Longest time without a heartbeat of a drive (s), which sends three in it. Default 0.3.
    watchdog : float
        Longest silence of the controller for a drive (s). Default 0.1.
    step : int
        Largest change of a set point, and of a position, in a cycle (increments). Default 2000.
    deceleration : int
        Of a quick stop (increments/s²). Default 200000.
    answer : float
        Longest wait for the answer to an SDO (s). Default 0.5.
    """

    period: float = 0.01
    tolerated: int = 2
    heartbeat: float = 0.3
    watchdog: float = 0.1
    step: int = 2000
    deceleration: int = 200_000
    answer: float = 0.5

    def __post_init__(self) -> None:
        times = (self.period, self.heartbeat, self.watchdog, self.answer)
        if not all(isfinite(t) and t >= 1.0 / MS for t in times) or self.watchdog <= self.period:
            cure = "give at least 1 ms for each, and a watchdog longer than a cycle"
            raise ModelError(f"times of {times} s", element="canopen", cure=cure)
        if self.tolerated < 0 or self.step < 1 or self.deceleration < 1:
            raise ModelError("a limit is not positive", element="canopen", cure="correct tolerated, step, deceleration")

    @property
    def reaction(self) -> float:
        """Longest time (s) from the first lost frame of a drive to the safe state."""
        return (self.tolerated + 2) * self.period


@dataclass(frozen=True)
class Feedback:
    """Reports of all drives, in the order of their nodes.

    Parameters
    ----------
    position : array of int
        Positions (increments).
    states : tuple of str
        States of CiA 402.
    """

    position: NDArray[np.int64]
    states: tuple[str, ...]


@dataclass
class _Drive:
    """What the controller knows of a drive."""

    node: Any
    beat: float  # time of the last heartbeat
    position: int = 0
    state: str = cia402.NOT_READY
    known: bool = False  # whether a position has arrived
    fresh: bool = True  # a valid frame since the last SYNC
    missing: int = 0  # cycles in a row without one


class DriveBus:
    """Drives of a CANopen bus in cyclic position mode.

    `open()` configures the drives, `cycle(set_points)` is called once in a period, `enable()` switches the drives on.
    state: off, ready, running or safe; reason: why it is safe; counts: rejected frames by reason; heard: time (s) of
    the last position of a drive.

    Parameters
    ----------
    nodes : sequence of int
        Node numbers of the drives.
    adapter : str
        INTERFACE:CHANNEL of python-can. Another adapter needs no other change. Default "virtual:symbody".
    bitrate : int
        Bits per second. Default 1000000.
    limits : BusLimits, optional
        Times and sizes of the safe state.
    bus : optional
        An open bus of python-can instead of an adapter.
    clock : function, optional
        Function that returns seconds.
    """

    def __init__(
        self,
        nodes: Sequence[int],
        adapter: str = "virtual:symbody",
        *,
        bitrate: int = 1_000_000,
        limits: BusLimits | None = None,
        bus: Any = None,
        clock: Clock = time.monotonic,
    ) -> None:
        if not nodes or len(set(nodes)) != len(nodes) or not all(node in NODES for node in nodes):
            cure = f"give different numbers from {NODES[0]} to {NODES[-1]}"
            raise ModelError(f"invalid nodes {list(nodes)}", element="canopen", cure=cure)
        self.nodes, self.limits, self._clock = tuple(nodes), limits or BusLimits(), clock
        self.state, self.reason, self.heard = OFF, "", 0.0
        self.counts: Counter[str] = Counter()
        self._can, canopen = packages()
        self._arrived: deque[tuple[int, bytes, float]] = deque(maxlen=WAITING)
        self._network = canopen.Network(bus or opened_bus(adapter, bitrate))
        sdo = canopen.sdo
        self._errors = (self._can.CanError, sdo.SdoCommunicationError, sdo.SdoAbortedError, OSError)
        self._network.connect()
        self._drives = {
            node: _Drive(self._network.add_node(node, object_dictionary(node)), self._clock()) for node in nodes
        }
        for node in nodes:
            for base in (FEEDBACK, HEARTBEAT, EMERGENCY):
                self._network.subscribe(base + node, self._noted)

    # -- start and end -------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Configure the drives by SDO and start their process data by NMT. Raises ModelError that names the drive."""
        limits = self.limits
        for node, drive in self._drives.items():
            try:
                self._configure(drive.node)
            except self._errors as error:
                problem = f"drive {node}: {str(error) or type(error).__name__}"
                raise ModelError(problem, element="canopen", cure="check its node number, power and wiring") from error
        now = self._clock()
        for node, drive in self._drives.items():
            self._drives[node] = _Drive(drive.node, now, drive.position)
            drive.node.nmt.state = "OPERATIONAL"
        self._arrived.clear()
        self.state, self.reason = READY, ""
        self._beat(limits)

    def _configure(self, node: Any) -> None:
        """Check the device type, then map process data, heartbeats, mode and quick stop of a drive."""
        limits = self.limits
        node.sdo.RESPONSE_TIMEOUT = limits.answer
        node.nmt.state = "PRE-OPERATIONAL"
        kind = node.sdo[DEVICE_TYPE].raw
        if kind & 0xFFFF != PROFILE:
            problem = f"drive {node.id}: device type {kind:08X}h is not a drive of CiA {PROFILE}"
            raise ModelError(problem, element="canopen", cure="check its node number")
        for pdo, objects in ((node.rpdo[1], (CONTROL, TARGET)), (node.tpdo[1], (STATUS, POSITION))):
            pdo.clear()
            for index in objects:
                pdo.add_variable(index)
            pdo.cob_id = (SETPOINT if pdo is node.rpdo[1] else FEEDBACK) + node.id
            pdo.trans_type, pdo.enabled = SYNCHRONOUS, True
            pdo.save()
        node.sdo[MODE].raw = cia402.MODES[MODE_NAME].number
        node.sdo[DECELERATION].raw = limits.deceleration
        node.sdo[CONSUMER_HEARTBEAT][1].raw = CONTROLLER << 16 | round(limits.watchdog * MS)
        node.sdo[PRODUCER_HEARTBEAT].raw = max(1, round(limits.heartbeat * MS / 3))

    def enable(self) -> bool:
        """Ask the drives to switch on; True when all are enabled and `cycle` moves them.

        Call it before a cycle, until it is true. A drive needs one cycle for each state of its way.
        """
        if self.state == READY and all(d.state == cia402.ENABLED and d.known for d in self._drives.values()):
            self.state = RUNNING
        return self.state == RUNNING

    def stop(self, reason: str = "stopped by the user") -> None:
        """Stop all drives quickly: the safe state."""
        if self.state != SAFE:
            self.state, self.reason = SAFE, reason
        self._quick_stop()

    def close(self) -> None:
        """Stop the drives, end their process data, and release the bus."""
        if self.state == OFF and self._network.bus is None:
            return
        self.stop("closed")
        with suppress(*self._errors):
            for drive in self._drives.values():
                drive.node.nmt.state = "PRE-OPERATIONAL"
        self._network.disconnect()
        self.state = OFF

    def __enter__(self) -> DriveBus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- cycles --------------------------------------------------------------------------------------------------------

    def cycle(self, set_points: Sequence[int] | None = None) -> Feedback:
        """Check what the drives answered since the last cycle, then send set points (increments) and SYNC.

        Without set points, or while the drives are not enabled, each drive is asked to stay where it is.
        """
        if self.state == OFF:
            raise ModelError("the bus is not open", element="canopen", cure="call open() first")
        now = self._clock()
        self._judge(now)
        goals = self._goals(set_points)
        if self.state == SAFE:
            self._quick_stop()
        else:
            try:
                self._send(goals)
            except self._errors as error:
                self.stop(f"the bus refuses frames: {error}")
        return self.feedback

    @property
    def feedback(self) -> Feedback:
        """The last known positions and states."""
        known = self._drives.values()
        return Feedback(np.array([d.position for d in known], dtype=np.int64), tuple(d.state for d in known))

    @property
    def answered(self) -> tuple[int, ...]:
        """Nodes with a frame that waits for the next cycle."""
        waiting = {identifier for identifier, _, _ in list(self._arrived)}
        return tuple(node for node in self.nodes if FEEDBACK + node in waiting)

    def _noted(self, identifier: int, data: bytes, _timestamp: float) -> None:
        """Keep a received frame for the next cycle; called by the thread of the bus."""
        now = self._clock()
        if identifier & ~0x7F == FEEDBACK:
            self.heard = now
        self._arrived.append((identifier, bytes(data), now))

    def _judge(self, now: float) -> None:
        """Read the frames that arrived, and look for faults."""
        flooded = len(self._arrived) == WAITING
        while self._arrived:
            identifier, data, at = self._arrived.popleft()
            base, node = identifier & ~0x7F, identifier & 0x7F
            self._readers()[base](self._drives[node], data, at)
        if flooded:
            self._fault(f"more than {WAITING} frames in a cycle")
        for node, drive in self._drives.items():
            drive.missing = 0 if drive.fresh else drive.missing + 1
            drive.fresh = False
            if drive.missing > self.limits.tolerated:
                self._fault(f"drive {node}: no valid position for {drive.missing} cycles")
            if now - drive.beat > self.limits.heartbeat:
                self._fault(f"drive {node}: no heartbeat for {now - drive.beat:.3g} s")
            if self.state == RUNNING and drive.state != cia402.ENABLED:
                self._fault(f"drive {node}: {drive.state}")

    def _readers(self) -> dict[int, Callable[[_Drive, bytes, float], None]]:
        return {FEEDBACK: self._read_feedback, HEARTBEAT: self._read_heartbeat, EMERGENCY: self._read_emergency}

    def _read_feedback(self, drive: _Drive, data: bytes, at: float) -> None:
        if len(data) != PROCESS_DATA.size:
            self.counts["length"] += 1
            return
        status, position = PROCESS_DATA.unpack(data)
        state = cia402.state_of(status)
        if state is None:
            self.counts["status"] += 1
            return
        cycles = drive.missing + 1  # since the last position
        if drive.known and abs(position - drive.position) > 2 * cycles * self.limits.step:
            self.counts["jump"] += 1
            return
        if drive.fresh and drive.known:
            self.counts["repeated"] += 1
        drive.position, drive.state, drive.known, drive.fresh = position, state, True, True

    def _read_heartbeat(self, drive: _Drive, data: bytes, at: float) -> None:
        if len(data) != 1:
            self.counts["length"] += 1
            return
        drive.beat = at
        if data[0] & 0x7F != OPERATIONAL:
            said = "restarted" if data[0] == BOOT_UP else f"left the operational state ({data[0] & 0x7F})"
            self._fault(f"drive {drive.node.id}: {said}")

    def _read_emergency(self, drive: _Drive, data: bytes, at: float) -> None:
        if len(data) != 8:
            self.counts["length"] += 1
            return
        code = int.from_bytes(data[:2], "little")
        if code:  # zero: an earlier error has ended
            self._fault(f"drive {drive.node.id}: emergency {code:04X}h")

    def _fault(self, reason: str) -> None:
        if self.state != SAFE:
            self.state, self.reason = SAFE, reason

    def _goals(self, set_points: Sequence[int] | None) -> list[int]:
        """Targets of all drives; a set point that is invalid is a fault."""
        goals = [drive.position for drive in self._drives.values()]
        if set_points is None or self.state != RUNNING:
            return goals
        values = np.asarray(set_points, dtype=float)
        if values.shape != (len(goals),) or not np.isfinite(values).all():
            self._fault(f"set points {values.tolist()} are not {len(goals)} numbers")
        elif (far := np.abs(values - goals)).max() > self.limits.step:
            k = int(far.argmax())
            self._fault(f"drive {self.nodes[k]}: set point {far[k]:.0f} increments away, limit {self.limits.step}")
        else:
            goals = [round(value) for value in values.tolist()]
        return goals

    def _send(self, goals: Sequence[int]) -> None:
        """A set point for each drive, SYNC, and the heartbeat of the controller."""
        for goal, (node, drive) in zip(goals, self._drives.items(), strict=True):
            command = cia402.TO_ENABLED.get(drive.state, "enable operation")
            data = PROCESS_DATA.pack(cia402.control_word(command), goal)
            self._network.send_message(SETPOINT + node, data)
        self._network.send_message(SYNC, b"")
        self._beat(self.limits)

    def _beat(self, limits: BusLimits) -> None:
        self._network.send_message(HEARTBEAT + CONTROLLER, bytes([OPERATIONAL]))

    def _quick_stop(self) -> None:
        """Ask every drive for a quick stop, each on its own: one failure does not spare the others."""
        word = cia402.control_word("quick stop")
        for node, drive in self._drives.items():
            with suppress(*self._errors, RuntimeError):
                self._network.send_message(SETPOINT + node, PROCESS_DATA.pack(word, drive.position))
        with suppress(*self._errors, RuntimeError):
            self._network.send_message(SYNC, b"")
