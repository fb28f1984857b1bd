"""Eight simulated drives on a virtual CAN bus: configuration, motion, and the safe state after every fault.

The clock of both sides is a number that the test advances, so that nothing depends on the speed of the machine.
"""

import itertools
import sys

import numpy as np
import pytest

can = pytest.importorskip("can")
canopen = pytest.importorskip("canopen")

from can.interfaces.virtual import VirtualBus  # noqa: E402

from symbody.errors import ModelError  # noqa: E402
from symbody.links import cia402  # noqa: E402
from symbody.links.canopen import BusLimits, DriveBus, SimulatedDrives  # noqa: E402
from symbody.links.canopen.objects import EMERGENCY, FEEDBACK, HEARTBEAT, PROCESS_DATA, SETPOINT, SYNC  # noqa: E402
from waiting import PATIENCE, eventually  # noqa: E402

NODES = tuple(range(1, 9))
LIMITS = BusLimits(answer=PATIENCE)
CHANNELS = itertools.count()
ROUNDING = 1e-9  # s


@pytest.fixture(autouse=True)
def _close_at_once(monkeypatch):
    """A thread that waits for frames looks more often whether its bus was closed."""
    monkeypatch.setattr(canopen.Network, "NOTIFIER_CYCLE", 0.02)


class TamperedBus(VirtualBus):
    """A virtual bus whose frames go through `tamper` (message → messages to send now) while it is set."""

    tamper = None

    def send(self, msg, timeout=None):
        for sent in [msg] if self.tamper is None else self.tamper(msg):
            super().send(sent, timeout)


class Ride:
    """A controller and eight drives on one bus, with one clock."""

    def __init__(self, limits=LIMITS, nodes=NODES):
        self.now, channel = 0.0, f"test-{next(CHANNELS)}"
        self.drive_side, self.controller_side = TamperedBus(channel), TamperedBus(channel)
        self.drives = SimulatedDrives(nodes, bus=self.drive_side, clock=lambda: self.now)
        self.bus = DriveBus(nodes, bus=self.controller_side, limits=limits, clock=lambda: self.now)
        self.nodes = nodes

    def close(self):
        self.drive_side.tamper = self.controller_side.tamper = None
        self.bus.close()
        self.drives.close()

    def settle(self):
        """Wait until the thread of the drives, then that of the controller, has read everything that was sent."""
        for side, listener in ((self.controller_side, self.drives), (self.drive_side, self.bus)):
            seen = []
            network = listener._network
            network.subscribe(0x7FF, lambda *_, seen=seen: seen.append(True))
            VirtualBus.send(side, can.Message(arbitration_id=0x7FF, is_extended_id=False))
            eventually(lambda seen=seen: seen)
            network.unsubscribe(0x7FF)

    def cycle(self, set_points=None):
        """One period: set points and SYNC, and the answers of all drives that answer."""
        found = self.bus.cycle(set_points)
        self.settle()
        self.now += self.bus.limits.period
        return found

    def start(self):
        self.bus.open()
        for _ in range(10):
            self.bus.enable()
            self.cycle()
        assert self.bus.state == "running", self.bus.reason
        self.goal = self.bus.feedback.position.copy()
        return self

    def move(self, cycles, speed=500):
        """Move all drives at a speed (increments a cycle); stops at the safe state."""
        for _ in range(cycles):
            if self.bus.state != "running":
                return
            self.goal += speed
            self.cycle(self.goal)

    def until_safe(self, most):
        """Move until the controller is safe; fails if that takes more than `most` seconds of the clock."""
        begun = self.now
        while self.bus.state != "safe":
            assert self.now - begun < most - ROUNDING, f"not safe after {self.now - begun:.3g} s"
            self.move(1)
        return self.now - begun

    def at_rest(self, nodes=None):
        """Run until the drives rest and are disabled."""
        for _ in range(200):
            self.cycle()
            drives = [self.drives.drives[n] for n in nodes or self.nodes]
            if all(d.speed == 0.0 and d.state != cia402.ENABLED for d in drives):
                return True
        return False


@pytest.fixture
def ride():
    made = Ride().start()
    yield made
    made.close()


