"""Two nodes through a bad network, with partners that die, sensors that fail and strangers that shout."""

import random
import socket
from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from node_machines import (
    INPUTS,
    LIMITS,
    MARGIN,
    OUTPUTS,
    PERIOD,
    PlainDevice,
    PlainMachine,
    plain_io,
    plain_model,
    running,
)
from symbody import machines
from symbody.errors import ModelError
from symbody.links.link import LinkEnd
from symbody.links.packet import channel_code, pack
from symbody.links.udp import UdpTransport
from symbody.links.wiring import wiring
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety, Scheduling
from symbody.realtime.nodes import io_node, model_node
from symbody_bench.realtime_relay import Relay
from waiting import wait_for

SOON = MARGIN * LIMITS.silence  # s


@pytest.fixture
def machine():
    return PlainMachine()


@pytest.fixture
def device():
    return PlainDevice()


@pytest.mark.slow
def test_a_cut_of_five_seconds(machine, device):
    """Both go safe within the stated time, stay so, and go on by themselves with the same sessions."""
    with (
        running(plain_model(machine)) as model,
        Relay(model.transport.address) as relay,
        running(plain_io(device, relay.address)) as io,
    ):
        assert wait_for(lambda: device.force == -6.0)
        relay.is_cut = True
        assert wait_for(lambda: device.force == 0.0 and machine.inputs[0] == 0.0) < SOON
        sent = machine.step
        assert wait_for(lambda: device.force != 0.0 or machine.inputs[0] != 0.0, timeout=5.0) is None
        assert machine.step > sent + 50  # it lives, and calls
        relay.is_cut = False
        assert wait_for(lambda: device.force == -6.0) < SOON
        assert model.link.counts["sessions"] == io.link.counts["sessions"] == 1
        assert model.link.counts["lost"] > 50


@pytest.mark.slow
def test_a_fifth_lost_and_fifty_milliseconds_late(machine, device):
    with (
        running(plain_model(machine)) as model,
        Relay(model.transport.address, loss=0.2, delay=0.05) as relay,
        running(plain_io(device, relay.address)) as io,
    ):
        assert wait_for(lambda: model.link.counts["received"] > 250 and io.link.counts["received"] > 200)
        device.value = 4.0
        assert wait_for(lambda: device.force == -8.0) > 0.09
        for end in (model, io):
            assert 0.1 < end.link.loss < 0.35
            assert min(end.link.round_trips) > 0.1
            assert np.median(end.link.round_trips) < 0.1 + SOON


def test_a_sensor_without_a_number_makes_the_model_safe_and_comes_back(machine, device):
    with running(plain_model(machine)) as model, running(plain_io(device, model.transport.address)) as io:
        for fail, mend in (
            (lambda: setattr(device, "value", np.nan), lambda: setattr(device, "value", 3.0)),
            (lambda: setattr(device, "broken", True), lambda: setattr(device, "broken", False)),
        ):
            assert wait_for(lambda: machine.inputs[0] == 3.0)
            fail()
            assert wait_for(lambda: machine.inputs[0] == 0.0) < SOON
            assert wait_for(lambda: io.link.counts["received"] > 0)
            mend()
        assert wait_for(lambda: machine.inputs[0] == 3.0)
        assert model.link.counts["not finite"] > 0
        assert io.link.counts["device"] > 0
        assert model.link.counts["sessions"] == 1


def test_a_model_that_stands_still_or_diverged_makes_the_device_safe(machine, device):
    with running(plain_model(machine)) as model, running(plain_io(device, model.transport.address)) as io:
        assert wait_for(lambda: device.force == -6.0)
        machine.outputs = np.array([np.nan, 1.0])
        assert wait_for(lambda: device.force == 0.0) < SOON
        machine.outputs = None
        assert wait_for(lambda: device.force == -6.0)
        machine.latest = lambda: (7, 0.0, np.array([9.0, 9.0]))  # the same step for ever
        assert wait_for(lambda: device.force == 0.0)
        assert io.link.counts["not finite"] > 0
        assert not model.is_safe


