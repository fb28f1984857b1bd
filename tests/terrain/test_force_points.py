"""Tools in soil: a plate against its stiffness, a blade against earth pressure, and energy over random drives."""

import numpy as np
import pytest
from soil_drive import SoilDrive, ToolBox, box_on, wheel_on

import symbody as sb
from symbody.errors import ModelError
from symbody.model.rotation import matrix
from symbody.terrain import SOILS, Soil, Terrain
from symbody.terrain.soil.tool_shape import box_rows, force_points, hull

DT = 1e-3


@pytest.mark.parametrize("name", sorted(SOILS))
def test_a_plate_meets_the_pressure_of_bekker_and_springs_back_elastically(name):
    soil, side = SOILS[name], 0.4
    ground = Terrain(np.zeros((40, 40)), 0.05, soil=soil, particles=0)
    drive = SoilDrive(box_on(ground, ToolBox((side, side, 0.1), (0.0, 0.0, 0.05)), pitch=0.05), DT)
    k = soil.cohesive_modulus / side + soil.frictional_modulus
    for n in range(501):
        depth = 1e-4 * n
        force = drive.step((0.975, 0.975, -depth), (0.0, 0.0, -0.1))
        if n % 100 == 0 and n:
            assert force[2] == pytest.approx(k * side**2 * depth**soil.exponent, rel=1e-3)
    highest, rise = force[2], 1e-3 * force[2] / (soil.elastic * side**2)
    for n in range(1, 501):
        force = drive.step((0.975, 0.975, -depth + rise * n), (0.0, 0.0, 1e-9))
        assert force[2] == pytest.approx(highest * (1.0 - 1e-3 * n), rel=2e-2)
    for n in range(1, 501):  # and down again on the same line
        force = drive.step((0.975, 0.975, -depth + rise * (500 - n)), (0.0, 0.0, -1e-9))
    assert force[2] == pytest.approx(highest, rel=2e-2)


# Published runs of Chrono's SCM with their scripts (PyChrono 10, github.com/uwsbel/ChronoBench, demo_data_10,
# plate_sinkage_scm): a plate of 0.2 m × 0.2 m is released on the ground.
# Weight (N), k_φ (n = 1, k_c = 0), sinkage after 1.5 s (m).
SCM_PLATES = {"firm": (500.0, 2e6, 7.65e-3), "soft": (500.0, 5e5, 29.9e-3), "heavy": (2000.0, 2e6, 35.8e-3)}
SCM_ELASTIC, SCM_DAMPING = 2e7, 1e4  # Pa/m, Pa s/m
SCM_SIDE = 11 * 0.02  # m: 11 nodes, 20 mm apart, lie under a side of 0.2 m, and each stands for its whole cell


@pytest.mark.parametrize("name", SCM_PLATES)
def test_a_released_plate_sinks_as_in_published_runs_of_scm(name):
    """The sudden load sinks it deeper than at rest: without a damper to twice the sinkage of Bekker."""
    weight, k, published = SCM_PLATES[name]
    soil = Soil(frictional_modulus=k, cohesive_modulus=0.0, exponent=1.0, cohesion=0.0, friction=np.radians(30.0),
                shear_length=0.01, elastic=SCM_ELASTIC)  # fmt: skip
    ground = Terrain(np.zeros((51, 51)), 0.02, soil=soil, particles=0)
    m = sb.Model("plate")
    m.ground.point("start", (0.5, 0.5, 0.025))
    plate = m.body("plate", on="ground.start", joints="T3", mass=weight / 9.81)
    m.joint_force("plate")(lambda q, qd, p: -SCM_DAMPING * SCM_SIDE**2 * qd)
    ground.tool(m, "base", plate, ToolBox((SCM_SIDE, SCM_SIDE, 0.05)))
    run = ground.simulate(m, 1.5, 2e-3)
    sunk, bekker = -run["plate.q"], weight / (k * 0.2**2)
    assert sunk[-1] == pytest.approx(published, rel=0.15)
    # one run: bounds of a formula for a published number
    assert bekker < published < 2.0 * bekker
    assert bekker < sunk[-1] < 2.0 * bekker
    assert run["base.soil.force.z"][-1] == pytest.approx(weight, rel=0.01)


# φ: N_c, N_q, N_γ of Vesić (1973), table of Das, Principles of Foundation Engineering
FACTORS = {28.0: (25.80, 14.72, 16.72), 35.0: (46.12, 33.30, 48.03)}


