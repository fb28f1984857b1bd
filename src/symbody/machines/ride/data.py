"""Numbers of the ride: seat, passenger, methods of cueing, names."""

from __future__ import annotations

from symbody.motion.control.computed_torque import ComputedTorque
from symbody.motion.control.tuned_gains import SWARM
from symbody.motion.cueing.adaptive import Adaptive
from symbody.motion.cueing.classic import BandPass, Classic, HighPass, TiltLowPass
from symbody.motion.cueing.comparison import METHODS
from symbody.motion.cueing.method import CueingMethod
from symbody.motion.cueing.optimal import Optimal
from symbody.motion.cueing.plan_player import LEAD, UPDATE

DT = 1e-3  # s, the period of the loop
HEAD, SEAT = (-0.05, 0.0, 0.4), (0.0, 0.0, 0.2)  # m, from the centre of the upper plate: head, centre of mass
PASSENGER = 20.0  # kg, for which controllers are made; the built-in platform is small and carries 50
LIGHTEST = 0.5  # of that: with less, the gains of computed torque are too large for the sample time
SEED = 0  # of the mountain
WORLD = (0.0, 60.0, -1205.0)  # m, place of the mountain's own origin in the view: the platform stands at its foot
PLANNED = 12.0  # m/s of the planned descents
KINDS = tuple(dict.fromkeys(name.partition(", ")[0] for name in METHODS))
PREDICTIVE, USUAL = "predictive", "optimal"
EXTRA = {PREDICTIVE: LEAD + 0.5 * UPDATE}  # s: delay of a plan beside the loop, unless it knows the track
CONTROLLERS = (ComputedTorque(), SWARM)  # beside them PD with feed-forward and PID, with gains for the loads

# Found by `tuned(Classic(label="swarm"), descent(5e-3), limits, particles=20, iterations=30)`, and without the table.
SWARM_TABLE = Classic(
    hexapod=HighPass(0.13762, 2.0, 1.85763, 0.3),
    tilt=TiltLowPass(1.00389, 0.40662, 7.99685),
    table=BandPass(0.1195, 0.32722, 2.55798, 0.5),
    turn=HighPass(0.1, 1.78486, 1.74748, 0.3),
    label="swarm",
)
SWARM_HEXAPOD = Classic(
    hexapod=HighPass(0.57993, 1.1364, 5.91804, 0.3),
    tilt=TiltLowPass(1.00464, 0.4, 8.0),
    table=None,
    turn=HighPass(0.24717, 1.88557, 0.85774, 0.3),
    label="swarm",
)

FILTERS: dict[str, CueingMethod] = {
    "classic, hexapod": Classic(table=None),
    "classic, table": Classic(),
    "adaptive, hexapod": Adaptive.hexapod(),
    "adaptive, table": Adaptive(),
    "swarm, hexapod": SWARM_HEXAPOD,
    "swarm, table": SWARM_TABLE,
    "optimal, hexapod": Optimal.hexapod(),
    "optimal, table": Optimal(),
}
