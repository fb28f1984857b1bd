"""Analog sensors: linear Hall pair, coil, light barrier and peak detector."""

import numpy as np
import pytest

import symbody as sb
from orderings import Ordering, check
from symbody.elements.analog_sensors import (
    Coil,
    Hall,
    LightBarrier,
    Pickup,
    add_coil,
    add_hall,
    add_light_barrier,
    add_pickup,
)

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


def test_sensors_of_a_falling_body():
    """From rest through a gate that ends after 20 mm: z = g t²/2, ż = g t."""
    m = sb.Model("fall", gravity=(0.0, 0.0, 9.81))
    m.body("ball", joints="T3", mass=0.1)
    add_hall(m, "hall", lambda s, p: 0.2 * s.q["ball"], 0.01, Hall(lag=1e-4))
    add_coil(m, "coil", lambda s, p: s.qd["ball"], Coil(2.0))
    add_light_barrier(m, "gate", "passed", lambda s, p: 0.02 - s.q["ball"], lambda s, p: s.qd["ball"])
    add_pickup(m, "pickup", "heard", lambda s, p: 100.0 * s.qd["ball"])
    s = sb.system(m, outputs=["*.q", "*.qd", "hall.*", "coil.*", "passed", "heard"])
    run = sb.simulate(s, until=0.1, dt=1e-5, method="rk4", every=1e-3)
    assert np.abs(run["hall.position"] - 0.2 * run["ball.q"]).max() < 0.03 * 0.01
    assert run["coil.voltage"] == pytest.approx(2.0 * run["ball.qd"])
    assert run["coil.velocity"] == pytest.approx(run["ball.qd"])
    assert run["passed"][-1] == pytest.approx(np.sqrt(2.0 * 9.81 * 0.02), rel=0.01)
    assert run["heard"][-1] == pytest.approx(100.0 * run["ball.qd"][-1], rel=0.02)
