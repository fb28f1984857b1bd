"""What a recording promises: to tell when it fails, to end, to lose half a second to a kill and a chunk to damage."""

import itertools
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import symbody
from symbody.errors import ModelError
from symbody.realtime import record
from symbody.realtime.record import LOST, Recorder, save_mcap
from symbody.realtime.record_read import load_mcap
from symbody.results.run import Run
from waiting import eventually

pytest.importorskip("mcap")

NAMES = ["arm.q", "arm.qd", "pressure"]
ROWS = 120


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(record, "CHUNK", 2500)


@pytest.fixture
def run():
    t = np.arange(ROWS) * 0.01
    return Run(
        None, t, np.array([np.sin(3 * t + k) for k in range(len(NAMES))]).T, names=NAMES, meta={"model": "robot"}
    )


@pytest.mark.parametrize("error", [ValueError("a number"), KeyError("a stream"), MemoryError(), OSError("a disk")])
def test_whatever_fails_is_told(tmp_path, monkeypatch, error):
    recorder = Recorder(tmp_path / "x.mcap", {"robot": NAMES})

    def failing(*_):
        raise error

    monkeypatch.setattr(recorder._streams, "write", failing)
    for _ in range(5):
        recorder.write("robot", np.zeros(3))
    with pytest.warns(RuntimeWarning, match=rf"recording failed: {type(error).__name__}"):
        recorder.close()
    assert type(error).__name__ in recorder.failed
    assert recorder.lost == 5
    assert recorder.summary()["failed"]


@pytest.mark.parametrize("sample", [("nobody", np.zeros(3)), ("robot", np.zeros(1)), ("robot", np.array(["x"] * 3))])
def test_samples_that_make_no_sense_are_told(tmp_path, sample):
    recorder = Recorder(tmp_path / "x.mcap", {"robot": NAMES})
    recorder.write(*sample)
    with pytest.warns(RuntimeWarning, match="recording failed"):
        recorder.close()
    assert recorder.failed


def test_a_disk_that_never_answers_does_not_keep_it_from_closing(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "CLOSING", 0.2)
    monkeypatch.setattr(record, "WAITING", 3)
    recorder, answer = Recorder(tmp_path / "x.mcap", {"robot": NAMES}), threading.Event()
    monkeypatch.setattr(recorder._streams, "write", lambda *_: answer.wait())
    try:
        for _ in range(10):
            recorder.write("robot", np.zeros(3))  # the queue is full
        with pytest.warns(RuntimeWarning, match="did not take the rest"):
            recorder.close()
        assert recorder.failed
        assert recorder.lost >= 6
        recorder.close()  # again: nothing more to say
    finally:
        answer.set()


def test_each_sample_that_finds_no_room_is_counted(tmp_path, monkeypatch):
    def full(sample):
        raise queue.Full

    with Recorder(tmp_path / "x.mcap", {"robot": NAMES}) as recorder:
        with monkeypatch.context() as patched:
            patched.setattr(recorder._queue, "put_nowait", full)
            for _ in range(3):
                recorder.write("robot", np.zeros(3))
        assert recorder.lost == 3


def test_a_failure_loses_what_was_not_flushed(tmp_path, monkeypatch):
    """Three samples reach the disk. Two and four do not: those of the batch before the failure, and of its own."""
    times, flushes = [0.0, 10.0, 10.0, 10.25], []

    def batches(recorder):
        for count in (3, 2, 4):
            yield [("nobody" if count == 4 else "robot", np.zeros(3), 0)] * count

    def flush(writer):
        flushes.append(writer)

    monkeypatch.setattr(record, "time", SimpleNamespace(monotonic=lambda: times.pop(0), time_ns=time.time_ns))
    monkeypatch.setattr(record, "FLUSH", 0.25)  # s, exact in binary
    monkeypatch.setattr(record.ChunkWriter, "flush", flush)
    monkeypatch.setattr(Recorder, "_waiting", batches)
    recorder = Recorder(tmp_path / "x.mcap", {"robot": NAMES})
    recorder._thread.join()
    assert "KeyError" in recorder.failed
    assert recorder.lost == 2 + 4 + 9  # after a failure the rest of the queue is counted
    assert len(flushes) == 1
    assert times == []


class Gathering:
    """Stands for the event of a recorder's end: writes down its waits."""

    def __init__(self):
        self.ended, self.waits = False, []

    def is_set(self):
        return self.ended

    def wait(self, seconds):
        self.waits.append(seconds)


class Asked(queue.Queue):
    """A queue that writes down whether it was asked to wait, and how long."""

    def get(self, block=True, timeout=None):
        if timeout is not None:
            self.asked = [*getattr(self, "asked", []), (block, timeout)]
        return super().get(False)


