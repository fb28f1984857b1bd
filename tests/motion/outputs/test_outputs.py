"""Outputs of a ride: references reach drives over CANopen, UDP and a serial line, and every fault stops the ride.

The clock of the bus is a number that the test advances. Tests of motion/outputs and of the inputs `output_fault`,
`output_busy` and `output_age` of the supervisor.
"""

import os
import time

import numpy as np
import pytest

from c_stage import CStage
from output_bus import DATA, NEUTRAL, Bus, sample
from symbody.errors import ModelError
from symbody.links.serial_port import SerialTransport
from symbody.links.udp import UdpTransport
from symbody.motion.data import ACTUATORS, AXES
from symbody.motion.drives import resolutions
from symbody.motion.geometry import inverse_geometry
from symbody.motion.outputs import OutputThread, PacketOutput, PlatformReceiver, opened_output, udp_receiver
from symbody.motion.outputs.output_thread import SENT
from symbody.motion.outputs.packet_output import FAR, MEASURED, SET_POINTS, SILENCE
from symbody.motion.safety.loop_supervisor import REASONS, SILENT, STATES, LoopSupervisor
from symbody.realtime.chain import Chain, Stage
from waiting import PATIENCE, eventually

STEP = 1e-3  # s


# -- CANopen -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def bus():
    made = Bus()
    yield made
    made.close()


def positions(bus):
    return np.array([drive.position for drive in bus.drives.drives.values()])


def test_drives_on_a_bus_follow_the_actuators(bus):
    bus.started()
    for k in range(60):
        bus.write(sample(q=NEUTRAL + 1e-4 * k))
    bus.write(sample(q=NEUTRAL + 59e-4), 3)
    np.testing.assert_allclose(positions(bus) * resolutions(DATA), 59e-4, atol=2.0 * resolutions(DATA).max())


def test_the_delay_is_measured_from_the_loop_to_the_answer(bus):
    bus.started()
    for _ in range(3):
        sent = bus.now
        bus.output.write(sample(at=sent - 4e-3))
        bus.now += 1e-3  # the answers come 1 ms later
        bus.settle()
        bus.output.bus.heard = bus.now
        bus.now += bus.output.period
    assert bus.write(sample()).delay == pytest.approx(5e-3, abs=1e-9)


