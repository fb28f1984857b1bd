"""Wheels on soil against closed forms of Bekker, Wong, Janosi and Hanamoto, and tyres on ground that gives way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from soil_drive import WHEEL, SoilDrive, wheel_on

import symbody as sb
from symbody.elements import BristleTyre
from symbody.terrain import SOILS, Soil, Terrain
from symbody.terrain.soil.ground_contact import GroundContact

R, B = 0.4, 0.2  # m, radius and width
STIFF = Soil(elastic=1e11, shear_length=0.02, flow=1e-6)  # no rebound, and no soil that falls into ruts

# soils that Chrono publishes for its SCM (SCMParameters: soft, mid, hard): k_φ, k_c, n, c, φ, K
SCM = {
    "soft": (0.2e6, 0.0, 1.1, 0.0, 30.0, 0.01),
    "mid": (2e6, 0.0, 1.1, 0.0, 30.0, 0.01),
    "hard": (5301e3, 102e3, 0.793, 1.3e3, 31.1, 0.012),
}


def scm_soil(name):
    k_phi, k_c, n, c, phi, length = SCM[name]
    return replace(
        STIFF, frictional_modulus=k_phi, cohesive_modulus=k_c, exponent=n, cohesion=c, friction=np.radians(phi),
        shear_length=length,
    )  # fmt: skip


def wheel_forces(soil, sinkage, slip):
    """Load, drawbar pull and torque of a driven rigid wheel: integrals of normal and shear stress over the rim.

    The shear displacement of the soil under the rim is j = ∫ (Rω − v cos θ) dt with dx = R cos θ dθ = v dt.
    """
    k = soil.cohesive_modulus / B + soil.frictional_modulus
    entry = np.arccos(1.0 - sinkage / R)

    def normal(t):
        return k * (R * (np.cos(t) - np.cos(entry))) ** soil.exponent

    def shear(t):
        turned = 0.5 * ((entry - t) + 0.5 * (np.sin(2.0 * entry) - np.sin(2.0 * t)))
        j = R * ((np.sin(entry) - np.sin(t)) / (1.0 - slip) - turned)
        return (soil.cohesion + normal(t) * np.tan(soil.friction)) * (1.0 - np.exp(-j / soil.shear_length))

    def over_rim(stress):
        return B * R * quad(stress, 0.0, entry)[0]

    load = over_rim(lambda t: normal(t) * np.cos(t) + shear(t) * np.sin(t))
    pull = over_rim(lambda t: shear(t) * np.cos(t) - normal(t) * np.sin(t))
    return load, pull, R * over_rim(shear)


@pytest.mark.parametrize(
    "soil", [STIFF, replace(SOILS["sandy loam"], elastic=1e11, flow=1e-6), *map(scm_soil, SCM)],
    ids=["sand", "sandy loam", *(f"SCM {name}" for name in SCM)],
)  # fmt: skip
@pytest.mark.parametrize("slip", [0.05, 0.2, 0.5])
def test_a_driven_wheel_has_load_pull_and_torque_of_the_closed_form(slip, soil):
    d, dt, v, sinkage = 0.02, 2e-3, 0.5, 0.05
    drive = SoilDrive(wheel_on(Terrain(np.zeros((24, 70)), d, soil=soil, particles=0), R, B), dt)
    x, rows = 0.25, []
    for k in range(800):
        x, down = x + dt * v, min(1.0, k / 300)
        at, speed = (x, 0.23, R - sinkage * down), (v, 0.0, -sinkage / (300 * dt) if down < 1.0 else 0.0)
        force = drive.step(at, speed, None, (0.0, v / R / (1.0 - slip), 0.0))
        if k >= 600:
            rows.append(force)
    load, pull, torque = wheel_forces(soil, sinkage, slip)
    F = np.mean(rows, axis=0)
    assert F[2] == pytest.approx(load, rel=0.03)
    assert F[0] == pytest.approx(pull, abs=0.03 * load)
    assert -F[4] == pytest.approx(torque, rel=0.04)


def rolling_wheel(ground, mass):
    """A wheel that is pulled along x at a constant speed and rolls freely under its weight."""
    m = sb.Model("wheel")
    m.ground.point("start", (0.6, 0.4, R))
    hub = m.body(
        "hub", on="ground.start", joints=[sb.Joint("pulled", "T1", nature="driven"), sb.Joint("heave", "T3")], mass=mass
    )
    m.trajectory("pulled")(lambda t, p: 0.4 * t)
    m.body("wheel", on=hub, joints="R2", mass=1e-3, inertia=1.0)
    ground.wheel(m, "front", "wheel", R, B)
    return m


def test_a_towed_wheel_sinks_as_bekker_says():
    """z = (3W/((3 − n) b k √D))^(2/(2n + 1)) of a smooth towed wheel, good for small sinkage."""
    soil = Soil(elastic=3e8, friction=0.02, cohesion=0.0, exponent=1.0, flow=1e-6)
    ground = Terrain(np.zeros((40, 100)), 0.02, soil=soil, particles=0)
    m = rolling_wheel(ground, 100.0)
    run = ground.simulate(m, 2.0, 1e-3, outputs=["front.position.*", "front.soil.force.*"])
    k = soil.cohesive_modulus / B + soil.frictional_modulus
    bekker = (3.0 * 981.0 / (2.0 * B * k * np.sqrt(2.0 * R))) ** (2.0 / 3.0)
    exact = brentq(lambda z: wheel_forces(replace(soil, friction=1e-9), z, 0.0)[0] - 981.0, 1e-4, 0.2)
    sunk = R - run["front.position.z"][1000:].mean()
    assert sunk == pytest.approx(exact, rel=0.05)
    assert sunk == pytest.approx(bekker, rel=0.1)
    assert run["front.soil.force.z"][1000:].mean() == pytest.approx(981.0, rel=0.02)
    resistance = B * k * exact**2 / 2.0  # the work of a rut of this depth per metre: ∫ p dz over its width
    assert -run["front.soil.force.x"][1000:].mean() == pytest.approx(resistance, rel=0.1)


def test_a_second_wheel_in_the_rut_rolls_without_resistance():
    drive = SoilDrive(wheel_on(Terrain(np.zeros((24, 70)), 0.02, soil=STIFF, particles=0), R, B), 2e-3)

    def passes(sinkage, n=400):
        rows = []
        for k in range(n):
            x = 0.4 + 1e-3 * k
            rows.append(drive.step((x, 0.23, R - sinkage), (0.5, 0.0, 0.0), None, (0.0, 0.5 / R, 0.0)))
        return np.mean(rows[n // 2 :], axis=0)

    first, second = passes(0.03), passes(0.03)
    assert first[2] > 500.0
    assert second[2] == pytest.approx(0.0, abs=15.0)  # without rebound it hardly touches
    assert second[0] == pytest.approx(0.0, abs=15.0)


def test_ruts_are_as_deep_as_the_wheel_and_their_soil_is_beside_them():
    ground = wheel_on(Terrain(np.zeros((40, 60)), 0.05, particles=0), R, B)
    drive = SoilDrive(ground, 2e-3)
    for k in range(700):
        drive.step((0.8 + 1e-3 * k, 0.975, R - 0.06), (0.5, 0.0, 0.0), None, (0.0, 0.5 / R, 0.0))
    across = ground.heights[:, 24]
    assert across.min() == pytest.approx(-0.06, abs=0.01)
    assert across.max() > 0.02
    assert across[:14].max() < across.max()  # near the rut
    assert ground.volume == pytest.approx(0.0, abs=1e-12)


def test_a_tyre_rests_with_its_weight_in_a_rut_of_its_pressure():
    law = BristleTyre(radius=0.5, stiffness=150e3, damping=3000.0)
    ground = Terrain(np.zeros((60, 60)), 0.05, particles=0)
    m = sb.Model("standing")
    m.ground.point("start", (1.475, 1.475, 0.5))
    hub = m.body("hub", on="ground.start", joints="T3", mass=500.0)
    m.body("wheel", on=hub, joints="R2", mass=1e-3, inertia=1.0)
    ground.tyre(m, "rear", "wheel", law, 0.3)
    run = ground.simulate(m, 2.0, 1e-3)
    assert run["rear.load"][-1] == pytest.approx(500.001 * 9.81, rel=1e-3)
    k = ground.soil.cohesive_modulus / 0.3 + ground.soil.frictional_modulus
    flat = run["rear.load"].max() / law.stiffness  # the largest load made the rut
    pressure = run["rear.load"].max() / (0.3 * 2.0 * np.sqrt(flat * (2.0 * law.radius - flat)))
    assert -ground.heights.min() == pytest.approx((pressure / k) ** (1.0 / ground.soil.exponent), rel=0.1)
    assert run["rear.soil.height"][-1] < 0.0


def test_a_tyre_on_a_slope_is_pulled_down():
    law = BristleTyre(radius=0.5, stiffness=150e3)
    ground = Terrain(
        lambda x, y: 0.2 * x, 0.1, area=(0.0, 0.0, 8.0, 3.0), particles=0, soil=Soil(frictional_modulus=1e9)
    )
    m = sb.Model("rolling")
    m.ground.point("start", (5.0, 1.5, 1.0 + 0.5 * np.hypot(1.0, 0.2)))
    hub = m.body("hub", on="ground.start", joints="T1 T3", mass=500.0)
    m.body("wheel", on=hub, joints="R2", mass=1e-3, inertia=12.5)
    ground.tyre(m, "rear", "wheel", law, 0.3)
    run = ground.simulate(m, 1.0, 1e-3)
    sine, cosine = 0.2 / np.hypot(1.0, 0.2), 1.0 / np.hypot(1.0, 0.2)
    inertia = 1.0 + 12.5 / (500.0 * 0.5**2)
    downhill = (
        0.5 * 9.81 * (sine - 0.5 * law.rolling_drag * cosine) / inertia * cosine
    )  # along x; drag grows with speed
    moved = 5.0 - run["rear.position.x"][-1]
    assert moved == pytest.approx(downhill, rel=0.1)


@pytest.mark.parametrize("seed", range(10))
def test_bulldozing_is_the_passive_earth_pressure_over_the_sinkage(seed):
    """The difference between a wheel with and without it: b (½ K_p ρ g z² + 2 c √K_p z), against the motion."""
    rng = np.random.default_rng(seed)
    soil = Soil(friction=rng.uniform(0.3, 0.7), cohesion=rng.uniform(0.0, 3e3), density=rng.uniform(1200.0, 1900.0))
    z, speed = rng.uniform(0.03, 0.15), float(rng.choice([-0.5, 0.5]))
    forces = []
    for bulldozing in (False, True):
        ground = Terrain(np.zeros((40, 60)), 0.05, soil=soil, particles=0)
        ground.contacts.append(GroundContact("wheel", WHEEL, R, B, bulldozing=bulldozing))
        forces.append(SoilDrive(ground).step((1.5, 1.0, R - z), (speed, 0.0, 0.0)))
    passive = np.tan(np.pi / 4.0 + soil.friction / 2.0) ** 2
    resists = B * (0.5 * passive * soil.density * 9.81 * z**2 + 2.0 * soil.cohesion * np.sqrt(passive) * z)
    difference = forces[1] - forces[0]
    assert difference[0] == pytest.approx(-np.sign(speed) * resists, rel=1e-6)
    assert difference[4] == pytest.approx(difference[0] * (z / 3.0 - R), rel=1e-6)
    np.testing.assert_allclose(difference[[1, 2, 3, 5]], 0.0, atol=1e-9)
