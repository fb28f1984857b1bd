"""A ski ride on a motion platform in the real-time loop: time of a step, delay, limits, and what is restored."""

from symbody.machines.platform import platform_data
from symbody.machines.ride import ridden, ride_chain, ride_figures

ride = ride_chain(platform_data())  # a skier, optimal cueing, supervisor, controller, platform, senses
found = ride_figures("optimal", ridden(ride, 6.0))  # six seconds by the clock, steered by a scripted skier
print(f"a step takes {found['step_us']['median']:.0f} µs, 99 % of them at most {found['step_us']['p99']:.0f} µs")
print(f"from the scene to the reference of the platform: {found['delay_ms']:.1f} ms")
print(f"{found['limit_violations']} broken limits, largest tracking error {found['tracking_error_mm']:.2f} mm")
print(f"the platform is {found['state']} and restores {found['pi_percent']:.0f} % of the acceleration")

assert found["limit_violations"] == 0
assert found["tracking_error_mm"] < 5.0