def test_samples_that_come_together_are_written_together():
    recorder = Recorder.__new__(Recorder)
    recorder._queue, recorder._ending = Asked(), Gathering()
    for k in range(1500):
        recorder._queue.put(k)
    batches = recorder._waiting()
    assert next(batches) == list(range(1000))
    assert next(batches) == list(range(1000, 1500))
    assert next(batches) == []  # from time to time, also without samples
    assert recorder._ending.waits == [0.05, 0.05]
    recorder._queue.put(7)
    recorder._queue.put(None)  # wakes the thread
    recorder._ending.ended = True
    assert next(batches) == [7]
    assert list(batches) == []
    assert recorder._ending.waits == [0.05, 0.05]
    assert recorder._queue.asked == [(True, record.FLUSH)] * 3 + [(False, record.FLUSH)] * 2


def test_a_recording_without_failure_ends_without_a_warning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Recorder(tmp_path / "x.mcap", {"robot": NAMES}) as recorder:
            recorder.write("robot", np.zeros(3))
    assert (recorder.lost, recorder.failed) == (0, "")


def test_what_is_said_after_the_end_is_counted(tmp_path):
    recorder = Recorder(tmp_path / "x.mcap", {"robot": NAMES})
    recorder.close()
    recorder.write("robot", np.zeros(3))
    assert recorder.lost == 1
    assert not recorder.failed


KILLED = """
import os, sys, time
import numpy as np
from symbody.realtime.record import Recorder
recorder = Recorder(sys.argv[1], {"robot": ["arm.q"]})
while True:
    stamp = time.time_ns()
    recorder.write("robot", np.array([1.0]), stamp)
    os.write(1, b"%d\\n" % stamp)  # said only after it was handed over
    time.sleep(0.001)
"""


@pytest.mark.parametrize("after", [0.6, pytest.param(1.3, marks=pytest.mark.slow)])
def test_a_kill_loses_half_a_second_at_most(tmp_path, after):
    path = tmp_path / "killed.mcap"
    source = str(Path(symbody.__file__).parents[1])
    victim = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": source}
    )
    try:
        first = int(victim.stdout.readline())
        time.sleep(after)
    finally:
        victim.send_signal(signal.SIGKILL)
        handed, _ = victim.communicate()
    stamps = [first, *map(int, handed.splitlines()[:-1])]
    found = load_mcap(path)
    assert found.meta["interrupted"]
    assert found.meta["skipped"] <= 1  # the record that was being written
    lost = (stamps[-1] - found.meta["start_ns"]) * 1e-9 - found.t[-1]
    assert lost <= LOST == 0.5  # s, as the docs have it
    assert found.meta["start_ns"] == first


def test_schemas_and_channels_are_also_before_the_first_chunk(tmp_path, run, small_chunks):
    from mcap.records import Channel, Chunk, Schema
    from mcap.stream_reader import StreamReader

    save_mcap(run, tmp_path / "run.mcap")
    with open(tmp_path / "run.mcap", "rb") as file:
        before = list(
            itertools.takewhile(
                lambda record: not isinstance(record, Chunk), StreamReader(file, emit_chunks=True).records
            )
        )
    with open(tmp_path / "run.mcap", "rb") as file:
        known = list(StreamReader(file).records)
    for kind in (Schema, Channel):
        assert {one.id for one in before if isinstance(one, kind)} == {one.id for one in known if isinstance(one, kind)}


@pytest.mark.slow
def test_a_flip_anywhere_loses_its_chunk_only(tmp_path, run, small_chunks):
    """Of every 29th byte of a finished recording one bit is turned."""
    whole, file = save_mcap(run, tmp_path / "run.mcap").read_bytes(), tmp_path / "bad.mcap"
    chunks = chunk_rows(whole)
    assert len(chunks) > 8
    rng = random.Random(8)
    for place in range(0, len(whole), 29):
        broken = bytearray(whole)
        broken[place] ^= 1 << rng.randrange(8)
        file.write_bytes(broken)
        kept_but_a_chunk(run, load_mcap(file), chunks, place)


@pytest.mark.slow
def test_a_flip_in_a_killed_recording_loses_its_chunk_only(tmp_path, run, small_chunks):
    """Without the summary at the end, what the channels are stands in the first chunk, and before it."""
    whole, file = save_mcap(run, tmp_path / "run.mcap").read_bytes(), tmp_path / "bad.mcap"
    chunks = chunk_rows(whole)
    cut = whole[: whole.rindex(b"\x0f" + (4).to_bytes(8, "little"))]  # before the record that ends the data
    for place in range(0, len(cut), 41):
        broken = bytearray(cut)
        broken[place] ^= 16
        file.write_bytes(broken)
        found = load_mcap(file)
        assert found.meta["interrupted"]
        kept_but_a_chunk(run, found, chunks, place)


