"""Forces of the soil on the excavator's bucket under wild commands: bounded by the weight of the machine.

Tests of machines/excavator/site.py and terrain/soil/force_points.h.
"""

import numpy as np
import pytest

from symbody.machines.excavator.players import shared_site
from symbody.machines.excavator.site import TICK
from symbody.realtime.unclocked import Unclocked

ARMS = ("boom", "dipper", "bucket")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_bucket_that_is_rammed_into_the_ground_feels_no_more_than_twice_the_weight(seed):
    """The arm pushes against the weight of the machine: a larger force would lift it."""
    place, rng = shared_site(), np.random.default_rng(seed)
    place.choose("L/L")
    steps = Unclocked(place.chain, TICK)
    names, u = list(steps.model.outputs), np.array(steps.model.u0, dtype=float)
    force = [names.index(f"digging.soil.force.{axis}") for axis in "xyz"]
    oil = [k for k, name in enumerate(names) if name.endswith("_p")]
    largest, least = 0.0, np.inf
    for k in range(6000):
        if k % 700 == 0:  # full commands; first the boom goes down
            for arm, sign in zip(ARMS, rng.choice([-10.0, 10.0], 3), strict=True):
                u[steps.model.inputs.index(f"{arm}_command")] = -10.0 if arm == "boom" and k < 1400 else sign
        steps.give(u)
        assert steps.step()
        largest = max(largest, float(np.linalg.norm(steps.row[force])))
        least = min(least, float(steps.row[oil].min()))
    weight = 9.81 * sum(float(body.mass) for body in place.system.model.bodies.values() if isinstance(body.mass, float))
    # one run: a bound for each seed
    assert 0.2 * weight < largest < 2.0 * weight
    assert least > 0.0  # no chamber is pulled empty