FAULTS = {
    "a dead drive": lambda bus: bus.drives.alive.discard(6),
    "a drive with a fault": lambda bus: bus.drives.fail(7),
    "a drive that restarts": lambda bus: bus.drives.restart(2),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_on_the_bus_is_a_fault_of_the_output_in_time(bus, name):
    bus.started().write(sample(), 5)
    FAULTS[name](bus)
    begun = bus.now
    while not (status := bus.write(sample())).fault:
        assert bus.now - begun < bus.output.bus.limits.reaction + bus.output.period
    assert "drive" in status.fault


def test_a_fault_of_the_ride_stops_the_drives_and_off_opens_the_bus_again(bus):
    bus.started().write(sample(), 3)
    assert bus.write(sample("fault"), 2).fault == "the ride has a fault"
    for _ in range(300):
        status = bus.write(sample("off"))
    assert not status.fault


def test_drives_return_slowly_to_neutral_during_homing(bus):
    bus.started()
    for k in range(40):
        bus.write(sample(q=NEUTRAL + 2e-4 * k))
    bus.write(sample("fault"), 3)
    bus.write(sample("off"), 200)
    status = bus.write(sample("homing"))
    assert status.busy
    before = positions(bus)
    bus.write(sample("homing"), 5)
    moved = np.abs(positions(bus) - before) * resolutions(DATA)
    assert moved.max() < 0.05 * 6 * bus.output.period  # m: the speed of homing
    for _ in range(200):
        status = bus.write(sample("homing"))
    assert not status.busy
    np.testing.assert_allclose(positions(bus), 0.0, atol=1.0)


# -- packets -----------------------------------------------------------------------------------------------------------


def udp_pair():
    receiver = udp_receiver(("127.0.0.1", 0))
    return UdpTransport(SET_POINTS, MEASURED, partner=receiver._transport.address), receiver


def exchanged(output, receiver, given, measured, until):
    """Exchange until a condition on the status holds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        receiver.exchange(measured)
        status = output.write(given)
        if until(status):
            return status
        time.sleep(STEP)
    raise AssertionError(status)


@pytest.fixture
def line():
    sender, receiver = udp_pair()
    output, partner = PacketOutput(sender, "test", DATA), receiver
    yield output, partner
    output.close()
    partner.close()


def test_a_ride_waits_for_its_partner_who_then_has_its_set_points(line):
    output, partner = line
    assert "not answered" in output.write(sample("off")).fault
    given = sample(q=NEUTRAL + 1e-3, rates=np.full(8, 0.01))
    status = exchanged(output, partner, given, NEUTRAL, lambda s: not s.fault and partner.state == "running")
    np.testing.assert_allclose(partner.q, NEUTRAL + 1e-3)
    np.testing.assert_allclose(partner.rates, 0.01)
    assert 0.0 < output.link.round_trips[-1] < PATIENCE
    assert status.delay >= output.link.round_trips[-1]


def test_a_silent_partner_and_a_silent_ride_are_noticed(line):
    output, partner = line
    exchanged(output, partner, sample(), NEUTRAL, lambda s: not s.fault)
    begun = time.monotonic()
    eventually(lambda: "no valid answer" in output.write(sample()).fault)
    assert time.monotonic() - begun >= SILENCE
    eventually(lambda: not partner.exchange(NEUTRAL))


@pytest.mark.parametrize("bad", [FAR + 1e-3, float("nan")])
def test_a_partner_that_is_elsewhere_is_a_fault(line, bad):
    output, partner = line
    exchanged(output, partner, sample(), NEUTRAL, lambda s: not s.fault)
    away = NEUTRAL.copy()
    away[3] += bad
    words = "rod2 is" if np.isfinite(bad) else "no valid answer"
    exchanged(output, partner, sample(), away, lambda s: words in s.fault)


def test_homing_waits_until_the_partner_is_at_neutral(line):
    output, partner = line
    assert exchanged(output, partner, sample("homing"), NEUTRAL + 0.01, lambda s: not s.fault).busy
    exchanged(output, partner, sample("homing"), NEUTRAL, lambda s: not s.busy)


@pytest.mark.posix
def test_a_serial_line_carries_set_points_and_answers():
    pytest.importorskip("serial")
    ours, theirs = os.openpty()
    import tty

    tty.setraw(ours)
    tty.setraw(theirs)
    partner = PlatformReceiver(SerialOverDescriptor(ours))
    output = PacketOutput(SerialTransport(SET_POINTS, MEASURED, os.ttyname(theirs)), "serial", DATA)
    try:
        exchanged(output, partner, sample(), NEUTRAL, lambda s: not s.fault and partner.state == "running")
        np.testing.assert_allclose(partner.q, NEUTRAL)
    finally:
        output.close()
        os.close(ours)
        os.close(theirs)


class SerialOverDescriptor(SerialTransport):
    """The other end of a pseudo terminal, which has no name."""

    def __init__(self, descriptor):
        super().__init__(MEASURED, SET_POINTS, "/nowhere")
        os.set_blocking(descriptor, False)
        self._port, self._descriptor = self, descriptor
        self.in_waiting, self.timeout = 4096, 0.0

    def read(self, size):
        try:
            return os.read(self._descriptor, size)
        except BlockingIOError:
            return b""

    def write(self, data):
        os.write(self._descriptor, data)

    def _drop(self):
        pass


@pytest.mark.parametrize("text", ["can", "can:", "usb:1", "udp:here:x", ""])
def test_unknown_outputs_are_refused(text):
    with pytest.raises(ModelError):
        opened_output(text, DATA)


# -- in the loop -------------------------------------------------------------------------------------------------------


class Recorded:
    """An output that keeps what it gets; `fault` is its answer."""

    name, period, fault = "recorded", 1e-3, ""

    def __init__(self):
        self.samples = []

    def write(self, given):
        self.samples.append(given)
        if self.fault == "broken":
            raise RuntimeError("a broken output")
        from symbody.motion.outputs import OutputStatus

        return OutputStatus(self.fault, 2e-3)

    def close(self):
        self.samples.append("closed")


def test_the_thread_gives_actuators_to_the_output_and_its_fault_to_the_loop():
    thread = OutputThread(Recorded(), DATA)
    outbox, inbox = CStage(thread.outbox), CStage(thread.inbox)
    axes = DATA.neutral_axes + 0.01
    values = [STATES.index("running"), *axes, *np.zeros(8)]
    outbox.step(**dict(zip(SENT, values, strict=True)))
    thread.step()
    found = thread.output.samples[-1]
    assert found.state == "running"
    np.testing.assert_allclose(found.q, np.asarray(inverse_geometry(axes, DATA)[0], dtype=float), atol=1e-12)
    np.testing.assert_allclose(inbox.step(), [0.0, 0.0, 2e-3, 0.0])
    thread.output.fault = "broken"
    thread.step()
    assert inbox.step()[0] == 1.0
    assert "a broken output" in thread.line
    thread.close()
    assert thread.output.samples[-1] == "closed"


class Clocked(Recorded):
    """An output that notes when it is written to, and takes some time for each sample."""

    period = 10e-3

    def __init__(self, takes):
        super().__init__()
        self.now, self.at, self._takes = 0.0, [], takes

    def write(self, given):
        self.at.append(self.now)
        self.now += self._takes(len(self.at) - 1)
        return super().write(given)


def clocked(takes, until):
    """Instants at which samples leave, by a simulated clock: the thread's own waiting, without its thread."""
    output = Clocked(takes)
    thread = OutputThread(output, DATA, clock=lambda: output.now)
    while output.now < until:
        output.now += thread.pace.wait(output.now)
        thread.step()
    return np.array(output.at), thread


@pytest.mark.parametrize("seed", range(10))
def test_references_leave_on_the_grid_of_their_period_also_when_the_loop_is_busy(seed):
    """Work of less than a period moves no instant; a stall skips instants, and none is made up for."""
    rng = np.random.default_rng(seed)
    period, busy = Clocked.period, rng.uniform(0.0, 0.95, 400)
    at, thread = clocked(lambda k: busy[k % 400] * period, 3.0)
    np.testing.assert_allclose(at, period * np.arange(len(at)), atol=1e-9)
    assert thread.pace.skipped == 0
    stalls = dict(zip((3 * rng.choice(60, 5, replace=False)).tolist(), rng.uniform(1.0, 7.0, 5), strict=True))
    at, thread = clocked(lambda k: stalls.get(k, 0.0) * period, 3.0)
    begun, after = at / period, np.array([k + 1 for k in stalls])
    np.testing.assert_allclose(begun[after] - begun[after - 1], list(stalls.values()), atol=1e-6)
    others = np.setdiff1d(np.arange(len(at)), after)
    np.testing.assert_allclose(begun[others], np.round(begun[others]), atol=1e-6)
    assert thread.pace.skipped == sum(int(x) - 1 for x in stalls.values())
    assert len(set(np.floor(begun + 1e-6))) == len(at)  # one sample in a period


def test_a_loop_that_is_late_holds_its_reference_and_a_silent_one_is_a_fault():
    output = Clocked(lambda k: 0.0)
    thread = OutputThread(output, DATA, clock=lambda: output.now)
    stage = CStage(thread.outbox)
    thread.step()
    assert output.samples == [None]  # a loop that has not begun is not silent
    stage.step(**dict(zip(SENT, [STATES.index("running"), *DATA.neutral_axes, *np.zeros(8)], strict=True)))
    thread.step()
    assert output.samples[-1].state == "running"
    allowed = int(SILENT / output.period)
    for _ in range(allowed):
        thread.step()
        assert output.samples[-1] is None  # drives keep their set points, at their period
    thread.step()
    assert output.samples[-1].state == "fault"
    np.testing.assert_allclose(output.samples[-1].q, NEUTRAL, atol=1e-12)
    stage.step()
    thread.step()
    assert output.samples[-1].state == "running"


def test_sync_frames_of_the_bus_keep_their_period_by_the_clock_of_the_bus(bus):
    """SYNC on the virtual bus, while the loop posts at random times: one in each period, with the newest set points."""
    seen = []
    bus.drives._network.subscribe(0x80, lambda *_: seen.append(bus.now))
    thread = OutputThread(bus.output, DATA, clock=lambda: bus.now)
    stage, rng = CStage(thread.outbox), np.random.default_rng(0)
    for k in range(80):
        if k < 12 or rng.random() < 0.6:
            values = [STATES.index("off" if k < 12 else "running"), *DATA.neutral_axes, *np.zeros(8)]
            stage.step(**dict(zip(SENT, values, strict=True)))
        bus.now += thread.pace.wait(bus.now)
        thread.step()
        bus.settle()
        bus.now += rng.uniform(0.0, 0.9) * bus.output.period  # the loop and others keep the processor busy
    assert bus.output.bus.state == "running"
    apart = np.diff(seen)
    np.testing.assert_allclose(apart, bus.output.period, atol=1e-9)
    assert len(seen) >= 70
    assert thread.pace.skipped == 0


METHODS = ("one, hexapod", "one, table")


class OutputRide:
    """A supervisor with an output in one chain, without a clock: `run` also steps the output, every 10 samples."""

    def __init__(self, output, beside=lambda: None):
        self.thread, self._beside = OutputThread(output, DATA), beside
        given = {f"output_{name}": f"output.{name}" for name in ("fault", "busy", "age")}
        sent = {name: name for name in SENT} | {"state": "ride.state"}
        stages = [
            Stage(self.thread.inbox, prefix="output."),
            Stage(LoopSupervisor(DATA, METHODS), given),
            Stage(self.thread.outbox, sent),
        ]
        self.stage = CStage(Chain("output ride", stages))
        self.states = []

    def run(self, samples):
        for k in range(samples):
            sway = 0.02 * np.sin(2e-3 * self.stage.steps)
            row = self.stage.step(**{"one, table.x": sway})
            self.states.append(STATES[int(row[self.stage.model.outputs.index("ride.state")])])
            if k % 10 == 9:
                self.thread.step()
                self._beside()
        return self.states[-1]


def beside_bus(bus):
    def beside():
        bus.settle()
        bus.now += bus.output.period

    return beside


@pytest.mark.parametrize("name", [*FAULTS, "a bus that refuses frames"])
def test_each_fault_on_the_bus_stops_the_running_ride_within_its_time(bus, name):
    ride = OutputRide(bus.output, beside_bus(bus))
    assert ride.run(2500) == "running"
    moved = positions(bus) * resolutions(DATA)
    assert np.abs(moved[2:]).max() > 1e-3
    if name in FAULTS:
        FAULTS[name](bus)
    else:
        bus.output.bus._send = refused
    most = bus.output.bus.limits.reaction + 2.0 * bus.output.period + STEP
    ride.run(round(most / STEP))
    assert ride.states[-1] in ("stopping", "fault")
    assert ride.run(500) == "fault"
    assert "drive" in ride.thread.status.fault or "refuses" in ride.thread.status.fault
    alive = [drive for node, drive in bus.drives.drives.items() if node in bus.drives.alive]
    before = np.array([drive.position for drive in alive])
    ride.run(200)
    np.testing.assert_array_equal([drive.position for drive in alive], before)


def refused(goals):
    raise OSError("bus off")


def test_udp_carries_the_running_ride_and_silence_stops_it(line):
    output, partner = line
    answering = [True]

    def beside():
        if answering[0]:
            partner.exchange(partner.q if partner.state != "off" else NEUTRAL)
        time.sleep(STEP)

    ride = OutputRide(output, beside)
    end = time.monotonic() + PATIENCE
    while ride.run(100) != "running" and time.monotonic() < end:
        pass
    ride.run(500)
    assert partner.state == "running"
    assert np.abs(partner.q - NEUTRAL).max() > 1e-4
    assert 0.0 < ride.thread.status.delay < PATIENCE
    answering[0] = False
    end = time.monotonic() + PATIENCE
    while ride.run(100) != "fault" and time.monotonic() < end:
        pass
    assert ride.states[-1] == "fault"
    assert "no valid answer" in ride.thread.status.fault


def riding(**inputs):
    ride = CStage(LoopSupervisor(DATA, METHODS))
    run = ride.run(2000, lambda k: inputs)
    return ride, STATES[int(run["ride.state"][-1])]


def test_a_ride_does_not_begin_without_its_output():
    assert riding(output_fault=1.0)[1] == "off"
    assert riding(output_busy=1.0)[1] == "homing"


@pytest.mark.parametrize("fault", [{"output_fault": 1.0}, {"output_age": SILENT + 1e-3}, {"output_age": float("nan")}])
def test_a_fault_of_the_output_stops_the_ride_in_one_sample(fault):
    ride, state = riding()
    assert state == "running"
    run = ride.run(400, lambda k: fault | {f"one, table.{axis}": 0.0 for axis in AXES})
    assert STATES[int(run["ride.state"][0])] in ("stopping", "fault")
    assert STATES[int(run["ride.state"][-1])] == "fault"
    assert REASONS[int(run["ride.reason"][-1])] == "the output to the drives failed"
    assert len(ACTUATORS) == 8
