"""Memory of loops that others planted, or that is damaged, is refused with a reason, never followed (loop_file.py)."""

import ctypes
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from loop_models import cart

import symbody as sb
from symbody.codegen import ownership
from symbody.links.memory_path import memory_path
from symbody.realtime import Loop, Shared
from symbody.realtime.loop_file import Channels, create_memory, process_start
from symbody.realtime.loop_layout import BINS, SharedBlock
from symbody.realtime.sealed_memory import create_file, sealable
from symbody.realtime.statistics import bin_edges
from waiting import eventually

pytestmark = pytest.mark.posix
CHANNELS = Channels("m", ["u"], [0.5], ["u"], ["x", "f"], {"x": "m"})


class Planted:
    """The memory of a loop that nobody runs, with two records, and its name; `write_bytes` plants another."""

    def __init__(self, name, channels=CHANNELS):
        self.path = memory_path(name)
        efforts = np.array([np.nan, 5.0])[: len(channels.outputs)]
        memory, self._file = create_memory(name, channels, efforts, 1e-3, 0.1, 2)
        SharedBlock.from_buffer(memory).head = 1

    def read_bytes(self):
        return self.path.read_bytes()

    def write_bytes(self, data):
        self.remove()
        self._file = create_file(self.path, len(data))
        os.pwrite(self._file, data, 0)

    def chmod(self, mode):
        os.fchmod(self._file, mode)

    def remove(self):
        """Remove the name, and end the process: its descriptors are closed."""
        self.path.unlink(missing_ok=True)
        self.end()

    def end(self):
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


@pytest.fixture(params=["sealed", "file"])
def block(request, monkeypatch):
    """Memory with a sealed size, and the file that is used if it cannot be sealed."""
    if request.param == "file":
        monkeypatch.setattr("symbody.realtime.sealed_memory.sealable", lambda: False)
    elif not sealable():
        pytest.skip("needs a memfd")
    planted = Planted(f"planted-{os.getpid()}")
    yield planted
    planted.remove()


def name_of(block):
    return block.path.name.removeprefix("symbody-")


def looked_at(block):
    """All that a watcher asks; in this process, as what is refused is never touched."""
    seen = Shared.attach(name_of(block))
    seen.latest(), seen.records(), seen.history(), str(seen.statistics()), seen.reason, seen.state, seen.alive
    return seen


def change(block, field, value):
    data = bytearray(block.read_bytes())
    place = getattr(SharedBlock, field)
    data[place.offset : place.offset + 8] = ctypes.c_int64(value)
    block.write_bytes(data)


def test_a_sound_block_is_taken(block):
    seen = looked_at(block)
    assert seen.outputs == ["x", "f"]
    assert seen.latest().step == 0
    assert asdict(seen.channels) == asdict(CHANNELS)


NUMBERS = ("nsample", "nu", "ny", "capacity", "text", "length", "samples", "efforts", "ring")


@pytest.mark.parametrize("field", [*NUMBERS, "state", "fault", "magic"])
@pytest.mark.parametrize("value", [-1, -(2**63), 2**63 - 1, 2**40, 12, 10**6 + 4])
def test_places_and_numbers_that_lead_outside_are_refused(block, field, value):
    change(block, field, value)
    with pytest.raises(sb.ModelError, match=r"not the memory of a loop of this version|do not fit"):
        looked_at(block)


@pytest.mark.parametrize(("field", "last"), [("state", 3), ("fault", 11), ("culprit", 1)])
def test_the_last_known_number_is_taken_and_the_next_refused(block, field, last):
    change(block, field, last)
    looked_at(block)
    change(block, field, last + 1)
    with pytest.raises(sb.ModelError, match="is unknown"):
        looked_at(block)


def test_the_last_byte_counts(block):
    """A place is refused by the first byte that is missing, and not before."""
    whole = block.read_bytes()
    block.write_bytes(whole[:-1])
    with pytest.raises(sb.ModelError, match="its ring is outside"):
        looked_at(block)
    block.write_bytes(whole[: ctypes.sizeof(SharedBlock) - 1])
    with pytest.raises(sb.ModelError, match="too short"):
        looked_at(block)


@pytest.mark.parametrize("box", ["middle", "back", "front"])
@pytest.mark.parametrize("value", [-1, 3, 8, 10**9])
def test_a_mailbox_without_such_a_buffer(block, box, value):
    data = SharedBlock.from_buffer_copy(block.read_bytes())
    setattr(data.given, box, value)
    block.write_bytes(bytes(data) + block.read_bytes()[ctypes.sizeof(SharedBlock) :])
    with pytest.raises(sb.ModelError, match="mailbox"):
        Shared.attach(name_of(block), write=True)


