"""Filters on compiled systems: what a machine does, known from some sensors and its model, with its uncertainty."""

from symbody.estimation.late import LateMeasurements
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.smoother import Smoothed, smoothed
from symbody.estimation.twin import TwinRun, twin_run
from symbody.estimation.twin_case import TwinCase

__all__ = ["LateMeasurements", "NoisySensor", "Smoothed", "TwinCase", "TwinRun", "smoothed", "twin_run"]
