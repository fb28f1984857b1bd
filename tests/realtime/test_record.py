"""Recordings: read by others, written by others, cut short, killed, and damaged.

Tests of record.py, record_read.py, mcap_records.py.
"""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symbody
from symbody.errors import ModelError
from symbody.links.devices import Replay
from symbody.links.ros_types import JointState, WrenchStamped
from symbody.realtime.record import WAITING, Recorder, save_mcap
from symbody.realtime.record_read import load_mcap
from symbody.results.run import Run
from waiting import wait_for

pytest.importorskip("mcap")

NAMES = ["arm.q", "arm.qd", "wheel.q", "tip.force.x", "tip.force.y", "tip.force.z", "tip.torque.z", "pressure", "arm.Q"]


@pytest.fixture
def run():
    t = np.arange(0.0, 1.0, 0.01)
    values = np.array([np.sin(t + k) for k in range(len(NAMES))]).T
    return Run(None, t, values, names=NAMES, meta={"model": "robot"})


def aligned(found, names):
    return np.column_stack([found[name] for name in names])


def test_a_run_comes_back(run, tmp_path):
    found = load_mcap(save_mcap(run, tmp_path / "run.mcap"))
    assert sorted(found.names) == sorted(NAMES)
    np.testing.assert_allclose(found.t, run.t, atol=1e-9)
    np.testing.assert_array_equal(aligned(found, NAMES), run.values)
    assert found.meta["interrupted"] is False


def test_others_read_it_by_the_schemas_in_the_file(run, tmp_path):
    """mcap's own reader finds index and statistics; rosbags decodes by the text of the schemas alone."""
    reader = pytest.importorskip("mcap.reader")
    typesys = pytest.importorskip("rosbags.typesys")
    types = typesys.get_typestore(typesys.Stores.EMPTY)
    with open(save_mcap(run, tmp_path / "run.mcap"), "rb") as file:
        source = reader.make_reader(file)
        summary = source.get_summary()
        assert source.get_header().profile == "ros2"
        assert summary.statistics.message_count == 100 * 4  # arm and wheel differ in what is known of them
        found = {}
        for schema in summary.schemas.values():
            assert schema.encoding == "ros2msg"
            types.register(typesys.get_types_from_msg(schema.data.decode(), schema.name))
        for schema, channel, message in source.iter_messages():
            assert channel.message_encoding == "cdr"
            found.setdefault(channel.topic, []).append(types.deserialize_cdr(message.data, schema.name))
    wrenches = found["/robot/tip/wrench"]
    np.testing.assert_array_equal([w.wrench.force.y for w in wrenches], run["tip.force.y"])
    np.testing.assert_array_equal([w.wrench.torque.z for w in wrenches], run["tip.torque.z"])
    arms = [s for s in found["/robot/joint_states"] if "arm" in s.name]
    np.testing.assert_array_equal([s.position[s.name.index("arm")] for s in arms], run["arm.q"])
    np.testing.assert_array_equal([s.effort[0] for s in arms], run["arm.Q"])
    assert arms[5].header.stamp.nanosec == 50_000_000
    np.testing.assert_array_equal([m.data[0] for m in found["/robot/signals"]], run["pressure"])


def test_recordings_of_others_are_read(tmp_path):
    """A bag of rosbag2, written by rosbags."""
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    typesys = pytest.importorskip("rosbags.typesys")
    types = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    kinds = types.types
    head = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](1, 2), "base")
    vector = kinds["geometry_msgs/msg/Vector3"]
    with rosbag2.Writer(tmp_path / "bag", version=9, storage_plugin=rosbag2.StoragePlugin.MCAP) as bag:
        joints = bag.add_connection("/joint_states", JointState.ros, typestore=types)
        wrench = bag.add_connection("/ft/wrench", WrenchStamped.ros, typestore=types)
        for k in range(5):
            state = kinds[JointState.ros](
                head, ["a", "b"], np.array([k, -k], float), np.array([]), np.array([k + 0.5, 0])
            )
            bag.write(joints, 10**18 + k * 10**8, types.serialize_cdr(state, JointState.ros))
            if k >= 2:
                pushed = kinds["geometry_msgs/msg/Wrench"](vector(k, 0, 0), vector(0, 0, 0))
                stamped = kinds[WrenchStamped.ros](head, pushed)
                bag.write(wrench, 10**18 + k * 10**8 + 5 * 10**7, types.serialize_cdr(stamped, WrenchStamped.ros))
    run = load_mcap(next((tmp_path / "bag").glob("*.mcap")))
    assert run.meta["start_ns"] == 10**18
    np.testing.assert_allclose(run.t, [0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])
    np.testing.assert_array_equal(run["b.q"], [0, -1, -2, -2, -3, -3, -4, -4])
    np.testing.assert_array_equal(run["a.Q"], [0.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5, 4.5])
    np.testing.assert_array_equal(run["ft.force.x"], [np.nan] * 3 + [2, 2, 3, 3, 4])


