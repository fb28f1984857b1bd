"""Devices behind one interface: their mechanics against analytic solutions, their lines against noise."""

import os
import struct
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.links.devices import (
    Hand,
    Handle,
    Joystick,
    Pointer,
    Remote,
    Replay,
    SimulatedAdmittance,
    SimulatedImpedance,
)
from symbody.links.link import LinkEnd
from symbody.links.packet import MAX_BYTES, channel_code, pack, unpack
from symbody.links.rejected import Rejected
from symbody.links.serial_port import SerialTransport, cobs_decode, cobs_encode
from symbody.links.udp import UdpTransport
from symbody.results.run import Run
from waiting import wait_for


class Clock:
    """Time as a test wants it."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def driven(device, clock, until, force=lambda x, v: 0.0, dt=1e-3):
    """Positions and velocities as measured, under a force of them."""
    found = []
    for _ in range(round(until / dt)):
        clock.now += dt
        measured = device.read()
        found.append(measured)
        device.command(np.atleast_1d(force(*np.split(measured, 2))))
    return np.array(found)


def impedance(clock, step=2e-4, **handle):
    return SimulatedImpedance(("x",), Handle(**handle), step=step, clock=clock)


# -- mechanics --------------------------------------------------------------------------------------------------------


def test_a_handle_coasts_as_viscous_damping_lets_it():
    """v = v0 exp(−b t/M)."""
    clock = Clock()
    device = impedance(clock, inertia=0.5, damping=2.0)
    device.v = np.array([1.0])
    driven(device, clock, 0.5)
    assert device.v[0] == pytest.approx(np.exp(-2.0), rel=3e-3)  # of first order, steps of 0.2 ms
    assert device.x[0] == pytest.approx(0.5 / 2.0 * (1.0 - np.exp(-2.0)), rel=3e-3)


def test_dry_friction_stops_a_handle_and_holds_it():
    """Stop after M v0/f_c, at M v0²/(2 f_c); then a force below f_c moves nothing, one above it moves."""
    clock = Clock()
    device = impedance(clock, inertia=0.5, damping=0.0, friction=2.0)
    device.v = np.array([1.0])
    found = driven(device, clock, 0.5)
    stopped = np.argmax(found[:, 0] == found[-1, 0]) * 1e-3
    assert stopped == pytest.approx(0.25, abs=2e-3)
    assert device.x[0] == pytest.approx(0.125, rel=1e-3)
    rest = device.x[0]
    driven(device, clock, 0.5, lambda x, v: 1.99)
    assert device.x[0] == rest
    driven(device, clock, 0.5, lambda x, v: 2.5)
    assert device.x[0] == pytest.approx(rest + 0.5 * (2.5 - 2.0) / 0.5 * 0.5**2, rel=0.01)


def test_friction_takes_the_same_from_each_swing():
    """On a spring, amplitudes fall by 2 f_c/k each half swing: Coulomb's own law."""
    clock = Clock()
    k, f_c = 200.0, 1.0
    device = SimulatedImpedance(
        ("x",), Handle(inertia=0.5, damping=0.0, friction=f_c), Hand(stiffness=k), step=1e-4, clock=clock
    )
    device.x = np.array([0.1])
    x = driven(device, clock, 1.2)[:, 0]
    turns = [abs(x[i]) for i in range(1, len(x) - 1) if (x[i] - x[i - 1]) * (x[i + 1] - x[i]) < 0.0]
    np.testing.assert_allclose(np.diff([0.1, *turns]), -2.0 * f_c / k, atol=2e-4)
    assert len(turns) >= 5


def test_a_command_acts_after_the_delay_and_up_to_the_limit():
    clock = Clock()
    device = impedance(clock, inertia=1.0, damping=0.0, limit=3.0, delay=0.05)
    clock.now += 0.01
    device.read()
    device.command(np.array([100.0]))
    clock.now += 0.0499
    assert device.read()[0] == 0.0
    for _ in range(10):
        clock.now += 0.1
        device.read()
    assert device.v[0] == pytest.approx(3.0 * 1.0, rel=0.01)  # at 3 N, not at 100 N
    device.safe()
    speed = device.v[0]
    clock.now += 0.05
    device.read()
    assert device.v[0] == speed  # at once, without the delay


def test_an_encoder_knows_whole_steps_only():
    clock = Clock()
    resolution = np.deg2rad(0.0225)
    device = impedance(clock, inertia=0.01, damping=0.1, resolution=resolution)
    found = driven(device, clock, 0.3, lambda x, v: 0.01)
    steps = found[:, 0] / resolution
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert abs(found[-1, 0] - device.x[0]) <= resolution / 2
    assert len(np.unique(found[:, 0])) > 5
    assert np.mean(found[-100:, 1]) == pytest.approx(device.v[0], rel=0.05)