@pytest.mark.parametrize(
    "changed",
    [
        {"outputs": ["x"]},
        {"outputs": ["x", 5]},
        {"given": []},
        {"start": ["a"]},
        {"units": 3},
        {"model": None},
        {"x": 1},
        {"units": {}, "momentary": ["x"]},
    ],
)
def test_names_that_do_not_fit(block, changed):
    data, text = block.read_bytes(), json.dumps(asdict(CHANNELS) | changed).encode()
    begin = SharedBlock.from_buffer_copy(data).text
    text = text.ljust(SharedBlock.from_buffer_copy(data).length)[: SharedBlock.from_buffer_copy(data).length]
    block.write_bytes(data[:begin] + text + data[begin + len(text) :])
    with pytest.raises(sb.ModelError, match="do not fit"):
        looked_at(block)


def test_histograms_beyond_all_numbers(block):
    data = SharedBlock.from_buffer_copy(block.read_bytes())
    for h in data.histogram:
        h.count[:] = [2**64 - 1] * len(h.count)
        h.sum = h.largest = float("nan")
    block.write_bytes(bytes(data) + block.read_bytes()[ctypes.sizeof(SharedBlock) :])
    assert looked_at(block).latest().outputs.tolist() == [0.0, 0.0]  # what else is there is sound


def test_what_another_user_planted(block, monkeypatch):
    monkeypatch.setattr(ownership.os, "geteuid", lambda: os.getuid() + 1)
    if os.getuid() == 0:
        os.lchown(block.path, 4711, -1)
    with pytest.raises(sb.ModelError, match="it belongs to user"):
        Shared.attach(name_of(block))
    with pytest.raises(sb.ModelError, match=r"the file is not ours.*it belongs to user"):
        Loop(sb.system(cart()), name=name_of(block))
    assert os.path.lexists(block.path)


def test_what_others_may_write(block):
    block.chmod(0o666)
    with pytest.raises(sb.ModelError, match="others may write it"):
        Shared.attach(name_of(block))


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_file_is_refused_and_nobody_hangs(block, tmp_path, kind):
    victim = tmp_path / "victim"
    victim.write_bytes(block.read_bytes())
    block.remove()
    if kind == "pipe":
        os.mkfifo(block.path)
    elif kind == "link":
        block.path.symlink_to(victim)
    else:
        block.path.mkdir()
    try:
        for write in (False, True):
            with pytest.raises(sb.ModelError, match="loop"):
                Shared.attach(name_of(block), write=write)
        with pytest.raises(sb.ModelError, match="the file is not ours"):
            Loop(sb.system(cart()), name=name_of(block))
        assert victim.exists()
    finally:
        if kind == "folder":
            block.path.rmdir()


@pytest.mark.parametrize("pid", [0, -1, 2**40, -(2**63)])
def test_the_number_of_no_process_is_a_left_over(block, pid):
    """0 and −1 would ask all processes whether they live."""
    change(block, "pid", pid)
    change(block, "born", 0)
    with Loop(sb.system(cart()), name=name_of(block)):
        pass
    assert not os.path.lexists(block.path)


def test_a_number_that_another_process_has_now_is_a_left_over(block):
    """This process lives, but it did not start when the loop's process did."""
    assert process_start(os.getpid()) > 0 or not sys.platform.startswith("linux")
    change(block, "pid", os.getpid())
    change(block, "born", process_start(os.getpid()))
    with pytest.raises(sb.ModelError, match="runs a loop of this name"):
        Loop(sb.system(cart()), name=name_of(block))
    if sys.platform.startswith("linux"):
        change(block, "born", process_start(os.getpid()) - 1)
        with Loop(sb.system(cart()), name=name_of(block)):
            pass
        assert not os.path.lexists(block.path)


def test_another_users_process_runs_no_loop_of_ours(block, monkeypatch):
    """Its number was given again, and the system says that we may not ask."""

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr("symbody.realtime.loop_file.os.kill", refused)
    change(block, "pid", 1)
    with Loop(sb.system(cart()), name=name_of(block)) as loop:
        assert SharedBlock.from_buffer_copy(block.path.read_bytes()).pid == os.getpid()  # the old block was replaced
        eventually(lambda: loop.latest().step > 0)


def test_the_audits_crash_is_an_error_now(block):
    """`ring` = −1 ended in SIGSEGV."""
    change(block, "ring", -1)
    code = f"from symbody.realtime import Shared\nShared.attach({name_of(block)!r}).latest()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "its ring is outside" in done.stderr


