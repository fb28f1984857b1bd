"""Packets, the judgement of frames, and UDP: what is refused, what is measured, what goes on."""

import hashlib
import hmac
import random
import socket
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.links.link import SECOND, Limits, LinkEnd
from symbody.links.packet import HEAD, LARGEST, MAX_BYTES, MAX_VALUES, Packet, channel_code, pack, unpack
from symbody.links.rejected import Rejected
from symbody.links.transports import LinkOptions, address, open_transport
from symbody.links.udp import UdpTransport

TOKEN = b"0123456789abcdef"
MS = SECOND // 1000
NAMES = ["arm.q", "arm.qd"]
CODE = channel_code(NAMES)


def frame(**fields):
    given = {
        "session": 7,
        "heard": 9,
        "sequence": 3,
        "stamp": 11,
        "echo": 10,
        "held": 1,
        "values": np.array([1.5, -2.0]),
    }
    return Packet(**(given | fields))


# -- packets ----------------------------------------------------------------------------------------------------------


def test_the_bytes_are_as_the_table_says():
    """Read by hand, as a micro-controller would."""
    data = pack(frame(), CODE)
    assert len(data) == 64 + 2 * 8 + 4
    assert data[:8] == b"SYMB" + bytes([1, 0, 2, 0])
    assert struct.unpack("<II", data[8:16]) == (zlib.crc32(b"arm.q\narm.qd"), 0)
    assert struct.unpack("<QQQqqq", data[16:64]) == (7, 9, 3, 11, 10, 1)
    assert struct.unpack("<dd", data[64:80]) == (1.5, -2.0)
    assert struct.unpack("<I", data[80:])[0] == zlib.crc32(data[:80])
    assert pack(frame(heard=None), CODE)[24:32] == bytes(8)
    signed = pack(frame(), CODE, TOKEN)
    assert signed[4:6] == bytes([1, 1])
    assert signed[80:] == hmac.digest(TOKEN, signed[:80], hashlib.sha256)[:16]


@pytest.mark.parametrize("token", [b"", TOKEN])
def test_packets_come_back(token):
    rng = np.random.default_rng(1)
    for n in (0, 1, 17, MAX_VALUES):
        sent = frame(values=rng.normal(size=n), session=int(rng.integers(2**62)), sequence=int(rng.integers(2**62)))
        got = unpack(pack(sent, CODE, token), CODE, n, token)
        np.testing.assert_array_equal(got.values, sent.values)
        assert replace(got, values=0) == replace(sent, values=0)