def test_eight_drives_follow_their_set_points(ride):
    assert ride.bus.enable() is True
    ride.move(40)
    position = np.array([ride.drives.drives[n].position for n in NODES])
    np.testing.assert_array_equal(position, position[0])
    assert position[0] == pytest.approx(40 * 500, abs=2000)
    found = ride.cycle()
    assert set(found.states) == {cia402.ENABLED}
    assert np.abs(found.position - position).max() <= 500
    assert not ride.bus.counts


def test_the_drives_have_what_was_written_to_them(ride):
    node = ride.bus._drives[3].node
    assert node.sdo[0x6060].raw == cia402.MODES["cyclic position"].number
    assert node.sdo[0x6085].raw == LIMITS.deceleration
    assert node.sdo[0x1017].raw == 100
    assert node.sdo[0x1016][1].raw == 127 << 16 | 100
    assert node.sdo[0x1600][1].raw == 0x6040_0010
    assert node.sdo[0x1A00][2].raw == 0x6064_0020
    for parameters, mapping, base in ((0x1400, 0x1600, SETPOINT), (0x1800, 0x1A00, FEEDBACK)):
        assert node.sdo[parameters][1].raw == base + 3  # and the highest bit is not set: it is enabled
        assert node.sdo[parameters][2].raw == 1  # with each SYNC
        assert node.sdo[mapping][0].raw == 2


def drop(identifier):
    return lambda msg: [] if msg.arbitration_id == identifier else [msg]


def cut(msg):
    return []


def replaced(identifier, data):
    def tamper(msg):
        if msg.arbitration_id != identifier:
            return [msg]
        return [can.Message(arbitration_id=identifier, is_extended_id=False, data=data(bytes(msg.data)))]

    return tamper


def late(identifier, ride, delay):
    """Frames come `delay` s of the ride's clock later, with the next frame after that time."""
    held = []

    def tamper(msg):
        ready = [sent for at, sent in held if ride.now >= at]
        held[:] = [(at, sent) for at, sent in held if ride.now < at]
        if msg.arbitration_id == identifier:
            held.append((ride.now + delay, msg))
            return ready
        return [*ready, msg]

    return tamper


