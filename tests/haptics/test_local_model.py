"""Local models (local_model.py, surfaces.h): against scenes with the same walls, and the rules of the thesis."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_models import HALF, over, packet, plane, separation, under_corners

from symbody.haptics import (
    ContactFriction,
    ContactModel,
    Controller,
    HapticBody,
    HapticDevice,
    HapticScene,
    Rendering,
    WrenchLimit,
    box,
    rectangle,
)
from symbody.haptics.thesis_scenes.corner import peg
from symbody.haptics.thesis_scenes.two_rate_testbed import TwoRateMethod, felt_through, linkage
from symbody.haptics.two_rates.local_model import LocalModel, tool_dynamics
from symbody.haptics.two_rates.packet import LocalConstraint, world_packet
from symbody.haptics.two_rates.packet_use import Coherence, PacketUse

FLOOR = -0.03  # m
lengths = st.floats(-0.02, 0.02)


@pytest.mark.parametrize("model", ["impulse", "penalty", "constraint"])
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_wall_that_packets_tell_is_a_wall_of_the_scene(model, restitution):
    """Tick by tick the same, whatever the contact: the two differ only in where contacts come from."""
    rendering = Rendering(ContactModel(model, restitution=restitution))
    scene = HapticScene([peg()], {"floor": rectangle(1.0, 0.1, (0.0, FLOOR - 0.05))}, tool="peg", rendering=rendering)
    local = LocalModel(peg(), rendering=rendering)
    local.update(packet(local, under_corners(FLOOR), restitution=restitution))
    push = (0.1, -0.5, 0.0)
    mine, theirs = local.run(1.0, push), scene.run(1.0, push)
    assert theirs["contacts"].max() == 2
    for name in ("tool", "x", "felt", "contacts", "impacts", "kinetic"):
        assert mine[name] == pytest.approx(theirs[name], abs=1e-7), name


def test_a_box_in_space_falls_on_planes_as_on_a_floor():
    rendering = Rendering(ContactModel("impulse"))
    body = HapticBody("box", box(0.04, 0.05, 0.06), 0.5, (2e-4, 3e-4, 4e-4), (0.0, 0.0, 0.04))
    scene = HapticScene([body], {"floor": box(1.0, 1.0, 0.1, (0.0, 0.0, -0.05))}, tool="box", rendering=rendering)
    local = LocalModel(body, rendering=rendering)
    corners = [(x, y, -0.03) for x in (-0.02, 0.02) for y in (-0.025, 0.025)]
    floor = [
        LocalConstraint((x, y, 0.0), (0.0, 0.0, 1.0), (x, y, z), 0.01, body=k) for k, (x, y, z) in enumerate(corners)
    ]
    local.update(packet(local, floor))
    push = (0.3, 0.1, -1.0, 0.0, 0.0, 0.0)
    mine, theirs = local.run(0.8, push), scene.run(0.8, push)
    assert theirs["contacts"].max() == 4
    assert mine["tool"] == pytest.approx(theirs["tool"], abs=1e-5)
    assert mine["felt"][-1] == pytest.approx(theirs["felt"][-1], abs=1e-3)


def test_each_constraint_has_its_own_friction():
    """Pressed by 2 N, drawn by F = 1 N: f = μ₁ (1 + δ) + μ₂ (1 − δ); m a = F − f at a height shifts the load by δ."""
    rendering = Rendering(friction=ContactFriction("reset-integrator"))
    local = LocalModel(peg(), at=(0.0, -HALF[1]), rendering=rendering)
    left, right = under_corners(-HALF[1])
    floor = [replace(left, mu_s=0.1, mu_k=0.1), replace(right, mu_s=0.3, mu_k=0.3)]
    local.update(packet(local, floor))
    log = local.run(0.5, (1.0, -2.0, 0.0))
    assert log["sliding"][-1] == 2
    lever = HALF[1] / (2 * HALF[0])  # δ = (F − f) h/width
    expected = (0.4 - 0.2 * lever) / (1.0 - 0.2 * lever)
    assert log["friction"][-100:].mean() == pytest.approx(expected, rel=0.01)


def test_a_linkage_keeps_mass_and_weight_of_the_last_packet():
    """qdd = D̂⁻¹ (J_hᵀ F − Ĝ) with J_h where the proxy is, no Coriolis forces: integrated in NumPy."""
    tool = linkage()
    device = HapticDevice(external=True)
    local = LocalModel(
        tool, "arm.link3", rendering=Rendering(controller=Controller("virtual-coupler", 0.0, 0.0)), device=device
    )
    start = local.scene.q.copy()
    D = np.asarray(tool.function(start, np.zeros(3)).M)
    G = np.array([0.02, -0.01, 0.005])
    local.update(world_packet(1, 0.0, [], replace(tool_dynamics(local.scene), D=D, G=G), 4000.0, 30.0))
    local.scene.v[:] = (1.0, -2.0, 0.5)
    q, v = start.copy(), np.array([1.0, -2.0, 0.5])
    n = 200
    local.run(n / 512)
    for _ in range(n):
        v -= np.linalg.solve(D, G) / 512
        q += v / 512
    assert local.scene.q == pytest.approx(q, abs=1e-9)
    assert local.scene.v == pytest.approx(v, abs=1e-9)


# -- the rule of updates ---------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(lengths, lengths)
def test_an_update_never_deepens_a_penetration(first, second):
    """New: max(σ, 0); known: σ where it is positive, else max(σ, min(s_p, 0))."""
    local = over()
    side = -HALF[1]
    local.update(packet(local, [plane((0.0, side - first, 0.0))], 2, 0.03))
    assert local.separations == pytest.approx([max(first, 0.0)], abs=1e-12)
    local.update(packet(local, [plane((0.0, side - second, 0.0))], 3, 0.06))
    wanted = second if second >= 0.0 else max(second, min(max(first, 0.0), 0.0))
    known = abs(second - first) <= 0.03 * Coherence().v  # else it is another wall
    assert local.separations == pytest.approx([wanted if known else max(second, 0.0)], abs=1e-12)


def test_a_deformed_proxy_is_pressed_where_it_was_and_has_its_shape_again_when_free():
    local = over()
    deep = plane((0.0, -HALF[1] + 0.004, 0.0))  # the world found it 4 mm inside
    local.update(packet(local, [deep], 2, 0.03))
    log = local.run(0.4, (0.0, -0.5, 0.0))
    assert log["depth"].max() < 1e-3
    before = local.separations[0]
    assert before == pytest.approx(-0.5 / 4000.0, rel=0.05)  # F/K at the surface where it was met
    local.update(packet(local, [deep], 3, 0.06))
    assert local.separations == pytest.approx([before], abs=1e-12)  # the force is the same
    local.scene.q[1] += 0.01  # far above: the true shape again
    local.update(packet(local, [deep], 4, 0.09))
    assert local.separations == pytest.approx([separation(local, deep)], abs=1e-12)


def test_separations_as_reported_shift_the_wall_by_the_way_since():
    shifted = {}
    for reported in (False, True):
        local = over(packets=PacketUse(reported=reported))
        seen = plane((0.0, -HALF[1] - 0.004, 0.0), s=0.004)
        local.scene.q[1] -= 0.001  # on its way while the packet came
        local.update(packet(local, [seen], 2, 0.03))
        shifted[reported] = local.separations[0]
    assert shifted[False] == pytest.approx(0.003)
    assert shifted[True] == pytest.approx(0.004)


@pytest.mark.parametrize(("moved", "turned", "known"), [
    (0.014, 0.0, True), (0.016, 0.0, False), (0.0, 0.18, True), (0.0, 0.22, False),
])  # fmt: skip
def test_constraints_are_the_same_within_a_period_of_the_fastest_motion(moved, turned, known):
    """dt = 30 ms, v_max 0.5 m/s: 15 mm; ω_max 2π rad/s: 0.188 rad."""
    local = over([plane()], packets=PacketUse(coherence=Coherence()))
    local.update(packet(local, [plane()], 2, 0.03))
    normal = (np.sin(turned), np.cos(turned), 0.0)
    before = local.counts["matched"]
    local.update(packet(local, [plane((moved, -0.03, 0.0), normal)], 3, 0.06))
    assert (local.counts["matched"] > before) == known


def test_other_bodies_and_links_are_other_constraints():
    local = over([plane()])
    local.update(packet(local, [plane()], 2, 0.03))
    before = local.counts["added"]
    local.update(packet(local, [plane(body=1)], 3, 0.06))
    assert local.counts["added"] == before + 1
    assert local.counts["removed"] >= 1


def test_kinematic_constraints_move_between_packets():
    for kinematic, way in ((True, 0.01), (False, 0.0)):
        local = over([plane((0.0, -0.06, 0.0), velocity=0.1)], packets=PacketUse(kinematic=kinematic))
        before = local.separations[0]
        local.run(0.1)
        assert local.separations[0] == pytest.approx(before - way, rel=0.03, abs=1e-9)


def test_an_intermediate_representation_moves_its_planes_over_several_ticks():
    local = LocalModel(peg(), packets=PacketUse(intermediate=True, interpolation=8 / 512))
    local.update(packet(local, [plane()], 1, 0.0))
    local.update(packet(local, [plane()], 2, 0.03))
    local.run(8 / 512)
    before = local.separations[0]
    local.update(packet(local, [plane((0.0, -0.034, 0.0))], 3, 0.06))
    found = [local.separations[0]]
    for _ in range(8):
        local.tick()
        found.append(local.separations[0])
    assert np.diff(found) == pytest.approx(np.full(8, 0.0005), abs=1e-9)
    assert found[0] == pytest.approx(before)


def falling(v, **settings):
    """The peg and the device, moving down together (m/s)."""
    local = LocalModel(replace(peg(), velocity=(0.0, -v, 0.0)), **settings)
    local.scene.c.memory.xd[1] = -v
    return local


@pytest.mark.parametrize("time", [0.05, 0.2])
def test_a_late_surface_yields_and_stops_the_proxy_with_its_time_constant(time):
    """From v the proxy comes to rest after about v T, by a force of about m v/T, without the impact of m v/h."""
    v = 0.2
    local = falling(v, packets=PacketUse(deformation=time))
    local.update(packet(local, under_corners(-HALF[1] + 0.01)))  # the proxy is 10 mm beyond it
    log = local.run(12 * time)
    assert not log["impacts"][log["t"] < 2 * time].any()
    assert np.max(-log["tool"][:, 1]) == pytest.approx(v * time, rel=0.2)
    assert 0.5 < np.max(log["wrench"][log["t"] < 2 * time, 1]) / (2.0 * v / time) < 2.0


def test_without_a_time_constant_a_late_surface_is_an_impact():
    local = falling(0.2)
    local.update(packet(local, under_corners(-HALF[1] + 0.01)))
    log = local.run(0.2)
    assert log["impacts"].any()
    assert -log["tool"][-1, 1] < 1e-3


@pytest.mark.parametrize("ahead", [0.0, 0.001])
def test_a_surface_that_arrives_in_time_does_not_yield(ahead):
    local = falling(0.2, packets=PacketUse(deformation=0.2))
    local.update(packet(local, under_corners(-HALF[1] - ahead)))
    log = local.run(0.2)
    assert log["impacts"].any()
    assert -log["tool"][-1, 1] < ahead + 1e-3


def test_a_late_plane_of_an_intermediate_representation_begins_at_the_tool_and_comes_to_its_place():
    local = LocalModel(peg(), packets=PacketUse(intermediate=True, interpolation=8 / 512))
    local.update(packet(local, under_corners(-HALF[1] + 0.004)))
    assert local.separations == pytest.approx([0.0, 0.0], abs=1e-12)
    assert np.abs(local.tick()["wrench"][0, 1]) < 2 * 4000.0 * 0.001  # a force without a jump to 32 N
    local.run(1.0)
    assert local.separations.min() > -1e-3  # the tool is pushed out


# -- curvature -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("radius", [0.02, -0.05])
def test_round_constraints_are_round(kind, radius):
    """s = ±(|x − C| − |r|) − ρ at random poses of a box in space."""
    body = HapticBody("box", box(0.04, 0.04, 0.04), 1.0, (1e-3,) * 3)
    local = LocalModel(body)
    random = np.random.default_rng(3)
    rho, tool = 0.003, np.array([0.0, 0.0, -0.02])
    normal, axis = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    point = np.array([0.0, 0.0, -0.03])
    made = LocalConstraint(point, normal, tool, 0.01, kind=kind, axis=axis, radius=radius, tool_radius=rho)
    local.update(packet(local, [made]))
    centre = point - radius * normal
    for _ in range(10):
        local.scene.q[:3] = random.uniform(-0.01, 0.01, 3)
        d = local.scene.q[:3] + tool - centre
        if kind == "cylinder":
            d[1] = 0.0
        sign = np.sign(radius)
        assert local.separations[0] == pytest.approx(sign * (np.linalg.norm(d) - abs(radius)) - rho, abs=1e-12)


# -- energy ----------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_impacts_with_any_number_of_constraints_never_give_energy(seed):
    random = np.random.default_rng(seed)
    e = float(random.uniform())
    local = LocalModel(peg(), rendering=Rendering(ContactModel(restitution=e), limit=WrenchLimit("spread")))
    count = int(random.integers(1, 20))
    made = []
    for k in range(count):
        angle = random.uniform(0.0, 2 * np.pi)
        normal = (np.cos(angle), np.sin(angle), 0.0)
        tool = (*random.uniform(-1, 1, 2) * HALF, 0.0)
        point = tuple(np.subtract(tool, np.multiply(normal, random.uniform(0.0, 0.005))))
        made.append(LocalConstraint(point, normal, tool, 0.0, body=k))
    local.update(packet(local, made, restitution=e))
    local.scene.v[:] = random.normal(size=3) * (0.3, 0.3, 5.0)
    log = local.run(0.3, random.normal(size=3) * (1.0, 1.0, 0.02), strict=False)
    hit = log["impacts"] > 0
    assert np.all(log["after"][hit] <= log["before"][hit] * (1 + 1e-9) + 1e-12)
    assert np.isfinite(log["tool"]).all()
    assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))


def test_reset_is_the_start():
    local = over(under_corners(-0.02))
    first = local.run(0.3, (0.0, -0.5, 0.0))
    local.reset()
    assert local.counts["taken"] == 0
    local.update(packet(local, under_corners(-0.02)))
    assert local.run(0.3, (0.0, -0.5, 0.0))["tool"] == pytest.approx(first["tool"], abs=1e-15)


@pytest.mark.parametrize("exact", [False, True])
def test_an_exact_proxy_moves_as_the_linkage_and_a_frozen_one_leaves_it(exact):
    tool = replace(linkage((0.3, 0.8, -0.4)), v=(6.0, -9.0, 4.0))
    whole = HapticScene([tool], tool="arm.link3").run(0.5)
    apart = felt_through(TwoRateMethod(exact=exact), tool, {}, "arm.link3").run(0.5)["tool"] - whole["tool"]
    assert (np.abs(apart[:, :2]).max() < 1e-12) == exact
    assert np.abs(apart[:, :2]).max() < 0.03


def bent(q, v=(0.0, 0.0, 0.0), **settings):
    """The free linkage in a local model, after a packet at this position."""
    coupler = Rendering(controller=Controller("virtual-coupler", 0.0, 0.0))
    local = LocalModel(replace(linkage(q), v=v), "arm.link3", rendering=coupler, **settings)
    assert local.update(packet(local, ())) == "taken"
    return local


@pytest.mark.parametrize("frozen", [False, True])
def test_topology_directions_are_those_of_the_proxy_or_of_the_last_update(frozen):
    """Straight, the linkage cannot move its end along itself: one direction is missing until it is bent."""
    local = bent((0.0, 0.0, 0.0), (1.0, -3.0, 2.0), packets=PacketUse(frozen_hold=frozen))
    log = local.run(0.2)
    assert log["rank"][0] == 2
    assert log["rank"][-1] == (2 if frozen else 3)
    local.update(packet(local, (), 2, 0.2))
    assert local.run(0.01)["rank"][-1] == 3


def test_a_frozen_hold_has_the_factors_of_its_update_until_the_next():
    local = bent((0.3, 0.8, -0.4), (1.0, -3.0, 2.0), packets=PacketUse(frozen_hold=True))
    first = np.array(local.c.factors.S[:3])
    local.run(0.2)
    assert np.array_equal(local.c.factors.S[:3], first)
    assert local.update(packet(local, (), 2, 0.2)) == "taken"
    then = np.array(local.c.factors.S[:3])
    fresh = bent(tuple(local.tool_q))
    assert then == pytest.approx(fresh.c.factors.S[:3], rel=1e-12)
    # one run: the factors changed
    assert then[2] < 0.5 * first[2]


def test_another_link_in_the_hand_does_not_use_the_factors_of_the_last():
    local = bent((0.0, 0.0, 0.0), (1.0, -3.0, 2.0), packets=PacketUse(frozen_hold=True))
    assert local.run(0.1)["rank"][-1] == 2
    local.scene.hold("arm.link1")
    assert local.run(0.1)["rank"][-1] == 1
    local.scene.hold("arm.link3")
    assert local.run(0.1)["rank"][-1] == 2


def test_the_weight_is_that_of_the_packet_or_of_an_exact_proxy():
    """A proxy falls by g if it knows its weight, from a packet or by itself."""
    for settings_of, told, falls in (
        ({}, 9.81, True),
        ({}, 0.0, False),
        ({"packets": PacketUse(exact=True), "gravity": (0, -9.81)}, 0.0, True),
    ):
        local = LocalModel(
            peg(), rendering=Rendering(controller=Controller("virtual-coupler", 0.0, 0.0)), **settings_of
        )
        tool = tool_dynamics(local.scene)
        local.update(world_packet(1, 0.0, [], replace(tool, G=np.array([0.0, 2.0 * told, 0.0])), 4000.0, 30.0))
        local.run(0.1)
        assert local.scene.v[1] == pytest.approx(-0.981 if falls else 0.0, rel=0.02, abs=1e-12)