@pytest.mark.parametrize("degrees", FACTORS)
def test_a_plate_bears_at_most_the_bearing_capacity(degrees):
    """Bekker's curve grows without a bound; soil yields at c N_c + ρ g D N_q + ½ ρ g b N_γ."""
    soil, side = Soil(friction=np.radians(degrees), cohesion=500.0, frictional_modulus=6e6), 0.4
    ground = Terrain(np.zeros((60, 60)), 0.05, soil=soil, particles=0)
    drive = SoilDrive(box_on(ground, ToolBox((side, side, 0.9), (0.0, 0.0, 0.45)), pitch=0.05), DT)
    nc, nq, ng = FACTORS[degrees]
    for n in range(801):
        depth = 5e-4 * n
        force = drive.step((1.475, 1.475, -depth), (0.0, 0.0, -0.5))
        bound = soil.cohesion * nc + soil.density * 9.81 * (depth * nq + side / 2.0 * ng)
        bekker = (soil.cohesive_modulus / side + soil.frictional_modulus) * depth**soil.exponent
        tested = (soil.cohesive_modulus / side + soil.frictional_modulus) * 0.1**soil.exponent
        if n % 100 == 0 and n:
            assert force[2] / side**2 == pytest.approx(min(bekker, max(bound, tested)), rel=1e-2)
    assert bekker > 3.0 * force[2] / side**2


def test_a_plate_inside_soil_presses_by_bekker_and_rests():
    """Pushed sideways into a bank, then down: k A zⁿ over its way down, which stays when it stops."""
    soil, wide, long = Soil(), 0.8, 0.4
    ground = Terrain(lambda x, y: np.where(x > 1.0, 0.5, 0.0), 0.05, area=(0.0, 0.0, 3.0, 2.0), particles=2000)
    drive = SoilDrive(box_on(ground, ToolBox((long, wide, 0.05)), pitch=0.05), DT)
    for n in range(1200):
        drive.step((0.6 + 1.0 * DT * n, 1.0, 0.2), (1.0, 0.0, 0.0))
    before = drive.step((1.8, 1.0, 0.2))[2]
    for n in range(1, 401):
        force = drive.step((1.8, 1.0, 0.2 - 0.05 * DT * n), (0.0, 0.0, -0.05))[2]
    k = soil.cohesive_modulus / long + soil.frictional_modulus
    assert force - before == pytest.approx(k * long * wide * 0.02**soil.exponent, rel=0.15)
    held = [drive.step((1.8, 1.0, 0.18))[2] for _ in range(200)]
    assert held[-1] == pytest.approx(held[0], rel=0.05)
    assert held[-1] == pytest.approx(force, rel=0.15)


def test_each_cell_can_have_its_own_stiffness():
    stiffness = np.ones((40, 40))
    stiffness[:, 20:] = 3.0
    forces = []
    for x in (0.5, 1.5):
        ground = Terrain(np.zeros((40, 40)), 0.05, stiffness=stiffness, soil=Soil(cohesive_modulus=0.0), particles=0)
        drive = SoilDrive(box_on(ground, ToolBox((0.4, 0.4, 0.1), (0.0, 0.0, 0.05))), DT)
        for n in range(200):
            force = drive.step((x, 1.0, -1e-4 * n), (0.0, 0.0, -0.1))
        forces.append(force[2])
    assert forces[1] == pytest.approx(3.0 * forces[0], rel=1e-9)


@pytest.mark.parametrize("depth", [0.1, 0.2])
def test_a_blade_begins_to_cut_at_the_passive_earth_pressure(depth):
    """F = ½ K_p ρ g D² b + 2 c √K_p D b of Rankine on a vertical blade, before soil heaps up."""
    soil, wide = Soil(flow=1e-6), 1.0
    heights = np.zeros((60, 60))
    heights[:, :20] = -depth  # a trench, so that nothing is pressed aside
    drive = SoilDrive(box_on(Terrain(heights, 0.05, soil=soil), ToolBox((0.02, wide, 0.6), (0.0, 0.0, 0.3))), DT)
    rows = [drive.step((0.96 + 0.2 * DT * n, 1.475, -depth), (0.2, 0.0, 0.0)) for n in range(100)]
    passive = (1.0 + np.sin(soil.friction)) / (1.0 - np.sin(soil.friction))
    rankine = wide * (0.5 * passive * soil.density * 9.81 * depth**2 + 2.0 * soil.cohesion * np.sqrt(passive) * depth)
    assert -np.median([row[0] for row in rows[40:100]]) == pytest.approx(rankine, rel=0.15)