FAULTS = {
    "lost": lambda ride: drop(FEEDBACK + 4),
    "all lost": lambda ride: cut,
    "late": lambda ride: late(FEEDBACK + 4, ride, 6 * LIMITS.period),
    "short": lambda ride: replaced(FEEDBACK + 4, lambda data: data[:3]),
    "long": lambda ride: replaced(FEEDBACK + 4, lambda data: data + b"\0"),
    "no state": lambda ride: replaced(FEEDBACK + 4, lambda data: b"\x6e\0" + data[2:]),
    "far away": lambda ride: replaced(FEEDBACK + 4, lambda data: data[:2] + b"\0\0\0\x40"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_frames_that_are_lost_late_or_wrong_end_in_the_safe_state(ride, name):
    ride.move(10)
    ride.drive_side.tamper = FAULTS[name](ride)
    ride.until_safe(LIMITS.reaction)
    assert "no valid position" in ride.bus.reason
    if name != "all lost":
        assert "drive 4" in ride.bus.reason
    assert ride.at_rest()


def test_a_single_lost_or_wrong_frame_is_tolerated(ride):
    for tamper in (drop(FEEDBACK + 2), replaced(FEEDBACK + 2, lambda data: data[:5])):
        ride.drive_side.tamper = tamper
        ride.move(1)
        ride.drive_side.tamper = None
        ride.move(5)
    assert ride.bus.state == "running"
    assert ride.bus.counts == {"length": 1}


@pytest.mark.parametrize("state", ["running", "ready"])
def test_two_lost_frames_are_tolerated_and_three_are_a_fault(ride, state):
    """Before the first SYNC no frame is missing."""
    if state == "ready":
        ride.bus.stop()
        assert ride.at_rest()
        ride.bus.open()
    ride.drive_side.tamper = drop(FEEDBACK + 4)
    for _ in range(1 + LIMITS.tolerated):
        ride.cycle()
        assert ride.bus.state == state
    ride.cycle()
    assert ride.bus.reason == "drive 4: no valid position for 3 cycles"


def test_a_dead_drive_stops_the_others(ride):
    ride.move(10)
    ride.drives.alive.discard(6)
    ride.until_safe(LIMITS.reaction)
    assert "drive 6" in ride.bus.reason
    assert ride.at_rest([n for n in NODES if n != 6])


def test_positions_without_heartbeats_end_in_the_safe_state(ride):
    ride.drive_side.tamper = drop(HEARTBEAT + 5)
    longest = LIMITS.heartbeat + 2 * LIMITS.period
    ride.until_safe(longest)
    assert "drive 5: no heartbeat" in ride.bus.reason
    assert ride.at_rest()


def test_a_drive_with_a_fault_ends_in_the_safe_state(ride):
    ride.drives.fail(7)
    ride.until_safe(2 * LIMITS.period)
    assert "drive 7: emergency 3210h" in ride.bus.reason
    assert ride.at_rest()


def test_a_fault_in_the_status_word_alone_ends_in_the_safe_state(ride):
    ride.drives.drives[7].state = cia402.FAULT
    ride.until_safe(3 * LIMITS.period)
    assert ride.bus.reason == "drive 7: fault"


def test_a_drive_that_restarts_ends_in_the_safe_state(ride):
    ride.drives.restart(2)
    ride.until_safe(2 * LIMITS.period)
    assert ride.bus.reason == "drive 2: restarted"
    assert ride.at_rest()


def test_a_silent_controller_stops_the_drives(ride):
    """No frame of the controller reaches them: each drive stops after its own watchdog, and brakes at its limit."""
    ride.move(10)
    assert all(drive.speed > 0.0 for drive in ride.drives.drives.values())
    begun, fastest = ride.now, max(drive.speed for drive in ride.drives.drives.values())
    while any(drive.state != cia402.DISABLED for drive in ride.drives.drives.values()):
        ride.now += 1e-3
        ride.drives.poll()
        assert ride.now - begun < LIMITS.watchdog + fastest / LIMITS.deceleration + 0.01
    assert all(drive.speed == 0.0 for drive in ride.drives.drives.values())


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (lambda x: [float("nan"), *x[1:]], "not 8 numbers"),
        (lambda x: x[:3], "not 8 numbers"),
        (lambda x: [x[0] + LIMITS.step + 1, *x[1:]], "drive 1: set point 2001 increments away"),
    ],
)
def test_set_points_that_cannot_be_are_not_sent(ride, points, reason):
    before = ride.bus.feedback.position.tolist()
    ride.cycle(points(before))
    assert ride.bus.state == "safe"
    assert reason in ride.bus.reason
    assert [ride.drives.drives[n].position for n in NODES] == before


def test_a_bus_that_refuses_frames_is_safe(ride):
    def refuse(msg):
        raise can.CanOperationError("bus off")

    ride.controller_side.tamper = refuse
    ride.bus.cycle(ride.bus.feedback.position)
    assert ride.bus.state == "safe"
    assert "bus off" in ride.bus.reason


def test_after_the_safe_state_no_set_point_moves_a_drive(ride):
    ride.bus.stop()
    assert ride.at_rest()
    rest = ride.bus.feedback.position
    for _ in range(20):
        assert not ride.bus.enable()
        ride.cycle(rest + 1000)
    np.testing.assert_array_equal([ride.drives.drives[n].position for n in NODES], rest)
    ride.start()  # opened again, it runs
    ride.move(5)
    assert ride.bus.feedback.position[0] > rest[0]


def test_a_drive_that_does_not_answer_is_named():
    ride = Ride(BusLimits(answer=0.2), nodes=(3,))
    ride.drive_side.tamper = drop(0x580 + 3)
    try:
        with pytest.raises(ModelError, match="drive 3: No SDO response"):
            ride.bus.open()
        assert ride.bus.state == "off"
        with pytest.raises(ModelError, match="not open"):
            ride.bus.cycle()
    finally:
        ride.close()


