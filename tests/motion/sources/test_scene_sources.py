"""Sources of motion: the guard of live streams, recorded logs, UDP streams, telemetry of a game.

Tests of scene_guard.py, recorded.py, udp_scene.py, game_telemetry.py, game_packets.py.
"""

import socket
import struct

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symbody as sb
from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing import SCENE, Classic, cueing_model, descent, run_over
from symbody.motion.sources import (
    GameTelemetry,
    PlayedRecord,
    SceneGuard,
    SceneSender,
    StreamLimits,
    UdpScene,
    recorded_scene,
)
from symbody.motion.sources.game_packets import FORMS, OUTSIM, forza_sample, outsim_sample
from symbody.realtime.record import Recorder
from waiting import eventually

LIMITS = StreamLimits()


# -- guard -------------------------------------------------------------------------------------------------------------


def test_a_smooth_stream_passes_unchanged():
    guard = SceneGuard()
    for k in range(1000):
        t = 1e-3 * k
        sample = np.array([2.0, 1.0, 0.5, 0.1, -0.1, 0.2]) * np.sin(2.0 * t)
        assert guard.offer(sample, t, t) == "accepted"
        np.testing.assert_allclose(guard.read(t), sample, atol=1e-12)
    assert guard.reason == ""


@pytest.mark.parametrize(
    ("values", "stamp", "reason"),
    [
        ([np.nan, 0, 0, 0, 0, 0], 1.0, "scene_x is not a number"),
        ([0, 0, 0, 0, np.inf, 0], 1.0, "scene_pitch is not a number"),
        ([0, 981.0, 0, 0, 0, 0], 1.0, "scene_y is beyond 100 m/s²: wrong unit?"),
        ([0, 0, 0, 0, 0, 360.0], 1.0, "scene_yaw is beyond 100 rad/s: wrong unit?"),
        ([0, 0, 0], 1.0, "not 6 values"),
        ([0] * 6, 0.5, "the time decreases or repeats"),
        ([0] * 6, 0.4, "the time decreases or repeats"),
        ([0] * 6, np.nan, "the time is not a number"),
    ],
)
def test_samples_that_cannot_be_are_refused(values, stamp, reason):
    guard = SceneGuard()
    guard.offer([1.0] * 6, 0.5, 0.5)
    assert guard.offer(values, stamp, 0.6) == "refused"
    assert guard.reason == reason
    assert guard.counts[reason] == guard.counts["refused"] == 1


def test_values_beyond_the_limits_are_clipped_with_a_word():
    guard = SceneGuard()
    guard.read(0.0)
    assert guard.offer([60.0, 0, 0, 0, 0, -50.0], 0.0, 0.0) == "clipped"
    assert guard.reason == "scene_x is beyond its limit"
    guard.read(0.05)
    guard.offer([60.0, 0, 0, 0, 0, -50.0], 0.1, 0.1)
    guard.read(0.15)
    for k in range(10):
        guard.offer([60.0, 0, 0, 0, 0, -50.0], 0.2 + 0.05 * k, 0.2 + 0.05 * k)
        found = guard.read(0.2 + 0.05 * k)
    np.testing.assert_allclose(found, [LIMITS.acceleration, 0, 0, 0, 0, -LIMITS.rate])


def test_hostile_streams_never_exceed_values_and_slopes():
    """Random samples, times, gaps and jumps: the output keeps its limits, and ends at rest."""
    rng, guard, t, before = np.random.default_rng(0), SceneGuard(), 0.0, np.zeros(6)
    wild = np.array([0.0, 1.0, 1e3, np.nan, np.inf, -1e9])
    for _ in range(1500):
        dt = rng.choice([1e-3, 1e-2, 0.5])
        t += dt
        if rng.random() < 0.7:
            guard.offer(rng.choice(wild, 6) * rng.normal(size=6) * 30.0, t + rng.normal(), t)
        found = guard.read(t)
        assert np.isfinite(found).all()
        assert (np.abs(found) <= LIMITS.largest).all()
        assert (np.abs(found - before) <= LIMITS.slopes * dt + 1e-9).all()
        before = found
    for _ in range(100):
        t += 0.05
        before = guard.read(t)
    np.testing.assert_array_equal(before, np.zeros(6))
    assert guard.counts["gap"] > 0