def test_a_cell_that_was_never_cut_bears_up_to_the_penetration_limit():
    """P b D on a vertical blade, elastic up to it; afterwards the passive earth pressure of Rankine."""
    limit, depth, wide, speed = 2e5, 0.2, 1.0, 0.2
    soil = Soil(flow=1e-6, penetration=limit)
    heights = np.zeros((60, 60))
    heights[:, :20] = -depth
    drive = SoilDrive(box_on(Terrain(heights, 0.05, soil=soil), ToolBox((0.02, wide, 0.6), (0.0, 0.0, 0.3))), DT)
    force = np.array([-drive.step((0.96 + speed * DT * n, 1.475, -depth), (speed, 0.0, 0.0))[0] for n in range(100)])
    passive = (1.0 + np.sin(soil.friction)) / (1.0 - np.sin(soil.friction))
    rankine = wide * (0.5 * passive * soil.density * 9.81 * depth**2 + 2.0 * soil.cohesion * np.sqrt(passive) * depth)
    assert force.max() == pytest.approx(limit * wide * depth, rel=0.1)
    begin = np.argmax(force > 0.0)
    assert (np.argmax(force) - begin) * speed * DT == pytest.approx(limit / soil.elastic, rel=0.15)
    assert np.median(force[np.argmax(force) + 10 :]) == pytest.approx(rankine, rel=0.15)


def test_a_blade_takes_the_soil_that_it_sweeps():
    ground = Terrain(np.zeros((40, 60)), 0.05, particles=2000, particle_radius=0.02, merging=False)
    drive = SoilDrive(box_on(ground, ToolBox((0.02, 0.8, 0.6), (0.0, 0.0, 0.3))), DT)
    for n in range(200):
        drive.step((0.7, 0.975, -0.5 * DT * n), (0.0, 0.0, -0.5))
    cut, _ = ground.cut_and_merged
    for n in range(600):
        drive.step((0.7 + DT * n, 0.975, -0.1), (1.0, 0.0, 0.0))
    swept = 0.1 * 0.8 * 0.6
    loosened = (ground.cut_and_merged[0] - cut) * ground.particle_volume
    assert loosened == pytest.approx(swept, rel=0.15)
    assert ground.heights[14:25, 18:24] == pytest.approx(-0.1, abs=0.03)


def drives(seed, steps=800):
    """A random smooth drive in and out of the ground: positions, velocities, rotation, spin."""
    rng = np.random.default_rng(seed)
    t = DT * np.arange(steps + 1)
    waves = [(rng.uniform(0.5, 4.0), rng.uniform(0.0, 6.0), rng.uniform(0.2, 1.0)) for _ in range(9)]
    p = np.zeros((len(t), 3))
    for k, size in enumerate((0.3, 0.3, 0.06)):
        p[:, k] = sum(size * a * np.sin(2.0 * np.pi * f * t + q) for f, q, a in waves[3 * k : 3 * k + 3])
    p[:, 2] += np.maximum(0.2 - t, 0.0)  # from above
    return p, np.diff(p, axis=0, append=p[-1:]) / DT, rng


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["tool", "tool in soil with a penetration limit", "wheel"])
def test_soil_never_feeds_energy(kind, seed):
    """Work of the drive against forces that are held for a step: what was put in never falls below zero."""
    p, v, rng = drives(seed)
    soil = Soil(penetration=1e5 if "limit" in kind else 0.0)
    ground = Terrain(0.5 + 0.02 * rng.standard_normal((48, 48)), 0.05, soil=soil, particles=60, seed=seed)
    if kind != "wheel":
        box_on(ground, ToolBox((0.2, 0.4, 0.1)))
        R, place, w = matrix(rng.uniform(-0.4, 0.4, 3)), np.add(p, (1.2, 1.2, 0.54)), np.zeros(3)
    else:
        wheel_on(ground, 0.3, 0.15)
        R, place, w = np.eye(3), np.add(p, (1.2, 1.2, 0.82)), np.array([0.0, rng.uniform(-5.0, 5.0), 0.0])
    drive, put_in, most = SoilDrive(ground, DT), [0.0], 0.0
    for k in range(len(p) - 1):
        force = drive.step(place[k], v[k], R, w)
        work = force[:3] @ (p[k + 1] - p[k]) + force[3:] @ w * DT
        put_in.append(put_in[-1] - work)
        most = max(most, np.abs(force).max())
    assert most > 100.0
    assert min(put_in) >= -1e-6 * max(put_in)
    assert put_in[-1] > 0.0


