"""Tracking control of a platform: interchangeable controllers, a sampled loop on the full model, tuning by a swarm."""

from symbody.motion.control.computed_torque import ComputedTorque
from symbody.motion.control.controller import LoopState, TrackingController, control_function
from symbody.motion.control.pid import FeedForward, Pid
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.control.sampled_loop import LoopOptions, LoopRun, loop_figures, run_loop
from symbody.motion.control.sliding_mode import SlidingMode
from symbody.motion.control.tuned_gains import SWARM
from symbody.motion.control.tuning import TunedMode, tuned_sliding_mode

__all__ = [
    "SWARM",
    "ComputedTorque",
    "FeedForward",
    "LoopOptions",
    "LoopRun",
    "LoopState",
    "Pid",
    "SlidingMode",
    "TrackingController",
    "TunedMode",
    "control_function",
    "descent_motion",
    "loop_figures",
    "run_loop",
    "tuned_sliding_mode",
]  # fmt: skip
