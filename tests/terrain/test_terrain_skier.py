"""The skier under gravity (skier.py) against closed forms, and its energy over random runs."""

from dataclasses import replace

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.terrain import HeightMap, Skier, mountain, seat_motion, ski_path, ski_step
from symbody.terrain.skier import energy, ground_acceleration, standing

G = 9.81
FREE = Skier(friction=0.0, edge_grip=0.0, drag=0.0, brake=0.0)


def plane(angle, size=80, spacing=5.0):
    x = spacing * np.arange(size)
    return HeightMap(np.tile(-np.tan(angle) * x, (size, 1)), spacing)


def skied(ground, state, skier, until, dt=0.005, steer=0.0, brake=0.0):
    for _ in range(round(until / dt)):
        state = ski_step(state, steer, brake, dt, ground, skier)
    return state


def test_straight_down_a_plane_the_skier_gains_what_the_document_says():
    """g (sin 15° − 0.15 cos 15°) = 1.12 m/s² (Houda 2020, section 4.3.1)."""
    angle, skier = np.radians(15.0), Skier(drag=0.0)
    ends = skied(plane(angle), standing(plane(angle), 50.0, 200.0, 0.0, 1.0), skier, 8.0)
    start = 1.0 / np.cos(angle)
    assert (np.linalg.norm(ends.velocity) - start) / 8.0 == pytest.approx(1.118, abs=2e-3)


def test_drag_limits_the_speed_and_friction_holds_on_a_gentle_slope():
    steep, skier = np.radians(20.0), Skier(drag=0.05)
    ends = skied(plane(steep, 200), standing(plane(steep, 200), 20.0, 200.0, 0.0, 1.0), skier, 30.0, 0.03)
    terminal = np.sqrt(G * (np.sin(steep) - 0.15 * np.cos(steep)) / 0.05)
    assert np.linalg.norm(ends.velocity) == pytest.approx(terminal, rel=1e-3)
    gentle = plane(np.radians(5.0))
    rests = skied(gentle, standing(gentle, 50.0, 200.0, 0.0, 5.0), Skier(), 20.0, 0.02)
    assert np.linalg.norm(rests.velocity) < 0.05


@pytest.mark.parametrize("heading", [0.3, 1.5, 4.0])
def test_without_resistance_energy_is_kept_in_a_bowl_and_smaller_steps_keep_it_better(heading):
    x = 5.0 * np.arange(80) - 200.0
    bowl = HeightMap(0.004 * (x[:, None] ** 2 + x**2), 5.0, (-200.0, -200.0))
    start = standing(bowl, 60.0, -40.0, heading, 8.0)
    drifts = [abs(energy(skied(bowl, start, FREE, 10.0, dt)) - energy(start)) for dt in (0.08, 0.02)]
    # one run: convergence with the step
    assert drifts[1] < 0.1 * drifts[0]  # second order: a sixteenth
    assert drifts[1] < 1e-3 * energy(start)


@pytest.mark.parametrize("seed", range(10))
def test_energy_never_grows_whatever_the_rider_does(seed):
    """Random steering and braking on random ground, with jumps."""
    rng = np.random.default_rng(seed)
    scene = mountain(seed)
    x, y = scene.piste.line[rng.integers(100, 600), :2]
    skier = replace(
        Skier(), carry=rng.uniform(0.0, 1.0), edge_grip=rng.uniform(0.2, 2.0), friction=rng.uniform(0.0, 0.2)
    )
    state = standing(scene.ground, x, y, rng.uniform(-np.pi, 0.0), rng.uniform(0.0, 25.0))
    for _ in range(60):
        steer, brake = rng.uniform(-1.5, 1.5), rng.uniform(-0.2, 1.2)
        for _ in range(20):
            before, state = energy(state), ski_step(state, steer, brake, 0.005, scene.ground, skier)
            assert energy(state) <= before + 2e-3 * (1.0 + 0.005 * np.linalg.norm(state.velocity) ** 2)


