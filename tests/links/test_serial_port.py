"""Noise on a serial line: a call ends in time, a node reaches its safe state, and a good frame is found after it."""

import os
import sys
import threading
import time

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.links.link import Limits, LinkEnd
from symbody.links.packet import MAX_BYTES, MAX_VALUES, Packet, channel_code, pack, unpack
from symbody.links.rejected import Rejected
from symbody.links.serial_port import END, LONGEST, SerialTransport, cobs_decode, cobs_encode
from symbody.realtime.nodes import Node

pytestmark = pytest.mark.posix
CODE = channel_code(["a"])
GOOD = Packet(1, 2, 3, 4, 5, 6, [0.5])
FRAME = cobs_encode(pack(GOOD, CODE)) + END
RANDOM = np.random.default_rng(0).integers(0, 256, 4096, np.uint8).tobytes()
NOISES = {
    "zeros": bytes(4096),
    "ones": b"\xff" * 4096,
    "random": RANDOM,
    "no frame end": RANDOM.replace(END, b"\1"),
    "a zero every second byte": b"\1\0" * 2048,
    "frames cut short": b"".join(FRAME[:cut] + END for cut in range(1, len(FRAME) - 1)),
    "frames of other channels": (cobs_encode(pack(GOOD, channel_code(["b"]))) + END) * 40,
    "frames with a wrong checksum": (cobs_encode(pack(GOOD, CODE)[:-1] + b"\0") + END) * 40,
    "frames with another secret": (cobs_encode(pack(GOOD, CODE, b"x" * 16)) + END) * 40,
}


