"""The excavator: counts of the document, geometry, options as data, contacts, and replays of whole attempts."""

from dataclasses import replace

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.machines.excavator.driver import SKILLS, arm_angles
from symbody.machines.excavator.model import FUNCTIONS, model, rocker_angles
from symbody.machines.excavator.obstacles import POLE, RIM, hopper_centre
from symbody.machines.excavator.options import BUCKETS, OPTIONS, chosen, parameters
from symbody.machines.excavator.players import game, shared_site, user_play
from symbody.machines.excavator.site import PITCH, TICK, hopper_boxes
from symbody.model.circuit_elements import Cylinder
from symbody.realtime.unclocked import Unclocked
from symbody.scenario.game_referee import replayed
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.scripted_play import keep_play, play_again


@pytest.fixture(scope="module")
def place():
    return shared_site()


def test_it_has_the_counts_of_the_document():
    m = model()
    s = sb.system(m)
    assert len(m.bodies) == 9
    assert sum(len(body.joints) for body in m.bodies.values()) - 6 == 8
    assert len(m.cuts) + len(m.constraints) == 2  # loops; with the eight of the tree: ten joints
    assert sum(name.endswith(".qd") for name in s.states) == 11
    assert len(list(m.circuits["hydraulics"].of(Cylinder))) == 6


