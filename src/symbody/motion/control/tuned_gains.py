"""Gains of sliding mode that a swarm found for the built-in platform, with loads of 0 and 16 kg on a ski descent.

`tuned_sliding_mode(SlidingMode(), [descent_motion(data)], data, options=[LoopOptions(0.0), LoopOptions(16.0)],
position=2000.0)` searches them again.
"""

from __future__ import annotations

from symbody.motion.control.sliding_mode import SlidingMode

SWARM = SlidingMode(
    slope=(33.5, 120.0, *6 * (83.9,)),
    integral_slope=(900.0, 900.0, *6 * (900.0,)),
    reach=(0.02, 0.02, *6 * (0.02,)),
    pull=(5.0, 300.0, *6 * (60.5,)),
)