class EndlessPort:
    """A port with more noise than can be read; each read returns at once, as on a line that is always busy."""

    def __init__(self, noise: bytes):
        self.noise, self.at, self.in_waiting, self.timeout = noise, 0, 1 << 20, 0.0
        self.count, self.written, self.closed = 0, b"", False

    def read(self, size: int) -> bytes:
        time.sleep(1e-4)
        start, self.at = self.at % len(self.noise), self.at + size
        self.count += size
        return (self.noise * (2 + size // len(self.noise)))[start : start + size]

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def line():
    return SerialTransport(["a"], ["a"], "/nowhere")


@pytest.mark.parametrize("noise", NOISES)
def test_a_call_ends_under_continuous_noise(line, noise):
    """A call that is out of time makes one read more, of bounded size."""
    line._port = port = EndlessPort(NOISES[noise])
    assert line.receive(0.0) is None
    assert port.count <= LONGEST
    finished = threading.Event()
    thread = threading.Thread(target=lambda: (line.receive(0.05), finished.set()), daemon=True)
    thread.start()
    assert finished.wait(20.0)


def test_a_frame_that_waits_is_received_without_waiting(line):
    line._port = EndlessPort(FRAME)
    line._port.timeout = 5.0  # of an earlier read
    assert line.receive(0.0).session == GOOD.session
    assert line._port.timeout == 0.0


@pytest.mark.parametrize(("waiting", "asked"), [(0, 1), (1, 1), (5, 5), (LONGEST, LONGEST), (LONGEST + 1, LONGEST)])
def test_what_waits_is_read_and_at_least_one_byte(line, waiting, asked):
    line._port = EndlessPort(FRAME)
    line._port.in_waiting = waiting
    assert line._read(0.25)
    assert (line._port.count, line._port.timeout) == (asked, 0.25)


def test_a_frame_is_sent_with_the_code_of_its_channels():
    line = SerialTransport(["a"], ["b"], "/nowhere")
    line._port = EndlessPort(FRAME)
    line.send(GOOD)
    assert not line.refused
    written = line._port.written
    assert written.count(END) == written.endswith(END) == 1
    assert unpack(cobs_decode(written[:-1]), channel_code(["a"]), 1).values == [0.5]
    line._split(FRAME + cobs_encode(pack(GOOD, channel_code(["b"]))) + END)
    assert line._next_frame().values == [0.5]
    assert line.refused == {"channels": 1}


def test_more_channels_than_fit_are_refused():
    names = [f"x{k}" for k in range(MAX_VALUES + 1)]
    for sends, hears in ((names, []), ([], names)):
        with pytest.raises(ModelError, match="do not fit"):
            SerialTransport(sends, hears, "/nowhere")


@pytest.mark.parametrize("noise", NOISES)
def test_a_node_is_safe_under_noise(line, noise):
    line._port = EndlessPort(NOISES[noise])
    stopped = threading.Event()
    link = LinkEnd(Limits(silence=0.02))
    node = Node(line, link, lambda: np.zeros(1), lambda values: None, stopped.set, period=0.01)
    now = time.monotonic_ns()
    assert link.believe(Packet(1, None, 1, now, 0, 0, np.zeros(1)), now)  # the partner was there before the noise
    finished = threading.Event()
    threading.Thread(target=lambda: (node.run(until=0.1), finished.set()), daemon=True).start()
    assert finished.wait(20.0)
    assert stopped.is_set()
    assert node.link.counts["safe"] == 1
    assert sum(line.refused.values()) > 0


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_good_frame_is_found_after_noise(line, noise, size):
    data = NOISES[noise] + END + FRAME
    for at in range(0, len(data), size):
        line._split(data[at : at + size])
    found = []
    while (frame := line._next_frame()) is not None:
        found.append(frame)
    assert [list(frame.values) for frame in found] == [[0.5]]


def test_each_byte_of_noise_is_handled_once(line):
    """Bytes that are kept for later are never more than one frame: the cost of zeros grows with their number only."""
    for _ in range(100):
        line._split(os.urandom(1000).replace(END, b"\1"))
        assert len(line._rest) <= LONGEST
    line._split(bytes(100_000))
    assert not line._packets or len(line._packets) == 1
    assert line.refused["framing"] >= 99_999


@pytest.mark.parametrize("noise", NOISES)
def test_each_refused_frame_is_counted_once(line, noise):
    line._split(NOISES[noise])
    waiting, framing = len(line._packets), line.refused["framing"]
    assert line._next_frame() is None
    assert sum(line.refused.values()) - framing - line.refused["length"] * (waiting == 0) == waiting


class Plug:
    """Stands for pyserial: a line that can be opened `good` times; and for the module `time`."""

    def __init__(self, good):
        self.now, self.good, self.attempts = 0.0, good, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def Serial(self, port, baud, **timeouts):
        self.attempts.append((self.now, port, baud, timeouts))
        if self.good == 0:
            raise OSError
        self.good -= 1
        return EndlessPort(FRAME)


@pytest.fixture
def plug(monkeypatch):
    made = Plug(0)
    monkeypatch.setattr("symbody.links.serial_port.time", made)
    monkeypatch.setattr("symbody.links.serial_port._pyserial", lambda: made)
    return made


def test_a_line_that_is_not_there_is_tried_twice_a_second(line, plug):
    for _ in range(20):
        line.send(GOOD)
        plug.now += 0.125
    assert [now for now, *_ in plug.attempts] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert line.refused == {"unreachable": 5, "not sent": 20}
    assert line.receive(1.25) is None  # the time passes although nothing can be read
    assert plug.now == 20 * 0.125 + 1.25
    assert line._read(0.0) is False


def test_a_line_is_opened_with_its_settings(line, plug):
    plug.good = 1
    assert line.receive(0.0).session == GOOD.session
    assert plug.attempts == [(0.0, "/nowhere", 921_600, {"timeout": 0.0, "write_timeout": 0.05})]


def test_what_came_before_a_line_was_unplugged_is_not_used(line, plug):
    plug.good = 1
    line._split(FRAME + FRAME[:5])
    line._port = port = EndlessPort(FRAME)
    port.write = unplugged
    line.send(GOOD)
    assert port.closed
    assert line.refused["not sent"] == 1
    assert not line._packets
    assert line._port is None
    line._split(FRAME)
    assert line.receive(0.0).session == GOOD.session
    assert not line.refused["framing"]


def unplugged(*_):
    raise OSError


def test_a_read_from_an_unplugged_line_is_no_error(line, plug):
    line._port = port = EndlessPort(FRAME)
    port.read = unplugged
    assert line._read(0.0) is False
    assert port.closed
    assert line.receive(0.0) is None
    plug.good = 1
    plug.now = 1.0
    assert line.receive(0.0).session == GOOD.session


def test_a_closed_line_stays_closed(line, plug):
    plug.good = 1
    line._split(FRAME)
    line.close()
    line.close()
    assert line.receive(2.0) is None
    line.send(GOOD)
    assert not plug.attempts
    assert line.refused == {"not sent": 1}


def test_codes_of_cobs_are_those_of_its_paper():
    """Cheshire & Baker 1999: runs of 254 bytes have the code 255, and no zero follows them."""
    for data, code in {
        b"": b"\1",
        b"\0": b"\1\1",
        b"\x11\0\x22": b"\2\x11\2\x22",
        b"\7" * 253: b"\xfe" + b"\7" * 253,
        b"\7" * 253 + b"\0\7": b"\xfe" + b"\7" * 253 + b"\2\7",
        b"\7" * 254: b"\xff" + b"\7" * 254 + b"\1",
        b"\7" * 255: b"\xff" + b"\7" * 254 + b"\2\7",
        b"\7" * 254 + b"\0": b"\xff" + b"\7" * 254 + b"\1\1",
    }.items():
        assert cobs_encode(data) == code
        assert cobs_decode(code) == data
    for wrong in (b"\0", b"\3\7", b"\1\0"):
        with pytest.raises(Rejected, match="framing"):
            cobs_decode(wrong)


def test_the_longest_frame_is_that_of_a_packet_without_zeros():
    assert len(cobs_encode(b"\1" * MAX_BYTES)) == LONGEST


def test_noise_up_to_the_longest_frame_is_kept(line):
    line._split(b"\1" * LONGEST)
    assert not line.refused
    line._split(b"\1")
    assert line.refused == {"length": 1}
    assert line._rest == b""


def test_without_its_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(ModelError, match="pyserial is not installed"):
        SerialTransport(["a"], ["a"], "/nowhere")