def test_after_a_gap_the_passenger_comes_to_rest_softly():
    guard = SceneGuard()
    for k in range(100):
        guard.offer([5.0, 0, 0, 0, 0, 0], 0.01 * k, 0.01 * k)
        guard.read(0.01 * k)
    held = [guard.read(0.99 + 0.01 * k)[0] for k in range(1, 30)]
    assert held[8] == 5.0  # within the gap the last sample holds
    assert held[-1] == 0.0
    assert min(np.diff(held)) >= -LIMITS.acceleration_slope * 0.01 - 1e-9
    assert "no sample for more than 0.1 s" in guard.reason


def test_a_clock_that_goes_back_and_limits_that_are_none_are_refused():
    guard = SceneGuard()
    guard.read(1.0)
    with pytest.raises(ModelError, match="goes back"):
        guard.read(0.5)
    for numbers in ({"gap": 0.0}, {"acceleration": np.nan}, {"rate_slope": -1.0}):
        with pytest.raises(ModelError, match="limits"):
            StreamLimits(**numbers)


# -- recorded ----------------------------------------------------------------------------------------------------------


def write(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
    return path


ROWS = [(0.1 * k, 0.5, 90.0, 1.0) for k in range(30)]


def test_a_log_of_other_names_and_units_becomes_a_record(tmp_path):
    path = write(tmp_path / "drive.csv", "time (s),long [g],yawrate [deg/s],up [g]", ROWS)
    columns = {"scene_x": "long", "scene_yaw": "-yawrate", "scene_z": "up"}
    record = recorded_scene(path, columns, with_gravity=True)
    np.testing.assert_allclose(record.acceleration[:, 0], 0.5 * GRAVITY)
    np.testing.assert_allclose(record.acceleration[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(record.rate[:, 2], -np.pi / 2)
    assert not record.acceleration[:, 1].any()
    assert record.step == pytest.approx(5e-3)
    assert record.t[0] == 0.0


def test_a_descent_that_was_saved_is_cued_as_before(tmp_path):
    given = descent(5e-3)
    columns = dict(zip(SCENE, [*given.acceleration.T, *given.rate.T], strict=True))
    rows = np.column_stack([given.t, *columns.values()])
    np.savetxt(tmp_path / "d.csv", rows, delimiter=",", header=",".join(["t", *SCENE]), comments="", fmt="%.17g")
    read = recorded_scene(tmp_path / "d.csv")
    np.testing.assert_allclose(read.acceleration, given.acceleration, atol=1e-9)
    s = sb.system(cueing_model(Classic()))
    np.testing.assert_allclose(run_over(s, read)["pitch"], run_over(s, given)["pitch"], atol=1e-9)


@pytest.mark.parametrize(
    ("header", "rows", "options", "message"),
    [
        ("t,a", [(0.0, 1.0), (0.1, np.nan)], {}, r"nan at t = 0.1 s"),
        ("t,a", [(0.0, 1.0), (0.0, 1.0)], {}, "the time goes from 0 to 0"),
        ("t,a", [(0.0, 1.0), (2.0, 1.0)], {}, r"a gap of 2 s after t = 0 s"),
        ("t,a", [(0.0, 1.0), (0.1, 981.0)], {}, r"at most 100 m/s²"),
        ("t,a [kg]", [(0.0, 1.0), (0.1, 1.0)], {}, "cannot convert 'kg' to 'm/s²'"),
        ("t,a [m/sec]", [(0.0, 1.0), (0.1, 1.0)], {}, "unit"),
        ("t,b", [(0.0, 1.0), (0.1, 1.0)], {}, "no such column"),
        ("t,a", [(0.0, 1.0)], {}, "1 rows"),
        ("t,a", [(0.0, 1.0), (0.1, 1.0)], {"columns": {"scene_q": "a"}}, "unknown signal"),
        ("t,a", [(0.0, 1.0), (0.1, 1.0)], {"columns": None}, "no such column"),
    ],
)
def test_logs_that_cannot_be_used_are_refused(tmp_path, header, rows, options, message):
    path = write(tmp_path / "log.csv", header, rows)
    with pytest.raises(ModelError, match=message):
        recorded_scene(path, **({"columns": {"scene_x": "a"}} | options))


def test_a_recording_in_mcap_is_read(tmp_path):
    pytest.importorskip("mcap")
    with Recorder(tmp_path / "drive.mcap", {"car": ["ax", "wz"]}) as recorder:
        for k in range(100):
            recorder.write("car", np.array([1.5, 0.1 * k]), int(1e7 * k))
    record = recorded_scene(tmp_path / "drive.mcap", {"scene_x": "ax", "scene_yaw": "wz"})
    np.testing.assert_allclose(record.acceleration[:, 0], 1.5)
    np.testing.assert_allclose(record.rate[:, 2], 10.0 * record.t, atol=1e-9)


def test_a_record_plays_in_its_own_time_and_then_rests():
    record = descent(1e-2)
    source = PlayedRecord(record)
    np.testing.assert_allclose(source.read(100.0), 0.0, atol=1e-12)
    np.testing.assert_allclose(source.read(104.0)[:3], record.acceleration[400])
    np.testing.assert_array_equal(source.read(170.0), np.zeros(6))


# -- UDP ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def stream():
    receiver = UdpScene()
    sender = SceneSender(receiver.address)
    yield receiver, sender
    sender.close()
    receiver.close()


def heard(receiver, count, now=0.0):
    """Read until so many samples were judged; the clock stands still."""
    eventually(lambda: receiver.read(now) is not None and sum(receiver.guard.counts[v] for v in VERDICTS) >= count)


VERDICTS = ("accepted", "clipped", "refused")


def test_a_stream_arrives_over_udp(stream):
    receiver, sender = stream
    sample = [1.0, -0.5, 0.2, 0.01, 0.02, 0.03]
    sender.send(sample)
    heard(receiver, 1)
    np.testing.assert_allclose(receiver.read(0.05), sample)
    assert receiver.guard.counts["accepted"] == 1


def test_nan_in_a_stream_is_refused_and_a_second_sender_too(stream):
    receiver, sender = stream
    sender.send([np.nan] * 6)
    heard(receiver, 1)
    assert receiver.guard.reason == "scene_x is not a number"
    sender.send([1.0] * 6)
    heard(receiver, 2)
    other = SceneSender(receiver.address)
    other.send([2.0] * 6)
    eventually(lambda: receiver.read(0.0) is not None and receiver.refused["another sender"])
    for now in (0.05, 0.5):
        receiver.read(now)
    other.send([2.0] * 6)  # the first one is silent now
    heard(receiver, 3, 0.5)
    other.close()


def test_malformed_packets_are_counted(stream):
    receiver, _ = stream
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anyone:
        for data in (b"", b"SYMB", bytes(100), bytes(1400)):
            anyone.sendto(data, receiver.address)
        eventually(lambda: receiver.read(0.0) is not None and sum(receiver.refused.values()) >= 4)
    np.testing.assert_array_equal(receiver.read(0.1), np.zeros(6))


def test_a_stream_from_elsewhere_needs_a_token():
    with pytest.raises(ModelError, match="token"):
        UdpScene(("0.0.0.0", 0))
    UdpScene(("0.0.0.0", 0), token=bytes(range(32))).close()


# -- game --------------------------------------------------------------------------------------------------------------


def packet(ms, acceleration=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0), on=1, size=324):
    """A packet of the game: right, up and ahead (m/s², rad/s)."""
    head = struct.pack("<iI12f", on, ms, 8000.0, 900.0, 3000.0, *acceleration, 0.0, 0.0, 30.0, *turn)
    return head + bytes(size - len(head))


def test_the_axes_of_the_game_become_those_of_the_seat():
    on, ms, values = forza_sample(packet(1234, (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)))
    assert (on, ms) == (True, 1234)
    np.testing.assert_allclose(values, [3.0, -1.0, 2.0, -0.3, 0.1, -0.2], rtol=1e-6)


def test_a_curve_of_the_game_is_consistent():
    """A curve to the right at a constant speed: to the right accelerated (a = v ω), clockwise from above."""
    speed, turn = 20.0, 0.2
    _, _, values = forza_sample(packet(0, (speed * turn, 0.0, 0.0), (0.0, turn, 0.0)))
    a_left, yaw = values[1], values[5]
    assert a_left == pytest.approx(speed * yaw)


@pytest.mark.parametrize("data", [b"", bytes(231), bytes(400), packet(0, on=7), packet(0)[:-1]])
def test_packets_of_another_form_are_rejected(data):
    with pytest.raises(Rejected):
        FORMS["forza"].sample(data)
    with pytest.raises(Rejected):
        FORMS["outsim"].sample(data[:63])


@pytest.mark.parametrize("seed", range(10))
def test_outsim_is_what_a_sensor_in_the_car_measures(seed):
    """Against SciPy's rotations: a car with a random attitude, turn rate and acceleration."""
    rng = np.random.default_rng(seed)
    heading, pitch, roll = rng.uniform(-3.0, 3.0), *rng.uniform(-0.3, 0.3, 2)
    a, rate = rng.uniform(-5.0, 5.0, 3), rng.uniform(-1.0, 1.0, 3)
    data = OUTSIM.pack(77, *rate, heading, pitch, roll, *a, 1.0, 2.0, 3.0, 4, 5, 6)
    car = Rotation.from_euler("ZXY", [heading, pitch, roll])
    up = np.array([0.0, 0.0, 9.81])
    felt, turn = car.inv().apply(a + up) - up, car.inv().apply(rate)
    on, ms, values = outsim_sample(data)
    assert (on, ms) == (True, 77)
    np.testing.assert_allclose(values, [felt[1], -felt[0], felt[2], turn[1], -turn[0], turn[2]], atol=2e-3)


def test_a_car_at_rest_on_a_slope_leans_back():
    """Nose up: gravity presses the driver into the seat, as an acceleration ahead does."""
    values = outsim_sample(OUTSIM.pack(0, 0, 0, 0, 0.0, 0.1, 0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0) + bytes(4))[2]
    np.testing.assert_allclose(values[:2], [9.81 * np.sin(0.1), 0.0], atol=1e-2)
    assert len(OUTSIM.pack(0, *9 * (0.0,), 0, 0, 0, 0, 0, 0)) in FORMS["outsim"].sizes


@pytest.mark.parametrize("size", FORMS["forza"].sizes)
def test_all_forms_of_the_packet_are_read(size):
    assert forza_sample(packet(5, (0.0, 0.0, 2.0), size=size))[2][0] == 2.0


def test_telemetry_feeds_a_platform_and_a_pause_brings_it_to_rest():
    game = GameTelemetry(("127.0.0.1", 0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:

        def send(data):
            sender.sendto(data, game.address)

        send(packet(2**32 - 10, (0.0, 0.0, 2.0)))
        heard(game, 1)
        np.testing.assert_allclose(game.read(0.05), [2.0, 0, 0, 0, 0, 0])
        send(packet(6, (0.0, 0.0, 3.0)))  # the time began again
        heard(game, 2, 0.05)
        assert game.guard.counts["accepted"] == 2
        send(packet(8, (0.0, float("nan"), 3.0)))
        heard(game, 3, 0.05)
        assert game.guard.reason == "scene_z is not a number"
        send(b"x" * 324)
        send(bytes(10))
        eventually(lambda: game.read(0.05) is not None and sum(game.refused.values()) == 2)
        send(packet(0, on=0))
        eventually(lambda: game.read(0.05) is not None and not game.guard._wanted.any())
    np.testing.assert_array_equal(game.read(0.2), np.zeros(6))
    game.close()


def test_other_computers_are_heard_only_by_name():
    with pytest.raises(ModelError, match="no signature"):
        GameTelemetry(("0.0.0.0", 0))
    with pytest.raises(ModelError, match="not an address"):
        GameTelemetry(("0.0.0.0", 0), sender="my-console")
    game = GameTelemetry(("0.0.0.0", 0), sender="192.0.2.7")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anyone:
        anyone.sendto(packet(1), ("127.0.0.1", game.address[1]))
        eventually(lambda: game.read(0.0) is not None and game.refused["another sender"])
    game.close()


def test_a_port_in_use_is_named():
    game = GameTelemetry(("127.0.0.1", 0))
    with pytest.raises(ModelError, match="cannot listen"):
        GameTelemetry(game.address)
    game.close()
