"""Forces in cuts and joints: projections, balances, and formulas of the textbook."""

import numpy as np
import pytest
from test_constrained import four_bar, spatial_slider

import symbody as sb
from symbody import machines


def with_all_outputs(model, **options):
    s = sb.system(model, outputs=["*"], **options)
    x = s.x0.copy()
    x[len(s.layout.coordinates) :] += 0.4
    return s, s.at(0.0, x)


CLOSED = {"four-bar": four_bar, "hinged": lambda: four_bar("revolute"), "slider": spatial_slider}
CLOSED |= {name: machines.entry(name).model for name in ("slider-crank", "quarter-car", "double-wishbone", "stewart")}


@pytest.mark.parametrize("name", CLOSED)
def test_along_its_freedom_a_joint_transmits_its_own_force_only(name):
    """Cut forces and all other loads are in the joint reactions: along the axis, the joint's own force is left."""
    s, values = with_all_outputs(CLOSED[name]())
    scale = max(abs(v) for k, v in values.items() if ".reaction." in k)
    for joint in s.model.joints():
        if joint.type in ("ball", "free"):
            wrench = [values[f"{joint.name}.reaction.torque.{a}"] for a in "xyz"]
            np.testing.assert_allclose(wrench, 0, atol=1e-8 * scale)
            continue
        kind, axis = ("torque", "force")[joint.type[0] == "T"], "xyz"[int(joint.type[1]) - 1]
        own = values[f"{joint.name}.Q"] + values.get(f"{joint.name}.effort", 0.0)
        assert values[f"{joint.name}.reaction.{kind}.{axis}"] == pytest.approx(own, abs=1e-8 * scale)


@pytest.mark.parametrize("name", CLOSED)
def test_the_ground_carries_the_change_of_momentum(name):
    """Σ m (a − g) = reaction of the ground and forces of sites; accelerations by differences of velocities."""
    model = CLOSED[name]()
    s = sb.system(model, outputs=["*"])
    x = s.x0.copy()
    x[len(s.layout.coordinates) :] += 0.4
    momentum, dt = [], 1e-6
    kinematics = sb.compile(model, "kinematics")
    for sign in (1, -1):
        shifted = x + sign * dt * s.rates(0.0, x)
        pose = kinematics(*s.motion(0.0, shifted))
        total = np.zeros(3)
        for i, body in enumerate(model.bodies.values()):
            mass = float(sb.model.formula.evaluate(body.mass, model.values))
            com = np.array([sb.model.formula.evaluate(c, model.values) for c in body.com], dtype=float)
            total += mass * (pose.velocity[i] + np.cross(pose.omega[i], pose.rotation[i] @ com))
        momentum.append(total)
    masses = sum(float(sb.model.formula.evaluate(b.mass, model.values)) for b in model.bodies.values())
    needed = (momentum[0] - momentum[1]) / (2 * dt) - masses * np.array(model.gravity)
    values = s.at(0.0, x)
    given = np.array([values[f"ground.reaction.force.{a}"] for a in "xyz"])
    given += sum((np.array([values.get(f"{n}.force.{a}", 0.0) for a in "xyz"]) for n in model.force_sites), np.zeros(3))
    np.testing.assert_allclose(given, needed, atol=2e-5 * (1 + np.abs(needed).max()))


def test_the_rod_of_a_hanging_mass_carries_its_weight():
    m = sb.Model("hanging")
    m.ground.point("hook", (0, 0, 2.0))
    stone = m.body("stone", joints="T1 T2 T3", mass=3.0)
    m.cut("rod", "rod", "ground.hook", stone, length=2.0)
    _, values = with_all_outputs(m, closure="partitioning")
    s = sb.system(m, outputs=["rod.force.*"])
    np.testing.assert_allclose(s.observe(0.0, s.x0), [0, 0, 3 * 9.81], atol=1e-9)
    assert values["rod.force.z"] > 3 * 9.81  # on its way round, it also turns the velocity


def test_a_beam_on_two_supports():
    """4 kg, its centre at a quarter of the span: three quarters of the weight on the near support, one on the far."""
    m = sb.Model("beam")
    m.ground.point("far", (1.0, 0, 0))
    beam = m.body("beam", joints="R2 T1", mass=4.0, com=(0.25, 0, 0), inertia=(0.1, 0.3, 0.3))
    m.cut("support", "planar-ball", beam.point("end", (1.0, 0, 0)), "ground.far", axis=2)
    s = sb.system(m, outputs=["*"])
    values = s.at(0.0, s.x0)
    assert values["support.force.z"] == pytest.approx(-9.81)  # on the ground
    assert values["ground.reaction.force.z"] == pytest.approx(4 * 9.81)
    assert values["beam.R2.reaction.force.z"] == pytest.approx(3 * 9.81)


def test_a_hinge_cut_transmits_the_torque_of_a_weld():
    """A cantilever whose root is a solid cut: weight and its moment."""
    m = sb.Model("cantilever")
    arm = m.body("arm", joints="T1 T2 T3 R1 R2 R3", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    m.cut("root", "solid", "ground", arm)
    s = sb.system(m, outputs=["root.*"])
    np.testing.assert_allclose(s.observe(0.0, s.x0), [0, 0, 2 * 9.81, 0, -9.81, 0], atol=1e-9)
