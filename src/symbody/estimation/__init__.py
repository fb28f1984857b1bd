"""State estimation on compiled systems: states, forces and parameters from sensors and a model, with covariances."""

from symbody.estimation.adaptive import adaptive_step
from symbody.estimation.delayed import LateMeasurements
from symbody.estimation.filter_batch import FilterBatch
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.smoother import Smoothed, smoothed
from symbody.estimation.twin import TwinRun, twin_run, twin_runs
from symbody.estimation.twin_case import TwinCase, held_inputs

__all__ = [
    "FilterBatch", "LateMeasurements", "NoisySensor", "Smoothed", "TwinCase", "TwinRun", "adaptive_step",
    "held_inputs", "smoothed", "twin_run", "twin_runs",
]  # fmt: skip