def test_a_device_of_another_profile_is_refused():
    ride = Ride()
    ride.drives._nodes[1].sdo[0x1000].raw = 0x191
    try:
        with pytest.raises(ModelError, match="drive 1: device type 00000191h is not a drive"):
            ride.bus.open()
    finally:
        ride.close()


def test_a_flood_of_frames_is_a_fault(ride):
    ride.bus._arrived.extend([(FEEDBACK + 1, b"", 0.0)] * 5000)
    ride.bus.cycle()
    assert "frames in a cycle" in ride.bus.reason


def hear(ride, base, data, node=1):
    """A frame arrives at the controller; no drive sends any more."""
    ride.drive_side.tamper = cut
    ride.bus._noted(base + node, data, 0.0)
    ride.bus.cycle(ride.bus.feedback.position)
    return ride.bus


def at(position):
    return PROCESS_DATA.pack(0x27, position)  # operation enabled


@pytest.mark.parametrize(
    ("base", "data", "counted"),
    [
        (FEEDBACK, at(0)[:-1], "length"),
        (FEEDBACK, b"\x6e\0" + at(0)[2:], "status"),
        (FEEDBACK, at(2 * LIMITS.step + 1), "jump"),
        (FEEDBACK, at(-2 * LIMITS.step - 1), "jump"),
        (FEEDBACK, at(0), "repeated"),
        (HEARTBEAT, b"\5\0", "length"),
        (HEARTBEAT, b"", "length"),
        (EMERGENCY, b"\x10\x32" + bytes(5), "length"),
    ],
)
def test_frames_that_are_not_used_are_counted_once(ride, base, data, counted):
    before = ride.bus.feedback.position.tolist()
    assert before[0] == 0
    bus = hear(ride, base, data)
    assert bus.counts == {counted: 1}
    assert bus.feedback.position.tolist() == before
    assert bus.state == "running"


def test_the_largest_believed_change_grows_with_the_lost_cycles(ride):
    ride.drive_side.tamper = cut
    ride.cycle(ride.bus.feedback.position)
    ride.cycle(ride.bus.feedback.position)
    bus = hear(ride, FEEDBACK, at(4 * LIMITS.step))
    assert bus.feedback.position[0] == 4 * LIMITS.step
    assert not bus.counts


def test_an_error_that_has_ended_is_no_emergency(ride):
    assert hear(ride, EMERGENCY, bytes(8)).state == "running"
    assert hear(ride, EMERGENCY, b"\0\0\x81" + bytes(5)).state == "running"  # its register is no code
    assert hear(ride, EMERGENCY, b"\0\x10\x81" + bytes(5)).reason == "drive 1: emergency 1000h"


@pytest.mark.parametrize(("said", "reason"), [(4, "left the operational state (4)"), (0, "restarted"), (127, "(127)")])
def test_a_drive_that_leaves_operation_ends_in_the_safe_state(ride, said, reason):
    assert hear(ride, HEARTBEAT, bytes([5 | 0x80])).state == "running"  # the highest bit is not a state
    bus = hear(ride, HEARTBEAT, bytes([said]), 8)
    assert bus.state == "safe"
    assert bus.reason.startswith("drive 8: ")
    assert bus.reason.endswith(reason)
    bus.stop("another reason")
    assert bus.reason.endswith(reason)


@pytest.mark.parametrize("far", [LIMITS.step, -LIMITS.step])
def test_the_largest_step_is_sent_and_rounded(ride, far):
    sent = []
    ride.controller_side.tamper = lambda msg: sent.append(msg) or [msg]
    ride.bus.cycle(np.array([far, 0.6, *6 * [0.0]]))
    assert ride.bus.state == "running"
    goals = [PROCESS_DATA.unpack(m.data)[1] for m in sent if m.arbitration_id & ~0x7F == SETPOINT]
    assert goals == [far, 1, *6 * [0]]
    assert [m.arbitration_id for m in sent[-2:]] == [SYNC, HEARTBEAT + 127]
    assert bytes(sent[-1].data) == b"\5"


def test_every_drive_gets_a_quick_stop_although_frames_are_refused(ride):
    sent = []

    def refuse(msg):
        sent.append(msg.arbitration_id)
        raise can.CanOperationError("bus off")

    ride.controller_side.tamper = refuse
    ride.bus.stop("enough")
    assert ride.bus.reason == "enough"
    assert sent == [*(SETPOINT + node for node in NODES), SYNC]


