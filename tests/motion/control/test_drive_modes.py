"""Who has the drives: a controller, a soft hold after a fault and without power, or homing.

Tests of motion/control/drive_loop.py, drive_loop.c, hold.h and motion/safety/homing.h.
"""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from symbody.motion.built_in_platform import platform_data
from symbody.motion.control import ComputedTorque, Pid
from symbody.motion.control.drive_loop import FAULTS, MODES, DriveLoop, parked_axes, ridden_platform
from symbody.motion.data import ACTUATORS, AXES, AxisLimit, laden
from symbody.motion.drives import resolutions
from symbody.motion.safety.homing import end_stops
from symbody.motion.safety.loop_supervisor import STATES

DATA = platform_data()
HEAD, SEAT, RIDER = (-0.05, 0.0, 0.4), (0.0, 0.0, 0.2), 20.0
USUAL = laden(DATA, SEAT, RIDER)
LOADS = [laden(DATA, SEAT, mass) for mass in (10.0, RIDER, 50.0)]
STATE = {name: float(k) for k, name in enumerate(STATES)}
UNKNOWN = np.random.default_rng(3).integers(-100_000, 100_000, 8) * resolutions(DATA)


def drives(*controllers, parked=False, data=DATA, check=False, **options):
    plant = ridden_platform(DATA, HEAD, SEAT, RIDER, parked)
    made = DriveLoop(data, plant, USUAL, controllers or (ComputedTorque(),), LOADS if check else (), **options)
    return CStage(made)


def axes_of(run, k=-1):
    return np.array([run[f"{axis}.q"][k] for axis in AXES])


def speeds_of(run):
    return np.column_stack([run[f"{name}.qd"] for name in ACTUATORS])


def sway(k, far=0.05, w=6.0):
    t = 1e-3 * k
    s, v, a = far * (1.0 - np.cos(w * t)), far * w * np.sin(w * t), far * w * w * np.cos(w * t)
    return {"reference.z": 0.5 + s, "reference.z.rate": v, "reference.z.second": a}


def test_unstable_gains_are_refused_before_the_loop_starts():
    with pytest.raises(sb.ModelError, match="errors grow"):
        drives(Pid(reset=30.0), check=True)


UNSTABLE = {
    "too much damping": Pid(damping=6e3),
    "too fast": ComputedTorque(bandwidth=700.0),
    "negative": Pid(damping=-300.0),
}


@pytest.mark.parametrize("name", UNSTABLE)
def test_an_unstable_controller_loses_the_drives_and_the_platform_comes_softly_to_rest(name):
    stage = drives(UNSTABLE[name])
    run = stage.run(3000, lambda k: sway(k) if k < 800 else {})
    caught = int((run["drives.fault"] > 0.0).argmax())
    assert caught > 0
    assert FAULTS[int(run["drives.fault"][-1])].startswith(("control is unstable", "an actuator is more than"))
    assert MODES[int(run["drives.mode"][-1])] == "hold"
    speeds = np.abs(speeds_of(run))
    assert speeds[caught:].max() < 0.275  # the largest speed of a leg
    assert speeds[-200:].max() < 2e-3
    felt = np.linalg.norm(
        [run[f"head.accelerometer.{a}"][caught + 100 :] - (9.81 if a == "z" else 0.0) for a in "xyz"], axis=0
    )
    assert felt.max() < 3.0  # m/s²
    still = axes_of(run)
    assert np.abs(still - axes_of(run, caught)).max() < 0.06


def test_a_controller_that_is_stable_keeps_the_drives():
    run = drives().run(1500, sway)
    assert not run["drives.fault"].any()
    assert not run["drives.mode"].any()


@pytest.mark.parametrize("state", ["off", "fault"])
def test_without_power_the_platform_keeps_its_place(state):
    stage = drives()
    before = axes_of(stage.run(200))
    run = stage.run(1500, lambda k: {"state": STATE[state], "reference.z": 0.6})
    assert MODES[int(run["drives.mode"][-1])] == "hold"
    np.testing.assert_allclose(axes_of(run), before, atol=5e-4)


def test_a_platform_that_moves_is_braked_softly_by_the_hold():
    stage = drives()
    before = speeds_of(stage.run(600, sway))[-1]
    assert np.abs(before).max() > 0.1
    after = speeds_of(stage.run(400, lambda k: {"state": STATE["fault"]}))
    assert np.abs(np.diff(np.vstack([before, after]), axis=0)).max() < 5e-3  # of 5 m/s²
    assert np.abs(after[-1]).max() < 2e-3


def test_forces_do_not_jump_when_the_controller_changes():
    stage = drives(ComputedTorque(), Pid(stiffness=5e4, damping=900.0, weight=tuple(np.zeros(8))))
    stage.run(500, sway)
    run = stage.run(300, lambda k: sway(500 + k) | {"controller": 1.0})
    forces = np.column_stack([run[f"{name}.force"] for name in ACTUATORS])
    assert np.abs(np.diff(forces, axis=0)).max() < 30.0


# -- homing ------------------------------------------------------------------------------------------------------------


def homed(stage, steps=9000):
    return stage.run(steps, lambda k: {"state": STATE["homing"]})


def test_homing_finds_the_zeros_and_ends_at_neutral():
    run = homed(drives(parked=True, unknown=UNKNOWN), 7000)
    assert run["drives.homed"][-1] == 1.0
    assert run["drives.homed"][0] == 0.0
    np.testing.assert_allclose(axes_of(run), DATA.neutral_axes, atol=1.5e-3)  # end stops give way a little
    low, _ = end_stops(DATA)
    lowest = np.array([run[f"{name}.q"].min() for name in ACTUATORS])
    np.testing.assert_allclose(lowest, low, atol=1.2e-3)
    felt = np.column_stack([run[f"head.accelerometer.{axis}"][50:] - (9.81 if axis == "z" else 0.0) for axis in "xyz"])
    assert np.abs(felt).max() < 6.0  # m/s²: nobody is thrown about by an end stop


def test_a_parked_platform_is_near_its_ends():
    axes, (low, _) = parked_axes(DATA), end_stops(DATA)
    assert axes[:2] - low[:2] == pytest.approx(0.03)
    first = drives(parked=True, unknown=UNKNOWN).run(1, lambda k: {"state": STATE["off"]})
    np.testing.assert_allclose([first[f"rod{k}.q"][0] for k in range(1, 7)], DATA.legs.shortest, atol=1e-4)


def test_an_axis_without_an_end_is_named_and_the_drives_hold():
    """The stroke of table.y is longer than the data say: its end does not come."""
    narrow = replace(DATA, limits={**DATA.limits, "table.y": AxisLimit(-0.01, 0.01, 1.2, 1.7)})
    run = homed(drives(data=narrow, unknown=UNKNOWN), 4000)
    assert FAULTS[int(run["drives.fault"][-1])].startswith("homing found no end")
    assert ACTUATORS[int(run["drives.lost"][-1])] == "table.y"
    assert MODES[int(run["drives.mode"][-1])] == "hold"
    assert np.abs(speeds_of(run)[-100:]).max() < 2e-3


def test_words_of_a_fault_name_the_actuator():
    stage = DriveLoop(DATA, ridden_platform(DATA, HEAD, SEAT, RIDER), USUAL)
    assert stage.fault(4.0, 1.0) == "homing found no end of table.y"
    assert "0.02 m" in stage.fault(1.0)
