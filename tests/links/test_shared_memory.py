"""Frames through shared memory (shared_memory.py): both ways, overtaken, torn, ends killed and restarted."""

import mmap
import os

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.links.packet import LARGEST, Packet
from symbody.links.shared_memory import SIZE, SLOTS, MemoryTransport, line_path

pytestmark = pytest.mark.posix


def frame(sequence=0, n=3):
    return Packet(7, 0, sequence, 1, 0, 0, np.arange(float(n)) + sequence)


@pytest.fixture
def name():
    return f"test-{os.getpid()}"


@pytest.fixture
def pair(name):
    owner = MemoryTransport(name, "a", "b", owner=True)
    partner = MemoryTransport(name, "b", "a", owner=False)
    yield owner, partner
    owner.close()
    partner.close()


def test_frames_of_any_length_go_both_ways(pair):
    owner, partner = pair
    assert partner.receive(0.0) is None  # it looks for the memory
    for n in (0, 1, 500, 7000):
        owner.send(frame(n, n))
        np.testing.assert_array_equal(partner.receive(1.0).values, np.arange(float(n)) + n)
        partner.send(frame(n, n))
        assert owner.receive(1.0).sequence == n


def test_a_reader_that_is_overtaken_has_the_newest(pair):
    owner, partner = pair
    partner.receive(0.0)
    for k in range(3 * SLOTS):
        owner.send(frame(k))
    got = [partner.receive(0.0).sequence for _ in range(SLOTS)]
    assert got == list(range(2 * SLOTS, 3 * SLOTS))
    assert partner.receive(0.0) is None


def test_a_torn_frame_is_refused_and_counted(pair, name):
    owner, partner = pair
    partner.receive(0.0)
    owner.send(frame())
    with open(line_path(name), "r+b") as file, mmap.mmap(file.fileno(), SIZE) as memory:
        memory[100] ^= 1
    assert partner.receive(0.0) is None
    assert partner.refused["seal"] == 1
    owner.send(frame(1))
    assert partner.receive(0.0).sequence == 1


def test_hostile_memory_is_refused(pair, name):
    owner, partner = pair
    partner.receive(0.0)
    with open(line_path(name), "r+b") as file, mmap.mmap(file.fileno(), SIZE) as memory:
        memory[:] = b"\xff" * SIZE
    assert partner.receive(0.0) is None
    assert sum(partner.refused.values()) <= SLOTS
    owner.send(frame(5))  # its count goes round
    partner.receive(0.0)
    owner.send(frame(6))
    assert partner.receive(0.0).sequence == 6


@pytest.mark.parametrize("left", [0, 4, 100, SIZE // 2])
def test_a_truncated_file_loses_frames_and_no_process(pair, name, left):
    """Mapped memory behind the end of its file ends the process with SIGBUS."""
    owner, partner = pair
    partner.receive(0.0)
    owner.send(frame())
    os.truncate(line_path(name), left)
    for end in pair:
        end.receive(0.0)
    for k in range(1, 4):
        owner.send(frame(k))
        partner.send(frame(k))
    assert owner.receive(0.0).sequence in (1, 2, 3)
    assert partner.receive(0.0).sequence in (1, 2, 3)


def test_too_much_is_not_sent(pair):
    owner, _ = pair
    owner.send(frame(0, LARGEST // 8))
    assert owner.refused["not sent"] == 1


def test_without_an_owner_nothing_is_sent(name):
    alone = MemoryTransport(name, "a", "b", owner=False)
    alone.send(frame())
    assert alone.refused["not sent"] == 1
    assert alone.receive(0.01) is None


def test_an_owner_that_begins_again_is_found_again(name):
    first = MemoryTransport(name, "a", "b", owner=True)
    partner = MemoryTransport(name, "b", "a", owner=False)
    partner.receive(0.0)
    first.close()
    second = MemoryTransport(name, "a", "b", owner=True)
    try:
        partner.receive(0.0)
        second.send(frame(9))
        assert partner.receive(1.0).sequence == 9
    finally:
        second.close()
        partner.close()


def test_a_killed_owner_is_replaced_and_a_living_one_not(name):
    if (child := os.fork()) == 0:
        MemoryTransport(name, "a", "b", owner=True)
        os._exit(0)  # without close(): as if it were killed
    os.waitpid(child, 0)
    assert line_path(name).exists()
    owner = MemoryTransport(name, "a", "b", owner=True)
    try:
        with pytest.raises(ModelError, match="it already has an owner"):
            MemoryTransport(name, "a", "b", owner=True)
    finally:
        owner.close()


def test_what_others_could_write_is_no_line(name):
    line_path(name).write_bytes(b"")
    line_path(name).chmod(0o666)
    try:
        with pytest.raises(ModelError, match="the file is not ours"):
            MemoryTransport(name, "a", "b", owner=True)
    finally:
        line_path(name).unlink()
