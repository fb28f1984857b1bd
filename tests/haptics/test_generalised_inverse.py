"""J# (generalised_inverse.h, hold.h): identities at any rank, in C, in NumPy, in a scene."""

import ctypes

import numpy as np
import pytest
from reference_inverse import full_rank, generalised_inverse, inertia_at, mobility

from symbody.haptics import HapticScene, Linkage
from symbody.haptics import structures as of
from symbody.haptics.thesis_scenes.three_link import three_link
from symbody.model.body import Joint
from symbody.model.model import Model

TOLERANCE = 1e-3


def in_c(J, D, M, tolerance=TOLERANCE):
    """J#, rank, topology directions and singular values as C has them."""
    m, n = J.shape
    inverse, Ut, S = np.zeros((m, n)), np.zeros((m, m)), np.zeros(m)
    given = [np.ascontiguousarray(x, dtype=float) for x in (J, D, M)]
    made = [x.ctypes.data for x in (inverse, Ut, S)]
    rank = of.library().scene_inverse(m, n, *(x.ctypes.data for x in given), tolerance, *made)
    return inverse.T, rank, Ut[rank:].T, S


def positive(random, n):
    A = random.normal(size=(n, n))
    return A @ A.T + 0.1 * np.eye(n)


def jacobian(random, m, n, rank):
    return random.normal(size=(m, rank)) @ random.normal(size=(rank, n))


def check_identities(J, D, M, inverse):
    """The four conditions that make J# unique; each to 1e-10 of its size."""
    for left, right in ((J @ inverse @ J, J), (inverse @ J @ inverse, inverse)):
        assert np.abs(left - right).max() <= 1e-10 * np.abs(right).max()
    for weighted in (M @ J @ inverse, D @ inverse @ J):
        assert np.abs(weighted - weighted.T).max() <= 1e-10 * np.abs(weighted).max()


SHAPES = [(m, n, rank) for m in (3, 6) for n in (1, 2, 3, 4, 6, 9, 24) for rank in range(1, min(m, n) + 1)]


@pytest.mark.parametrize("inverse_of", [lambda *x: in_c(*x)[0], generalised_inverse])
@pytest.mark.parametrize(("m", "n", "rank"), SHAPES)
def test_the_four_conditions_hold_at_any_rank(inverse_of, m, n, rank):
    random = np.random.default_rng(100 * m + 10 * n + rank)
    for _ in range(5):
        J, D, M = jacobian(random, m, n, rank), positive(random, n), positive(random, m)
        check_identities(J, D, M, inverse_of(J, D, M, 1e-6))


@pytest.mark.parametrize(("m", "n", "rank"), SHAPES)
def test_c_is_numpy(m, n, rank):
    random = np.random.default_rng(1000 * m + 10 * n + rank)
    J, D, M = jacobian(random, m, n, rank), positive(random, n), positive(random, m)
    inverse, found, N, S = in_c(J, D, M, 1e-6)
    assert found == rank
    expected = generalised_inverse(J, D, M, 1e-6)
    assert inverse == pytest.approx(expected, rel=1e-8, abs=1e-9 * np.abs(expected).max())
    assert pytest.approx(np.linalg.svd(J)[1], abs=1e-12 * S[0]) == S[: min(m, n)]
    others = full_rank(J, 1e-6).N
    assert N.shape == others.shape == (m, m - rank)
    assert pytest.approx(np.eye(m - rank), abs=1e-12) == N.T @ N
    assert pytest.approx(np.zeros((n, m - rank)), abs=1e-12 * S[0]) == J.T @ N
    assert pytest.approx(others @ others.T, abs=1e-10) == N @ N.T  # the same space
    assert mobility(J, D) @ N == pytest.approx(np.zeros((m, m - rank)), abs=1e-9 * np.abs(mobility(J, D)).max())


@pytest.mark.parametrize(("m", "n"), [(3, 5), (6, 9), (3, 3), (6, 6), (6, 3), (3, 2)])
def test_full_row_rank_does_not_ask_for_the_link_and_full_column_rank_not_for_the_linkage(m, n):
    random = np.random.default_rng(3)
    J, D, M = random.normal(size=(m, n)), positive(random, n), positive(random, m)
    here, other_link, other_linkage = (
        in_c(J, *matrices)[0] for matrices in ((D, M), (D, positive(random, m)), (positive(random, n), M))
    )
    scale = np.abs(here).max()
    assert (np.abs(here - other_link).max() < 1e-9 * scale) == (n >= m)
    assert (np.abs(here - other_linkage).max() < 1e-9 * scale) == (n <= m)
    if n >= m:  # the dynamically consistent inverse
        known = np.linalg.solve(D, J.T) @ np.linalg.inv(mobility(J, D))
        assert here == pytest.approx(known, abs=1e-9 * scale)


