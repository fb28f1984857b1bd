"""The view from outside follows bodies that leave the picture, until a person moves it."""

import pytest
from studio_pages import opened

from symbody import Joint, Model, machines
from symbody.studio import Live, Studio
from symbody.studio.photograph import chromium

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
SEEN = """(frame) => { // whether the origin of a frame is in the picture
  const [x, y] = studio.seen.onCanvas(studio.seen.onFrame(frame, [0, 0, 0])) ?? [-1, -1];
  const { width, height } = document.getElementById("words");
  return x >= 0 && x <= width && y >= 0 && y <= height;
}"""


def test_the_impactor_of_the_attenuator_rebounds_and_stays_in_the_picture(chrome):
    with Studio(Live(machines.entry("attenuator").page())) as studio:
        impactor = len(studio.source.machine.system.model.bodies)
        page = opened(chrome, studio)
        for _ in range(3):
            t = page.evaluate("studio.t")
            page.wait_for_function(f"studio.t > {t + 1.5}")
            assert page.evaluate(SEEN, impactor)
        assert page.evaluate(f"studio.seen.onFrame({impactor}, [0, 0, 0])[0]") < -6.0  # it has left the first picture
        assert page.errors == []
        page.close()


def late_traveller():
    """A mass that moves away from a fixed pendulum more and more."""
    m = Model("traveller")
    m.body("arm", None, [Joint("swing", "R2", q0=(0.5,))], mass=1.0, com=(0.0, 0.0, -1.0))
    m.body("sledge", None, [Joint("x", "T1", q0=(2.0,))], mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint_force("x")(lambda q, qd, p: 0.3)
    return m


def test_a_view_that_a_person_moved_stays_until_fit_is_pressed(chrome):
    with Studio(Live(late_traveller())) as studio:
        page = opened(chrome, studio)
        page.wait_for_function("studio.seen.onFrame(2, [0, 0, 0])[0] > 8")
        assert page.evaluate(SEEN, 2)
        place = page.evaluate("studio.seen.steer('+', false), studio.seen.place()")
        page.wait_for_function("studio.seen.onFrame(2, [0, 0, 0])[0] > 18")
        assert page.evaluate("studio.seen.place()") == place
        page.evaluate("studio.seen.fit()")
        page.wait_for_function(f"({SEEN})(2)")
        assert page.errors == []
        page.close()
