"""The models that come along: they close, move as they should, and say the same as files and as builders.

Tests of quarter_car.py, stewart.py and andrews.py.
"""

import dataclasses
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.equations.laws import rebuilt_at
from symbody.files import load
from symbody.machines.textbook.double_wishbone import mechanism
from symbody.model import Formula, Model, check, warnings
from symbody.model.every_law import every_law
from symbody.model.formula import evaluate
from symbody.model.law import FormulaLaw
from symbody.system.partition import partition

FILES = {one.name: one.file for one in machines.entries() if one.file}
CHASSIS = ("x", "y", "z", "yaw", "pitch", "roll")
FREE = {
    "pendulum": ["bob"],
    "double-pendulum": ["shoulder", "elbow"],
    "n-pendulum": ["rod1", "rod2", "rod3"],
    "cart-pole": ["x", "tilt"],
    "n-four-bar": ["crank0"],
    "andrews": ["beta"],
    "bricard": ["rod1"],
    "flyball": ["shaft", "s", "right", "left"],
    "slider-crank": ["crank"],
    "bicycle": ["lean", "steer", "rear_wheel"],
    "four-bar": ["crank"],
    "quarter-car": ["heave", "travel"],
    "double-wishbone": ["heave", "lower"],
    "stewart": [f"platform.{v}" for v in ("vx", "vy", "vz", "wx", "wy", "wz")],
    "platform": ["table.y", "table.x", "x", "y", "z", "yaw", "pitch", "roll"],
    "arm6": ["pan", "lift", "elbow", "roll", "bend", "turn"],
    "car": [j for j in machines.model("car").velocities if j in CHASSIS or j.endswith((".travel", ".spin"))],
    "attenuator": machines.model("attenuator").velocities,
    "crash": machines.model("crash").velocities,
}
SAVED = ("car", "attenuator", "crash")  # their files are what `sb.save` makes of the builders


def closed_at(model: Model, **coordinates: float) -> dict[str, float]:
    """Coordinates of the closed position with some of them held."""
    held = [joint for joint in model.joints() if joint.name in coordinates]
    for joint in held:
        joint.nature, joint.q0 = "locked", (coordinates[joint.name],)
    return dict(zip(model.coordinates, sb.assemble(model), strict=True))


def total_mass(model: Model) -> float:
    return sum(evaluate(body.mass, model.values) for body in model.bodies.values())


# -- all of them -----------------------------------------------------------------------------------------------------


def test_each_model_is_registered_described_and_has_its_file():
    assert set(FILES) == set(FREE)
    for name in FILES:
        assert machines.model(name).name == name
        assert 20 < len(machines.entry(name).line) < 120


@pytest.mark.parametrize("name", FILES)
def test_it_is_sound(name):
    model = machines.model(name)
    check(model)
    assert warnings(model) == []


@pytest.mark.parametrize("name", FILES)
def test_it_closes_near_its_start_with_the_freedom_it_should_have(name):
    model = machines.model(name)
    start = [evaluate(x, model.values) for joint in model.joints() for x in joint.q0]
    q = sb.assemble(model)
    np.testing.assert_allclose(q, start, atol=2e-3)
    parts = partition(model, q)
    names = model.velocities
    assert [names[i] for i in parts.free] == FREE[name]
    natures = {joint.name: joint.nature for joint in model.joints()}
    assert [names[i] for i in parts.driven] == [n for n, nature in natures.items() if nature in ("driven", "locked")]
    assert {names[i] for i in parts.dependent} == {n for n, nature in natures.items() if nature == "dependent"}
    if model.cuts:
        h, J = sb.compile(model, "constraints")(q)
        assert np.abs(h).max() < 1e-10
        assert len(parts.rows) == len(h) - (name == "bricard")  # over-constrained, which makes it famous
        assert np.linalg.cond(J[:, parts.dependent]) < 50


# -- the same from file and builder ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_file_and_builder_are_the_same_model(name):
    read, built = load(FILES[name]), (mechanism if name == "double-wishbone" else machines.entry(name).model)()
    for field in dataclasses.fields(Model):
        if field.compare:
            assert getattr(read, field.name) == getattr(built, field.name), field.name
    assert list(read.bodies) == list(built.bodies)
    assert list(read.inputs) == list(built.inputs)


