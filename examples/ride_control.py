"""A ski descent on a motion platform: controllers with unknown loads, and a supervisor that clips a hostile stream."""

import numpy as np

import symbody as sb
from symbody.machines.platform import platform_data
from symbody.motion.control import (
    SWARM,
    ComputedTorque,
    FeedForward,
    LoopOptions,
    Pid,
    SlidingMode,
    descent_motion,
    loop_figures,
    run_loop,
)
from symbody.motion.safety import RideState, RideSupervisor

data = platform_data()
motion = descent_motion(data)  # the first 3 s, by optimal cueing
controllers = {
    "PID": Pid(), "PD with feed-forward": FeedForward(), "computed torque": ComputedTorque(),
    "sliding mode by hand": SlidingMode(), "sliding mode by a swarm": SWARM,
}  # fmt: skip
quiet = {}
print(f"{'controller':24} {'load kg':>8} {'rms mm':>8} {'largest mm':>11} {'acceleration m/s²':>18} {'chatter N':>10}")
for name, controller in controllers.items():
    for load in (0.0, 8.0, 16.0, 50.0):
        try:
            found = loop_figures(run_loop(controller, motion, data, LoopOptions(load)).settled)
        except sb.DivergenceError as lost:
            print(f"{name:24} {load:8.0f} {lost}")
            continue
        quiet[name, load] = found
        numbers = (found["rms_mm"], found["largest_mm"], found["acceleration_error"], found["chatter_N"])
        print(f"{name:24} {load:8.0f} {numbers[0]:8.4f} {numbers[1]:11.3f} {numbers[2]:18.2f} {numbers[3]:10.2f}")

assert quiet["sliding mode by a swarm", 0.0]["chatter_N"] < 0.3 * quiet["sliding mode by hand", 0.0]["chatter_N"]

# The same descent as a live stream, three times as large, with NaN and wrong units in between.
ride = RideSupervisor(data, dt=1e-2)
ride.power_on()
ride.homed()
ride.start()
highest = 0.0
for k, axes in enumerate(motion.axes[::10]):
    sample = data.neutral_axes + 3.0 * (axes - data.neutral_axes)
    sample = {50: np.nan * sample, 100: 1e3 * sample}.get(k, sample)
    reference = ride.tick(1e-2 * k, sample)
    highest = max(highest, float((np.abs(reference.rates) / data.ends("speed")).max()))
print(ride.counts, f"largest speed: {100.0 * highest:.0f} % of the limits")
while ride.state in (RideState.RUNNING, RideState.STOPPING):  # the stream is silent: the ride stops
    k += 1
    reference = ride.tick(1e-2 * k)
print(f"{ride.state.value}: {ride.reason}")

assert ride.counts["refused"] == 2
assert highest <= 1.0
assert not reference.rates.any()