@pytest.mark.parametrize("degrees", range(-20, 141, 20))
def test_rocker_and_link_reach_the_bucket(degrees):
    """The closed four-bar against the planar rotation of complex numbers."""
    from symbody.machines.excavator.model import EYE, LINK, ROCKER, ROCKER_PIVOT

    q = np.radians(degrees)
    rocker, link = rocker_angles(q)
    eye = complex(*EYE) * np.exp(-1j * q)
    end = complex(*ROCKER_PIVOT) + ROCKER * np.exp(-1j * rocker) + LINK * np.exp(-1j * (rocker + link))
    assert end == pytest.approx(eye, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_inverse_geometry_puts_the_pin_where_it_should_be(place, seed):
    rng = np.random.default_rng(seed)
    out, up, tilt = rng.uniform(4.0, 6.2), rng.uniform(0.8, 3.5), rng.uniform(1.2, 2.8)
    angles = arm_angles(out, up, tilt)
    tip = [0.4, 0.45 + 0.55 + 0.6]
    turned = 0.0
    for name, length in (("boom", 4.6), ("dipper", 2.5)):
        turned += angles[name]
        tip[0] += length * np.cos(turned)
        tip[1] -= length * np.sin(turned)
    assert tip == pytest.approx([out, up], abs=1e-9)
    assert turned + angles["bucket"] == pytest.approx(tilt)


def test_options_are_data_of_one_compiled_model(place):
    before = place.system.rates_function
    for option in OPTIONS:
        place.choose(option)
        bucket, cylinder = chosen(option)
        assert place.system.parameters["bucket_mass"] == bucket.mass
        assert place.system.parameters["dipper_bore"] == cylinder.bore
        (tool,) = (one for one in place.ground.contacts if one.name == "digging")
        assert tool.boxes == bucket.boxes
    assert place.system.rates_function is before
    with pytest.raises(sb.ModelError, match="unknown option 'XL'"):
        chosen("XL")
    with pytest.raises(sb.ModelError, match="force points"):
        place.ground.reshape_tool("digging", BUCKETS["S"].boxes, PITCH)
    assert set(parameters("L/M")) == set(parameters("S/S"))


def test_buckets_have_the_printed_volumes_up_to_the_shape():
    """The volumes of the sections scale as printed; a section itself holds the printed volume within a tenth."""
    for bucket in BUCKETS.values():
        (x0, z0), (x1, z1), (x2, z2), (x3, z3) = (
            (bucket.scale * x, bucket.scale * z) for x, z in ((0.05, 0.05), (0.15, 0.72), (0.80, 0.72), (1.15, 0.0))
        )
        area = 0.5 * abs(
            x0 * z1 - x1 * z0 + x1 * z2 - x2 * z1 + x2 * z3 - x3 * z2 + x3 * z0 - x0 * z3
        )  # the shoelace formula
        assert area * 1.2 * bucket.scale == pytest.approx(bucket.volume, rel=0.1)


@pytest.mark.slow
def test_it_stands_on_its_crawlers_and_drives(place):
    place.choose("L/M")
    steps = Unclocked(place.chain, TICK)
    column = {name: k for k, name in enumerate(steps.model.outputs)}
    weight = 9.81 * (13430.0 + 20.0 + 0.0)
    u = np.zeros(len(steps.model.inputs))
    for _ in range(1500):
        assert steps.step()
    wheels = [name for name in column if name.startswith(("left_", "right_")) and name.endswith(".soil.force.z")]
    assert len(wheels) == 8
    carried = sum(steps.row[column[name]] for name in wheels)
    assert carried == pytest.approx(weight, rel=0.02)
    begun = steps.row[column["x.q"]]
    for name in ("left_speed", "right_speed"):
        u[steps.model.inputs.index(name)] = -0.5
    steps.give(u)
    for _ in range(2000):
        assert steps.step()
    assert -1.0 < steps.row[column["x.q"]] - begun < -0.5
    u[steps.model.inputs.index("right_speed")] = 0.5  # turns on the spot, to the right
    steps.give(u)
    for _ in range(1500):
        assert steps.step()
    assert abs(steps.row[column["yaw.q"]]) > 0.05


@pytest.mark.slow
def test_a_whole_attempt_again_from_its_inputs_is_the_same_bit_for_bit(place, tmp_path):
    """Dig, lift, swing, empty and count, with a goal of one bucket: the attempt at 2 t takes three of them."""
    task = replace(game().scenario.tasks[0], until=["loaded >= 15"])
    rules = replace(game(), scenario=replace(game().scenario, tasks=[task]))
    first = user_play("expert", "L/M", rules=rules)
    assert first.played.state == "done"
    assert first.played.results["hits"] <= 3.0
    place.choose("L/M")
    again = play_again(place.chain, TICK, rules, first.play)
    assert again.attempt.state is first.play.attempt.state
    assert rules.results(again.attempt) == first.played.results
    np.testing.assert_array_equal(again.log, first.play.log)
    book = ScoreBook(tmp_path / "scores.sqlite")
    keep_play(book, rules, first.play, "expert", "L/M", 3)
    (kept,) = book.attempts("excavator")
    assert rules.results(replayed(rules, book.log(kept.number))) == dict(kept.results)
    reach = first.play.column(rules, "reach")
    assert np.quantile(reach, 0.05) > 4.0
    assert np.quantile(reach, 0.95) < 6.6


@pytest.mark.slow
def test_a_swing_through_the_pole_is_a_hit(place):
    """A driver who swings with the arm far out hits the pole, and the contact stops the arm there."""
    place.choose("L/M")
    steps = Unclocked(place.chain, TICK)
    column = {name: k for k, name in enumerate(steps.model.outputs)}
    u, names = np.zeros(len(steps.model.inputs)), steps.model.inputs
    (far, way), half, _ = POLE
    goal = arm_angles(far - 0.9, 3.2, np.radians(15.0))
    most, seen, lowered = 0.0, 0.0, goal["boom"]
    for k in range(7000):
        if k % 20 == 0:
            row, goal["boom"] = steps.row.copy(), lowered if k > 2500 else -0.9  # over the heap first
            for name in FUNCTIONS:
                gain = -90.0 if name == "boom" else 90.0
                u[names.index(f"{name}_command")] = np.clip(gain * (goal[name] - row[column[f"{name}.q"]]), -10, 10)
            u[names.index("slew_command")] = 0.6 if k > 3500 else 0.0
            steps.give(u)
        assert steps.step()
        most = max(most, float(steps.row[column["bucket.hit"]]) + float(steps.row[column["dipper.hit"]]))
        seen = max(seen, float(steps.row[column["slew.q"]]))
    assert most > 500.0
    assert seen < way + half  # rad: it does not get past


def test_the_hopper_is_where_the_arm_can_empty_the_bucket():
    x, y = hopper_centre()
    assert 4.0 < np.hypot(x, y) < 6.5
    assert max(box.centre[2] + box.size[2] / 2 for box in hopper_boxes()) + 0.5 == pytest.approx(RIM)
    assert {"expert", "novice"} <= set(SKILLS)
    assert machines.entry("excavator").has_page
