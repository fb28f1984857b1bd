"""Looks of all machines at random reachable states: bodies that a joint or a cut connects touch each other.

motion/platform_looks.py, car/looks.py, pendulum_clock/looks.py, linkage/looks.py, haptic_bench/looks.py,
crash/looks.py, vehicles/attenuator_looks.py, visual/scene.py.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from drawn_machines import SampledSurface, drawn, gap, random_states

from symbody import machines
from symbody.machines.pendulum_clock.model import FALL
from symbody.machines.platform.data import platform_data
from symbody.motion.data import LEGS
from symbody.motion.geometry import leg_lengths
from symbody.motion.platform_looks import ROD_SHARE, TUBE_SHARE
from symbody.motion.platform_looks import looks as platform_looks
from symbody.motion.workspace import explain
from symbody.visual.scene import StretchedLook
from symbody.visual.shapes import scene

STATES = 3
MANY = 60  # bodies; such a machine is drawn once
TOUCHING = 1.0  # largest gap of parts that touch, in radii of a bar
DATA = platform_data()
RANGES = {
    **{
        name: {axis: (limit.low, limit.high) for axis, limit in DATA.limits.items()}
        for name in ("platform", "cueing", "ride")
    },
    "pendulum-clock": {"wheel": (0.0, 1.6 / FALL), "weight": (-1.6, 0.0)},  # the whole fall of the weight
}
TOUCHED = [one.name for one in machines.entries() if one.has_page and one.name != "car"]
OTHERS = [*(name for name in machines.names() if name not in TOUCHED), "crash-bus"]

machine = cache(lambda name: drawn(machines.entry(name)))


def apart(made, states):
    """Connections whose parts do not touch at some of the states, with their largest gaps."""
    worst = {}
    for q in states:
        for why, size in made.gaps(q).items():
            worst[why] = max(worst.get(why, 0.0), size)
    return {why: size for why, size in worst.items() if size > TOUCHING}


def check(name):
    made = machine(name)
    count = STATES if len(made.model.bodies) < MANY else 1
    states = random_states(made, np.random.default_rng(26), count, RANGES.get(name))
    assert apart(made, states) == {}


@pytest.mark.parametrize("name", TOUCHED)
def test_joined_parts_touch(name):
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_joined_parts_touch_in_every_other_machine(name):
    check(name)


# -- the legs of the platform ------------------------------------------------------------------------------------------


def platform_states(count, seed=0):
    """Allowed poses all over the limits of the axes, the first with the longest leg and with the lowest platform."""
    rng = np.random.default_rng(seed)
    low, high = DATA.ends("low"), DATA.ends("high")
    axes = low + (high - low) * rng.random((400, 8))
    allowed = np.array([pose for pose in axes if not explain(pose[2:], DATA)])
    longest = leg_lengths(allowed[:, 2:], DATA).max(axis=1).argmax()
    lowest = allowed[:, 4].argmin()
    chosen = [longest, lowest, *range(count - 2)]
    made = machine("platform")
    order = ("table.x", "table.y", "x", "y", "z", "roll", "pitch", "yaw")
    return [
        random_states(made, rng, 1, {name: (x, x) for name, x in zip(order, allowed[k], strict=True)})[0]
        for k in chosen
    ]


def rod_ends(made, q):
    """Position of each rod's lower end along its leg, from the foot (m)."""
    places, frames = made.places(q), made.geometry.frames
    solid = replace(made, scene=replace(made.scene, spans=[]))
    found = []
    for leg in LEGS:
        foot, top = places[f"joint of yoke{leg}"], places[f"cut ball{leg}"]
        along = (top - foot) / np.linalg.norm(top - foot)
        found.append(float(((solid.surfaces(q)[frames[f"rod{leg}"]] - foot) @ along).min()))
    return found


def test_legs_reach_from_foot_to_ball_and_no_rod_pierces_its_foot():
    made = machine("platform")
    for q in platform_states(4):
        assert apart(made, [q]) == {}
        assert min(rod_ends(made, q)) > DATA.legs.radius


def test_legs_of_fixed_lengths_would_be_found():
    """A tube of 0.25 m and a rod of 0.42 m break at the longest leg and pierce the foot at the lowest platform."""
    own = machine("platform")
    as_short = 0.25 / TUBE_SHARE
    made = platform_looks(replace(DATA, legs=replace(DATA.legs, shortest=as_short)))
    for leg in LEGS:
        rod, ball, *_sleeve = made[f"rod{leg}"]
        longer = np.diag((1.0, 1.0, 0.42 / (ROD_SHARE * as_short)))
        made[f"rod{leg}"] = [replace(rod, place=np.column_stack([longer @ rod.place[:, :3], rod.place[:, 3]])), ball]
    assert not any(isinstance(look, StretchedLook) for parts in made.values() for look in parts)
    fixed = replace(own, scene=scene(own.model, looks=made))
    longest, lowest = platform_states(2)
    assert any(why.startswith("joint of rod") for why in apart(fixed, [longest]))
    assert min(rod_ends(fixed, lowest)) < 0.0


def test_a_gap_would_be_found():
    corner = np.array([[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]])
    one, other = SampledSurface(corner), SampledSurface(corner + np.array((0.0, 0.0, 0.5)))
    assert gap(one, other, np.zeros(3)) == pytest.approx(0.5, abs=one.spacing + 1e-9)
    assert gap(one, SampledSurface(corner + np.array((0.2, 0.0, 0.0))), np.zeros(3)) == 0.0
