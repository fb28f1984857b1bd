"""Simulated drives of CiA 402 on a CANopen bus, for tests and for rides without hardware.

A drive follows its target position at a limited speed. A quick stop brakes with the deceleration of object 6085h and
then disables the drive. A drive that does not hear the controller for the time of object 1016h stops quickly, too.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symbody.links import cia402
from symbody.links.canopen.drive_bus import MS, Clock
from symbody.links.canopen.objects import (
    CONSUMER_HEARTBEAT,
    CONTROLLER,
    DECELERATION,
    EMERGENCY,
    FEEDBACK,
    HEARTBEAT,
    NMT,
    POSITION,
    PROCESS_DATA,
    PRODUCER_HEARTBEAT,
    SETPOINT,
    STATUS,
    SYNC,
    object_dictionary,
    opened_bus,
    packages,
)

RESETS = (129, 130)  # NMT commands: reset node, reset communication
SPEED = 200_000.0  # increments/s, of a drive that follows its target


@dataclass
class SimulatedDrive:
    """The motion of a drive (increments, s) and its state of CiA 402."""

    position: float = 0.0
    speed: float = 0.0
    target: int = 0
    state: str = cia402.DISABLED

    def obey(self, control: int, target: int) -> None:
        """Take a control word and a target position."""
        self.state = cia402.next_state(self.state, control)
        self.target = target

    def quick_stop(self) -> None:
        """Brake, if the drive is enabled."""
        if self.state == cia402.ENABLED:
            self.state = cia402.QUICK_STOP

    def advance(self, dt: float, deceleration: float) -> None:
        """Move for dt: to the target if enabled, braking during a quick stop, else at rest."""
        if dt <= 0.0:
            return
        if self.state == cia402.ENABLED:
            reach = SPEED * dt
            move = min(max(self.target - self.position, -reach), reach)
            self.position, self.speed = self.position + move, move / dt
        elif self.state == cia402.QUICK_STOP:
            before = self.speed
            less = min(deceleration * dt, abs(before))
            self.speed = before - less if before > 0.0 else before + less
            self.position += 0.5 * (before + self.speed) * (less / deceleration)
            if self.speed == 0.0:
                self.state = cia402.DISABLED
        else:
            self.speed = 0.0


class SimulatedDrives:
    """Drives on one bus, each with its own node number.

    They answer when frames arrive. `poll()` advances them to now: watchdogs and heartbeats need it while nothing
    arrives. alive: nodes that work; a node that is removed from it is silent and does not move.

    Parameters
    ----------
    nodes, adapter, bitrate, bus, clock
        As in `DriveBus`.
    """

    def __init__(
        self,
        nodes: Sequence[int],
        adapter: str = "virtual:symbody",
        *,
        bitrate: int = 1_000_000,
        bus: Any = None,
        clock: Clock = time.monotonic,
    ) -> None:
        _, canopen = packages()
        self.drives = {node: SimulatedDrive() for node in nodes}
        self.alive = set(nodes)
        self._clock, self._time = clock, clock()
        self._heard = self._time  # when the controller's last heartbeat arrived
        self._beats = dict.fromkeys(nodes, self._time)
        self._network = canopen.Network(bus or opened_bus(adapter, bitrate))
        self._nodes = {node: self._network.create_node(node, object_dictionary(node)) for node in nodes}
        for number, node in self._nodes.items():
            node.nmt.start_heartbeat = lambda _ms: None  # `poll` sends heartbeats, on the clock of the simulation
            node.add_read_callback(lambda index, subindex, od, number=number: self._read(number, index))
            self._network.subscribe(SETPOINT + number, self._obey)
        self._network.subscribe(NMT, self._reset)
        self._network.subscribe(SYNC, self._answer)
        self._network.subscribe(HEARTBEAT + CONTROLLER, self._hear)
        self._network.connect()
        for node in self._nodes.values():
            node.nmt.state = "INITIALISING"
            node.nmt.state = "PRE-OPERATIONAL"

    def poll(self) -> None:
        """Advance all drives to now: motion, watchdogs, heartbeats."""
        now = self._clock()
        dt, self._time = now - self._time, now
        for number, drive in self.drives.items():
            node = self._nodes[number]
            if number not in self.alive:
                continue
            watched = node.sdo[CONSUMER_HEARTBEAT][1].raw & 0xFFFF
            if watched and now - self._heard > watched / MS:
                drive.quick_stop()
            drive.advance(dt, float(node.sdo[DECELERATION].raw))
            period = node.sdo[PRODUCER_HEARTBEAT].raw / MS
            if period and now - self._beats[number] >= period:
                self._beats[number] = now
                self._network.send_message(HEARTBEAT + number, bytes([node.nmt._state]))

    def fail(self, number: int, code: int = 0x3210) -> None:
        """Let a drive report a fault: an emergency with this code (3210h: overvoltage)."""
        self.drives[number].state = cia402.FAULT
        self._network.send_message(EMERGENCY + number, code.to_bytes(2, "little") + bytes(6))

    def restart(self, number: int) -> None:
        """Let a drive restart, as after a short loss of power."""
        self.drives[number] = SimulatedDrive(position=self.drives[number].position)
        node = self._nodes[number]
        node.nmt.state = "INITIALISING"
        node.nmt.state = "PRE-OPERATIONAL"

    def close(self) -> None:
        """Release the bus."""
        self._network.disconnect()

    def __enter__(self) -> SimulatedDrives:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- frames, in the thread of the bus ------------------------------------------------------------------------------

    def _operational(self, number: int) -> bool:
        return number in self.alive and self._nodes[number].nmt.state == "OPERATIONAL"

    def _obey(self, identifier: int, data: bytes, _timestamp: float) -> None:
        number = identifier - SETPOINT
        if self._operational(number) and len(data) == PROCESS_DATA.size:
            self.drives[number].obey(*PROCESS_DATA.unpack(bytes(data)))

    def _answer(self, _identifier: int, _data: bytes, _timestamp: float) -> None:
        self.poll()
        for number, drive in self.drives.items():
            if self._operational(number):
                data = PROCESS_DATA.pack(cia402.status_of(drive.state), round(drive.position))
                self._network.send_message(FEEDBACK + number, data)

    def _hear(self, _identifier: int, _data: bytes, _timestamp: float) -> None:
        self._heard = self._clock()

    def _reset(self, _identifier: int, data: bytes, _timestamp: float) -> None:
        if len(data) == 2 and data[0] in RESETS:
            for number in self.drives if data[1] == 0 else [n for n in self.drives if n == data[1]]:
                self.restart(number)

    def _read(self, number: int, index: int) -> int | None:
        drive = self.drives[number]
        values = {STATUS: cia402.status_of(drive.state), POSITION: round(drive.position)}
        return values.get(index)
