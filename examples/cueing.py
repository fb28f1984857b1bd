"""A ski descent on a motion platform: the share of its acceleration that each cueing method restores."""

import symbody as sb
from symbody.machines.platform import platform_data
from symbody.motion.cueing import (
    Adaptive,
    Classic,
    Optimal,
    Predictive,
    PredictivePlanner,
    cueing_model,
    descent,
    run_over,
    score,
    tuned,
)

record, data = descent(5e-3), platform_data()
methods = [Classic(table=None), Classic(), Adaptive(table=False), Adaptive(), Optimal()]
methods.append(tuned(Classic(), record, data.limits, particles=20, iterations=20).method)
scores = {}  # PI: 100 (1 − ‖a − a_s‖/‖a‖) ahead and to the side; a_s is restored by hexapod, table and tilt
print(f"{'method':26} {'PI %':>6} {'felt %':>7} {'tilt °':>7} {'°/s':>6} {'table m':>8} {'hexapod m':>10}")
for method in [*methods, *(Predictive(PredictivePlanner(data), preview) for preview in (False, True))]:
    s = sb.system(cueing_model(method))
    plans = method.plans(record, 2e-2) if isinstance(method, Predictive) else {}
    run = run_over(s, record, inputs=plans)
    name = "classic by a swarm, table" if method is methods[-1] else method.name
    found = scores[name] = score(run)
    print(
        f"{name:26} {found.pi:6.1f} {found.felt:7.1f} {found.tilt:7.1f} {found.tilt_rate:6.1f}",
        f"{found.table:8.2f} {found.hexapod:10.3f}",
    )

assert scores["classic, hexapod"].pi < scores["classic, table"].pi < scores["classic by a swarm, table"].pi
assert scores["predictive, preview"].pi == max(found.pi for found in scores.values())
assert scores["predictive, preview"].table < data.limits["table.x"].high
