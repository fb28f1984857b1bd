"""A ride without a browser, in the real-time loop: a scripted skier, records at 1 kHz, times of the steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symbody.codegen import wait_optimised
from symbody.errors import ModelError
from symbody.machines.ride.chain import RideChain
from symbody.machines.ride.data import DT
from symbody.motion.safety.loop_supervisor import STATES
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety, Scheduling
from symbody.realtime.statistics import Statistics
from symbody.results.run import Run
from symbody.terrain.skier import USUAL, SkierState, follow

if TYPE_CHECKING:  # the studio needs a package that figures do not
    from symbody.studio.machine import Channels, Pilot

CARVED, WAVE = 5.0, 90.0  # m: amplitude and length of the turns of the scripted skier
LOOK = 0.01  # s between two looks of the scripted skier
BUILT = 120.0  # s to wait for optimised code
LATE = 0.5  # s that the loop may catch up
LONGEST = 600.0  # s


@dataclass(frozen=True, eq=False)
class Ridden:
    """A ride: its records, and the statistics of the loop."""

    run: Run
    statistics: Statistics
    state: str


def ridden(
    ride: RideChain,
    seconds: float,
    inputs: Mapping[str, float] | None = None,
    beside: Callable[[float], object] = lambda t: None,
) -> Ridden:
    """Ride for some seconds of the clock.

    Parameters
    ----------
    ride : RideChain
        Of `ride_chain`.
    seconds : float
        Duration, from 1 s.
    inputs : mapping of str to float, optional
        Values of inputs, such as `method`.
    beside : function, optional
        Called with the time (s) at each look. Default: nothing.

    Returns
    -------
    Ridden
        Run, statistics of the loop, and the last state.

    Raises
    ------
    ModelError
        For a duration out of range, and if the loop stops.

    Examples
    --------
    >>> from symbody.machines.platform import platform_data
    >>> from symbody.machines.ride import ridden, ride_chain, ride_figures
    >>> one = ridden(ride_chain(platform_data(), parked=False), seconds=1.0)
    >>> figures = ride_figures("a second", one)
    """
    if not 1.0 <= seconds <= LONGEST:
        raise ModelError(f"a ride of {seconds:g} s", element="ride", cure=f"give 1 to {LONGEST:g} s")
    pilot = scripted_skier(ride)
    safety = Safety(stale=None, overrun=LATE, watchdog=10.0)
    loop = Loop(ride.chain, 1.0 / DT, safety=safety, scheduling=Scheduling(), history=seconds + 5.0)
    wait_optimised(BUILT)
    with ExitStack() as opened:
        for companion in ride.companions:
            opened.callback(companion.close)
            companion.start()
        opened.callback(loop.stop)
        loop.give(inputs or {})
        loop.start()
        while (now := loop.latest()).t < seconds:
            if loop.reason:
                cure = "close other programs" if loop.reason == "overrun" else "report this"
                raise ModelError(f"the loop stopped: {loop.reason}", element="ride", cure=cure)
            if now.step >= 0:
                beside(now.t)
                loop.give(pilot(now.t, dict(zip(loop.outputs, now.outputs, strict=True))))
            time.sleep(LOOK)
    run = loop.history()
    return Ridden(run, loop.statistics(), STATES[int(run["ride.state"][-1])])


def scripted_skier(ride: RideChain) -> Pilot:
    """A pilot for the controls `steer`, `brake` and `halt`."""
    piste = ride.scene.piste

    def steer(since: float, channels: Channels) -> dict[str, float]:
        x, y, z, heading, pitch = (channels[f"ski_{name}.q"] for name in ("x", "y", "z", "heading", "pitch"))
        speed = channels["ski.speed"]
        ahead = np.cos(pitch) * np.cos(heading), np.cos(pitch) * np.sin(heading), -np.sin(pitch)
        now = SkierState(np.array([x, y, z]), speed * np.array(ahead), heading)
        along, _ = piste.nearest(x, y)
        turn, brake = follow(now, piste, USUAL, CARVED * float(np.sin(2.0 * np.pi * along / WAVE)))
        return {"steer": turn, "brake": brake, "halt": 0.0}

    return steer