def test_delay_in_the_loop_makes_a_virtual_wall_unstable():
    """A spring of k over a delay τ feeds energy unless b > k τ: what a haptic device suffers from."""

    def late_amplitude(damping):
        clock = Clock()
        device = impedance(clock, inertia=0.5, damping=damping, delay=0.02)
        device.x = np.array([0.01])
        device._measured[0] = 0.01
        return np.max(np.abs(driven(device, clock, 2.0, lambda x, v: -200.0 * x)[-500:, 0]))

    assert late_amplitude(damping=2.0) > 0.05  # 2 < 200 · 0.02
    assert late_amplitude(damping=8.0) < 0.005


def test_several_axes_have_numbers_of_their_own():
    clock = Clock()
    device = SimulatedImpedance(("x", "y"), Handle(inertia=(1.0, 2.0), damping=0.0), step=1e-4, clock=clock)
    assert device.measures == ("x.q", "y.q", "x.qd", "y.qd")
    device.command(np.array([2.0, 2.0]))
    for _ in range(20):
        clock.now += 0.05
        device.read()
    np.testing.assert_allclose(device.v, [2.0, 1.0], rtol=1e-2)


def test_an_admittance_device_follows_and_feels_the_hand():
    """It goes where it is sent, 2/ω late on a ramp without ṙ, and measures k (r − x) − c v of the hand, τ late."""
    clock = Clock()
    hand = Hand(stiffness=300.0, damping=5.0, wants=lambda t: 0.02)
    device = SimulatedAdmittance(("x",), Handle(delay=0.02, bandwidth=100.0), hand, step=1e-4, clock=clock)
    speed, forces, positions = 0.05, [], []
    for k in range(1000):
        clock.now += 1e-3
        forces.append(device.read()[0])
        positions.append(device.x[0])
        device.command(np.array([speed * k * 1e-3, 0.0]))
    assert speed * 0.999 - device.x[0] == pytest.approx(speed * 2.0 / 100.0, rel=0.03)
    assert device.v[0] == pytest.approx(speed, rel=0.01)
    felt = 300.0 * (0.02 - positions[-21]) - 5.0 * speed
    assert forces[-1] == pytest.approx(felt, abs=0.05)
    device.safe()
    at = device.x[0]
    for _ in range(10):
        clock.now += 0.1
        device.read()
    assert abs(device.v[0]) < 1e-6
    assert abs(device.x[0] - at) < speed / 100.0  # within a servo's time constant


def test_a_servo_with_little_force_is_slow():
    clock = Clock()
    device = SimulatedAdmittance(("x",), Handle(inertia=2.0, limit=1.0), step=1e-4, clock=clock)
    device.command(np.array([10.0, 0.0]))
    for _ in range(5):
        clock.now += 0.1
        device.read()
    assert device.v[0] == pytest.approx(0.5 * 0.5, rel=0.01)  # u_max t/M


def test_a_process_that_slept_finds_the_device_where_it_was():
    clock = Clock()
    device = impedance(clock, step=1e-3, damping=0.0)
    device.v = np.array([1.0])
    clock.now += 1000.0
    device.read()
    assert device.x[0] <= 0.1 + 1e-9


# -- recordings, pointers, game controllers ---------------------------------------------------------------------------


def test_a_replay_says_what_was_recorded():
    clock = Clock()
    run = Run(None, np.array([5.0, 5.1, 5.2]), np.array([[1.0, 9.0], [2.0, 9.0], [3.0, 9.0]]), names=["x", "other"])
    device = Replay(run, ["x"], ["f"], clock=clock)
    said = []
    for _ in range(5):
        said.append(float(device.read()[0]))
        device.command(np.array([said[-1]]))
        clock.now += 0.06
    np.testing.assert_array_equal(said, [1.0, 1.0, 2.0, 2.0, np.nan])
    assert [t for t, _ in device.commands] == pytest.approx([0.0, 0.06, 0.12, 0.18, 0.24])
    again = Replay(run, ["x"], again=True, clock=clock)
    clock.now += 0.31
    assert again.read()[0] == 2.0


def test_a_pointer_that_nobody_feeds_is_not_believed():
    clock = Clock()
    device = Pointer(clock=clock)
    assert np.all(np.isnan(device.read()))
    device.feed(1.0, 2.0)
    np.testing.assert_array_equal(device.read(), [1.0, 2.0])
    device.command(np.array([3.0, 4.0]))
    np.testing.assert_array_equal(device.force, [3.0, 4.0])
    clock.now += 1.0
    assert np.all(np.isnan(device.read()))
    device.feed(1.0)  # one number of two
    assert np.all(np.isnan(device.read()))
    device.close()
    np.testing.assert_array_equal(device.force, [0.0, 0.0])


