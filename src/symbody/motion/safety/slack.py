"""Distances to the limits that axes share: strokes, tilts, gaps, speeds, accelerations of legs, singular poses."""

from __future__ import annotations

from functools import cache, reduce
from math import inf

import numpy as np

from symbody.codegen import Function, build
from symbody.codegen.program import Input, Output, Program
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables
from symbody.motion.data import POSE, Array, PlatformData
from symbody.motion.geometry import Values
from symbody.motion.kinematics import acceleration_of_rates, leg_rates, twist_of_rates
from symbody.motion.limits import NEAREST
from symbody.motion.singularity import distance
from symbody.motion.workspace import MARGINS, margins

DISTANCE = "distance to a singular pose"  # less `NEAREST`, as a name of a number of `slack`


def slack_names(data: PlatformData) -> tuple[str, ...]:
    """Names of the numbers of `slack`."""
    watched = (("leg speed", data.legs.speed), ("leg acceleration", data.legs.acceleration))
    return (*MARGINS, DISTANCE, *(name for name, most in watched if most < inf))


def slack(pose: Values, rates: Values, second: Values, data: PlatformData) -> list[Values]:
    """Distances to the shared limits at motions (…, 6) of the pose, each positive if it is allowed.

    The five `MARGINS` of the workspace, the distance to a singular pose (m), speed (m/s) and acceleration (m/s²) of the
    legs, if they have limits.
    """
    legs = leg_rates(pose, twist_of_rates(pose, rates), acceleration_of_rates(pose, rates, second), data)
    found = [*margins(pose, data), distance(pose, data) - NEAREST]
    for values, most in ((legs.q3d, data.legs.speed), (legs.q3dd, data.legs.acceleration)):
        if most < inf:
            found.append(most - reduce(np.maximum, [np.absolute(values[..., k]) for k in range(6)]))
    return found


@cache
def slack_function(data: PlatformData) -> Function:
    """`slack` in C: (pose, rates, second), (6,) each, to one number for each of `slack_names`."""
    with fresh_graph():
        pose, rates, second = (
            np.array(variables(name, len(POSE)), dtype=object) for name in ("pose", "rates", "second")
        )
        found = [x.item() if isinstance(x, np.ndarray) else x for x in slack(pose, rates, second, data)]
        inputs = {name: Input(len(POSE)) for name in ("pose", "rates", "second")}
        outputs = {"slack": Output((len(found),), tuple(found))}
        return build(Program("slack", "platform", "distances to the limits that axes share", inputs, outputs))


def slack_of(pose: Array, rates: Array, second: Array, data: PlatformData) -> Array:
    """`slack` (…, n) by the compiled function, for motions of any leading shape."""
    shape = np.shape(pose)[:-1]
    rows = [np.ascontiguousarray(x).reshape(-1, len(POSE)) for x in np.broadcast_arrays(pose, rates, second)]
    found: Array = slack_function(data)(*rows)
    return found.reshape(*shape, -1)