def called(family: str, law, x: list[float], motion: SimpleNamespace, p: SimpleNamespace) -> list[float]:
    """Values of a builder's law at the arguments that a formula has."""
    if family == "force_sites":
        return list(law(*rebuilt_at(*x), p))
    return [law(*x, p) if x else law(motion, p)]


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "quarter-car", "stewart", *SAVED])
def test_laws_of_file_and_builder_give_the_same_values(name):
    built = {(family, key): law for family, key, law, _ in every_law(machines.model(name)) if law}
    read = load(FILES[name])
    rng = np.random.default_rng(3)
    found = {(family, key): law for family, key, law, _ in every_law(read) if law}
    assert set(found) == set(built)
    assert found
    for _ in range(3):
        numbers = read.values | {name: float(rng.normal()) for name in (*read.inputs, *read.states)}
        q, qd = (
            dict(zip(names, rng.normal(size=len(names)), strict=True)) for names in (read.coordinates, read.velocities)
        )
        functions = {"max": max, "sqrt": math.sqrt, "q": q.__getitem__, "qd": qd.__getitem__}
        for (family, key), law in found.items():
            assert isinstance(law, FormulaLaw)
            x = rng.uniform(-0.9, 0.9, size=len(law.arguments)).tolist()
            values = law.evaluate(numbers | dict(zip(law.arguments, x, strict=True)), functions)
            p = SimpleNamespace(**numbers, t=x[0] if x else 0.0)
            expected = called(family, built[family, key], x, SimpleNamespace(q=q, qd=qd), p)
            assert values == pytest.approx(expected, rel=1e-9), (family, key)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("car", "crash")]


@pytest.mark.parametrize("name", ["attenuator", *SLOW])
def test_file_and_builder_have_the_same_rates(name):
    read, built = (sb.system(model, outputs=[]) for model in (load(FILES[name]), machines.model(name)))
    assert (read.states, read.inputs) == (built.states, built.inputs)
    rng = np.random.default_rng(5)
    for t in (0.0, 1.7, 3.1):
        x, u = (y + 0.01 * rng.normal(size=len(y)) for y in (built.x0, built.u0))
        expected = built.rates(t, x, u)
        np.testing.assert_allclose(read.rates(t, x, u), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_the_mbs_file_gets_its_laws_from_the_builder():
    model = machines.model("double-wishbone")
    laws = {(family, name) for family, name, law, _ in every_law(model) if law}
    assert laws == {("links", "strut"), ("force_sites", "tyre"), ("trajectories", "rack")}
    model.bodies["rack"].joints[0].nature = "locked"  # the only thing that is not added
    plain = mechanism()
    assert (model.bodies, model.cuts, model.links) == (plain.bodies, plain.cuts, plain.links)


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "quarter-car", "stewart"])
def test_file_and_builder_move_alike(name):
    motions = [sb.simulate(model, 0.2, 1e-3, every=0.05) for model in (load(FILES[name]), machines.model(name))]
    np.testing.assert_allclose(motions[0].q, motions[1].q, rtol=0, atol=1e-12)
    assert np.abs(motions[0].q[-1] - motions[0].q[0]).max() > 1e-5


def test_the_wishbones_settle_on_the_road_and_steer():
    model = machines.model("double-wishbone")
    q = sb.simulate(model, 3.0, 1e-3, every=0.1).q[-1]
    assert q[model.coordinates.index("heave")] == pytest.approx(0.3, abs=5e-3)
    model.parameters["steer"].value = 0.02
    turned = sb.simulate(model, 0.01, 1e-3).q[-1]
    assert 5 < abs(math.degrees(turned[model.coordinates.index("steer")])) < 15


# -- what each of them is ----------------------------------------------------------------------------------------------


def test_the_piston_s_stroke_is_twice_the_throw():
    model = machines.model("slider-crank")
    throw, length = model.values["throw"], model.values["rod_length"]
    assert closed_at(model, crank=0.0)["piston"] == pytest.approx(length + throw)
    model = machines.model("slider-crank")
    for joint, start in zip(model.joints(), (0.0, -math.pi, 0.1), strict=True):
        joint.q0 = (start,)
    assert closed_at(model, crank=math.pi)["piston"] == pytest.approx(length - throw)
    bore_area, stroke = math.pi / 4 * 0.078**2, 2 * throw
    assert 3.5e-4 < bore_area * stroke < 4.5e-4


def test_the_crank_of_the_four_bar_turns_all_the_way():
    model = machines.model("four-bar")
    bars = [model.values[f"{name}_length"] for name in ("crank", "coupler", "rocker")] + [model.values["base"]]
    assert min(bars) + max(bars) < sum(bars) - min(bars) - max(bars)  # Grashof
    assert total_mass(model) == pytest.approx(0.78 * 0.55)
    rocker = []
    for crank in np.linspace(-1.0, -1.0 + 2 * math.pi, 25):
        q = closed_at(model, crank=float(crank))
        for joint in model.joints():
            joint.q0 = (q[joint.name],)
        rocker.append(q["rocker"])
    assert rocker[-1] == pytest.approx(rocker[0])  # the same way of assembling all along
    assert 0.5 < max(rocker) - min(rocker) < 1.5