@pytest.mark.posix
def test_a_game_controller_as_the_kernel_tells_it(tmp_path):
    """A pipe stands for /dev/input/js0; records are struct js_event of linux/joystick.h."""
    pipe = tmp_path / "js0"
    device = Joystick(pipe, axes=2, buttons=1)
    assert np.all(np.isnan(device.read()))  # not there
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    assert wait_for(lambda: np.all(device.read() == 0.0))  # plugged in
    for value, kind, number in ((-32768, 0x82, 0), (16384, 2, 1), (1, 1, 0), (7, 2, 99), (7, 55, 0)):
        os.write(writer, struct.pack("<IhBB", 1234, value, kind, number))
    os.write(writer, b"\1\2\3")  # half a record
    np.testing.assert_allclose(device.read(), [-1.0, 0.5, 1.0], atol=1e-4)
    device.close()
    os.close(writer)
    pipe.unlink()
    assert wait_for(lambda: np.all(np.isnan(device.read())))
    device.close()


# -- devices at the end of a line -------------------------------------------------------------------------------------


def test_stuffing_leaves_no_zero_and_comes_back():
    rng = np.random.default_rng(2)
    samples = [b"", b"\0", b"\0\0", b"\1" * 253, b"\1" * 254, b"\1" * 255, b"\1" * 254 + b"\0", b"\1" * 600]
    samples += [
        rng.choice([0, 1, 255], size=int(n)).astype(np.uint8).tobytes() for n in rng.integers(0, MAX_BYTES, 200)
    ]
    for data in samples:
        line = cobs_encode(data)
        assert 0 not in line
        assert len(line) <= len(data) + len(data) // 254 + 1 + (len(data) % 254 == 0)
        assert cobs_decode(line) == data
    with pytest.raises(Rejected):
        cobs_decode(b"\5ab")


class Board:
    """A micro-controller at the far end of a cable, by the documents: packets cobs_encode, ended by a zero."""

    def __init__(self, file):
        os.set_blocking(file, False)
        self.file, self.rest = file, b""

    def send(self, frame):
        os.write(self.file, cobs_encode(pack(frame, channel_code(["x.q"]))) + b"\0")

    def receive(self, timeout):
        with suppress(BlockingIOError):
            self.rest += os.read(self.file, 65536)
        packet, end, rest = self.rest.partition(b"\0")
        if end:
            self.rest = rest
            return unpack(cobs_decode(packet), channel_code(["x.Q"]), 1)
        return None


def exchange(device, far, force=7.0):
    """Both ends talk until they believe each other; the far one measures 1.25."""
    link, felt = LinkEnd(), []

    def once():
        device.command(np.array([force]))
        frame = far.receive(0.05)
        if frame is not None and link.believe(frame, time.monotonic_ns()):
            felt.append(float(frame.values[0]))
        far.send(link.outgoing(np.array([1.25]), time.monotonic_ns()))
        return device.read()[0] == 1.25 and force in felt

    assert wait_for(once)
    return link


def test_a_device_over_udp():
    device = Remote(UdpTransport(["x.Q"], ["x.q"]), ["x.q"], ["x.Q"])
    assert np.isnan(device.read()[0])
    far = UdpTransport(["x.q"], ["x.Q"], partner=device.transport.address)
    link = exchange(device, far)
    while far.receive(0.0):
        pass
    device.safe()
    assert not link.believe(far.receive(5.0), time.monotonic_ns())
    assert link.counts["not finite"] == 1
    assert wait_for(lambda: np.isnan(device.read()[0]))  # nothing more is heard
    far.close()
    device.close()


@pytest.mark.posix
def test_a_device_over_a_serial_line():
    """A pseudo terminal stands for the cable; noise before, between and without an end does no harm."""
    pytest.importorskip("serial")
    master, slave = os.openpty()
    transport = SerialTransport(["x.Q"], ["x.q"], os.ttyname(slave))
    device, board = Remote(transport, ["x.q"], ["x.Q"]), Board(master)
    device.read()  # opens the port
    os.write(master, np.random.default_rng(5).bytes(300) + b"\0")
    exchange(device, board)
    for _ in range(4):
        os.write(master, b"\1" * 1000)  # longer than any packet, without an end
        device.read()
    assert wait_for(lambda: np.isnan(device.read()[0]))
    exchange(device, board, force=8.0)
    assert transport.refused["length"] + transport.refused["framing"] >= 2
    os.close(master)
    os.close(slave)
    assert wait_for(lambda: np.isnan(device.read()[0]))  # pulled out: no measures, no error
    device.command(np.array([1.0]))
    device.close()
    assert transport.refused["not sent"] > 0


def test_serial_without_its_package_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(ModelError, match=r"symbody\[serial\]"):
        SerialTransport([], [], "/dev/ttyACM0")


@pytest.mark.parametrize("wrong", [{"inertia": 0.0}, {"inertia": np.nan}, {"friction": -1.0}, {"limit": (1.0, -1.0)}])
def test_handles_that_cannot_be_are_told(wrong):
    with pytest.raises(ModelError, match="is not allowed"):
        SimulatedImpedance(("x", "y"), Handle(**wrong))
