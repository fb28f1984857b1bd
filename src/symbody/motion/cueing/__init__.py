"""Motion cueing: from the motion of a scene to references of a platform that its passenger feels alike.

A method adds its filters to a model. The inputs of the model are the acceleration and the turn rates of the scene's
seat, its signals are the references of the eight axes and what a passenger feels. The compiled system runs over a
record (`run_over`), step by step (`sb.stepper`), or as a part of a larger model.

Examples
--------
Cueing of a ski descent by a method, and its score:

>>> import symbody as sb
>>> from symbody.motion.cueing import BandPass, Classic, CueingMethod, CueingScore, HighPass, SceneRecord, TiltLowPass
>>> from symbody.motion.cueing import cueing_model, descent, run_over, score
>>> record: SceneRecord = descent(0.01).until(15.0)
>>> method: CueingMethod = Classic(
...     HighPass(0.5, 1.0, 3.0, 0.3), TiltLowPass(0.95, 1.0, 3.0), BandPass(0.3, 0.5, 2.0, 0.5))
>>> found: CueingScore = score(run_over(sb.system(cueing_model(method)), record))
>>> found.tilt > 1.0  # degrees
True

Other methods, with their numbers:

>>> from symbody.machines.platform import platform_data
>>> from symbody.motion.cueing import Adaptive, AdaptiveNumbers, Horizon, Optimal, Predictive, PredictivePlanner
>>> from symbody.motion.cueing import PredictiveWeights, Weights
>>> data = platform_data()
>>> others = [Adaptive(AdaptiveNumbers()), Optimal(Weights(), share=0.2)]
>>> planner = PredictivePlanner(data, PredictiveWeights(), Horizon((0.1, 0.5, 1.0)))
>>> ahead = Predictive(planner)

Tuned by a swarm, by name, and compared:

>>> from symbody.motion.cueing import CostWeights, CuedRun, Tuned, compared, cued, tuned
>>> better: Tuned = tuned(Classic(), record, data.limits, weights=CostWeights(), particles=2, iterations=1)
>>> one: CuedRun = cued("classic, table", record, data)
>>> list(compared(record, data, names=["classic, table"]))
['classic, table']
"""

from symbody.motion.cueing.adaptive import Adaptive, AdaptiveNumbers
from symbody.motion.cueing.classic import BandPass, Classic, HighPass, TiltLowPass
from symbody.motion.cueing.comparison import METHODS, CuedRun, compared, cued
from symbody.motion.cueing.cueing_model import cueing_model, run_over
from symbody.motion.cueing.horizon import Horizon
from symbody.motion.cueing.method import SCENE, CueingMethod
from symbody.motion.cueing.optimal import Optimal, Weights
from symbody.motion.cueing.predictive import Predictive, PredictivePlanner, PredictiveWeights
from symbody.motion.cueing.scene_record import SceneRecord, descent
from symbody.motion.cueing.score import CueingScore, score
from symbody.motion.cueing.tuning import CostWeights, Tuned, tuned

__all__ = [
    "METHODS", "SCENE", "Adaptive", "AdaptiveNumbers", "BandPass", "Classic", "CostWeights", "CuedRun", "CueingMethod",
    "CueingScore",
    "HighPass", "Horizon", "Optimal", "Predictive", "PredictivePlanner", "PredictiveWeights",
    "SceneRecord", "TiltLowPass", "Tuned",
    "Weights", "compared", "cued", "cueing_model", "descent", "run_over", "score", "tuned",
]  # fmt: skip
