"""Devices (device.py, device.h, pantograph.h): the pantograph's kinematics, observers, delay, limits."""

import ctypes

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics import HapticBody, HapticDevice, HapticHand, HapticScene, Pantograph, Rendering, box, rectangle
from symbody.haptics.settings import ContactModel, Controller
from symbody.haptics.structures import library

POSES = [(0.0, 0.0, 0.0), (0.02, -0.03, 0.4), (-0.03, 0.03, -0.5)]


def bodies():
    return [HapticBody("tool", rectangle(0.02, 0.02), 2.0, 0.005)]


def solved(x, u):
    """Angles, their Jacobian, torques for a wrench, and the pose that the angles give."""
    scene = HapticScene(bodies(), tool="tool", device=Pantograph())
    theta, J, T, pose = np.zeros(4), np.zeros((4, 3)), np.zeros(4), np.zeros(3)
    given = [np.array(a, dtype=float) for a in (x, u)]
    arrays = [a.ctypes.data for a in (*given, theta, J, T, pose)]
    assert library().scene_pantograph(ctypes.byref(scene.c.device), *arrays)
    return theta, J, T, pose


@pytest.mark.parametrize("x", POSES)
def test_angles_give_the_pose_back_and_have_the_right_slopes(x):
    _, J, _, pose = solved(x, (0, 0, 0))
    assert pose == pytest.approx(x, abs=1e-12)
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        assert (solved(x + step, (0, 0, 0))[0] - solved(x - step, (0, 0, 0))[0]) / 2e-6 == pytest.approx(
            J[:, k], rel=1e-6
        )


@pytest.mark.parametrize("x", POSES)
def test_torques_give_the_wrench_and_no_force_along_the_handle(x):
    u = np.array([3.0, -2.0, 0.2])
    _, J, T, _ = solved(x, u)
    assert pytest.approx(u) == J.T @ T  # virtual work
    along = np.array([np.cos(x[2]), np.sin(x[2])])
    ends = [J[k : k + 2, :2].T @ T[k : k + 2] for k in (0, 2)]  # forces on the two end points
    assert (ends[1] - ends[0]) @ along == pytest.approx(0.0, abs=1e-12)


def test_the_peak_is_that_of_the_hardware():
    """About 23 N and 1.15 N m in the middle of the work space."""
    weakest = min(0.525 / np.abs(solved((0, 0, 0), u)[2]).max() for u in ((1, 0, 0), (0, 1, 0)))
    assert 10.0 < weakest < 40.0
    assert 0.4 < 0.525 / np.abs(solved((0, 0, 0), (0, 0, 1))[2]).max() < 2.0


def free(device, seconds=1.0, push=(0.5, 0.0, 0.0), **controller):
    scene = HapticScene(bodies(), tool="tool", device=device, rendering=Rendering(controller=Controller(**controller)))
    return scene.run(seconds, push)


@pytest.mark.parametrize("device", [HapticDevice(), HapticDevice(inertia=(3.0, 1.0, 0.1), damping=(2.0, 2.0, 0.01))])
def test_a_shaped_device_feels_like_the_tool(device):
    """Transparent: both move by F/m, whatever the device weighs; C_d is compensated."""
    log = free(device)
    for who in ("x", "tool"):
        assert log[who][-1, 0] == pytest.approx(0.5 * 0.5 / 2.0 * log["t"][-1] ** 2, rel=0.01)


def test_without_shaping_it_feels_like_itself():
    log = free(HapticDevice(inertia=(1.0, 1.0, 0.1)), shaping=False, stiffness=0.0, damping=0.0)
    assert log["x"][-1, 0] == pytest.approx(0.5 * 0.5 / 1.0 * log["t"][-1] ** 2, rel=0.01)


def test_observers_find_velocity_and_hand_force():
    log = free(HapticDevice(observed=True, resolution=(1e-6, 1e-6, 1e-6)), seconds=0.6)
    assert log["hand"][-1, :3] == pytest.approx((0.5, 0.0, 0.0), abs=0.03)
    log = free(Pantograph(), seconds=0.5)
    assert log["hand"][-1, 0] == pytest.approx(0.5, abs=0.05)
    assert log["tool"][-1, 0] == pytest.approx(log["x"][-1, 0], abs=1e-3)


