"""Tracking control of a platform: interchangeable controllers, a sampled loop on the full model, tuning by a swarm.

Examples
--------
A controller on the platform, over a part of a descent:

>>> from symbody.machines.platform import platform_data
>>> from symbody.motion.control import ComputedTorque, FeedForward, LoopOptions, LoopRun, Pid, SlidingMode
>>> from symbody.motion.control import TrackingController, descent_motion, loop_figures, run_loop
>>> data = platform_data()
>>> motion = descent_motion(data, lasts=1.1)
>>> controllers: list[TrackingController] = [Pid(), FeedForward(), ComputedTorque(), SlidingMode()]
>>> run: LoopRun = run_loop(controllers[2], motion, data, LoopOptions(load=8.0))
>>> loop_figures(run)["largest_mm"] < 1.0
True

A swarm finds gains; a controller also becomes C:

>>> from symbody.motion.control import LoopState, TunedMode, control_function, tuned_sliding_mode
>>> found: TunedMode = tuned_sliding_mode(SlidingMode(), [motion], data, particles=2, iterations=1)
>>> compiled = control_function(ComputedTorque, data)
>>> LoopState._fields
('reference', 'q', 'qd', 'integral')
"""

from symbody.motion.control.computed_torque import ComputedTorque
from symbody.motion.control.controller import LoopState, TrackingController, control_function
from symbody.motion.control.pid import FeedForward, Pid
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.control.sampled_loop import LoopOptions, LoopRun, loop_figures, run_loop
from symbody.motion.control.sliding_mode import SlidingMode
from symbody.motion.control.tuned_gains import SWARM
from symbody.motion.control.tuning import TunedMode, tuned_sliding_mode

__all__ = [
    "SWARM", "ComputedTorque", "FeedForward", "LoopOptions", "LoopRun", "LoopState", "Pid", "SlidingMode",
    "TrackingController", "TunedMode", "control_function", "descent_motion", "loop_figures", "run_loop",
    "tuned_sliding_mode",
]  # fmt: skip