@pytest.mark.parametrize("token", [b"", TOKEN])
def test_one_wrong_bit_anywhere_is_refused(token):
    data = pack(frame(), CODE, token)
    for k in range(8 * len(data)):
        broken = bytearray(data)
        broken[k // 8] ^= 1 << k % 8
        with pytest.raises(Rejected):
            unpack(bytes(broken), CODE, 2, token)
    for cut in range(len(data)):
        with pytest.raises(Rejected):
            unpack(data[:cut], CODE, 2, token)


def test_what_is_meant_for_others_is_refused():
    for reason, data in {
        "seal": pack(frame(), CODE, b"another secret 0"),
        "channels": pack(frame(), channel_code(["arm.qd", "arm.q"]), TOKEN),
        "length": pack(frame(), CODE),
    }.items():
        with pytest.raises(Rejected, match=reason):
            unpack(data, CODE, 2, TOKEN)
    with pytest.raises(Rejected, match="channels"):
        unpack(pack(frame(), CODE), CODE, 3)


@pytest.mark.parametrize(
    ("place", "byte", "reason"),
    [(0, 0, "magic"), (4, 2, "version"), (6, 3, "length"), (6, 1, "length"), (5, 1, "seal"), (8, 0, "channels")],
)
def test_a_sound_checksum_does_not_hide_a_wrong_field(place, byte, reason):
    body = bytearray(pack(frame(), CODE)[:-4])
    body[place] = byte
    with pytest.raises(Rejected, match=reason):
        unpack(bytes(body) + zlib.crc32(body).to_bytes(4, "little"), CODE, 2)


@pytest.mark.parametrize(("count", "most"), [(2, 1400), (None, 60_000)])
def test_packets_are_read_up_to_their_size_limit(count, most):
    """Bytes of the right length fail at the next check, that of the magic word."""
    for size, reason in ((HEAD.size + 4, "magic"), (most, "magic"), (most + 1, "length")):
        with pytest.raises(Rejected, match=reason):
            unpack(bytes(size), CODE, count)


def test_the_longest_packet_fills_the_largest_size():
    size = len(pack(frame(values=np.zeros(MAX_VALUES)), CODE, TOKEN))
    assert size <= MAX_BYTES < size + 8


def test_more_channels_than_fit_are_told_at_once():
    names = [f"x{k}" for k in range(MAX_VALUES + 1)]
    for sends, hears in ((names, []), ([], names)):
        with pytest.raises(ModelError, match="do not fit"):
            UdpTransport(sends, hears)
    UdpTransport(names[:-1], names[:-1]).close()


# -- the judgement of frames ------------------------------------------------------------------------------------------


class Ends:
    """Two links, a way between them with a delay each way (ns), and clocks that show different times."""

    def __init__(self, there=2 * MS, back=3 * MS, apart=12345 * SECOND, limits=None):
        self.a, self.b = LinkEnd(limits), LinkEnd(limits)
        self.there, self.back, self.apart, self.now = there, back, apart, 10**18
        self.values = np.array([1.0])

    def exchange(self, lose=lambda: False):
        """A frame from a to b, and one back; whether each was believed."""
        self.now += 10 * MS
        sent = self.a.outgoing(self.values, self.now)
        heard = not lose() and self.b.believe(sent, self.now + self.there + self.apart)
        answer = self.b.outgoing(self.values, self.now + self.there + self.apart + MS)
        return heard, not lose() and self.a.believe(answer, self.now + self.there + MS + self.back)


def test_two_links_greet_and_then_believe():
    ends = Ends()
    assert ends.exchange() == (False, True)  # b cannot know yet that a answers it
    assert ends.exchange() == (True, True)
    assert ends.b.counts["greeting"] == 1


def test_round_trips_are_measured_whatever_the_clocks_show():
    rng = random.Random(4)
    for _ in range(50):
        ends = Ends(rng.randrange(50 * MS), rng.randrange(50 * MS), rng.randrange(-(10**17), 10**17))
        for _ in range(5):
            ends.exchange()
        expected = (ends.there + ends.back) / SECOND
        assert list(ends.a.round_trips)[-1] == pytest.approx(expected, abs=1e-9)
        assert list(ends.b.round_trips)[-1] == pytest.approx(expected, abs=1e-9)


def test_loss_is_counted_exactly():
    ends, rng, lost = Ends(), random.Random(2), 0
    ends.exchange(), ends.exchange()
    for k in range(1000):
        before = ends.b.counts["received"]
        ends.exchange(lambda k=k: rng.random() < 0.2 and k < 999)
        lost += ends.b.counts["received"] == before
    assert ends.b.counts["lost"] == lost
    assert ends.b.loss == pytest.approx(lost / (1001))
    assert 0.1 < ends.b.loss < 0.3


def test_old_and_doubled_frames_are_not_heard_twice():
    ends = Ends()
    for _ in range(3):
        ends.exchange()
    first, second = (ends.a.outgoing(ends.values, ends.now + k) for k in (1, 2))
    at = ends.now + ends.apart + 5 * MS
    assert ends.b.believe(second, at)
    assert not ends.b.believe(first, at)
    assert not ends.b.believe(second, at)
    assert ends.b.counts["late"] == 2


def test_a_partner_that_starts_anew_is_believed_after_the_silence():
    ends = Ends()
    for _ in range(3):
        ends.exchange()
    ends.a = LinkEnd()
    assert ends.exchange() == (False, False)
    assert ends.b.counts["second partner"] == 1
    ends.now += SECOND // 5  # longer than the silence
    assert ends.b.silent(ends.now + ends.apart)
    ends.exchange()
    assert ends.exchange() == (True, True)


def test_while_a_partner_is_heard_no_other_is():
    ends, stranger = Ends(), LinkEnd()
    for _ in range(3):
        ends.exchange()
    for _ in range(20):
        said = stranger.outgoing(ends.values, ends.now)
        assert not ends.b.believe(replace(said, heard=ends.b.session), ends.now + ends.apart)
        assert ends.exchange() == (True, True)


def test_strangers_that_greet_do_not_lock_the_partner_out():
    ends = Ends()
    for _ in range(3):
        ends.exchange()
    ends.now += SECOND
    for _ in range(50):
        ends.b.believe(LinkEnd().outgoing(ends.values, ends.now), ends.now + ends.apart)
    ends.exchange()
    assert ends.exchange() == (True, True)


def test_packets_of_before_cannot_be_played_again():
    """Neither while the partner is heard, nor when it is silent, nor after strangers took its place for a while."""
    ends, kept = Ends(), []
    for k in range(6):
        kept.append(ends.a.outgoing(ends.values, ends.now + k))
        ends.exchange()
    for pause in (0, SECOND, 10 * SECOND):
        ends.now += pause
        ends.b.believe(LinkEnd().outgoing(ends.values, ends.now), ends.now + ends.apart)
        for old in kept:
            assert not ends.b.believe(old, ends.now + ends.apart)


def test_frames_that_waited_too_long_are_old():
    ends = Ends()
    for _ in range(3):
        ends.exchange()
    late = [ends.a.outgoing(ends.values, ends.now + 10 * MS * k) for k in range(1, 9)]
    woken = ends.now + 5 * SECOND + ends.apart  # the process slept, the packets waited
    assert not any(ends.b.believe(old, woken + k) for k, old in enumerate(late))
    assert ends.b.counts["old"] + ends.b.counts["clock"] == len(late)
    ends.now += 5 * SECOND
    ends.exchange()
    assert ends.exchange() == (True, True)


def jump(ends, ns):
    """Let a's clock jump, and b's go on; a starts its own measurements anew."""
    ends.now += ns
    ends.apart -= ns
    ends.a._last = None


def test_a_jump_of_a_clock_costs_a_frame():
    ends = Ends()
    for _ in range(3):
        ends.exchange()
    for ns in (3600 * SECOND, -7200 * SECOND):
        jump(ends, ns)
        assert ends.exchange()[0] is False
        assert ends.exchange()[0] is True
    assert ends.b.counts["clock"] == 2


def test_a_clock_that_always_jumps_is_never_believed():
    ends = Ends()
    for _ in range(3):
        ends.exchange()
    for k in range(20):
        jump(ends, (-1) ** k * 100 * SECOND)
        assert ends.exchange()[0] is False


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e9])
def test_values_that_cannot_be_are_refused(bad):
    ends = Ends(limits=Limits(low=-10.0, high=10.0))
    for _ in range(3):
        ends.exchange()
    ends.values = np.array([bad])
    assert ends.exchange()[0] is False
    ends.values = np.array([10.0])
    assert ends.exchange()[0] is True
    assert ends.b.counts["not finite"] + ends.b.counts["out of bounds"] == 1


