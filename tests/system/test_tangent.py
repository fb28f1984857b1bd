"""The slopes of a wide system, taken along one direction after the other, against complete columns and differences."""

import numpy as np
import pytest

import symbody as sb
from symbody.system import system as module


@pytest.mark.parametrize("name", ["four-bar", "quarter-car", "cart-pole"])
def test_slopes_along_directions_are_those_of_the_columns(name, monkeypatch):
    """Loops, laws, inputs and live parameters; both are exact, by different programs."""
    s = sb.system(sb.machines.open(name))
    rng = np.random.default_rng(2)
    x = s.x0 + 0.1 * rng.standard_normal(len(s.x0))
    columns = s.linear(0.3, x)
    monkeypatch.setattr(module, "WIDE", 0)
    along = s.linear(0.3, x)
    assert any(part.any() for part in (along.P, along.S))
    for ours, theirs in zip(along, columns, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(theirs).max(initial=0.0)))


def test_a_floating_body_with_limbs(monkeypatch):
    """Quaternion, branches, a driven joint: against central differences of the rates and outputs."""
    m = sb.Model("octopus")
    hub = m.body("hub", joints="free", mass=3.0, com=(0.01, 0.02, 0.03), inertia=(0.1, 0.2, 0.3, 0.01, 0.02, 0.03))
    for i in range(3):
        at = hub.point(f"p{i}", (0.1 * i, 0.2, -0.1), (0.3 * i, 0.0, 0.5))
        m.body(f"arm{i}", at, joints="R2", mass=1.0, com=(0.2, 0.0, 0.1), inertia=(0.02, 0.03, 0.04))
    m.bodies["arm2"].joints[0].nature = "driven"
    m.trajectory("arm2")(lambda t, p: 0.3 * t * t)
    monkeypatch.setattr(module, "WIDE", 0)
    s = sb.system(m)
    rng = np.random.default_rng(5)
    x = s.x0 + 0.2 * rng.standard_normal(len(s.x0))
    found = s.linear(0.4, x)
    step = 1e-6
    for k in range(len(x)):
        d = step * np.eye(len(x))[k]
        rates = (s.rates(0.4, x + d) - s.rates(0.4, x - d)) / (2 * step)
        outputs = (s.observe(0.4, x + d) - s.observe(0.4, x - d)) / (2 * step)
        np.testing.assert_allclose(found.A[:, k], rates, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(found.C[:, k], outputs, rtol=1e-6, atol=1e-6)
