"""Balls of a cloud and a changing surface in the page of a studio: what is sent is what is drawn."""

import numpy as np
import pytest
from studio_models import crank_machine
from studio_pages import opened

from symbody.studio import Balls, ChangingSurface, Cloud, HeightField, Live, Particles, Studio
from symbody.studio.photograph import chromium

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
ATTRIBUTES = """name => { // its numbers, of all meshes and points that have it
  const found = [];
  studio.seen.scene.traverse(({ geometry }) => found.push(geometry?.attributes[name]));
  return found.filter(Boolean).map((attribute) => [...(attribute.data ?? attribute).array]);
}"""


def test_looks_of_balls_and_a_changed_patch_reach_the_page(chrome):
    heights, points = np.zeros((5, 7)), np.array([[0.5, 0.0, 0.3], [-0.5, 0.0, 0.3]])
    now = [Balls(points, np.array([1.0, 0.5]), np.array([[255, 0, 0], [0, 0, 255]]), np.array([4, 5]))]
    surface = ChangingSurface(HeightField(0, (5, 7), (0.1, 0.1), (0.0, 0.0, -0.5), "#8a6f4d"), lambda: heights)
    balls = Particles(Cloud(0, 3, 0.1, "#00ff00"), lambda: now[0])
    with Studio(Live(crank_machine(terrains=[surface], particles=[balls]))) as studio:
        page = opened(chrome, studio)
        shown = f"JSON.stringify(({ATTRIBUTES})('look')[0]?.slice(0, 8))"
        page.wait_for_function(f"{shown} === '[255,0,0,255,0,0,255,128]'")
        places = page.evaluate(ATTRIBUTES, "before")[0]  # before and after, in one array
        np.testing.assert_allclose(np.reshape(places, (3, 6))[:2], np.hstack([points, points]), rtol=1e-6)
        page.evaluate("window.glided = 0, setInterval(() => { glided += studio.seen.gliding(); }, 1)")
        now[0] = Balls(points + np.array([0.1, 0.0, 0.0]), now[0].sizes, now[0].colours, np.array([4, 6]))
        page.wait_for_function(f"Math.abs(({ATTRIBUTES})('before')[0][3] - 0.6) < 1e-6")
        places = np.reshape(page.evaluate(ATTRIBUTES, "before")[0], (3, 6))
        np.testing.assert_allclose(places[0], [0.5, 0.0, 0.3, 0.6, 0.0, 0.3], rtol=1e-6)  # from where it was
        np.testing.assert_allclose(places[1], [-0.4, 0.0, 0.3, -0.4, 0.0, 0.3], rtol=1e-6)  # another one: it appears
        page.wait_for_function("!studio.seen.gliding() && glided > 0")
        heights[2, 3] = -0.2  # a wheel went there
        page.wait_for_function(
            f"""({ATTRIBUTES})('position').some((p) => p.some((_, k) => k % 3 === 0
            && Math.hypot(p[k] - 0.3, p[k + 1] - 0.2, p[k + 2] + 0.7) < 1e-6))"""
        )
        assert page.errors == []
        page.close()
