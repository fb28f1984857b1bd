"""The motion platform as a model: what it is made of, its file, its servo against the set points, energy and limits.

motion/mechanism.py, motion/servo.py.
"""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import symbody as sb
from platform_stage import DATA
from symbody import machines
from symbody.errors import LimitError, ModelError
from symbody.machines.platform.model import GOALS
from symbody.motion.data import ACTUATORS, AXES
from symbody.motion.dynamics import inverse_dynamics
from symbody.motion.geometry import inverse_geometry
from symbody.motion.mechanism import mechanism
from symbody.motion.servo import drive_force, goal, reference


@pytest.fixture(scope="module")
def servo():
    return sb.system(machines.model("platform-servo"), outputs=["*.q", "*.force", "reference_*"])


def test_twenty_one_bodies_with_the_printed_masses():
    m = mechanism(DATA)
    assert len(m.bodies) == 21
    assert len(m.cuts) == 6
    mass = {name: float(body.mass) for name, body in m.bodies.items()}
    legs = sum(mass[f"{part}{k}"] for part in ("yoke", "cylinder") for k in range(1, 7))
    assert mass["table_x"] + legs == pytest.approx(20.56)
    assert mass["table_y"] + mass["table_x"] + legs == pytest.approx(33.7)
    assert mass["platform"] + sum(mass[f"rod{k}"] for k in range(1, 7)) == pytest.approx(6.15)


def test_drives_push_as_derived_in_the_catalogue():
    assert drive_force("table.x", DATA, peak=False) == pytest.approx(114.0, abs=0.5)
    assert drive_force("rod1", DATA, peak=False) == pytest.approx(493.0, abs=0.5)


def test_the_file_is_the_model():
    entry = machines.entry("platform")
    assert entry.file is not None
    built, read = (sb.system(m, outputs=["*.q"]) for m in (entry.model(), entry.open()))
    x = built.x0 + 0.01 * np.sin(np.arange(len(built.x0)))
    assert read.states == built.states
    assert read.rates(0.0, x) == pytest.approx(built.rates(0.0, x), rel=1e-9, abs=1e-9)


def test_it_goes_to_its_set_points_and_keeps_to_the_limits(servo):
    run = sb.simulate(servo, 2.5, 1e-3, every=1e-2)
    for axis in AXES:
        assert run[f"{axis}.q"][-1] == pytest.approx(GOALS[axis], abs=1e-5)
        limit, rate = DATA.limits[axis], run[f"{reference(axis)}_rate"]
        assert np.abs(rate).max() <= limit.speed * 1.001
        assert np.abs(np.diff(rate)).max() <= limit.acceleration * 1.001e-2
        start = run[f"{axis}.q"][0]
        gone = (run[f"{axis}.q"] - start) / (GOALS[axis] - start)
        assert gone.max() < 1.0 + 1e-6  # it brakes in time
        assert np.abs(run[f"{axis}.q"] - run[reference(axis)]).max() < 1e-9  # the closed form is what is needed
    still = np.zeros(8)
    held = inverse_dynamics(np.array([GOALS[axis] for axis in AXES[2:]]), still, still, DATA)
    assert [run[f"{name}.force"][-1] for name in ACTUATORS] == pytest.approx(held, abs=0.3)  # and dry friction


def test_legs_are_where_inverse_geometry_says(servo):
    run = sb.simulate(servo, 1.0, 1e-3, every=0.1)
    axes = np.column_stack([run[f"{axis}.q"] for axis in AXES])
    q, _ = inverse_geometry(axes, DATA)
    assert np.column_stack([run[f"{name}.q"] for name in ACTUATORS]) == pytest.approx(q, abs=1e-11)


def test_a_set_point_beyond_a_limit_goes_to_the_limit(servo):
    run = sb.simulate(servo, 2.0, 1e-3, every=1e-2, inputs={goal("roll"): 3.0, goal("x"): -1.0})
    assert run["roll.q"].max() <= DATA.limits["roll"].high + 1e-9
    assert run["x.q"].min() >= DATA.limits["x"].low - 1e-9


@pytest.fixture(scope="module")
def pushed():
    return sb.system(machines.model("platform"), outputs=["*.q", "*.qd", "*.dissipated", "energy.*"])


def test_forces_hold_it_still(pushed):
    run = sb.simulate(pushed, 0.5, 1e-3, every=0.1)
    assert run.q[-1] == pytest.approx(run.q[0], abs=1e-6)


def test_work_of_the_forces_goes_into_energy_and_friction(pushed):
    forces = {"force_table_x": 40.0, "force_rod1": 14.0, "force_rod4": 8.0}
    run = sb.simulate(pushed, 0.3, 2.5e-4, inputs=forces)
    given = {f"force_{name.replace('.', '_')}": name for name in ACTUATORS}
    values = dict(zip(pushed.inputs, pushed.u0, strict=True)) | forces
    work = sum(values[name] * (run[f"{joint}.q"][-1] - run[f"{joint}.q"][0]) for name, joint in given.items())
    lost = sum(trapezoid(run[f"{name}.friction.dissipated"], run.t) for name in ACTUATORS)
    energy = run["energy.kinetic"] + run["energy.potential"]
    # one run: shares of one balance
    assert lost > 0.1 * work > 0.1  # J
    assert energy[-1] - energy[0] + lost == pytest.approx(work, rel=1e-4)


def test_a_leg_that_is_pushed_out_ends_at_its_stroke(pushed):
    forces = {f"force_rod{k}": 60.0 for k in range(1, 7)}
    with pytest.raises(LimitError, match=r"rod\d\.stroke") as told:
        sb.simulate(pushed, 20.0, 1e-3, every=0.1, inputs=forces)
    assert told.value.time > 0.1


def test_no_such_drive():
    with pytest.raises(ModelError, match="unknown drive"):
        machines.model("platform", drive="belt")
