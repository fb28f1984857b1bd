"""The seat of a recorded vehicle as a scene: against motions that are known in closed form.

Tests of motion/sources/seat_run.py.
"""

import numpy as np
import pytest

from symbody.motion.sources.loop_scene import CHANNELS
from symbody.motion.sources.seat_run import SIGNALS, platform_signal, seat_record
from symbody.results.run import Run

G = 9.81


def vehicle(t, **channels):
    values = np.stack([np.broadcast_to(channels.get(name.replace(".", "_"), 0.0), t.shape) for name in CHANNELS], -1)
    return Run(None, t, values, names=list(CHANNELS), units=dict.fromkeys(CHANNELS, ""))


def test_a_vehicle_at_rest_feels_nothing():
    record = seat_record(vehicle(np.arange(0.0, 2.0, 0.012)))
    assert np.abs(record.acceleration).max() == 0.0
    assert np.abs(record.rate).max() == 0.0


def test_a_slope_is_felt_as_an_acceleration():
    record = seat_record(vehicle(np.arange(0.0, 1.0, 0.01), pitch_q=-0.1))
    np.testing.assert_allclose(record.acceleration[:, 0], G * np.sin(0.1), rtol=1e-9)
    np.testing.assert_allclose(record.acceleration[:, 2], G * (np.cos(0.1) - 1.0), rtol=1e-9)


def test_turn_rates_are_those_of_the_angles():
    t = np.arange(0.0, 2.0, 0.01)
    record = seat_record(vehicle(t, roll_q=0.3 * np.sin(t)))
    np.testing.assert_allclose(record.rate[2:-2, 0], 0.3 * np.cos(record.t[2:-2]), atol=1e-4)
    assert np.abs(record.rate[:, 1:]).max() < 1e-9


@pytest.mark.slow
def test_braking_tilts_the_platform_forwards():
    t = np.arange(0.0, 6.0, 0.01)
    cued = platform_signal(vehicle(t, seat_acceleration_x=np.where(t > 1.0, -2.0, 0.0)))
    pitch, roll = (cued[name] for name in SIGNALS)
    assert np.degrees(pitch[-1]) == pytest.approx(np.degrees(0.95 * 2.0 / G), rel=0.3)
    assert np.abs(roll).max() < 1e-9
