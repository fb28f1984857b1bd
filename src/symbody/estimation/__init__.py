"""State estimation on compiled systems: states, forces and parameters from sensors and a model, with covariances.

Examples
--------
A pendulum and a filter with a wrong model, from one noisy sensor:

>>> import numpy as np
>>> import symbody as sb
>>> from symbody.estimation import LateMeasurements, NoisySensor, Smoothed, TwinCase, TwinRun
>>> from symbody.estimation import adaptive_step, held_inputs, smoothed, twin_run, twin_runs
>>> m = sb.Model("pendulum")
>>> _ = m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.8)], mass=1.0, com=(0, 0, -0.5))
>>> s = sb.system(m)
>>> sensors = [NoisySensor("arm.q", 0.01)]
>>> case = TwinCase(s, until=0.2, dt=0.01, sensors=sensors, away={"arm.q": 0.1}, start={"arm.q": 0.1})
>>> (seen,) = case.observed([0])
>>> isinstance(seen, TwinRun)
True

Steps of a filter, with noise that it estimates, with late measurements, and smoothed afterwards:

>>> twin = sb.estimate(s, ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 0.1})
>>> adaptive_step(twin, z=[0.8], memory=100)
>>> late = LateMeasurements(twin, longest=0.05)
>>> truth = sb.simulate(s, until=0.2, dt=twin.dt)
>>> u = held_inputs(s, {}, truth.t)
>>> fresh = sb.estimate(s, ["arm.q"], {"arm.q": 0.01}, {"arm.qd": 0.1})
>>> found: Smoothed = smoothed(fresh, u, truth["arm.q"][1:, None])
>>> found.mean.shape == (len(truth) - 1, 2)
True

Experiments on a given true run:

>>> one = twin_run(truth, s, sensors, u)
>>> len(twin_runs(truth, s, sensors, u, seeds=[0, 1]))
2
"""

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
