"""A recorded drive and a live stream of motion, felt on a platform: units are converted, wrong samples refused."""

from pathlib import Path

import numpy as np

import symbody as sb
from symbody.motion.cueing import Classic, cueing_model, run_over, score
from symbody.motion.sources import SceneGuard, recorded_scene

t = np.arange(0.0, 12.0, 0.02)  # a log of a car: braking and a curve, in g and degrees
log = np.column_stack([t, -0.3 * (t > 4) * (t < 7), 0.2 * np.sin(t), 12.0 * np.sin(t)])
np.savetxt("drive.csv", log, delimiter=",", header="time (s),long [g],right [g],yaw rate [deg/s]", comments="")
columns = {"scene_x": "long", "scene_y": "-right", "scene_yaw": "-yaw rate"}
record = recorded_scene(Path("drive.csv"), columns)
found = score(run_over(sb.system(cueing_model(Classic())), record))
print(f"classic cueing restores {found.pi:.0f} % of the drive")

guard = SceneGuard()  # the same check that UdpScene and GameTelemetry use
for k, longitudinal in enumerate([1.0, 1.1, float("nan"), 981.0, 35.0]):
    verdict = guard.offer([longitudinal, 0.0, 0.0, 0.0, 0.0, 0.0], 0.02 * k, 0.02 * k)
    print(f"{longitudinal:6.1f} m/s²: {verdict} {guard.reason if verdict != 'accepted' else ''}")
    felt = guard.read(0.02 * k)

assert abs(record.acceleration[:, 0].min() + 0.3 * 9.81) < 0.01
assert (guard.counts["refused"], guard.counts["clipped"]) == (2, 1)
