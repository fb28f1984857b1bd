"""The chain of the ride in one real-time loop: scene → cueing → supervisor → drives and platform → what is felt.

In the loop, in C: the skier or a recorded track, eight cueing methods at once, the supervisor with its governor, the
controller, the drives, the full platform, and the senses. Beside it, in threads: the planner of predictive cueing
(`LEAD` ahead), and the receiver of a live stream (`POLL` between two looks).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from symbody.machines.ride.data import (
    CONTROLLERS,
    FILTERS,
    HEAD,
    KINDS,
    LIGHTEST,
    PASSENGER,
    PLANNED,
    PREDICTIVE,
    SEAT,
    SEED,
    USUAL,
)
from symbody.machines.ride.senses import senses
from symbody.motion.control.controller import TrackingController
from symbody.motion.control.drive_loop import ERROR, FAULT, HOMED, DriveLoop, ridden_platform
from symbody.motion.control.pid import FeedForward, pid_for
from symbody.motion.cueing.comparison import METHODS
from symbody.motion.cueing.cueing_model import reference_model
from symbody.motion.cueing.method import SCENE
from symbody.motion.cueing.plan_player import SEGMENT, WATCHED, PlanningThread, PlanPlayer, segment_inbox, shifted
from symbody.motion.cueing.predictive import PredictivePlanner, Preview, fading
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.data import ACTUATORS, AXES, POSE, PlatformData, laden
from symbody.motion.drives import resolutions
from symbody.motion.outputs.output_thread import RETURNED, SENT, OutputThread
from symbody.motion.safety.loop_supervisor import LoopSupervisor, reference_names
from symbody.motion.sources.scene_guard import StreamLimits
from symbody.motion.sources.stream_thread import StreamThread
from symbody.realtime.chain import Chain, Stage
from symbody.realtime.inbox import AGE, LoopInbox
from symbody.system.system import System, system
from symbody.terrain import Mountain, mountain, spline_path, waypoint_path
from symbody.terrain.ski_scene import SIGNALS, SkiScene, Track, path_track, standing_track

if TYPE_CHECKING:  # the studio needs a package that figures do not
    from symbody.studio.machine import Companion

SHOWN = (
    "*.q", "*.qd", "ski.*", "seat.*", "reference.*", "ride.*", "rod*.force", "table.*.force", "tracking.error",
    "drives.*", "output.*", "limit.*", "felt.*", "scene.felt.*", "restored.*", "head.*",
)  # fmt: skip
PREVIEWED = 2.5  # s of a track that the planner sees
STATE = {"state": "ride.state"}
SWITCHED_ON = 100_000  # increments: encoders show a random number when they are switched on


@cache
def slope() -> Mountain:
    """The mountain of the ride."""
    return mountain(seed=SEED)


@cache
def planned_tracks() -> dict[str, Track]:
    """Descents of the two planners of paths, along the piste."""
    scene = slope()
    points, ground = scene.piste.line[:1000:60], scene.ground
    paths = {"spline": spline_path(points, ground, PLANNED), "waypoints": waypoint_path(points, ground, PLANNED)}
    return {name: path_track(path, ground) for name, path in paths.items()}


@cache
def filter_system(name: str) -> System:
    """A cueing method, compiled."""
    return system(reference_model(FILTERS[name]), outputs=list(AXES))


@cache
def sense_system() -> System:
    """The senses, compiled."""
    m = senses()
    return system(m, outputs=list(m.signals))


@dataclass(frozen=True, eq=False)
class RideChain:
    """All parts of a ride: the chain that the loop steps, and the companions beside it."""

    chain: Chain
    scene: SkiScene
    supervisor: LoopSupervisor
    drives: DriveLoop
    companions: Sequence[Companion]
    stream: StreamThread | None
    output: OutputThread | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources of motion, in the order of the input `source`."""
        return self.scene.sources


