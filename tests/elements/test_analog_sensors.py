"""Analog sensors: linear Hall pair, coil, light barrier and peak detector."""

import numpy as np
import pytest

import symbody as sb
from orderings import Ordering, check
from symbody.elements.analog_sensors import Coil, Hall, LightBarrier, Pickup

TRAVEL = 9.5e-3  # m


def hall_error(name, seed):
    """Largest error relative to the travel, of two opposed sensors or of one with its best line; a travel by seed."""
    hall, travel = Hall(), TRAVEL * (1.0 + 0.05 * seed)
    positions = np.linspace(0.0, travel, 30)
    if name == "opposed":
        k, offset = hall.calibration(travel)
        return np.abs(k * hall.difference(positions, travel) + offset - positions).max() / travel
    line = np.polyfit(hall.voltage(positions), positions, 1)
    return np.abs(np.polyval(line, hall.voltage(positions)) - positions).max() / travel


def test_opposed_hall_sensors_are_nearly_linear():
    assert hall_error("opposed", 0) < 0.03
    check(Ordering("error", "opposed", "alone", hall_error, 0.5))
    assert Hall().difference(TRAVEL / 2, TRAVEL) == pytest.approx(0.0)


def test_a_coil_measures_velocity():
    assert Coil(2.0).voltage(0.25) == 0.5


def test_a_light_barrier_reads_rising_parts_in_its_gate_only():
    barrier = LightBarrier(width=2e-3, lag=1e-4)
    assert float(barrier.rate(0.0, 1e-3, 0.5)) == pytest.approx(0.5 / 1e-4)
    idle = [barrier.rate(0.3, gap, rising) for gap, rising in ((1e-3, -0.5), (3e-3, 0.5), (-1e-4, 0.5))]
    assert [float(rate) for rate in idle] == [0.0, 0.0, 0.0]


def test_a_peak_detector_rises_fast_and_falls_slowly():
    pickup = Pickup()
    assert float(pickup.rate(1.0, 11.0)) == pytest.approx(10.0 / pickup.rise - 1.0 / pickup.fall)
    assert float(pickup.rate(1.0, 0.0)) == pytest.approx(-1.0 / pickup.fall)


@pytest.mark.parametrize("sensor", [Hall(gap=0.0), LightBarrier(width=-1.0), Pickup(rise=0.0)])
def test_numbers_must_be_positive(sensor):
    with pytest.raises(sb.ModelError):
        sensor.check("sensor")