@pytest.mark.parametrize(
    ("name", "travel", "spring"), [("quarter-car", "travel", (0.12, 0.2)), ("double-wishbone", "lower", (0.1, 0.18))]
)
def test_the_car_stands_on_its_spring_and_tyre(name, travel, spring):
    model = machines.model(name)
    if name == "quarter-car":
        model.parameters["drop"].value = 0.0
    q = sb.assemble(model)
    p = SimpleNamespace(**model.values, road=0.0)
    free, dependent = model.velocities.index(travel), list(partition(model, q).dependent)
    J = sb.compile(model, "constraints")(q).J
    motion = np.zeros(model.nv)
    motion[free] = 1.0
    motion[dependent] = -np.linalg.solve(J[:, dependent], J[:, free])
    (length,), (rate,) = sb.compile(model, "links")(q, motion)
    centre, speed, *_ = sb.compile(model, "sensors")(q, motion, np.zeros(model.nv))
    centre, ratio = np.ravel(centre), -rate / np.ravel(speed)[2]
    assert 0.6 < ratio < 1.0
    assert spring[0] < p.l_strut - length < spring[1]
    sprung = 9.81 * model.bodies["chassis"].mass
    assert -model.links["strut"].law(length, 0.0, p) * ratio == pytest.approx(sprung, rel=0.05)
    push = model.force_sites["tyre"].law(SimpleNamespace(position=centre, velocity=(0, 0, 0)), p)
    assert push[2] == pytest.approx(9.81 * total_mass(model), rel=0.05)
    assert centre == pytest.approx((0.0, 0.76, 0.3), abs=1e-3)
    bounce = math.sqrt(p.k_strut * ratio**2 / model.bodies["chassis"].mass) / (2 * math.pi)
    assert 1.0 < bounce < 1.4


def test_five_rods_guide_the_wheel():
    for travel in (-0.06, 0.06):
        q = closed_at(machines.model("quarter-car"), travel=travel)
        assert abs(math.degrees(q["toe"])) < 0.4
        assert abs(q["carrier.T1"]) + abs(q["carrier.T2"]) < 0.03
        assert math.copysign(1.0, q["camber"]) == math.copysign(1.0, travel)  # the top leans inwards in bump
    rods = machines.model("quarter-car").cuts
    assert len(rods) == 5
    assert all(cut.kind == "rod" for cut in rods.values())


def test_the_rack_steers_and_travel_hardly_does():
    straight, turned = closed_at(mechanism(), rack=0.0), closed_at(mechanism(), rack=0.03)
    assert 10 < abs(math.degrees(turned["steer"] - straight["steer"])) < 20
    for lower in (-0.15, 0.15):
        assert abs(math.degrees(closed_at(mechanism(), rack=0.0, lower=lower)["steer"])) < 1.0


def test_the_legs_of_the_platform_are_alike_and_hold_it():
    model = machines.model("stewart")
    q = sb.assemble(model)
    where = {name: i for i, name in enumerate(model.coordinates)}
    legs = [q[where[f"rod{i}"]] for i in range(1, 7)]
    assert legs == pytest.approx([legs[0]] * 6, abs=2e-4)
    still = np.zeros(model.nv)
    needed = sb.compile(model, "inverse", loads=False)(q, still, still)
    J = sb.compile(model, "constraints")(q).J
    slides = np.zeros((model.nv, 6))
    slides[[model.velocities.index(f"rod{i}") for i in range(1, 7)], range(6)] = 1.0
    forces = np.linalg.lstsq(np.hstack([slides, J.T]), needed, rcond=None)[0][:6]
    assert forces == pytest.approx([i.value for i in model.inputs.values()], rel=1e-3)


def test_the_arm_reaches_as_far_as_its_links():
    model = machines.model("arm6")
    assert total_mass(model) == pytest.approx(31.1)
    links = [model[path].position for path in ("upper_arm.elbow", "forearm.roll", "wrist_1.bend", "wrist_2.turn")]
    assert sum(math.dist(p, (0, 0, 0)) for p in links) == pytest.approx(0.95, abs=0.01)
    assert not any(isinstance(body.mass, Formula) for body in model.bodies.values())


PAGES = Path(__file__).parents[2] / "docs" / "machines"
PROBLEMS = ("pendulum", "n-four-bar", "andrews", "bricard", "flyball")  # they have their page in docs/validation.md


ELSEWHERE = {"crash", "double-pendulum"}  # in the pages of the attenuator and of n rods


@pytest.mark.parametrize("name", sorted(set(FILES) - set(PROBLEMS) - ELSEWHERE))
def test_it_has_a_page_whose_pictures_are_there(name):
    text = (PAGES / f"{name}.md").read_text()
    pictures = re.findall(r"\]\(([^)]+\.png)\)", text)
    assert pictures
    assert all((PAGES / picture).is_file() for picture in pictures)
