"""Platforms from files: six anchors for each plate, limits of legs, hexapods without a table; motion/data.py."""

from importlib.resources import files

import numpy as np
import pytest
import yaml

from symbody.errors import LimitError, ModelError
from symbody.machines.platform.data import platform_data
from symbody.motion.data import AXES, load_platform
from symbody.motion.drives import leg_speed
from symbody.motion.dynamics import inverse_dynamics
from symbody.motion.limits import check_motion
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety import RideSupervisor
from symbody.motion.workspace import require_consistent

TABLE = ("table.x", "table.y")


def entries():
    """The entries of the built-in platform's file."""
    return yaml.safe_load((files("symbody.motion") / "xy_platform.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def written(tmp_path):
    """A function that writes entries to a file and reads the platform from it."""

    def write(read):
        path = tmp_path / "hexapod.yaml"
        path.write_text(yaml.safe_dump(read), encoding="utf-8")
        return load_platform(path)

    return write


def on_the_ground():
    """Entries of a hexapod without a table."""
    read = entries()
    for name in TABLE:
        del read["limits"][name], read["bodies"][name.replace(".", "_")], read["friction"][name.replace(".", "_")]
    return read


def test_a_hexapod_without_a_table_has_the_forces_of_one_on_a_fixed_table(written):
    data = written(on_the_ground())
    assert data.moving.tolist() == [False, False, *6 * [True]]
    require_consistent(data)
    rng = np.random.default_rng(0)
    twist, second = rng.uniform(-0.2, 0.2, (2, 8)) * np.repeat([0.0, 1.0], (2, 6))
    legs = inverse_dynamics(data.neutral, twist, second, data)[2:]
    np.testing.assert_allclose(legs, inverse_dynamics(data.neutral, twist, second, platform_data())[2:], rtol=1e-12)


def test_a_supervisor_rides_a_hexapod_without_a_table(written):
    ride = RideSupervisor(written(on_the_ground()), 5e-3)
    ride.power_on()
    ride.homed()
    ride.start()
    sample = ride.data.neutral_axes.copy()
    for k in range(100):
        sample[AXES.index("z")] = 0.5 + 1e-4 * k
        reference = ride.tick(5e-3 * k, sample)
    assert reference.axes[AXES.index("z")] == pytest.approx(0.51, abs=1e-3)
    assert not reference.axes[:2].any()
    sample[0] = 0.3
    assert "table.x" in ride.tick(0.5, sample).verdict.reason


def test_anchors_may_be_points(written):
    read, usual = entries(), platform_data()
    read["geometry"]["base"] = usual.feet.tolist()
    read["geometry"]["top"] = (1.1 * usual.tops).tolist()
    data = written(read)
    np.testing.assert_allclose(data.feet, usual.feet)
    np.testing.assert_allclose(data.tops, 1.1 * usual.tops)
    read["geometry"]["base"] = usual.feet[:5].tolist()
    with pytest.raises(ModelError, match=r"base: anchors of the shape \(5, 3\)"):
        written(read)


def test_speeds_and_accelerations_of_legs_come_from_the_file_or_the_motors(written):
    assert leg_speed(platform_data()) == pytest.approx(0.2749, rel=1e-3)
    read = entries()
    read["legs"] |= {"speed": 0.1, "acceleration": 0.4}
    data = written(read)
    assert leg_speed(data) == 0.1
    t = np.linspace(0.0, 1.0, 11)
    axes, rates, second = np.tile(data.neutral_axes, (11, 1)), np.zeros((11, 8)), np.zeros((11, 8))
    z = AXES.index("z")
    rates[5, z] = 0.2
    with pytest.raises(LimitError, match=r"speed of leg 1 = 0\.19\d* m/s at t = 0\.5 s"):
        check_motion(PlatformMotion(t, axes, rates, second, data))
    second[7, z] = 0.6
    with pytest.raises(LimitError, match=r"acceleration of leg 1 = 0\.57\d* m/s² at t = 0\.7 s"):
        check_motion(PlatformMotion(t, axes, 0.0 * rates, second, data))


@pytest.mark.parametrize("wrong", [{"shortest": 0.9}, {"speed": 0.0}, {"acceleration": -1.0}])
def test_contradictory_limits_of_legs_are_refused(written, wrong):
    read = entries()
    read["legs"] |= wrong
    with pytest.raises(ModelError, match="legs: contradictory limits"):
        written(read)
