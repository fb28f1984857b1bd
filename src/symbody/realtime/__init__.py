"""A compiled system at a fixed rate, in step with the clock: the loop, the memory it shares, measured motion."""

from symbody.realtime.loop import Loop
from symbody.realtime.shared import Shared, Snapshot
from symbody.realtime.statistics import Histogram, Statistics
from symbody.realtime.tracking import AlphaBetaGamma, LowPass, Smooth

__all__ = ["AlphaBetaGamma", "Histogram", "Loop", "LowPass", "Shared", "Smooth", "Snapshot", "Statistics"]
