"""A(q) q̇ + b(q) of rolling contacts and of laws against kinematics and differences (nonholonomic.py, rolling.py)."""

import math

import numpy as np
import pytest

import symbody as sb
from symbody.system.displacement import displaced

RNG = np.random.default_rng(1)


def wheel_on_plate(kind="wheel", tube=0.0, axis=2):
    """A free body on a plate that hinges on the ground."""
    m = sb.Model("on a plate")
    plate = m.body("plate", joints="R1 R2", mass=1.0)
    top = plate.point("top", (0.1, 0.2, 0.3), (0.2, -0.1, 0.4))
    body = m.body("body", joints="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    hub = body.point("hub", (0.05, 0.1, -0.02), (0.3, 0.2, 0.1))
    size = {} if kind == "knife-edge" else {"radius": 0.4, "tube": tube}
    m.rolling("contact", kind, hub, top, axis=axis, **size)
    return m


def random_motion(m):
    q = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])  # two hinges, place and quaternion of the body
    return displaced(m, q, 0.3 * RNG.standard_normal(m.nv)), RNG.standard_normal(m.nv)


def place(m, path, q, qd):
    found = sb.compile(m, "point", point=path, loads=False)(q, qd, np.zeros(m.nv))
    return found.position, found.rotation, found.velocity, found.omega


@pytest.mark.parametrize(("kind", "tube"), [("wheel", 0.0), ("wheel", 0.1), ("ball", 0.0), ("knife-edge", 0.0)])
def test_slip_is_the_velocity_of_the_lowest_point(kind, tube):
    """The lowest point is sought by a scan of the body's surface, its velocity taken from the motion of both bodies."""
    m = wheel_on_plate(kind, tube)
    q, qd = random_motion(m)
    P, R, v, w = place(m, "body.hub", q, qd)
    P0, R0, v0, w0 = place(m, "plate.top", q, qd)
    n = R0[:, 2]
    if kind == "ball":
        r = -0.4 * n
    elif kind == "knife-edge":
        r = np.zeros(3)
    else:
        angles = np.linspace(0, 2 * np.pi, 200001)
        rim = (0.4 - tube) * (np.outer(np.cos(angles), R[:, 0]) + np.outer(np.sin(angles), R[:, 2]))
        r = rim[np.argmin(rim @ n)] - tube * n
    at = P + r
    slip = v + np.cross(w, r) - v0 - np.cross(w0, at - P0)
    found = sb.compile(m, "nonholonomic", loads=False)(q, qd)
    if kind == "knife-edge":
        across = np.cross(n, R[:, 1])
        assert found.psi == pytest.approx([slip @ across / np.linalg.norm(across)], abs=1e-12)
        return
    loops = sb.compile(m, "constraints", loads=False)(q)
    assert loops.h[0] == pytest.approx(n @ (at - P0), abs=1e-9)
    assert loops.J[0] @ qd == pytest.approx(n @ slip, abs=1e-4)
    across = math.hypot(*found.psi)
    assert across == pytest.approx(np.linalg.norm(slip - n * (n @ slip)), abs=1e-4)
    assert found.A @ qd == pytest.approx(found.psi, abs=1e-12)


@pytest.mark.parametrize(("kind", "tube"), [("wheel", 0.1), ("ball", 0.0), ("knife-edge", 0.0)])
def test_rates_by_differences(kind, tube):
    """d/dt of gap and slip along a motion with constant velocities."""
    m = wheel_on_plate(kind, tube)
    q, qd = random_motion(m)
    f, h = sb.compile(m, "nonholonomic", loads=False), 1e-5
    ahead, behind = (f(displaced(m, q, s * h * qd), qd).psi for s in (1, -1))
    assert f(q, qd).bias == pytest.approx((ahead - behind) / (2 * h), abs=1e-7)
    if kind != "knife-edge":
        loops, bias = sb.compile(m, "constraints", loads=False), sb.compile(m, "constraint_bias", loads=False)
        ahead, here, behind = (loops(displaced(m, q, s * h * qd)) for s in (1, 0, -1))
        assert here.J @ qd == pytest.approx((ahead.h - behind.h) / (2 * h), abs=1e-8)
        assert bias(q, qd) == pytest.approx((ahead.J @ qd - behind.J @ qd) / (2 * h), abs=1e-7)


def two_slides(law):
    m = sb.Model("slides")
    m.parameter("k", 2.0)
    m.body("a", joints=[sb.Joint("x", "T1"), sb.Joint("y", "T2")], mass=1.0)
    m.nonholonomic("tie")(law)
    return m


def test_a_law_gives_matrix_and_drift():
    m = two_slides(lambda s, p: s.qd["x"] * s.q["y"] - p.k * s.qd["y"] + s.q["x"] ** 2)
    found = sb.compile(m, "nonholonomic")(np.array([3.0, 5.0]), np.array([0.5, 0.25]))
    assert found.A[0] == pytest.approx([5.0, -2.0])
    assert found.psi == pytest.approx([5.0 * 0.5 - 2.0 * 0.25 + 9.0])
    assert found.bias == pytest.approx([0.5 * 0.25 + 2 * 3.0 * 0.5])


@pytest.mark.parametrize(
    ("law", "word"),
    [
        (lambda s, p: s.qd["x"] * s.qd["y"], "not linear"),
        (lambda s, p: sb.functions.sin(s.qd["x"]), "not linear"),
        (lambda s, p: s.q["x"] - p.k, "does not depend on velocities"),
        (lambda s, p: (s.qd["x"], s.qd["y"]), "2 values, not 1"),
        (lambda s, p: s.qd["x"] - p.t, "'t'"),
    ],
)
def test_what_a_law_must_be(law, word):
    with pytest.raises(sb.ModelError, match=word):
        sb.system(two_slides(law))


def test_a_tree_has_none():
    m = sb.Model("tree")
    m.body("a", joints="R1", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(sb.ModelError, match="no nonholonomic constraints"):
        sb.compile(m, "nonholonomic")