def test_a_closed_bus_is_off_and_its_drives_have_stopped(ride):
    sent = []
    ride.controller_side.tamper = lambda msg: sent.append((msg.arbitration_id, bytes(msg.data))) or [msg]
    with ride.bus as bus:
        assert bus is ride.bus
    assert bus.state == "off"
    assert bus.reason == "closed"
    words = [PROCESS_DATA.unpack(data)[0] for identifier, data in sent if identifier & ~0x7F == SETPOINT]
    assert words == 8 * [cia402.control_word("quick stop")]
    assert [data for identifier, data in sent if identifier == 0] == [bytes([0x80, node]) for node in NODES]
    count = len(sent)
    bus.close()
    assert len(sent) == count


def test_answers_that_wait_and_their_time(ride):
    ride.now += 1.0
    assert ride.bus.answered == NODES
    ride.drive_side.tamper = cut
    ride.bus.cycle()
    assert ride.bus.answered == ()
    ride.bus._noted(HEARTBEAT + 2, b"\5", 0.0)
    heard = ride.bus.heard
    assert ride.bus.answered == ()
    assert heard < ride.now
    ride.bus._noted(FEEDBACK + 3, at(0), 0.0)
    assert ride.bus.answered == (3,)
    assert ride.bus.heard == ride.now


def test_frames_up_to_a_flood_are_read(ride):
    ride.drive_side.tamper = cut
    ride.bus.cycle()
    for _ in range(4095):
        ride.bus._noted(FEEDBACK + 1, b"", 0.0)
    ride.bus.cycle()
    assert ride.bus.state == "running"
    assert ride.bus.counts["length"] == 4095


def test_limits_have_their_documented_values_and_smallest_values():
    limits = BusLimits()
    assert (limits.period, limits.tolerated, limits.heartbeat, limits.watchdog) == (0.01, 2, 0.3, 0.1)
    assert (limits.step, limits.deceleration, limits.answer) == (2000, 200_000, 0.5)
    assert limits.reaction == pytest.approx(0.04)
    least = BusLimits(period=1e-3, tolerated=0, heartbeat=1e-3, watchdog=1.1e-3, step=1, deceleration=1, answer=1e-3)
    assert least.reaction == pytest.approx(2e-3)


@pytest.mark.parametrize("nodes", [(), (1, 1), (0, 1), (1, 127), (1, 500)])
def test_invalid_node_numbers_are_refused(nodes):
    with pytest.raises(ModelError, match=r"invalid nodes .*give different numbers from 1 to 126"):
        DriveBus(nodes)


@pytest.mark.parametrize("adapter", ["virtual", ":can0", "socketcan:", "nothing-like-this:can0"])
def test_an_adapter_that_cannot_be_opened_is_refused(adapter):
    with pytest.raises(ModelError, match=r"not an adapter|cannot open"):
        DriveBus(NODES, adapter)


@pytest.mark.parametrize("limits", [
    {"period": 0.0}, {"watchdog": 0.005}, {"watchdog": 0.01}, {"heartbeat": float("nan")}, {"heartbeat": float("inf")},
    {"answer": 0.9e-3}, {"step": 0}, {"tolerated": -1}, {"deceleration": 0},
])  # fmt: skip
def test_invalid_limits_are_refused(limits):
    with pytest.raises(ModelError):
        BusLimits(**limits)


@pytest.mark.parametrize("package", ["can", "canopen"])
def test_without_the_packages_it_says_how_to_get_them(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelError, match=rf"the package {package} is not installed.*symbody\[canopen\]"):
        DriveBus(NODES)


def test_identifiers_are_those_of_the_predefined_connection_set():
    assert (SYNC, FEEDBACK, SETPOINT, HEARTBEAT) == (0x80, 0x180, 0x200, 0x700)


# -- configuration -----------------------------------------------------------------------------------------------------