def test_a_crest_that_falls_away_is_a_jump_and_the_flight_a_parabola():
    """A skier at 15 m/s over a crest of 10 m radius: v²/r > g."""
    x = np.arange(0.0, 200.0, 1.0)
    profile = np.where(x < 60.0, 0.0, -np.minimum(0.05 * (x - 60.0) ** 2, 0.8 * (x - 60.0)))
    ground = HeightMap(np.tile(profile, (40, 1)), 1.0)
    state = standing(ground, 40.0, 20.0, 0.0, 15.0)
    flight = []
    for _ in range(2000):
        state = ski_step(state, 0.0, 0.0, 0.002, ground, replace(FREE))
        if state.flying:
            flight.append(state)
        elif flight:
            break
    assert len(flight) * 0.002 > 0.5
    first, last = flight[0], flight[-1]
    t = 0.002 * (len(flight) - 1)
    np.testing.assert_allclose(
        last.position, first.position + first.velocity * t - [0.0, 0.0, 0.5 * G * t * t], atol=1e-9
    )
    assert state.position[2] == pytest.approx(float(ground.height(*state.position[:2])))
    assert float(state.velocity @ ground.normal(*state.position[:2])) > -1e-9


def test_edges_turn_the_motion_into_the_direction_of_the_skis():
    flat = plane(0.0)
    across = standing(flat, 200.0, 200.0, 0.0, 0.0)._replace(velocity=np.array([6.0, 2.0, 0.0]))
    ends = skied(flat, across, Skier(friction=0.0, drag=0.0), 1.0)
    assert abs(ends.velocity[1]) < 0.05
    assert ends.velocity[0] > 6.0  # a share of what the edges take
    lost = skied(flat, across, Skier(friction=0.0, drag=0.0, carry=0.0), 1.0)
    assert lost.velocity[0] == pytest.approx(6.0, abs=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_skier_turns_to_the_side_that_is_asked_for_within_the_limit(side):
    flat = plane(0.0)
    state = standing(flat, 200.0, 200.0, 0.0, 10.0)
    ends = skied(flat, state, Skier(friction=0.0, drag=0.0), 1.0, steer=side)
    assert side * ends.heading > 0.1
    assert side * ends.position[1] > side * 200.0 + 0.5
    assert -side * ends.lean == pytest.approx(Skier().largest_lean)
    a = ground_acceleration(ends, flat, Skier())
    assert np.hypot(*a[:2]) < 1.3 * G * np.tan(Skier().largest_lean) + 0.15 * G


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2])
def test_a_piste_is_skied_from_top_to_bottom_within_the_limits_of_the_document(seed):
    scene = mountain(seed)
    path = ski_path(scene.piste, scene.ground, step=0.03, carve=5.0)
    along = [scene.piste.nearest(x, y) for x, y, _ in path.position[::33]]
    assert max(abs(aside) for _, aside in along) < scene.piste.WIDTH
    assert along[-1][0] > scene.piste.length - 60.0
    assert path.speed.max() < 16.8
    assert path.speed[-1] < 0.2
    a, _ = seat_motion(path, scene.ground)
    assert np.percentile(np.abs(a), 99) < 3.0


def test_bad_input_is_named():
    flat = plane(0.0)
    state = standing(flat, 200.0, 200.0, 0.0, 1.0)
    with pytest.raises(ModelError, match="steer nan"):
        ski_step(state, np.nan, 0.0, 0.01, flat)
    with pytest.raises(ModelError, match="left the map"):
        ski_step(standing(flat, 1e5, 0.0, 0.0), 0.0, 0.0, 0.01, flat)
    for name, value in {"friction": -0.1, "carry": 1.5, "edge_speed": 0.0, "largest_lean": 2.0, "drag": np.nan}.items():
        with pytest.raises(ModelError, match=name):
            Skier(**{name: value})
    scene = mountain(0)
    with pytest.raises(ModelError, match="carve"):
        ski_path(scene.piste, scene.ground, carve=50.0)
