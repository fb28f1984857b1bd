"""Holding any point of any link (hold.h, controller.h): in plane and space, another link while it runs, directly."""

from functools import cache

import numpy as np
import pytest
from random_scenes import rotation
from reference_inverse import full_rank
from test_generalised_inverse import arm_in_space, hold_of

import symbody as sb
from orderings import Ordering, check
from symbody.errors import ModelError
from symbody.haptics import Controller, HapticDevice, HapticScene, Linkage, Rendering, WrenchLimit, box, rectangle
from symbody.haptics.thesis_scenes.three_link import HARDWARE, LENGTHS, NO_PENALTY, held_linkage, three_link
from symbody.machines.linkage.model import model
from symbody.model.body import Joint
from symbody.model.model import Model


def uncoupled(**more):
    return Rendering(controller=Controller(stiffness=0.0, damping=0.0, adaptive=0.0, **more))


def test_a_held_linkage_moves_as_the_engine_says():
    """J_hᵀ F_h against a force on the same point in the model's own equations."""
    m = model()
    q = [joint.q0[0] for joint in m.joints()]
    scene = HapticScene([Linkage("arm", three_link(), q=q)], tool="arm.link3", rate=8000.0, rendering=uncoupled())
    scene.run(1.0, (1.0, 0.0, 0.0))
    run = sb.simulate(sb.system(m), 1.0, 1e-3)
    assert scene.q == pytest.approx([run[f"q{k}.q"][-1] for k in (1, 2, 3)], abs=2e-3)


def test_without_a_place_it_is_held_at_its_centre_of_mass():
    scene = HapticScene([Linkage("arm", three_link())], tool="arm.link3")
    assert scene.tool_motion()[0] == pytest.approx([LENGTHS[0] + LENGTHS[1] + LENGTHS[2] / 2, 0.0, 0.0])
    scene = HapticScene([Linkage("arm", three_link())], tool="arm.link2", at=(0.01, 0.005))
    assert scene.tool_motion()[0] == pytest.approx([LENGTHS[0] + 0.01, 0.005, 0.0])


def test_the_device_feels_like_the_linkage():
    """ẍ_h = Λ⁻¹ F_h (5.15), whatever the device weighs."""
    scene = held_linkage(3, (0.3, 0.8, -0.5), device=HapticDevice(inertia=(0.3, 0.7, 0.002)), rate=4000.0)
    found = scene.objects[0].function(scene.q, np.zeros(3))
    r = found.rotation[2] @ [LENGTHS[2] / 2, 0.0, 0.0]
    J = np.vstack([found.J[2][0] - r[1] * found.J[2][5], found.J[2][1] + r[0] * found.J[2][5], found.J[2][5]])
    F = np.array([0.5, -0.3, 0.01])
    log = scene.run(0.004, F)
    assert log["xd"][-1, :3] / log["t"][-1] == pytest.approx(J @ np.linalg.solve(found.M, J.T @ F), rel=0.01)


def test_another_link_while_it_runs():
    scene = held_linkage(3)
    scene.run(0.2, (0.2, 0.0, 0.0))
    scene.hold("arm.link1")
    log = scene.run(0.01)
    assert log["rank"][-1] == 1.0
    assert log["apart"][-1] < 1e-4  # the device went to it
    assert log["x"][-1, :2] == pytest.approx(log["tool"][-1, :2], abs=1e-4)
    with pytest.raises(ModelError, match="unknown tool"):
        scene.hold("arm.link4")
    scene.c.settings.hold = 99  # from a loop: bounded
    assert scene.run(0.01)["rank"][-1] == 3.0


def test_a_linkage_directly_on_the_device_follows_as_far_as_its_joints_let_it():
    device = HapticDevice(external=True)
    controller = Controller("direct", shaping=False)
    scene = HapticScene([Linkage("arm", three_link(), q=(0.3, 0.8, -0.5))], tool="arm.link3", device=device,
                        rendering=Rendering(controller=controller))  # fmt: skip
    start = np.array(scene.c.memory.x[:3])
    way = start + np.linspace(0.0, 1.0, 200)[:, np.newaxis] * np.array([-0.02, 0.01, 0.3])
    log = scene.run(200 / 512, pose=way)
    assert log["apart"].max() < 5e-4
    assert log["tool"][-1, :3] == pytest.approx(way[-1], abs=1e-3)
    scene.run(0.5, pose=np.array([1.0, 0.0, 0.0]))  # out of reach: stretched towards it, and at rest
    assert np.isfinite(scene.q).all()
    assert scene.counts["faults"] == 0


def test_turns_of_a_linkage_are_counted_as_the_device_counts_them():
    scene = held_linkage(1, (3.1, 0.0, 0.0))
    log = scene.run(1.5, (0.0, 0.0, 0.2))
    assert scene.q[0] > 3.5
    assert log["tool"][-1, 2] == pytest.approx(scene.q[0], abs=0.05)
    assert np.abs(np.diff(log["tool"][:, 2])).max() < 0.1


