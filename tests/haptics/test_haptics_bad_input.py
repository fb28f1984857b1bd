"""Hands, devices and numbers that cannot be meant: forces stay bounded, then are zero, then all goes on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbody.errors import ModelError
from symbody.haptics import HapticBody, HapticDevice, HapticHand, HapticScene, Linkage, rectangle
from symbody.haptics.friction import LAWS
from symbody.haptics.settings import ContactFriction, ContactModel, Controller, Rendering, WrenchLimit
from symbody.haptics.structures import CONTACT_MODELS, CONTROLLERS
from symbody.haptics.thesis_scenes.corner import METHODS, PUSH, corner, peg, walls
from symbody.haptics.thesis_scenes.puck import ROOM, room
from symbody.haptics.thesis_scenes.three_link import link_shape, three_link


def test_bodies_that_overlap_at_the_start_are_refused():
    with pytest.raises(ModelError, match=r"peg and wall overlap by 2 mm.*move them apart"):
        HapticScene([peg((0.022, 0.0, 0.0))], walls(), tool="peg")


@pytest.mark.parametrize("made", [
    {"mass": 0.0}, {"mass": -1.0}, {"mass": np.nan}, {"inertia": 0.0}, {"inertia": np.inf}, {"pose": (0, 0)},
    {"pose": (0, np.nan, 0)}, {"velocity": (1.0,)},
])  # fmt: skip
def test_bodies_that_cannot_be_are_refused(made):
    with pytest.raises(ModelError):
        HapticScene([HapticBody(**{"name": "b", "shapes": rectangle(1, 1), "mass": 1.0, "inertia": 1.0} | made)])


@pytest.mark.parametrize("settings", [
    ContactModel(restitution=1.1), ContactModel(restitution=-0.1), ContactModel(restitution=np.nan),
    ContactModel("glue"),
    ContactModel(stiffness=-1.0), ContactModel(damping=np.inf), ContactFriction("oil"), ContactFriction(static=0.1),
    ContactFriction(deflection=0.0), Controller("none"), Controller(stiffness=(1.0, -1.0, 1.0)), WrenchLimit("never"),
    WrenchLimit(wrench=-1.0),
])  # fmt: skip
def test_settings_that_cannot_be_are_refused(settings):
    field = {"ContactModel": "contact", "ContactFriction": "friction", "Controller": "controller"}
    with pytest.raises(ModelError):
        corner(Rendering(**{field.get(type(settings).__name__, "limit"): settings}))


@pytest.mark.parametrize("method", METHODS)
def test_a_push_of_a_billion_newtons_is_bounded_and_forgotten(method):
    rendering = METHODS[method]
    scene = corner(Rendering(rendering.contact, rendering.friction, rendering.controller, WrenchLimit("spread")))
    scene.run(0.2, PUSH)
    wild = scene.run(0.05, (1e9, -1e9, 1e9))
    assert np.all(np.abs(wild["felt"][:, :3]) <= (15.0, 15.0, 1.0))
    assert scene.counts["bounded"] > 0
    assert np.isfinite(scene.q).all()
    calm = scene.run(1.0, (0.0, 0.0, 0.0))
    assert np.isfinite(calm["tool"]).all()
    assert scene.q[0] < 0.041  # it did not pass through the walls, nor sink in by half of itself
    assert scene.q[1] > -0.0505
    assert scene.counts["faults"] == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_device_that_vanishes_in_contact(bad):
    """Zero force in the same tick; when it comes back, force again, and the peg where it was."""
    scene = corner(METHODS["impulse"])
    held = scene.run(1.0, PUSH)
    assert np.abs(held["command"][-1, :2]).max() > 0.1
    gone = scene.run(0.1, (bad, 0.0, 0.0))
    assert not gone["command"].any()
    assert not gone["felt"].any()
    assert scene.counts["lost"] == len(gone)
    back = scene.run(1.0, PUSH)
    assert back["felt"][-1, :2] == pytest.approx([-PUSH[0], -PUSH[1]], rel=0.05)
    assert back["tool"][-1, :2] == pytest.approx(held["tool"][-1, :2], abs=1e-4)


def test_an_external_device_that_jumps_and_vanishes():
    limit = WrenchLimit("spread")
    scene = HapticScene(
        [peg()], walls(), tool="peg", device=HapticDevice(external=True), rendering=Rendering(limit=limit)
    )
    log = scene.run(0.2, pose=(0.01, 0.0, 0.0))
    assert np.abs(log["felt"][:, :3]).max() <= 15.0
    log = scene.run(0.1, pose=(np.nan, 0.0, 0.0))
    assert not log["command"].any()
    log = scene.run(0.5, pose=(10.0, -10.0, 0.0))  # a jump through the walls
    assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))
    assert scene.q[0] < 0.041
    assert scene.q[1] > -0.0505
    assert np.isfinite(scene.run(2.0, pose=(0.0, 0.0, 0.0))["tool"]).all()
    assert scene.q == pytest.approx((0.0, 0.0, 0.0), abs=0.05)


@pytest.mark.parametrize("stiffness", [1000.0, 4000.0])
def test_a_hand_that_pushes_harder_than_a_wall_bears_feels_itself(stiffness):
    """12 N would press two corners into soft walls by 6 mm: the peg stops before, and what is felt is the push."""
    contact = ContactModel("impulse", stiffness, 10.0)
    scene = HapticScene([peg()], walls(), tool="peg", rendering=Rendering(contact))
    log = scene.run(3.0, push=(12.0, 0.0, 0.0))
    settled = log[len(log) // 2 :]
    assert settled["depth"].max() < 0.0062
    assert settled["felt"][:, 0].mean() == pytest.approx(-12.0, rel=0.02)
    assert settled["apart"].max() < 4e-3
    assert scene.counts["lost"] == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_whatever_a_hand_does_the_scene_is_sound(seed):
    random = np.random.default_rng(seed)
    choices = {
        "contact": ContactModel(str(random.choice(["impulse", "penalty", "constraint"])), 10.0 ** random.uniform(1, 5),
                                10.0 ** random.uniform(0, 3), float(random.uniform())),
        "friction": ContactFriction(str(random.choice(["none", *LAWS]))),
        "controller": Controller(str(random.choice(CONTROLLERS))),
        "limit": WrenchLimit(str(random.choice(["saturate", "scale", "spread", "spread-exact"]))),
    }  # fmt: skip
    scene = corner(Rendering(**choices))
    pushes = random.normal(size=(400, 3)) * 10.0 ** random.uniform(-1, 9, (400, 1))
    pushes[random.uniform(size=400) < 0.05] = np.nan
    log = scene.run(400 / 512, pushes, strict=False)
    assert np.isfinite(scene.q).all()
    assert np.isfinite(scene.v).all()
    assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))
    assert not log["felt"][np.isnan(pushes[:, 0])].any()
    assert scene.counts["dropped"] == 0


# -- extremes ----------------------------------------------------------------------------------------------------------

SPREAD = WrenchLimit("spread")
MOST = np.array([15.0, 15.0, 1.0])  # N, N m: of the device


def outside(scene):
    """How far the peg's middle is beyond the inner faces of the room (m)."""
    return float(np.max(np.abs(scene.q[:2]) - np.array(ROOM) / 2))


