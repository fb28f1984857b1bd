"""One start of a machine: `python -m symbody_bench.start_once NAME` prints the seconds of its parts as JSON.

The parts: import symbody, build the model, then the System and one evaluation (for a humanoid, its direct dynamics).
Nothing of symbody is imported before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from typing import Any

PARTS = ("import", "model", "system")


def start(name: str) -> dict[str, Any]:
    """Seconds of each part of one start in this process."""
    times = [time.perf_counter()]
    import symbody as sb

    times.append(time.perf_counter())
    if name == "humanoid30":
        from symbody_bench.models import humanoid30

        model = humanoid30()
        times.append(time.perf_counter())
        function = sb.compile(model, "direct")
        function(*_standing(model))
    else:
        model = sb.machines.open(name)
        times.append(time.perf_counter())
        s = sb.system(model)
        s.rates(0.0, s.x0)
        function = s.rates_function
    times.append(time.perf_counter())
    parts = dict(zip(PARTS, (b - a for a, b in pairwise(times)), strict=True))
    return {**parts, "operations": function.operations.total, "tier": function.tier}


def _standing(model: Any) -> Any:
    """Coordinates, velocities and efforts of a model at rest in its initial position."""
    import numpy as np

    from symbody.system.assembly import initial_state

    q, v = initial_state(model)
    return q, v, np.zeros(model.nv)


if __name__ == "__main__":
    print(json.dumps(start(sys.argv[1])))
