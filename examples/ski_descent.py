"""A skier on a synthetic mountain, and the share of the motion that a platform restores."""

import numpy as np

import symbody as sb
from symbody.motion.cueing import Optimal, SceneRecord, cueing_model, run_over, score
from symbody.terrain import Piste, mountain, seat_motion, ski_path

scene = mountain(seed=0)
piste = Piste(scene.piste.line[:400])
path = ski_path(piste, scene.ground, step=0.02, carve=4.0)
acceleration, rate = seat_motion(path, scene.ground)
print(f"{piste.length:.0f} m in {path.t[-1]:.0f} s, at most {path.speed.max():.1f} m/s")

# The platform stands level: what it restores is the change from the mean of the descent.
record = SceneRecord(path.t, acceleration - acceleration.mean(axis=0), rate).sampled(5e-3)
found = score(run_over(sb.system(cueing_model(Optimal())), record))
print(f"optimal cueing restores {found.pi:.0f} % with {found.tilt:.1f}° of tilt and {found.table:.2f} m of the table")

assert path.speed.max() < 16.8
assert np.abs(piste.nearest(*path.position[-1, :2])[1]) < Piste.WIDTH
assert found.pi > 30.0
