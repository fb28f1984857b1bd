"""Inverse kinematics against forward kinematics, limits, loops, and Pinocchio's closed-loop iteration."""

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.inverse_kinematics import rotation_vector
from symbody.model.joint_limits import JointLimits

ARM = sb.machines.model("arm6")
TIP = f"{list(ARM.bodies)[-1]}.origin"


def poses(m: sb.Model, point: str, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = sb.compile(m, "point", point=point)(q, np.zeros((len(q), m.nv)), np.zeros((len(q), m.nv)))
    return found.position, found.rotation


def test_positions_and_orientations_that_were_computed_forwards_are_reached() -> None:
    rng = np.random.default_rng(1)
    q = rng.uniform(-1.0, 1.0, (20, ARM.nq))
    p, R = poses(ARM, TIP, q)
    found = sb.inverse_kinematics(ARM, {TIP: sb.PoseTarget(p, R)}, q0=q + rng.uniform(-0.3, 0.3, q.shape))
    assert found.converged.all()
    p2, R2 = poses(ARM, TIP, found.q)
    np.testing.assert_allclose(p2, p, atol=2e-8)
    np.testing.assert_allclose(R2, R, atol=2e-8)


def test_one_row_equals_the_same_row_of_a_batch() -> None:
    p, _ = poses(ARM, TIP, np.random.default_rng(2).uniform(-1.0, 1.0, (5, ARM.nq)))
    many = sb.inverse_kinematics(ARM, {TIP: p})
    for k in range(5):
        one = sb.inverse_kinematics(ARM, {TIP: p[k]})
        np.testing.assert_allclose(one.q, many.q[k], atol=1e-9)
        assert one[ARM.coordinates[0]] == one.q[0]


def planar(n: int) -> sb.Model:
    """A chain of n links of 1 m in the plane y = 0."""
    m, on = sb.Model("chain"), None
    for k in range(n):
        body = m.body(f"b{k}", on, [sb.Joint(f"j{k}", "R2", q0=0.3)], mass=1.0, com=(0.5, 0, 0), inertia=0.1)
        on = body.point("tip", (1.0, 0, 0))
    return m


def test_two_links_match_the_formula_of_the_elbow() -> None:
    m = planar(2)
    x, z = 1.1, -0.7
    found = sb.inverse_kinematics(m, {"b1.tip": (x, 0, z)})
    elbow = np.arccos((x * x + z * z - 2) / 2)  # law of cosines
    assert found["j1"] == pytest.approx(elbow, abs=1e-8)


def test_limits_hold_and_cost_reach() -> None:
    m = planar(3)
    for joint in m.joints():
        joint.limits = JointLimits(-0.5, 0.5)
    free = sb.inverse_kinematics(m, {"b2.tip": (0.5, 0, -1.5)}, limits=False)
    assert free.converged
    assert np.abs(free.q).max() > 0.5
    with pytest.warns(sb.ReachWarning, match="not reached"):
        held = sb.inverse_kinematics(m, {"b2.tip": (0.5, 0, -1.5)})
    assert np.abs(held.q).max() <= 0.5
    np.testing.assert_allclose(held.q, 0.5, atol=1e-6)  # the nearest position has all joints at their limit
    with pytest.raises(sb.ReachError):
        sb.inverse_kinematics(m, {"b2.tip": (0.5, 0, -1.5)}, unreached="error")


def test_weights_share_the_error_of_targets_that_exclude_each_other() -> None:
    m = planar(1)
    m.bodies["b0"].point("other", (1.0, 0, 0))
    goals = {"b0.tip": sb.PoseTarget((0, 0, -1), weight=3.0), "b0.other": sb.PoseTarget((1, 0, 0), weight=1.0)}
    found = sb.inverse_kinematics(m, goals, unreached="ignore")
    assert found["j0"] == pytest.approx(np.arctan2(9.0, 1.0), abs=1e-6)  # maximises 9 sin q + cos q
    assert not found.converged


def test_loops_stay_closed() -> None:
    m = sb.machines.model("four-bar")
    path = next(f"{name}.{point}" for name, body in m.bodies.items() for point in body.points if point != "origin")
    s = sb.system(m)
    x = s.x0.copy()
    x[0] += 0.2
    q, _ = s.motion(0.0, x)
    p, _ = poses(m, path, q[None])
    found = sb.inverse_kinematics(s, {path: p[0]})
    assert found.converged
    assert np.abs(sb.compile(m, "constraints")(found.q).h).max() < 1e-9
    np.testing.assert_allclose(poses(m, path, found.q[None])[0], p, atol=2e-8)


def test_a_free_body_turns_to_its_orientation() -> None:
    m = sb.Model("brick")
    m.body("brick", joints="free", mass=1.0, inertia=0.1).point("corner", (0.1, 0.2, 0.3))
    turn = np.array([0.6, 0.0, 0.8, 0.0])
    found = sb.inverse_kinematics(m, {"brick.corner": sb.PoseTarget((1, 2, 3), turn)})
    assert found.converged
    assert abs(found.q[3:] @ turn) == pytest.approx(1.0, abs=1e-12)


def test_restarts_find_what_one_start_misses() -> None:
    rng = np.random.default_rng(5)
    q = rng.uniform(-2.5, 2.5, (30, ARM.nq))
    p, R = poses(ARM, TIP, q)
    once = sb.inverse_kinematics(ARM, {TIP: sb.PoseTarget(p, R)}, unreached="ignore")
    again = sb.inverse_kinematics(ARM, {TIP: sb.PoseTarget(p, R)}, unreached="ignore", restarts=20)
    assert again.converged.sum() >= once.converged.sum()
    assert again.converged.all()


def test_rotation_vectors_near_half_a_turn() -> None:
    rng = np.random.default_rng(3)
    for angle in (0.0, 1e-9, 0.5, 3.0, np.pi - 1e-9, np.pi):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        K = np.cross(np.eye(3), axis)
        R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        found = rotation_vector(R[None])[0]
        either = (1.0, -1.0) if angle > 3.1 else (1.0,)  # both axes of half a turn are right
        assert min(np.abs(found - sign * angle * axis).max() for sign in either) < 1e-7


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ({}, "no targets"),
        ({TIP: (1, 2)}, "shape"),
        ({TIP: "there"}, "expected numbers"),
        ({TIP: sb.PoseTarget()}, "neither a position nor a rotation"),
        ({TIP: sb.PoseTarget(rotation=2 * np.eye(3))}, "not a rotation matrix"),
        ({"nobody.tip": (0, 0, 0)}, "unknown"),
        ({TIP: sb.PoseTarget((0, 0, 0), weight=-1.0)}, "weight"),
    ],
)
def test_bad_targets_are_named(targets: dict[str, object], said: str) -> None:
    with pytest.raises(sb.ModelError, match=said):
        sb.inverse_kinematics(ARM, targets)