def chunk_rows(whole):
    """Times in each chunk, by mcap's own reader."""
    from io import BytesIO

    from mcap.stream_reader import StreamReader, breakup_chunk

    chunks = [r for r in StreamReader(BytesIO(whole), emit_chunks=True).records if type(r).__name__ == "Chunk"]
    return [{m.log_time for m in breakup_chunk(c) if type(m).__name__ == "Message"} for c in chunks]


def kept_but_a_chunk(run, found, chunks, place):
    """What came back is what was recorded, and no more than a chunk is missing; of a time in two, a part may be."""
    at = np.round((found.t + found.meta["start_ns"] * 1e-9) / 0.01).astype(int)
    assert len(at) >= ROWS - max(map(len, chunks)), f"byte {place}: {ROWS - len(at)} rows lost"
    if len(at) < ROWS:
        assert found.meta["skipped"] > 0, f"byte {place}: lost in silence"
    halved = {time for one, other in pairwise(chunks) for time in one & other}
    whole = [k for k, row in enumerate(at) if row * 10**7 not in halved]
    for name in NAMES:
        np.testing.assert_array_equal(found[name][whole], run[name][at[whole]])


def test_a_damaged_chunk_is_counted(tmp_path, run, small_chunks):
    whole = bytearray(save_mcap(run, tmp_path / "run.mcap").read_bytes())
    place = whole.index(b"\x28\xb5\x2f\xfd", len(whole) // 3)  # a zstd frame
    whole[place + 20] ^= 1
    (tmp_path / "bad.mcap").write_bytes(whole)
    found = load_mcap(tmp_path / "bad.mcap")
    assert found.meta["skipped"] == 1
    assert found.meta["interrupted"]
    assert ROWS / 2 < len(found) < ROWS


def test_noise_between_records_is_passed_over(tmp_path, run, small_chunks):
    whole, rng = save_mcap(run, tmp_path / "run.mcap").read_bytes(), random.Random(4)
    place = whole.index(b"\x28\xb5\x2f\xfd", len(whole) // 2)
    (tmp_path / "bad.mcap").write_bytes(whole[:place] + rng.randbytes(3000) + whole[place + 100 :])
    found = load_mcap(tmp_path / "bad.mcap")
    assert found.meta["skipped"] >= 1
    assert len(found) > 0.7 * ROWS


def test_noise_alone_is_no_recording(tmp_path):
    path = tmp_path / "noise.mcap"
    for data in (b"", b"\x89MCAP0\r\n", random.Random(1).randbytes(100_000), b"\x01" + bytes(100_000)):
        path.write_bytes(data)
        with pytest.raises(ModelError, match="no readable message"):
            load_mcap(path)


TRUNCATING = """
import os, sys
from symbody.realtime import mcap_records
from symbody.realtime.record_read import load_mcap
begin = mcap_records.Records.__iter__
def truncated(self):
    os.truncate(sys.argv[1], 0)
    return begin(self)
mcap_records.Records.__iter__ = truncated
print(len(load_mcap(sys.argv[1])))
"""


@pytest.mark.posix
def test_a_recording_that_is_truncated_while_it_is_read_ends_no_process(tmp_path, run):
    """Mapped memory behind the end of its file ends the process with SIGBUS."""
    path = save_mcap(run, tmp_path / "run.mcap")
    done = subprocess.run([sys.executable, "-c", TRUNCATING, path], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (f"{ROWS}\n", 0)


def test_the_last_sample_reaches_the_file_while_nothing_else_comes(tmp_path):
    path = tmp_path / "quiet.mcap"
    recorder = Recorder(path, {"robot": ["arm.q"]})
    recorder.write("robot", np.array([1.0]), 5)

    def there():
        try:
            return load_mcap(path)["arm.q"].tolist() == [1.0]
        except symbody.ModelError:
            return False

    eventually(there)
    recorder.close()


def test_what_cannot_be_recorded_leaves_no_file(tmp_path, monkeypatch):
    opened = []

    def noting(*how):
        opened.append(open(*how))  # noqa: SIM115
        return opened[-1]

    monkeypatch.setattr(record, "open", noting, raising=False)
    with pytest.raises(TypeError):
        Recorder(tmp_path / "x.mcap", {"robot": 5})
    assert list(tmp_path.iterdir()) == []
    assert [file.closed for file in opened] == [True]


def test_a_program_may_end_without_closing_it(tmp_path):
    code = (
        "import sys; from symbody.realtime.record import Recorder; kept = Recorder(sys.argv[1], {'robot': ['arm.q']})"
    )
    source = str(Path(symbody.__file__).parents[1])
    command = [sys.executable, "-c", code, str(tmp_path / "left.mcap")]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": source}, timeout=120.0, check=False)
    assert done.returncode == 0