# -- sockets ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def pair():
    model = UdpTransport(["x"], NAMES)
    io = UdpTransport(NAMES, ["x"], partner=model.address)
    yield io, model
    io.close()
    model.close()


def test_frames_over_sockets(pair):
    io, model = pair
    io.send(frame())
    got = model.receive(5.0)
    np.testing.assert_array_equal(got.values, [1.5, -2.0])
    assert got.address == io.address
    model.send(frame(values=np.array([4.0]), address=got.address))
    assert io.receive(5.0).values == [4.0]
    assert io.receive(0.0) is None
    io.send(frame(values=np.zeros(3)))
    assert model.receive(0.0) is None
    assert model.refused == {"channels": 1}


def test_a_frame_without_a_destination_is_not_sent(pair):
    pair[1].send(frame())
    assert not pair[1].refused


def test_a_flood_does_not_hold_the_reader(pair):
    io, model = pair
    flood = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with flood:
        for _ in range(150):
            flood.sendto(b"x" * 100, model.address)
        io.send(frame())
        calls = [model.receive(0.0) for _ in range(5)]
    assert any(got is not None for got in calls)
    assert calls[0] is None  # it came back although more was waiting
    assert model.refused["length"] + model.refused["magic"] >= 100


def test_a_partner_that_is_not_there_is_no_error():
    nobody = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    nobody.bind(("127.0.0.1", 0))
    address = nobody.getsockname()
    nobody.close()
    io = UdpTransport(NAMES, ["x"], partner=address)
    for _ in range(3):
        io.send(frame())
        assert io.receive(0.01) is None
    io.close()


def test_the_port_of_a_closed_socket_is_free():
    first = UdpTransport(NAMES, ["x"])
    address = first.address
    first.close()
    UdpTransport(NAMES, ["x"], bind=address).close()


def test_beyond_this_machine_only_with_a_token():
    with pytest.raises(ModelError, match="anybody could send commands"):
        UdpTransport(NAMES, ["x"], bind=("0.0.0.0", 0))
    with pytest.raises(ModelError, match=r"192\.0\.2\.1 is not on this computer"):
        UdpTransport(NAMES, ["x"], partner=("192.0.2.1", 5))
    with pytest.raises(ModelError, match="guessed"):
        UdpTransport(NAMES, ["x"], bind=("0.0.0.0", 0), token=b"short")
    UdpTransport(NAMES, ["x"], bind=("0.0.0.0", 0), token=TOKEN).close()


class FailingSocket:
    """Fails once, as after a packet to a closed port; then nothing arrives."""

    def __init__(self, *errors):
        self.errors, self.waits = list(errors), set()

    def settimeout(self, seconds):
        self.waits.add(seconds)

    def recvfrom(self, size):
        assert size == LARGEST + 1
        raise self.errors.pop(0) if self.errors else TimeoutError

    def sendto(self, data, to):
        raise OSError


