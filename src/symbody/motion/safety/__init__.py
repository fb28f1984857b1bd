"""Safety of a ride: margins, vetting, the check of live streams, fast stops, homing, watchdogs, a state machine."""

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