def test_held_in_space_the_device_stays_with_the_linkage():
    """Four joints and six axes: two topology directions; pushed and turned, the device does not leave."""

    @cache
    def apart(name, seed):
        q, gains = np.random.default_rng(seed).uniform(0.3, 0.9, 4), HARDWARE if name == "penalty" else NO_PENALTY
        controller = Controller(k_tc=gains[0], b_tc=gains[1])
        scene = HapticScene([Linkage("arm", arm_in_space(4), {"link4": box(0.01, 0.01, 0.01)}, q=q)],
                            tool="arm.link4", rate=1000.0, rendering=Rendering(controller=controller),
                            device=HapticDevice(inertia=0.5))  # fmt: skip
        scene.displace((0.002, -0.001, 0.003, 0.01, 0.0, -0.01))
        log = scene.run(1.0, (0.5, -0.3, 0.4, 0.01, 0.0, -0.01))
        assert set(log["rank"]) == {4.0}
        assert scene.counts["faults"] == 0
        turn = rotation(log["tool"][-1, 3:]) @ rotation(log["x"][-1, 3:]).T
        off = [*(log["tool"][-1, :3] - log["x"][-1, :3]), *(0.5 * (turn - turn.T)[[2, 0, 1], [1, 2, 0]])]
        J, _, _ = hold_of(scene, scene.objects[0].inertia_of("link4")[1])
        return np.linalg.norm(full_rank(J).N.T @ off)

    check(Ordering("distance across the topology directions", "penalty", "none", apart, 0.25))


def random_arm(random, n):
    """Hinges and slides about any axes, links that stick out anyhow."""
    m = Model("any", gravity=(0.0, 0.0, 0.0))
    on = m.ground["origin"]
    for k in range(n):
        joint = Joint(f"q{k + 1}", str(random.choice(["R1", "R2", "R3", "R1", "R2", "R3", "T1", "T3"])))
        com, inertia = random.uniform(-0.05, 0.05, 3), random.uniform(0.5, 1.0, 3) * 1e-3
        link = m.body(f"link{k + 1}", on, [joint], random.uniform(0.3, 3.0), tuple(com), tuple(inertia))
        on = link.point("tip", tuple(random.uniform(0.02, 0.1, 3)))
    return m


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_any_linkage_in_space_is_pushed_about_within_bounds(n):
    """Any rank, singular starts, pushes beyond what is believed of a hand: nothing leaves the numbers."""
    random = np.random.default_rng(n)
    linkage = Linkage("arm", random_arm(random, n), {f"link{n}": box(0.02, 0.02, 0.02)}, q=np.zeros(n))
    scene = HapticScene([linkage], {"floor": box(2.0, 2.0, 0.2, (0.0, 0.0, -0.6))}, tool=f"arm.link{n}", rate=1000.0)
    for link in range(1, n + 1):
        scene.hold(f"arm.link{link}", tuple(random.uniform(-0.05, 0.05, 3)))
        log = scene.run(0.1, 10 ** random.uniform(-1, 3) * random.normal(size=6))
        assert log["rank"].max() <= min(link, 6)
        assert np.isfinite(log["x"]).all()
        assert np.isfinite(log["command"]).all()
        hit = log["impacts"] > 0
        assert np.all((log["after"] - log["before"])[hit] <= 1e-12 * log["before"][hit])
    assert scene.counts["faults"] == 0


def test_a_linkage_in_space_is_stopped_by_a_floor():
    linkage = Linkage("arm", arm_in_space(4), {"link4": box(0.02, 0.02, 0.02)}, q=(0.3, 0.2, 0.4, -0.3))
    low = linkage.function(np.array(linkage.q), np.zeros(4)).position[3][2]
    floor = {"floor": box(2.0, 2.0, 0.2, (0.0, 0.0, low - 0.05 - 0.1))}
    scene = HapticScene([linkage], floor, tool="arm.link4", rate=1000.0)
    log = scene.run(1.5, (0.0, 0.0, -2.0, 0.0, 0.0, 0.0))
    hit = log["impacts"] > 0
    assert hit.any()
    assert np.all(log["after"][hit] <= log["before"][hit] * (1 + 1e-12))
    assert log["depth"].max() < 2e-3


def test_what_is_rendered_stays_within_the_limits():
    controller = Controller(k_tc=2000.0, b_tc=100.0)
    rendering = Rendering(controller=controller, limit=WrenchLimit("spread", (2.0, 2.0, 0.1)))
    scene = HapticScene([Linkage("arm", three_link(), q=(0.4, 0.4, 0.4))], tool="arm.link1", rendering=rendering)
    scene.displace((0.05, 0.05, 0.5))
    log = scene.run(0.5)
    assert np.all(np.abs(log["felt"][:, :3]) <= np.array([2.0, 2.0, 0.1]) * (1 + 1e-12))


@pytest.mark.parametrize(("make", "what"), [
    (lambda: HapticScene([Linkage("a", massless())], tool="a.link"), "no inertia|not positive"),
    (lambda: HapticScene([Linkage("a", arm_in_space(2), {"link1": rectangle(1, 1)})]), "leaves the plane"),
    (lambda: Controller(rank_tolerance=0.9).numbers(3), "rank_tolerance"),
    (lambda: Controller(k_tc=-1.0).numbers(3), "k_tc"),
    (lambda: held_linkage(2).displace((1.0,)), "offset"),
])  # fmt: skip
def test_what_cannot_be_held_is_refused(make, what):
    with pytest.raises(ModelError, match=what):
        make()


def massless():
    m = Model("massless", gravity=(0.0, 0.0, 0.0))
    first = m.body("link", None, [Joint("q1", "R3")], 0.0)
    m.body("rod", first.point("tip", (1.0, 0.0, 0.0)), [Joint("q2", "R3")], 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    return m


def test_gains_too_high_for_the_tick_are_told():
    scene = held_linkage(2, gains=(1e6, 1e4))
    assert any("k_tc" in note for note in scene.notes)
    assert any("b_tc" in note for note in scene.notes)
    assert not any("_tc" in note for note in held_linkage(2).notes)