def ride_chain(
    data: PlatformData, log: SceneRecord | None = None, stream: StreamThread | None = None, parked: bool = True,
    output: OutputThread | None = None,
) -> RideChain:  # fmt: skip
    """The ride on a platform.

    Parameters
    ----------
    data : PlatformData
        The platform.
    log : SceneRecord, optional
        A recorded drive as a further source.
    stream : StreamThread, optional
        A live source.
    parked : bool
        Whether the platform stands near its ends, and homing finds the zeros of its encoders. Otherwise it is at its
        neutral position, and they are known. Default True.
    output : OutputThread, optional
        Real drives. Default: simulated ones.

    Returns
    -------
    RideChain
        For `ridden` or the studio.
    """
    place, limits = slope(), StreamLimits()
    tracks = dict(planned_tracks())
    if log is not None:
        tracks["log"] = standing_track(log.acceleration, log.rate, log.step, place.piste.line[0])
    scene = SkiScene(place.ground, place.piste, limits.largest, limits.slopes, tracks)
    inbox = stream.inbox if stream else LoopInbox(SIGNALS)
    segments, player = segment_inbox(), PlanPlayer()
    supervisor, moved = LoopSupervisor(data, METHODS), drives(data, parked)
    returned = {f"output_{name}": f"output.{name}" for name in (*RETURNED, AGE) if name != "delay"} if output else {}
    seat = dict(zip(SCENE, (f"seat.{name}" for name in SIGNALS), strict=True))
    stages = [
        Stage(inbox, prefix="stream."),
        Stage(scene, {f"stream_{name}": f"stream.{name}" for name in (*SIGNALS, AGE)} | {"released": "ride.follows"}),
        *(Stage(filter_system(name), seat, prefix=f"{name}.") for name in FILTERS),
        Stage(segments, prefix="segment."),
        Stage(player, {name: f"segment.{name}" for name in SEGMENT} | _watched(seat)),
        *([Stage(output.inbox, prefix="output.")] if output else []),
        Stage(supervisor, _cues() | {"tracking_error": ERROR, "drive_fault": FAULT, "homed": HOMED} | returned),
        *([Stage(output.outbox, {name: name for name in SENT} | STATE)] if output else []),
        Stage(moved, {name: name for end in ("", ".rate", ".second") for name in reference_names(end)} | STATE),
        Stage(sense_system(), seat | _head() | {"lean": "lean.q"}),
    ]
    planning = PlanningThread(segments, _now(player, data), _preview(player, scene))
    companions: list[Companion] = [planning, *([stream] if stream else []), *([output] if output else [])]
    first = scene.sources.index("stream" if stream else "log" if log else "skier")
    start = {"source": float(first), "method": float(KINDS.index(USUAL)), "table": float(data.moving[0])}
    return RideChain(Chain("ride", stages, SHOWN, start), scene, supervisor, moved, companions, stream, output)


def drives(data: PlatformData, parked: bool) -> DriveLoop:
    """Controllers that know the usual passenger, and the platform with a passenger of any mass."""
    usual = laden(data, SEAT, PASSENGER)
    loads = [laden(data, SEAT, mass) for mass in (LIGHTEST * PASSENGER, PASSENGER, data.payload)]
    shown = np.random.default_rng(SEED).integers(-SWITCHED_ON, SWITCHED_ON, len(ACTUATORS)) * resolutions(data)
    plant = ridden_platform(data, HEAD, SEAT, PASSENGER, parked)
    return DriveLoop(data, plant, usual, controllers(loads, usual), loads, shown if parked else None)


def controllers(loads: Sequence[PlatformData], usual: PlatformData) -> list[TrackingController]:
    """The controllers that a rider can choose."""
    pid = pid_for(loads, usual)
    return [*CONTROLLERS, FeedForward(pid.stiffness, pid.damping), pid]


def _watched(seat: dict[str, str]) -> dict[str, str]:
    return dict(zip(WATCHED, ("ride.method", "ski.source", "ski.played", *seat.values()), strict=True))


def _cues() -> dict[str, str]:
    """The axes of each method, and those of the plan for predictive cueing."""
    return {
        f"{name}.{axis}": f"plan.{axis}" if name.startswith(PREDICTIVE) else f"{name}.{axis}"
        for name in METHODS
        for axis in AXES
    }


def _head() -> dict[str, str]:
    sensed = [f"head.accelerometer.{axis}" for axis in "xyz"] + [f"head.gyro.{axis}" for axis in "xyz"]
    return dict(zip((f"head_{axis}" for axis in POSE), sensed, strict=True))


def _now(player: PlanPlayer, data: PlatformData) -> Callable[[], tuple[float, PredictivePlanner | None]]:
    """The loop's clock, and the planner of the chosen method."""
    planners: dict[int, PredictivePlanner] = {}

    def now() -> tuple[float, PredictivePlanner | None]:
        method = int(player.watched[0])
        if method // 2 != KINDS.index(PREDICTIVE):
            return player.clock, None
        if method not in planners:
            planners[method] = PredictivePlanner(data, table=bool(method % 2) and bool(data.moving[0]))
        return player.clock, planners[method]

    return now


def _preview(player: PlanPlayer, scene: SkiScene) -> Callable[[float], Preview]:
    """The coming motion of the scene: a track is known; a skier or a stream is taken to fade."""
    tracks = list(scene.tracks.values())

    def preview(t: float) -> Preview:
        _, source, played, *signals = player.watched
        if not 1 <= source <= len(tracks):
            return fading(np.array(signals))
        track = tracks[int(source) - 1]
        begin = played + t - player.clock
        first = max(0, int(begin / track.step))
        ahead = track.rows[first : first + round(PREVIEWED / track.step), -len(SIGNALS) :]
        return shifted(ahead, track.step, begin - first * track.step)

    return preview
