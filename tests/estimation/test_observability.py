"""What sensors can tell: a free particle by hand, a direction that nobody measures, a force that nobody feels."""

import numpy as np
import pytest
from test_error_state import pendulum

import symbody as sb
from symbody.estimation.estimate import estimate
from symbody.estimation.observability import error_names, observability, unobserved


def particle():
    m = sb.Model("particle", gravity=(0, 0, 0))
    m.body("slide", joints="T1", mass=1.0)
    m.body("other", joints="T2", mass=1.0)
    return sb.system(m)


def fresh(sensors, **options):
    start = {"slide.q": 0.1, "slide.qd": 2.0, "other.q": 0.1, "other.qd": 2.0}
    return estimate(particle(), sensors, dict.fromkeys(sensors, 0.01), {}, dt=0.1, start=start, **options)


def test_a_free_particle_is_that_of_the_book():
    """x(t) = x₀ + v₀ t: W = Σ [1, t]ᵀ [1, t]/σ², in units of what was known."""
    found = observability(fresh(["slide.q", "other.q"]), np.zeros((5, 0)))
    t, D = 0.1 * np.arange(1, 6), np.diag([0.1, 2.0])
    H = np.column_stack([np.ones(5), t]) @ D / 0.01
    expected = np.linalg.eigvalsh(H.T @ H)
    assert found.rank == 4
    assert found.eigenvalues[::2] == pytest.approx(expected[::-1], rel=1e-9)  # each twice: once for each particle
    assert found.condition == pytest.approx(np.sqrt(expected[1] / expected[0]))
    after = np.sqrt(np.diag(np.linalg.inv(np.eye(2) + H.T @ H)))
    places = [found.names.index(name) for name in ("slide.q", "slide.qd")]
    assert found.learnt[places] == pytest.approx(after)


def test_what_nobody_measures_is_named():
    found = observability(fresh(["slide.q"]), np.zeros((5, 0)))
    assert found.rank == 2
    assert np.isfinite(found.condition)
    assert sorted(found.unobservable) == ["other.q", "other.qd"]
    velocity = observability(fresh(["slide.qd", "other.qd"]), np.zeros((5, 0)))
    assert sorted(velocity.unobservable) == ["other.q", "slide.q"]  # where it began is not in its speed


def test_a_pendulum_tells_its_place_by_its_speed():
    twin = estimate(pendulum(), ["arm.qd"], {"arm.qd": 0.01}, {}, dt=0.01)
    assert observability(twin, np.zeros((50, 0))).rank == 2
    assert unobserved(estimate(pendulum(), ["arm.qd"], {"arm.qd": 0.01}, {}, dt=0.01), np.zeros((50, 0))) == []
    assert "other.q" in " ".join(unobserved(fresh(["slide.q"]), np.zeros((5, 0))))


def test_what_fades_need_not_be_told():
    """A cart that its friction stops in a moment: nobody sees its speed, and soon nobody need."""
    m = sb.Model("carts", gravity=(0, 0, 0))
    m.body("slide", joints="T1", mass=1.0)
    m.body("other", joints="T2", mass=1.0)
    m.joint_force("other")(lambda q, qd, p: -50.0 * qd)
    twin = estimate(sb.system(m), ["slide.q", "other.q"], {"slide.q": 0.1, "other.q": 1e9}, {}, dt=0.01)
    found = observability(twin, np.zeros((100, 0)))
    assert found.rank == 2
    assert found.unobservable == ["other.q"]


def test_errors_of_quaternions_are_turns():
    m = sb.Model("top")
    m.body("top", joints="ball", mass=1.0, inertia=(0.01, 0.01, 0.02))
    names = error_names(sb.system(m))
    assert len(names) == 6
    assert all(name.startswith("turn of") for name in names[:3])