def test_commands_arrive_late_and_limited():
    device = HapticDevice(delay=10.0 / 512.0, limit=(2.0, 2.0, 0.1))
    rendering = Rendering(ContactModel("penalty"), controller=Controller("direct", shaping=False))
    walls = {"wall": rectangle(0.1, 1.0, (0.06 + 1e-9, 0.0))}
    scene = HapticScene(bodies(), walls, tool="tool", device=device, rendering=rendering)
    scene.v[:] = 0.0
    scene.c.memory.xd[0] = 0.1
    log = scene.run(30 / 512)
    first = int(np.argmax(log["command"][:, 0] < 0.0))
    change = np.diff(log["xd"][:, 0])
    moved = int(np.argmax(change < -1e-12))
    assert moved == first + 10
    assert np.min(change) >= -2.0 / 0.4 / 512.0 * (1 + 1e-9)


def test_a_hand_that_holds_brings_the_tool_to_its_target():
    scene = HapticScene(
        bodies(), tool="tool", hand=HapticHand((200.0, 200.0, 1.0), (20.0, 20.0, 0.1), (0.5, 0.5, 1e-3))
    )
    scene.run(4.0, pose=(0.03, -0.02, 0.3))
    assert scene.q == pytest.approx((0.03, -0.02, 0.3), abs=1e-3)


def test_gains_too_high_for_the_tick_are_lowered_and_noted():
    light = HapticBody("tool", box(0.02, 0.02, 0.02), 0.5, (1e-4,) * 3)
    scene = HapticScene([light], tool="tool")
    assert any("damping of the coupling, axis 4" in note for note in scene.notes)
    assert HapticScene(bodies(), tool="tool").notes == []
    log = scene.run(1.0, (0.0, 0.0, 0.0, 1e-3, 0.0, 0.0))
    assert np.abs(log["x"][:, 3:] - log["tool"][:, 3:]).max() < 1e-2  # and it is stable


def test_six_axes():
    tool = HapticBody("tool", box(0.02, 0.02, 0.02), 1.0, (2e-3,) * 3)
    scene = HapticScene(
        [tool], tool="tool", hand=HapticHand(stiffness=(100.0,) * 3 + (0.5,) * 3, damping=(15.0,) * 3 + (0.05,) * 3)
    )
    turn = np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0])
    scene.run(4.0, pose=(0.01, 0.02, 0.03, *turn))
    assert scene.q[:3] == pytest.approx((0.01, 0.02, 0.03), abs=1e-3)
    assert scene.q[3:] == pytest.approx(turn, abs=2e-3)


@pytest.mark.parametrize(("device", "what"), [
    (HapticDevice(inertia=(0.0, 1.0, 1.0)), "inertia"), (HapticDevice(delay=1.0), "delay"),
    (HapticDevice(inertia=(1.0, 1.0)), "inertia"), (Pantograph(arm=-1.0), "arm"),
    (HapticDevice(smoothing=np.nan), "smoothing"), (HapticDevice(reach=0.0), "reach"),
])  # fmt: skip
def test_what_cannot_be_is_refused(device, what):
    with pytest.raises(ModelError, match=what):
        HapticScene(bodies(), tool="tool", device=device)


def test_a_pantograph_is_planar():
    with pytest.raises(ModelError, match="planar"):
        HapticScene([HapticBody("b", box(1, 1, 1), 1.0, (1, 1, 1))], tool="b", device=Pantograph())


def test_its_reach_ends_in_a_stop():
    scene = HapticScene(bodies(), tool="tool", device=Pantograph())
    log = scene.run(2.0, (0.0, 20.0, 0.0))
    assert 0.02 < log["x"][-1, 1] < 0.1
    assert scene.counts["faults"] == 0


@pytest.mark.parametrize("device", [HapticDevice(reach=(0.02, 0.03, 1.0)), Pantograph(reach=(0.02, 0.03, 1.0))])
def test_end_stops_hold_the_device_and_let_it_come_back(device):
    scene = HapticScene(bodies(), tool="tool", device=device)
    log = scene.run(2.0, (3.0, -3.0, 0.0))
    assert log["x"][-1, :2] == pytest.approx((0.02, -0.03), abs=1e-12)
    assert np.all(np.abs(log["x"][:, :2]) <= (0.02, 0.03))
    assert scene.run(2.0, (-3.0, 0.0, 0.0))["x"][-1, 0] < 0.0


def test_end_stops_in_space():
    tool = HapticBody("tool", box(0.02, 0.02, 0.02), 1.0, (2e-3,) * 3)
    scene = HapticScene([tool], tool="tool", device=HapticDevice(reach=(0.02,) * 6))
    assert scene.run(1.0, (0.0, 0.0, 5.0, 0.0, 0.0, 0.0))["x"][-1, 2] == 0.02
