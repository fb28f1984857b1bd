"""A vehicle in another loop as a source of motion: its seat's frame, its restart, and loops without a seat."""

import time

import numpy as np
import pytest

import symbody as sb
from symbody.links.memory_path import memory_path
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.sources import LoopScene
from symbody.motion.sources.loop_scene import running_loop
from symbody.realtime import Loop, Safety

FREE = Safety(stale=None, overrun=None)


def vehicle(seat=True):
    """A body that turns to the left at 0.5 rad/s, tilted by its bank, with a seat in its axis."""
    m = sb.Model("turntable")
    joints = [
        sb.Joint("yaw", "R3", v0=(0.5,)),
        sb.Joint("pitch", "R2", "locked"),
        sb.Joint("roll", "R1", "locked", q0=(0.1,)),
    ]
    body = m.body("body", None, joints, mass=1.0, inertia=(0.1, 0.1, 0.1))
    if seat:
        m.sensor("seat", body, ("acceleration",))
    return sb.system(m, outputs=["*.q", *(["seat.*"] if seat else [])])


def test_the_seat_of_another_loop_is_felt_in_its_own_frame():
    with Loop(vehicle(), 500.0, safety=FREE, name="test-turntable-1") as loop:
        assert loop.wait(20, timeout=20.0)
        scene = LoopScene("test-turntable")
        until, felt = time.monotonic() + 10.0, np.zeros(6)
        while not np.abs(felt[5] - 0.5 * np.cos(0.1)) < 0.01 and time.monotonic() < until:
            felt = scene.read(time.monotonic())
            time.sleep(2e-3)
    np.testing.assert_allclose(felt[1], GRAVITY * np.sin(0.1), atol=0.05)  # the bank: gravity to the left
    np.testing.assert_allclose(felt[3:], [0.0, 0.5 * np.sin(0.1), 0.5 * np.cos(0.1)], atol=0.02)
    scene.close()


def test_a_loop_without_a_seat_is_refused():
    loop = Loop(vehicle(seat=False), 100.0, safety=FREE, name="test-no-seat")
    with loop, pytest.raises(sb.ModelError, match="does not record seat"):
        LoopScene("test-no-seat")


def test_a_loop_that_does_not_run_is_refused():
    with pytest.raises(sb.ModelError, match="no running loop"):
        running_loop("test-nobody-is-there")


def test_the_name_that_a_killed_loop_has_left_is_not_followed():
    left = memory_path("test-killed-1")
    left.symlink_to("/proc/self/fd/999999")  # as a loop whose process has ended
    try:
        with pytest.raises(sb.ModelError, match="no running loop"):
            running_loop("test-killed")
    finally:
        left.unlink()