def test_tool_shapes():
    box = ToolBox((0.2, 0.4, 0.1), (0.5, 0.0, 0.0), (0.0, 0.0, np.pi / 2.0))
    points = force_points("tool", [box], 0.05)
    assert points[:, 6].sum() == pytest.approx(2.0 * (0.2 * 0.4 + 0.4 * 0.1 + 0.1 * 0.2))
    assert np.einsum("ni,nj,n->ij", points[:, :3], points[:, 3:6], points[:, 6]) == pytest.approx(
        0.2 * 0.4 * 0.1 * np.eye(3), abs=1e-12
    )  # Gauss: ∮ x nᵀ dA = V I
    np.testing.assert_allclose(hull(box_rows([box])), [0.3, -0.1, -0.05, 0.7, 0.1, 0.05], atol=1e-12)


@pytest.mark.parametrize(
    ("boxes", "pitch", "words"),
    [
        ([], 0.1, "0 boxes"),
        ([ToolBox((0.0, 1.0, 1.0))], 0.1, "positive"),
        ([ToolBox((np.nan, 1.0, 1.0))], 0.1, "positive"),
        ([ToolBox((5.0, 5.0, 5.0))], 0.01, "too many force points"),
        ([ToolBox((1.0, 1.0, 1.0))], -1.0, "pitch"),
    ],
)
def test_bad_tools_are_named(boxes, pitch, words):
    import symbody as sb

    m = sb.Model("bad")
    m.body("blade", joints="T1", mass=1.0)
    with pytest.raises(ModelError, match=words):
        Terrain(np.zeros((20, 20)), 0.1).tool(m, "tool", "blade", boxes, pitch)


def test_slopes_beside_a_wheel_settle_without_it():
    ground = sb.Terrain(np.zeros((41, 41)), 0.05, particles=0)
    m = sb.Model("roller")
    m.ground.point("start", (1.0, 1.0, 0.26))
    m.body("drum", on="ground.start", joints="T3", mass=800.0, inertia=2.0)
    ground.wheel(m, "wheel", "drum", radius=0.3, width=0.3)
    before = ground.volume
    ground.simulate(m, until=0.4, dt=1e-3)
    assert np.degrees(ground.steepest) > 35.1
    assert np.degrees(ground.settled().steepest) <= 35.0 + 1e-6
    assert np.degrees(ground.steepest) > 35.1  # of a copy
    ground.settle()
    assert np.degrees(ground.steepest) <= 35.0 + 1e-6
    assert ground.volume == pytest.approx(before, abs=1e-12)


def test_a_plate_that_enters_sideways_lifts_what_is_above_it():
    """Pushed into a bank and lifted, a thin plate loosens most of the soil above it, and nothing is pushed ahead."""
    thick, deep, way = 0.06, 0.4, 0.6
    ground = sb.Terrain(lambda x, y: np.where(x > 1.0, deep, 0.0), 0.1, area=(0.0, 0.0, 3.0, 2.0), particles=2000)
    m = sb.Model("plate")
    m.ground.point("start", (0.3, 1.0, 0.1))
    along = m.body("along", on="ground.start", joints="T1", mass=500.0)
    plate = m.body("plate", on=along, joints="T3", mass=500.0)
    m.input("x", 0.0, "m")
    m.input("z", 0.0, "m")
    m.joint_force("along")(lambda q, qd, p: 4e5 * (p.x - q) - 2e4 * qd)
    m.joint_force("plate")(lambda q, qd, p: 4e5 * (p.z - q) - 2e4 * qd + 500.0 * 9.81)
    ground.tool(m, "plate", plate, sb.ToolBox((0.8, 1.0, thick)))
    before = ground.volume
    inputs = {"x": ([0.0, 1.5], [0.0, 0.3 + way]), "z": ([0.0, 1.6, 2.4], [0.0, 0.0, 0.4])}
    ground.simulate(m, 2.4, 1e-3, inputs=inputs)
    lifted = ground.cut_and_merged[0] * ground.particle_volume
    above = way * 1.0 * (deep - 0.1 - thick / 2.0)
    # one run: against the volume above the plate
    assert 0.5 * above < lifted < 2.0 * above
    assert ground.heights.max() < deep + 0.1
    assert ground.volume == pytest.approx(before, abs=1e-11)