def test_pinocchios_iteration_from_the_same_start_reaches_the_same_pose() -> None:
    pin = pytest.importorskip("pinocchio")
    from symbody_bench.to_pinocchio import to_pinocchio

    tree, rng = to_pinocchio(ARM), np.random.default_rng(4)
    frame = tree.model.getFrameId(TIP)
    for _ in range(10):
        q0 = rng.uniform(-0.8, 0.8, ARM.nq)
        p, R = (x[0] for x in poses(ARM, TIP, (q0 + rng.uniform(-0.2, 0.2, ARM.nq))[None]))
        goal, q = pin.SE3(R, p), tree.q(q0)
        for _ in range(300):  # closed-loop inverse kinematics of Pinocchio's documentation
            pin.framesForwardKinematics(tree.model, tree.data, q)
            error = tree.data.oMf[frame].actInv(goal)
            e = pin.log(error).vector
            if np.linalg.norm(e) < 1e-10:
                break
            J = -pin.Jlog6(error.inverse()) @ pin.computeFrameJacobian(tree.model, tree.data, q, frame)
            q = pin.integrate(tree.model, q, -J.T @ np.linalg.solve(J @ J.T + 1e-12 * np.eye(6), e))
        ours = sb.inverse_kinematics(ARM, {TIP: sb.PoseTarget(p, R)}, q0=q0)
        np.testing.assert_allclose(tree.q(ours.q), q, atol=1e-6)  # six joints and a near start: the same solution