@pytest.mark.posix
def test_the_real_loop_is_safe_while_nobody_tells_it_anything(device):
    """Its own watchdog acts: the node gives it nothing, and the device hears NaN until it runs again."""
    s = sb.system(machines.model("four-bar"), outputs=["crank.q", "rocker.q"])
    with Loop(s, 200.0, safety=Safety(stale=LIMITS.silence, overrun=None), scheduling=Scheduling(priority=0)) as loop:
        assert (loop.channels.given, loop.channels.outputs) == (["torque"], ["crank.q", "rocker.q"])
        transport = UdpTransport(OUTPUTS, INPUTS)
        with running(model_node(loop, transport, limits=LIMITS, period=PERIOD)) as model:
            device.value = 0.01
            for _ in range(2):
                with running(plain_io(device, model.transport.address)) as io:
                    assert wait_for(lambda: loop.state == "running" and device.commands > 0)
                    steps = loop.latest().step
                    assert wait_for(lambda s=steps: loop.latest().step > s + 20)
                    assert io.link.counts["received"] > 0
                assert wait_for(lambda: loop.state == "safe") < SOON
                assert device.force == 0.0
                device.commands = 0


def test_hostile_packets_do_no_harm(machine, device):
    """Noise, broken and resealed packets, other channels, strangers' sessions, NaN: counted, and the work goes on."""
    rng, stranger = random.Random(3), LinkEnd()
    with running(plain_model(machine)) as model, running(plain_io(device, model.transport.address)) as io:
        assert wait_for(lambda: device.force == -6.0)
        target, code = model.transport.address, channel_code(INPUTS)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hostile:
            for k in range(3000):
                good = pack(stranger.outgoing(np.array([1e6]), rng.getrandbits(62)), code)
                hostile.sendto(forged(k, good, code, model, rng), target)
                if k % 50 == 0:
                    received = model.link.counts["received"]
                    assert wait_for(lambda r=received: model.link.counts["received"] > r)
            device.value = 4.0
            assert wait_for(lambda: device.force == -8.0)
        assert {value for _, value in machine.given} <= {0.0, 3.0, 4.0}
        reasons = model.transport.refused + model.link.counts
        for reason in ("length", "magic", "seal", "channels", "second partner"):
            assert reasons[reason] > 0, reasons
        assert io.link.counts["sessions"] == 1


def forged(k, good, code, model, rng):
    """One of the ways in which a packet may be wrong."""
    match k % 6:
        case 0:
            return rng.randbytes(rng.randrange(0, 1500))
        case 1:
            broken = bytearray(good)
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
            return bytes(broken)
        case 2:
            return good[: rng.randrange(len(good))] + rng.randbytes(rng.randrange(4))
        case 3:
            return pack(LinkEnd().outgoing(np.array([np.nan, 1.0]), 0), code)
        case 4:
            return pack(LinkEnd().outgoing(np.array([np.nan]), rng.getrandbits(62)), code)
        case _:
            claimed = LinkEnd().outgoing(np.array([1e300]), rng.getrandbits(62))
            return pack(replace(claimed, heard=model.link.session, sequence=rng.getrandbits(63)), code)


def test_periods_that_would_always_fall_silent_are_told(device):
    transport = UdpTransport(INPUTS, OUTPUTS)
    with pytest.raises(ModelError, match="two periods"):
        io_node(device, transport, period=LIMITS.silence)
    transport.close()


def test_wiring():
    through = wiring(
        ["throttle", "steer", "brake"], ["axis0", "axis1"], {"throttle": "axis1", "steer": "axis0", "brake": 0.5}
    )
    np.testing.assert_array_equal(through(np.array([1.0, 2.0])), [2.0, 1.0, 0.5])
    np.testing.assert_array_equal(wiring(["a", "b"], ["x", "y"])(np.array([1.0, 2.0])), [1.0, 2.0])
    np.testing.assert_array_equal(wiring(["b"], ["a", "b"])(np.array([1.0, 2.0])), [2.0])
    assert wiring([], ["a"])(np.array([1.0])).shape == (0,)
    with pytest.raises(ModelError, match="unknown source 'axis9'"):
        wiring(["steer"], ["axis0"], {"steer": "axis9"})
    with pytest.raises(ModelError, match="unknown end"):
        wiring(["steer"], ["axis0"], {"stear": "axis0"})
