"""Safety of a ride: margins, vetting, the check of live streams, fast stops, homing, watchdogs, a state machine.

Examples
--------
A supervised ride: samples are checked, and it stops when the stream is silent:

>>> import numpy as np
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion.safety import RideEvent, RideReference, RideState, RideSupervisor, SoftwareMargins
>>> from symbody.motion.safety import SupervisorRules
>>> data = platform_data()
>>> ride = RideSupervisor(data, dt=0.01, rules=SupervisorRules(), margins=SoftwareMargins())
>>> ride.power_on(); ride.homed(); ride.start()
>>> reference: RideReference = ride.tick(0.0, data.neutral_axes)
>>> reference.state is RideState.RUNNING, RideEvent.START.value
(True, 'start')

Checks of a stream, of a state and of a whole trajectory:

>>> from symbody.motion.safety import StreamGuard, StreamRules, StreamVerdict, Vetted, Watchdog
>>> from symbody.motion.safety import motion_of, stop_motion, stoppable, vet, with_margins
>>> safe = with_margins(data)
>>> guard = StreamGuard(safe, 0.01, StreamRules(patience=0.1))
>>> verdict: StreamVerdict = guard.offer(0.0, np.nan * data.neutral_axes)
>>> verdict.status
'refused'
>>> bool(stoppable(data.neutral_axes, np.zeros(8), safe, 0.01))
True
>>> rest = stop_motion(data.neutral_axes, np.zeros(8), safe, 0.01)
>>> t = np.arange(0.0, 0.1, 0.01)
>>> found: Vetted = vet(motion_of(t, np.tile(data.neutral_axes, (10, 1)), safe), 0.01)
>>> found.ok
True
>>> dog = Watchdog(0.1)
>>> dog.feed(0.0)
"""

from symbody.motion.safety.fast_stop import stop_motion, stoppable
from symbody.motion.safety.homing import Homed, HomingDrives, HomingSpeeds, StallDetector, home
from symbody.motion.safety.margins import SoftwareMargins, with_margins
from symbody.motion.safety.platform_drives import PlatformDrives
from symbody.motion.safety.states import RideEvent, RideState
from symbody.motion.safety.stream import StreamGuard, StreamRules, StreamVerdict
from symbody.motion.safety.supervisor import RideReference, RideSupervisor, SupervisorRules
from symbody.motion.safety.vetting import Vetted, motion_of, vet
from symbody.motion.safety.watchdog import Watchdog

__all__ = [
    "Homed", "HomingDrives", "HomingSpeeds", "PlatformDrives", "RideEvent", "RideReference", "RideState",
    "RideSupervisor", "SoftwareMargins", "StallDetector", "StreamGuard", "StreamRules", "StreamVerdict",
    "SupervisorRules", "Vetted", "Watchdog", "home", "motion_of", "stop_motion", "stoppable", "vet", "with_margins",
]  # fmt: skip
