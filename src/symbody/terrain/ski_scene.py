"""A skier, recorded tracks and a live stream as one scene of the real-time loop: what a seat undergoes, in C.

Loop(SkiScene(mountain.ground, piste), 1000.0): inputs `steer` (−1 right … 1 left), `brake` (0 … 1), `source` (0: the
skier; then the tracks in their order; then the stream), `released` (0: skier and tracks wait where they are) and the
six signals `stream_x` … of a stream.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.errors import ModelError
from symbody.model.plain_numbers import GRAVITY
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper, kept_numbers
from symbody.stepping.step_options import FixedStep
from symbody.terrain.ground_path import GroundPath, seat_motion
from symbody.terrain.height_map import Array, HeightMap
from symbody.terrain.piste import Piste
from symbody.terrain.skier import SLOW, Skier, SkierState, standing

SIGNALS = {"x": "m/s²", "y": "m/s²", "z": "m/s²", "roll": "rad/s", "pitch": "rad/s", "yaw": "rad/s"}
PLACE = {
    "ski_x.q": "m", "ski_y.q": "m", "ski_z.q": "m", "ski_heading.q": "rad", "ski_pitch.q": "rad", "ski_roll.q": "rad",
    "lean.q": "rad", "ski.speed": "m/s", "ski.slope": "rad", "ski.flying": "", "ski.source": "",
    "ski.played": "s", "ski.waits": "",
}  # fmt: skip
ROW = 13  # numbers of a row of a track: position, heading, lean, speed, slope, six signals
PATIENCE = 0.25  # s, oldest sample of a stream that counts
END = 25.0  # m from the end of the piste at which the skier brakes


class GroundOf(Mirror):
    """ground_t of skier.c."""

    c_type = "ground_t"
    _fields_ = (
        ("coefficients", ctypes.c_void_p), ("rows", ctypes.c_int64), ("columns", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("spacing", "x0", "y0")),
    )  # fmt: skip


class SkierOf(Mirror):
    """skier_t of skier.c."""

    c_type = "skier_t"
    _fields_ = tuple(
        (name, ctypes.c_double) for name in (*Skier.__dataclass_fields__, "gravity", "slow")
    )  # the numbers of `Skier` in their order


class SkiStateOf(Mirror):
    """ski_state_t of skier.c."""

    c_type = "ski_state_t"
    _fields_ = (
        ("p", ctypes.c_double * 3), ("v", ctypes.c_double * 3),
        *((name, ctypes.c_double) for name in ("heading", "lean", "flying")),
    )  # fmt: skip


class TrackOf(Mirror):
    """track_t of skier.c."""

    c_type = "track_t"
    _fields_ = (("rows", ctypes.c_void_p), ("n", ctypes.c_int64), ("step", ctypes.c_double))


class SceneMemoryOf(Mirror):
    """scene_memory_t of skier.c."""

    c_type = "scene_memory_t"
    _fields_ = (
        ("ski", SkiStateOf), ("start", SkiStateOf), ("R", ctypes.c_double * 9),
        *((name, ctypes.c_double) for name in ("known", "rest", "source", "played")),
        ("signals", ctypes.c_double * len(SIGNALS)),
    )  # fmt: skip


class SkiSceneOf(Mirror):
    """ski_scene_t of skier.c."""

    c_type = "ski_scene_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("u", "ground", "skier", "tracks", "m", "largest", "slopes")),
        ("ntracks", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("dt", "end_x", "end_y", "end_radius", "patience")),
    )


STRUCTURES = (SkiSceneOf, GroundOf, SkierOf, SkiStateOf, TrackOf, SceneMemoryOf)


def ground_structure(ground: HeightMap) -> tuple[GroundOf, Array]:
    """A height map for C, and the memory that it points to."""
    kept = np.ascontiguousarray(ground.coefficients)
    rows, columns = kept.shape
    made = GroundOf(
        coefficients=kept.ctypes.data, rows=rows, columns=columns, spacing=ground.spacing,
        x0=ground.origin[0], y0=ground.origin[1],
    )  # fmt: skip
    return made, kept


def skier_structure(skier: Skier) -> SkierOf:
    """The numbers of a skier for C."""
    return SkierOf(*astuple(skier), GRAVITY, SLOW)


def state_structure(state: SkierState) -> SkiStateOf:
    """The state of a skier for C."""
    p, v = ((ctypes.c_double * 3)(*x) for x in (state.position, state.velocity))
    return SkiStateOf(p, v, state.heading, state.lean, float(state.flying))


@dataclass(frozen=True, eq=False)
class Track:
    """A recorded motion of a seat: rows (n, 13) of position, heading, lean, speed, slope, signals; every step (s)."""

    rows: Array
    step: float

    def __post_init__(self) -> None:
        if self.rows.ndim != 2 or self.rows.shape[1] != ROW or len(self.rows) < 2 or not np.isfinite(self.rows).all():
            raise ModelError(
                f"rows of the shape {self.rows.shape}", element="track", cure=f"give finite rows (n, {ROW})"
            )


def path_track(path: GroundPath, ground: HeightMap) -> Track:
    """A path over ground as a track."""
    acceleration, rate = seat_motion(path, ground)
    hx, hy = ground.slope(*path.position[:, :2].T)
    slope = np.arctan(np.hypot(hx, hy))
    rest = (path.heading, path.lean, path.speed, slope)
    return Track(np.ascontiguousarray(np.column_stack([path.position, *rest, acceleration, rate])), path.step)


def standing_track(acceleration: Array, rate: Array, step: float, at: Array) -> Track:
    """Signals (n, 3) of a recorded drive, every step (s), while the scene stands at a place (3,)."""
    n = len(acceleration)
    return Track(
        np.ascontiguousarray(np.column_stack([np.tile(at, (n, 1)), np.zeros((n, 4)), acceleration, rate])), step
    )


@dataclass(frozen=True, eq=False)
class SkiScene:
    """The scene as a source of the loop; outputs: `PLACE`, and `seat.x` … `seat.yaw`, what the seat undergoes.

    largest, slopes: of the six signals (6,) and per s; more is clipped, and a jump becomes a ramp. A value that is not
    a number counts as zero.
    """

    ground: HeightMap
    piste: Piste
    largest: Array
    slopes: Array
    tracks: Mapping[str, Track] = field(default_factory=dict)
    skier: Skier = field(default_factory=Skier)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources, in the order of the input `source`."""
        return ("skier", *self.tracks, "stream")

    def start(self) -> SkierState:
        """The skier at the start of the piste."""
        first, second = self.piste.at(0.0), self.piste.at(5.0)
        return standing(self.ground, first[0], first[1], float(np.arctan2(*(second - first)[1::-1])), 1.0)

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The scene as the loop steps it; it has its own method."""
        inputs = ["steer", "brake", "source", "released", "stream_age", *(f"stream_{name}" for name in SIGNALS)]
        units = {**PLACE, **{f"seat.{name}": unit for name, unit in SIGNALS.items()}}
        u = np.zeros(len(inputs))
        u[inputs.index("released")] = 1.0
        ground, kept = ground_structure(self.ground)
        begun = state_structure(self.start())
        memory = SceneMemoryOf(ski=begun, start=begun)
        tracks = (TrackOf * max(len(self.tracks), 1))()
        for k, track in enumerate(self.tracks.values()):
            tracks[k] = TrackOf(track.rows.ctypes.data, len(track.rows), track.step)
        skier, largest, slopes = skier_structure(self.skier), *(np.array(x, float) for x in (self.largest, self.slopes))
        end = self.piste.line[-1]
        structure: Any = SkiSceneOf(
            u=u.ctypes.data, ground=ctypes.addressof(ground), skier=ctypes.addressof(skier),
            tracks=ctypes.addressof(tracks), m=ctypes.addressof(memory), largest=largest.ctypes.data,
            slopes=slopes.ctypes.data, ntracks=len(self.tracks), dt=dt, end_x=end[0], end_y=end[1], end_radius=END,
            patience=PATIENCE,
        )  # fmt: skip
        library = optimised_runtime("skier.c", *STRUCTURES, package="symbody.terrain")
        alive = (self, u, ground, kept, memory, tracks, skier, largest, slopes)
        stepper = LoopStepper(
            alive, ctypes.cast(library.integrate, ctypes.c_void_p).value or 0, structure,
            (kept_numbers(memory),), NONE.ctypes.data,
        )  # fmt: skip
        y0 = np.zeros(len(units))
        y0[:3], y0[3] = list(begun.p), begun.heading
        return LoopModel("ski-scene", inputs, u, list(units), y0, units, {}, stepper)
