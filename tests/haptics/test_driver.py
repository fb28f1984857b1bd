"""A device as the driver of a scene in the loop (driver.py): simulated, over UDP, silent, and gone."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics import HapticDevice, HapticScene, Rendering, WrenchLimit
from symbody.haptics.driver import DeviceDriver
from symbody.haptics.steps import SceneSource
from symbody.haptics.thesis_scenes.corner import GAP, corner, peg, walls
from symbody.links import Pointer
from symbody.realtime import Loop, Safety, Scheduling
from waiting import PATIENCE

pytestmark = [pytest.mark.posix, pytest.mark.clock]
AXES = ("x", "y", "turn")


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def bench():
    limit = WrenchLimit("saturate")
    scene = HapticScene(
        [peg()], walls(), tool="peg", device=HapticDevice(external=True), rendering=Rendering(limit=limit)
    )
    clock = Clock()
    pointer = Pointer([f"{a}.q" for a in AXES], [f"{a}.Q" for a in AXES], clock=clock)
    loop = Loop(
        SceneSource(scene),
        512.0,
        safety=Safety(stale=None, overrun=None),
        scheduling=Scheduling(priority=0),
    )
    loop.pause()
    with loop:
        yield scene, loop, pointer, clock, DeviceDriver(scene, loop, pointer)


def stepped(loop, driver, n=1):
    for _ in range(n):
        driver.exchange()
        assert loop.step(1, timeout=PATIENCE)


def test_a_hand_in_the_wall_is_pushed_back(bench):
    _, loop, pointer, _, driver = bench
    for k in range(200):
        pointer.feed(min(k, 100) / 100 * (GAP[0] + 0.002), 0.0, 0.0)
        stepped(loop, driver)
    outputs = dict(zip(loop.outputs, loop.latest().outputs, strict=True))
    assert outputs["peg_x.q"] < GAP[0] + 1e-3
    assert -15.0 <= outputs["haptic.wrench_x"] < 0.0


def test_a_paused_loop_and_a_silent_device_have_no_force(bench):
    _, _, pointer, clock, driver = bench
    pointer.feed(0.01, 0.0, 0.0)
    pointer.force[:] = 5.0
    driver.exchange()  # the loop is paused
    assert not pointer.force.any()
    clock.now = 10.0
    pointer.force[:] = 5.0
    driver.exchange()
    assert not pointer.force.any()
    assert driver.counts["silent"] == 1


def test_a_line_that_breaks_is_counted(bench):
    _, _, pointer, _, driver = bench

    def broken():
        raise OSError("unplugged")

    pointer.read = broken
    driver.exchange()
    assert driver.counts["failed"] == 1


def test_devices_that_do_not_fit_are_refused(bench):
    scene, loop, _, _, _ = bench
    with pytest.raises(ModelError, match="'turn'"):
        DeviceDriver(scene, loop, Pointer())
    with pytest.raises(ModelError, match="external"):
        DeviceDriver(corner(Rendering()), loop, Pointer())


def test_a_thread_exchanges_until_it_is_closed(bench):
    _, loop, pointer, _, driver = bench
    pointer.feed(0.0, 0.0, 0.0)
    with driver:
        loop.resume()
        assert loop.wait(20, timeout=PATIENCE)
    assert driver.counts["exchanges"] > 0
    assert np.isfinite(pointer.force).all()