def test_times_are_written_in_milliseconds():
    ride = Ride(BusLimits(heartbeat=6.0, watchdog=2.0, answer=7.0), nodes=(3,)).start()
    try:
        sdo = ride.bus._drives[3].node.sdo
        assert (sdo[0x1017].raw, sdo[0x1016][1].raw) == (2000, 127 << 16 | 2000)
        assert sdo.RESPONSE_TIMEOUT == 7.0
    finally:
        ride.close()


def test_the_bit_rate_is_a_million_bits_per_second(monkeypatch):
    opened = []

    def refused(*adapter):
        opened.append(adapter)
        raise ModelError("no bus here")

    monkeypatch.setattr("symbody.links.canopen.drive_bus.opened_bus", refused)
    for options in ({}, {"bitrate": 250_000}):
        with pytest.raises(ModelError, match="no bus here"):
            DriveBus(NODES, "virtual:here", **options)
    assert opened == [("virtual:here", 1_000_000), ("virtual:here", 250_000)]


def test_a_bus_that_was_opened_knows_nothing_of_its_drives(ride):
    ride.bus.stop()
    ride.drive_side.tamper = cut
    ride.bus._noted(FEEDBACK + 1, at(0), 0.0)  # of the time before
    ride.drive_side.tamper = None
    ride.now += 10.0  # no heartbeat came meanwhile
    sent = []
    ride.controller_side.tamper = lambda msg: sent.append((msg.arbitration_id, bytes(msg.data))) or [msg]
    ride.bus.open()
    assert ride.bus.answered == ()
    commands = [bytes([command, node]) for command in (0x80, 1) for node in NODES]  # not operational, operational
    assert [data for identifier, data in sent if identifier == 0] == commands
    assert sent[-1] == (HEARTBEAT + 127, b"\5")
    assert ride.bus._drives[1].node.sdo[0x1600][0].raw == 2  # objects of a set point, not four
    assert (ride.bus.state, ride.bus.reason) == ("ready", "")
    assert set(ride.bus.feedback.states) == {cia402.NOT_READY}
    assert not ride.bus.enable()
    ride.bus._arrived.clear()
    for drive in ride.drives.drives.values():
        drive.position += 1_000_000  # moved by hand
    ride.start()
    assert ride.bus.feedback.position.min() > 900_000
    assert not ride.bus.counts


def test_a_new_bus_has_heard_nothing():
    ride = Ride(nodes=(3,))
    try:
        assert (ride.bus.state, ride.bus.reason, ride.bus.heard) == ("off", "", 0.0)
        assert ride.bus.feedback.position.tolist() == [0]
        assert not ride.bus.enable()
        ride.bus.close()
        assert ride.bus._network.bus is None  # released, although no drive was configured
    finally:
        ride.close()


def test_4096_frames_in_a_cycle_are_a_flood(ride):
    ride.drive_side.tamper = cut
    ride.bus.cycle()
    for _ in range(4096):
        ride.bus._noted(FEEDBACK + 1, b"", 0.0)
    ride.bus.cycle()
    assert ride.bus.reason == "more than 4096 frames in a cycle"


def test_a_heartbeat_may_come_as_late_as_its_limit():
    ride = Ride(BusLimits(heartbeat=0.25, answer=PATIENCE)).start()
    try:
        ride.now = 8.0
        for beat, state in ((7.75, "running"), (7.749, "safe")):
            ride.bus._arrived.clear()
            for drive in ride.bus._drives.values():
                drive.beat, drive.fresh = beat, True
            ride.bus._judge(ride.now)
            assert ride.bus.state == state
    finally:
        ride.close()


def test_a_drive_sends_a_heartbeat_each_millisecond_at_most():
    ride = Ride(BusLimits(heartbeat=1e-3, answer=PATIENCE), nodes=(3,))
    try:
        ride.bus.open()
        assert ride.bus._drives[3].node.sdo[0x1017].raw == 1
    finally:
        ride.close()


def test_an_error_without_words_has_its_name(monkeypatch):
    ride = Ride(nodes=(3,))
    try:

        def fail(node):
            raise OSError

        monkeypatch.setattr(ride.bus, "_configure", fail)
        with pytest.raises(ModelError, match="drive 3: OSError"):
            ride.bus.open()
    finally:
        ride.close()