def test_singular_values_below_the_tolerance_are_none():
    J = np.diag([1.0, 0.5, 1e-4])
    inverse, rank, N, _ = in_c(J, np.eye(3), np.eye(3), 1e-3)
    assert rank == 2
    assert np.abs(N[:, 0]) == pytest.approx([0.0, 0.0, 1.0])
    assert inverse == pytest.approx(np.diag([1.0, 2.0, 0.0]))
    assert in_c(J, np.eye(3), np.eye(3), 1e-5)[1] == 3
    assert in_c(np.zeros((3, 2)), np.eye(2), np.eye(3))[1] == 0
    assert in_c(J, -np.eye(3), np.eye(3))[1] == -1


# -- in a scene ------------------------------------------------------------------------------------------------------


def arm_in_space(n=6):
    """Hinges about x, y, z, z, y, x … with links that stick out anyhow."""
    m = Model("arm6", gravity=(0.0, 0.0, 0.0))
    on = m.ground["origin"]
    random = np.random.default_rng(1)
    for k in range(n):
        inertia = random.uniform(0.5, 1.0, 3) * 1e-3
        joint = Joint(f"q{k + 1}", ("R3", "R2", "R1", "R2", "R3", "R1")[k % 6])
        link = m.body(f"link{k + 1}", on, [joint], 1.0 + k, tuple(random.uniform(-0.05, 0.05, 3)), tuple(inertia))
        on = link.point("tip", tuple(random.uniform(0.02, 0.1, 3)))
    return m


def hold_of(scene, at):
    """J_h, D and M_hl of a scene's hold from the linkage's function, and what C has in its work."""
    one = scene.objects[0]
    k = scene.c.settings.hold
    found = one.function(scene.q, np.zeros(len(scene.q)))
    R, J = found.rotation[k], found.J[k]
    r = R @ np.resize([*at, 0.0], 3)
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    held = np.vstack([J[:3] - cross @ J[3:], J[3:]])
    mass, com, inertia = one.inertia_of(one.links[k])
    M = inertia_at(mass, R @ com - r, R @ inertia @ R.T)
    rows = [0, 1, 5] if scene.planar else range(6)
    return held[rows], found.M, M[np.ix_(rows, rows)]


def wrench_of(scene, T):
    """J#ᵀ T by C."""
    scene._look()
    wrench, T = np.zeros(of.HAND), np.ascontiguousarray(T, dtype=float)
    of.library().scene_wrench(ctypes.byref(scene.c), T.ctypes.data, wrench.ctypes.data)
    return wrench[: scene.nh]


@pytest.mark.parametrize("link", [1, 2, 3])
@pytest.mark.parametrize("q", [(0.3, 0.5, -0.4), (0.3, 0.0, 0.0), (0.0, 0.0, np.pi), (1.0, 1e-9, 2.0)])
def test_wrenches_at_a_planar_hold_of_any_rank(link, q):
    at = (0.01, 0.002)
    scene = HapticScene([Linkage("arm", three_link(), q=q)], tool=f"arm.link{link}", at=at)
    J, D, M = hold_of(scene, at)
    inverse = generalised_inverse(J, D, M)
    F, C, _ = full_rank(J)
    check_identities(F @ C, D, M, inverse)
    for T in np.eye(3):
        assert wrench_of(scene, T) == pytest.approx(inverse.T @ T, rel=1e-9, abs=1e-9 * np.abs(inverse).max())


@pytest.mark.parametrize("link", [1, 2, 4, 6])
def test_wrenches_at_a_hold_in_space_of_any_rank(link):
    random, at = np.random.default_rng(link), (0.01, -0.02, 0.03)
    for bent in (1.0, 0.0):  # straight: the axes of three joints meet in planes
        q = bent * random.uniform(-1.0, 1.0, 6)
        scene = HapticScene([Linkage("arm", arm_in_space(), q=q)], tool=f"arm.link{link}", at=at)
        J, D, M = hold_of(scene, at)
        inverse = generalised_inverse(J, D, M)
        T = random.normal(size=6)
        assert wrench_of(scene, T) == pytest.approx(inverse.T @ T, rel=1e-7, abs=1e-8 * np.abs(inverse).max())