@pytest.mark.parametrize("rate", [100.0, 1000.0, 10000.0])
@pytest.mark.parametrize("model", CONTACT_MODELS)
def test_a_hand_that_jumps_by_a_metre_leaves_the_tool_in_its_room(model, rate):
    """Any stiffness, friction and length of a tick; NaN and another jump on the way; forces within the device's."""
    for controller in ("four-channel", "virtual-coupler", "unilateral-coupler"):
        for stiffness, mu in ((0.0, 0.0), (4000.0, 5.0), (1e6, 0.0), (1e6, 5.0)):
            law = "reset-integrator" if mu else "none"
            friction = ContactFriction(law, static=mu, kinetic=mu, impact=mu)
            rendering = Rendering(ContactModel(model, stiffness), friction, Controller(controller), SPREAD)
            device = HapticDevice(external=stiffness == 4000.0)  # or a simulated one, pulled by a stiff hand
            hand = HapticHand((300.0, 300.0, 1.0), (10.0, 10.0, 0.05))
            scene = HapticScene([peg()], room(), tool="peg", rate=rate, rendering=rendering, device=device, hand=hand)
            for pose in ((0, 0, 0), (1.0, -0.3, 0.0), (np.nan, 0, 0), (-1.0, 1.0, 3.0), (0, 0, 0)):
                log = scene.run(0.03, pose=pose, strict=False)
                assert np.isfinite(log["kinetic"]).all()
                for name in ("felt", "command"):
                    assert np.all(np.abs(log[name][:, :3]) <= MOST * (1 + 1e-12)), (controller, stiffness, name)
                assert outside(scene) < 0.01, (controller, stiffness, mu, pose)
            assert scene.counts["faults"] == scene.counts["dropped"] == 0