def test_inputs_and_outputs_of_the_same_name_are_told_apart(tmp_path):
    with Recorder(tmp_path / "both.mcap", {"robot": ["arm.q", "arm.Q"], "robot/command": ["arm.Q"]}) as recorder:
        recorder.write("robot", np.array([1.0, 2.0]), 1000)
        recorder.write("robot/command", np.array([3.0]), 2000)
    run = load_mcap(tmp_path / "both.mcap")
    assert set(run.names) == {"arm.q", "robot.arm.Q", "robot/command.arm.Q"}
    assert run["robot/command.arm.Q"][-1] == 3.0


def test_a_recording_plays_as_a_device(run, tmp_path):
    now = [0.0]
    device = Replay(load_mcap(save_mcap(run, tmp_path / "run.mcap")), ["arm.q"], clock=lambda: now[0])
    for k in (0, 33, 98):
        now[0] = run.t[k] + 0.005
        assert device.read()[0] == run["arm.q"][k]
    now[0] = 1.0
    assert np.isnan(device.read()[0])


def test_whatever_is_left_of_a_recording_is_read(run, tmp_path):
    whole = save_mcap(run, tmp_path / "run.mcap").read_bytes()
    part = tmp_path / "part.mcap"
    lengths = []
    for cut in np.linspace(0, len(whole) - 1, 40).astype(int):
        part.write_bytes(whole[:cut])
        try:
            found = load_mcap(part)
        except ModelError:
            lengths.append(0)
        else:
            lengths.append(len(found))
            assert found.meta["interrupted"] is True
            np.testing.assert_array_equal(found["pressure"], run["pressure"][: len(found)])
    assert lengths[0] == 0
    assert lengths[-1] == 100


def test_damaged_and_hostile_recordings_end_in_a_run_or_in_words(run, tmp_path):
    whole, rng, file = save_mcap(run, tmp_path / "run.mcap").read_bytes(), random.Random(6), tmp_path / "bad.mcap"
    ends = set()
    for k in range(150):
        broken = bytearray(whole)
        for _ in range(rng.randrange(1, 8)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        file.write_bytes(rng.randbytes(500) if k % 10 == 0 else bytes(broken))
        try:
            ends.add(type(load_mcap(file)).__name__)
        except ModelError:
            ends.add("words")
    assert ends == {"Run", "words"}


KILLED = """
import sys, time
import numpy as np
from symbody.realtime.record import Recorder
recorder = Recorder(sys.argv[1], {"robot": ["arm.q"]})
for k in range(100_000):
    recorder.write("robot", np.array([float(k)]))
    time.sleep(0.001)
"""


@pytest.mark.posix
def test_a_recording_survives_a_kill(tmp_path):
    path = tmp_path / "killed.mcap"
    source = str(Path(symbody.__file__).parents[1])
    victim = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], env=os.environ | {"PYTHONPATH": source})
    try:
        assert wait_for(lambda: path.exists() and path.stat().st_size > 2000)
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.wait()
    run = load_mcap(path)
    assert run.meta["interrupted"] is True
    assert len(run) > 100
    np.testing.assert_array_equal(run["arm.q"], np.arange(len(run)))


def test_a_full_disk_ends_the_recording_only(tmp_path, monkeypatch):
    recorder = Recorder(tmp_path / "full.mcap", {"robot": ["arm.q"]})

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(recorder._streams, "write", full)
    for _ in range(5):
        recorder.write("robot", np.array([1.0]))
    recorder.close()
    assert "no space" in recorder.failed


def test_samples_after_the_end_are_counted_once_and_not_kept(tmp_path):
    recorder = Recorder(tmp_path / "ended.mcap", {"robot": ["arm.q"]})
    recorder.write("robot", np.array([1.0]))
    recorder.close()
    for _ in range(WAITING + 10):
        recorder.write("robot", np.array([2.0]))
    assert recorder.lost == WAITING + 10
    assert load_mcap(tmp_path / "ended.mcap").values.tolist() == [[1.0]]


def test_bad_names_of_files_are_told(tmp_path, run):
    save_mcap(run, tmp_path / "there.mcap")
    with pytest.raises(ModelError, match="cannot record to this file"):
        Recorder(tmp_path / "there.mcap", {"robot": ["arm.q"]})
    with pytest.raises(ModelError, match="no such file"):
        load_mcap(tmp_path / "none.mcap")


def test_without_the_package_it_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "mcap.writer", None)
    with pytest.raises(ModelError, match=r"symbody\[mcap\]"):
        Recorder(tmp_path / "x.mcap", {"robot": ["arm.q"]})
    assert not (tmp_path / "x.mcap").exists()


def test_notes_tell_the_channels_exactly(run, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    with open(save_mcap(run, tmp_path / "run.mcap"), "rb") as file:
        channels = reader.make_reader(file).get_summary().channels.values()
        told = [name for channel in channels for name in json.loads(channel.metadata["channels"])]
    assert sorted(told) == sorted(NAMES)
