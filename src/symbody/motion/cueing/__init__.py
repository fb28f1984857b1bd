"""Motion cueing: from the motion of a scene to references of a platform that its passenger feels alike.

A method adds its filters to a model. The inputs of the model are the acceleration and the turn rates of the scene's
seat, its signals are the references of the eight axes and what a passenger feels. The compiled system runs over a
record (`run_over`), step by step (`sb.stepper`), or as a part of a larger model.
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