def test_errors_of_a_socket_are_counted_once(pair):
    line = pair[0]
    whole, line._socket = line._socket, FailingSocket(ConnectionRefusedError(), ConnectionRefusedError())
    assert line.receive(0.0) is None
    assert line.refused == {"unreachable": 2}
    line.send(frame())
    assert line.refused == {"unreachable": 2, "not sent": 1}
    line._socket = FailingSocket(*[ConnectionRefusedError()] * 100)
    assert line.receive(0.0) is None
    assert line.refused["unreachable"] == 2 + 64  # no call looks at more packets
    assert line._socket.waits == {0.0}
    line._socket = whole


def test_a_host_with_both_kinds_of_addresses_is_reached_by_ipv4(monkeypatch):
    found = [
        (socket.AF_INET6, socket.SOCK_DGRAM, 17, "", ("::1", 0, 0, 0)),
        (socket.AF_INET, socket.SOCK_DGRAM, 17, "", ("127.0.0.1", 0)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    line = UdpTransport(NAMES, ["x"], partner=("both", 5))
    assert line._partner == ("127.0.0.1", 5)
    line.close()


def test_a_socket_that_cannot_listen_is_closed(pair, monkeypatch):
    made = []

    class Kept(socket.socket):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(socket, "socket", Kept)
    with pytest.raises(ModelError, match="cannot listen"):
        UdpTransport(NAMES, ["x"], bind=pair[1].address)
    assert [one.fileno() for one in made] == [-1]


def test_any_number_of_sockets_without_an_address_listen_at_loopback():
    lines = [UdpTransport(NAMES, ["x"], partner=there) for there in (None, None, ("127.0.0.1", 5), ("127.0.0.1", 5))]
    assert len({line.address for line in lines}) == 4
    assert all(line.address[0] == "127.0.0.1" and line.address[1] >= 1024 for line in lines)
    for line in lines:
        line.close()


def test_a_port_that_is_taken_is_told(pair):
    with pytest.raises(ModelError, match="cannot listen"):
        UdpTransport(NAMES, ["x"], bind=pair[1].address)
    with pytest.raises(ModelError, match="cannot listen"):
        UdpTransport(NAMES, ["x"], bind=("127.0.0.1", 70_000))


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")
def test_frames_over_ipv6():
    line = LinkOptions(["x"], NAMES, address=("::1", 0))
    model = open_transport(line, "model")
    io = open_transport(replace(line, address=model.address), "io")
    try:
        assert model.address[0] == io.address[0] == "::1"
        io.send(frame(values=np.array([4.0])))
        got = model.receive(5.0)
        assert got.values == [4.0]
        model.send(frame(address=got.address))
        np.testing.assert_array_equal(io.receive(5.0).values, [1.5, -2.0])
    finally:
        io.close()
        model.close()
    with pytest.raises(ModelError, match="anybody could send commands"):
        UdpTransport(NAMES, ["x"], bind=("::", 0))
    with pytest.raises(ModelError, match="at both ends"):
        UdpTransport(NAMES, ["x"], bind=("127.0.0.1", 0), partner=("::1", 5))
    with pytest.raises(ModelError, match=r"\[::1\]:0 cannot reach 127\.0\.0\.1:5"):
        UdpTransport(NAMES, ["x"], bind=("::1", 0), partner=("127.0.0.1", 5))
    with pytest.raises(ModelError, match=r"cannot listen at \[::1\]:70000"):
        UdpTransport(NAMES, ["x"], bind=("::1", 70_000))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", ("127.0.0.1", 47600)),
        (":5", ("127.0.0.1", 5)),
        ("10.0.0.2", ("10.0.0.2", 47600)),
        ("machine.local:65535", ("machine.local", 65535)),
        ("[::1]", ("::1", 47600)),
        ("[fe80::1%eth0]:7", ("fe80::1%eth0", 7)),
    ],
)
def test_addresses_are_read(text, meant):
    assert address(text) == meant


@pytest.mark.parametrize(
    "text", ["::1", "fd00::2:47600", "host:", "host:65536", "host:-1", "[::1", "[]:5", "a:b:5", "host:٣"]
)
def test_what_is_no_address_is_told(text):
    with pytest.raises(ModelError, match=r"127.0.0.1:47600 or \[::1\]:47600"):
        address(text)


def test_a_host_that_is_not_there_is_told():
    with pytest.raises(ModelError, match="unknown host"):
        UdpTransport(NAMES, ["x"], partner=("no..host", 5), token=TOKEN)