def test_the_parts_of_a_block_follow_each_other_without_a_gap(block):
    b = SharedBlock.from_buffer_copy(block.read_bytes())
    length = len(json.dumps(asdict(CHANNELS)))
    assert (b.text, b.length) == (ctypes.sizeof(SharedBlock), length)
    assert 0 <= b.samples - b.text - length < 8
    assert b.samples % 8 == 0
    assert b.efforts == b.samples + 3 * 8 * 2  # a value and its time, three times
    assert b.ring == b.efforts + 2 * 8
    assert b.size == len(block.read_bytes()) == b.ring + 2 * 8 * (6 + 1 + 2)
    assert (b.slow, b.allowed, b.period, b.watchdog) == (1.0, -1, 1e-3, 0.1)


@pytest.mark.parametrize(("field", "size"), [("samples", 3 * 8 * 2), ("efforts", 2 * 8)])
def test_a_part_may_end_with_the_file_and_begins_at_a_word(block, field, size):
    end = len(block.read_bytes())
    change(block, field, end - size)
    looked_at(block)
    for place in (end - size + 8, end - size - 4):
        change(block, field, place)
        with pytest.raises(sb.ModelError, match=f"its {field} is outside"):
            looked_at(block)


def test_a_file_with_nothing_but_a_block_has_no_names(block):
    block.write_bytes(block.read_bytes()[: ctypes.sizeof(SharedBlock)])
    with pytest.raises(sb.ModelError, match="its text is outside"):
        looked_at(block)


@pytest.mark.parametrize("field", ["head", "culprit"])
def test_numbers_have_a_least_value(block, field):
    least = {"head": 0, "culprit": -1}[field]
    change(block, field, least)
    assert looked_at(block).latest().step in (0, -1)
    change(block, field, least - 1)
    with pytest.raises(sb.ModelError, match=r"negative|unknown"):
        looked_at(block)


@pytest.mark.parametrize(
    "channels",
    [
        Channels("m", [], [], [], ["x"], {}),
        Channels("m", ["u"], [0.0], ["u"], ["x"], {}, ["u"]),
    ],
)
def test_blocks_with_few_channels_are_sound(channels):
    planted = Planted(f"few-{os.getpid()}", channels)
    try:
        assert asdict(looked_at(planted).channels) == asdict(channels)
        change(planted, "culprit", 0)
        looked_at(planted)
        change(planted, "culprit", 1)
        with pytest.raises(sb.ModelError, match="is unknown"):
            looked_at(planted)
    finally:
        planted.remove()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts descriptors in /proc")
def test_a_refused_block_leaves_no_descriptor(block):
    change(block, "magic", 12)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(sb.ModelError, match="magic"):
        Shared.attach(name_of(block))
    assert len(os.listdir("/proc/self/fd")) == before


def test_new_memory_has_the_edges_of_histograms(block):
    assert list(SharedBlock.from_buffer_copy(block.read_bytes()).edges) == bin_edges(BINS).tolist()


def test_a_damaged_file_of_this_name_is_replaced(block):
    block.write_bytes(b"too short")
    memory, file = create_memory(name_of(block), CHANNELS, np.array([np.nan, 5.0]), 1e-3, 0.1, 2)
    os.close(file)
    assert SharedBlock.from_buffer_copy(memory).pid == os.getpid()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), OverflowError("No space left on device")])
def test_memory_that_cannot_be_created_is_an_error(monkeypatch, error):
    def failing(path, size):
        raise error

    monkeypatch.setattr("symbody.realtime.loop_file.create_file", failing)
    with pytest.raises(sb.ModelError, match=r"bytes of memory for a loop \(No space left on device\)") as caught:
        create_memory("large", CHANNELS, np.array([np.nan, 5.0]), 1e-3, 0.1, 10**6)
    assert caught.value.cure == "choose another name, or a shorter history"
    assert caught.value.element == str(memory_path("large"))


def test_an_unknown_start_time_does_not_free_the_name_of_a_living_process(block, monkeypatch):
    change(block, "born", 0)
    with pytest.raises(sb.ModelError, match=f"process {os.getpid()} runs a loop of this name"):
        Loop(sb.system(cart()), name=name_of(block))
    monkeypatch.setattr("symbody.realtime.loop_file.os.kill", lambda *_: None)
    change(block, "pid", 1)
    with pytest.raises(sb.ModelError, match="process 1 runs a loop of this name"):
        Loop(sb.system(cart()), name=name_of(block))


def test_the_start_of_a_process_is_known_where_the_system_says_it():
    assert process_start(2**40) == 0
    if sys.platform.startswith("linux"):
        before, _, rest = Path("/proc/self/stat").read_text().rpartition(") ")
        assert process_start(os.getpid()) == int(rest.split(" ")[22 - 3])
        assert before.startswith(f"{os.getpid()} (")