@pytest.mark.parametrize("controller", ["unilateral-coupler", "direct"])
def test_a_tool_that_follows_a_device_goes_no_further_in_a_tick_than_all_bodies(controller):
    device = HapticDevice(external=True)
    scene = HapticScene([peg()], tool="peg", device=device, rendering=Rendering(controller=Controller(controller)))
    scene.run(0.01, pose=(0.0, 0.0, 0.0))
    log = scene.run(1.0, pose=(1.0, 0.0, 0.0))
    steps = np.diff(log["tool"][:, 0])
    assert steps.max() <= scene.c.travel * (1 + 1e-9)
    assert log["tool"][-1, 0] == pytest.approx(1.0)  # and it arrives
    assert scene.dt * np.abs(log["toold"][:, 0]).max() <= scene.c.travel * (1 + 1e-9)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_linkage_at_a_singular_position_turns_no_joint_by_more_than_half_a_radian_a_tick(controller):
    arm = Linkage("arm", three_link(), {"link3": link_shape(3)}, q=(0.3, 0.0, 0.0))
    rendering = Rendering(controller=Controller(controller), limit=SPREAD)
    hand = HapticHand((300.0, 300.0, 1.0), (10.0, 10.0, 0.05))
    scene = HapticScene([arm], tool="arm.link3", at=(0.03, 0.0), rendering=rendering, hand=hand)
    for pose in ((0.5, 0.1, 0.0), (-0.05, 0.02, 0.0), (0.0, 0.0, 0.0)):
        for _ in range(200):
            before = scene.q.copy()
            log = scene.run(scene.dt, pose=pose)
            assert np.abs(scene.q - before).max() <= 0.5 + 1e-9
            assert np.all(np.abs(log["command"][:, :3]) <= MOST * (1 + 1e-12))
    assert scene.counts["singular"] > 0


def test_a_device_that_is_made_to_feel_like_a_tool_is_told_no_more_than_it_can():
    """100 N against a wall: shaping alone would ask for M_d L (F_h + F) − F_h, some 80 N."""
    scene = HapticScene([peg()], walls(), tool="peg", rendering=Rendering(limit=SPREAD))
    log = scene.run(0.5, push=(100.0, 0.0, 0.0))
    assert np.abs(log["command"][:, 0]).max() == 15.0


@pytest.mark.parametrize("given", [
    {"at": (0.1,)}, {"at": (0.1, 0.0, 0.0, 0.0)}, {"at": (np.nan, 0.0)}, {"gravity": (9.81,)},
    {"gravity": (0.0, np.inf, 0.0)}, {"tool": ["peg", "peg"]}, {"tool": 3},
])  # fmt: skip
def test_places_directions_and_hands_that_cannot_be_are_refused(given):
    """Held at two points: there is one hand."""
    with pytest.raises(ModelError):
        HapticScene([peg()], **{"tool": "peg"} | given)
