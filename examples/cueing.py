"""A ski descent on a motion platform: the share of its acceleration that each cueing method restores."""

from symbody.machines.platform import platform_data
from symbody.motion.cueing import METHODS, cued, descent

record, data = descent(5e-3).until(15.0), platform_data()
scores = {}  # PI: 100 (1 − ‖a − a_s‖/‖a‖) ahead and to the side; a_s is restored by hexapod, table and tilt
print(f"{'method':22} {'PI %':>6} {'felt %':>7} {'tilt °':>7} {'°/s':>6} {'table m':>8} {'hexapod m':>10}")
for name in METHODS:
    found = scores[name] = cued(name, record, data, particles=8, iterations=5).score
    print(
        f"{name:22} {found.pi:6.1f} {found.felt:7.1f} {found.tilt:7.1f} {found.tilt_rate:6.1f}",
        f"{found.table:8.2f} {found.hexapod:10.3f}",
    )

assert scores["classic, hexapod"].pi < scores["classic, table"].pi < scores["swarm, table"].pi
assert scores["predictive, table"].pi == max(found.pi for found in scores.values())
assert scores["predictive, table"].table < data.limits["table.x"].high
