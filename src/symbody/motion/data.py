"""A hexapod on an XY table as named data in SI units: geometry, inertias, friction, limits, drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import inf, radians
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from symbody.elements.friction_static import Memoryless
from symbody.elements.numbers import Scalar, require_positive
from symbody.errors import ModelError
from symbody.expr import numpy_functions as _  # noqa: F401  (laws over arrays of expressions)
from symbody.files.safe_file import FilePath, decode, read_bytes
from symbody.model.plain_numbers import GRAVITY

Array = NDArray[np.float64]

TABLE = ("table.x", "table.y")
POSE = ("x", "y", "z", "roll", "pitch", "yaw")  # of O_u seen from O_l; A = Rz(yaw) Ry(pitch) Rx(roll)
AXES = (*TABLE, *POSE)
LEGS = tuple(f"{k}" for k in range(1, 7))
ACTUATORS = (*TABLE, *(f"rod{k}" for k in LEGS))  # the order of q ∈ R⁸ and of Γ
TURNS = POSE[3:]


@dataclass(frozen=True)
class Inertial:
    """Inertia of a body in its own frame.

    Parameters
    ----------
    mass : float
        kg.
    com : (float, float, float)
        Centre of mass (m).
    inertia : (float, float, float, float, float, float)
        xx yy zz xy xz yz about the centre of mass (kg m²).
    """

    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class DirectionalFriction(Memoryless):
    """F = F_v± v + F_s± tanh(v/v₀): viscous and dry friction for each direction.

    Parameters
    ----------
    dry_forward, dry_backward : float
        F_s± (N).
    viscous_forward, viscous_backward : float
        F_v± (N s/m).
    v0 : float
        Velocity v₀ over which the sign changes (m/s).
    """

    dry_forward: float = field(metadata={"unit": "N"})
    dry_backward: float = field(metadata={"unit": "N"})
    viscous_forward: float = field(metadata={"unit": "N s/m"})
    viscous_backward: float = field(metadata={"unit": "N s/m"})
    v0: float = field(metadata={"unit": "m/s"})

    @property
    def dry(self) -> tuple[float, float]:
        """F_s forwards and backwards (N)."""
        return self.dry_forward, self.dry_backward

    @property
    def viscous(self) -> tuple[float, float]:
        """F_v forwards and backwards (N s/m)."""
        return self.viscous_forward, self.viscous_backward

    def force(self, v: Any, z: Sequence[Scalar] = (), load: Scalar = 0.0) -> Any:
        """Resisting force (N) at velocities v (m/s): numbers or expressions, one or an array."""
        return _by_direction(v, *self.viscous) + _by_direction(np.tanh(v / self.v0), *self.dry)

    def check(self, name: str) -> None:
        require_positive(name, self, "v0")
        require_positive(name, self, "dry_forward", "dry_backward", "viscous_forward", "viscous_backward", zero=True)


def _by_direction(x: Any, forward: Any, backward: Any) -> Any:
    """x times `forward` for x > 0, x times `backward` for x < 0."""
    return 0.5 * (forward + backward) * x + 0.5 * (forward - backward) * np.absolute(x)


@dataclass(frozen=True)
class AxisLimit:
    """Limits of an axis.

    Parameters
    ----------
    low, high : float
        Range of the position (m or rad).
    speed : float
        Largest speed (m/s or rad/s).
    acceleration : float
        Largest acceleration (m/s² or rad/s²).
    """

    low: float
    high: float
    speed: float
    acceleration: float


FIXED = AxisLimit(0.0, 0.0, 0.0, 0.0)  # an axis that a platform does not have


@dataclass(frozen=True)
class LegLimits:
    """Limits of a leg. The motors limit the speed, too (`drives.leg_speed`).

    Parameters
    ----------
    shortest, longest : float
        Lengths (m).
    radius : float
        Of its cylinder (m).
    foot_tilt, top_tilt : float
        Largest angles to the normals of both plates (rad).
    speed : float
        Of the slide (m/s). Default inf.
    acceleration : float
        Of the slide (m/s²). Default inf.
    """

    shortest: float
    longest: float
    radius: float
    foot_tilt: float
    top_tilt: float
    speed: float = inf
    acceleration: float = inf


@dataclass(frozen=True, eq=False)
class PlatformData:
    """All numbers of a hexapod on an XY table.

    Parameters
    ----------
    feet : array, shape (6, 3)
        Anchors B_k from O_l in the frame of the lower plate (m).
    tops : array, shape (6, 3)
        Anchors P_k from O_u in the frame of the upper plate (m).
    neutral_height : float
        Of O_u (m).
    bodies : mapping of str to Inertial
        By name.
    friction : mapping of str to DirectionalFriction
        Of table_x, table_y and leg.
    limits : mapping of str to AxisLimit
        By the names of `AXES`.
    legs : LegLimits
        Of all six legs.
    payload : float
        Largest payload (kg).
    drives : mapping of str to mapping of str to float
        Numbers of motors and gears by drive.
    gravity : float
        m/s². Default 9.81.
    """

    feet: Array
    tops: Array
    neutral_height: float
    bodies: Mapping[str, Inertial]
    friction: Mapping[str, DirectionalFriction]
    limits: Mapping[str, AxisLimit]
    legs: LegLimits
    payload: float
    drives: Mapping[str, Mapping[str, float]]
    gravity: float = GRAVITY

    @property
    def neutral(self) -> Array:
        """The pose (6,) in the middle of the work range."""
        return np.array([0.0, 0.0, self.neutral_height, 0.0, 0.0, 0.0])

    @property
    def neutral_axes(self) -> Array:
        """All axes (8,): the neutral pose, with the table in its middle."""
        return np.concatenate([np.zeros(len(TABLE)), self.neutral])

    def ends(self, kind: str) -> Array:
        """`low`, `high`, `speed` or `acceleration` of all axes, (8,), read-only."""
        return self._ends[kind]

    @cached_property
    def _ends(self) -> dict[str, Array]:
        """Arrays of `ends`, made once: control loops ask for them at every sample."""
        kinds = [one.name for one in fields(AxisLimit)]
        found = {kind: np.array([getattr(self.limits[axis], kind) for axis in AXES]) for kind in kinds}
        for array in found.values():
            array.setflags(write=False)
        return found

    @property
    def moving(self) -> Array:
        """Whether an axis can move, (8,): a hexapod without a table has no stroke along its sliders."""
        return np.asarray(self.ends("low") < self.ends("high"))

    @staticmethod
    def unit(axis: str) -> str:
        """Unit of an axis: rad or m."""
        return "rad" if axis in TURNS else "m"


def load_platform(path: FilePath) -> PlatformData:
    """A platform from a YAML file such as `xy_platform.yaml`, which documents every entry.

    base and top: a circle with pairs of anchors, or a list of six points. Without limits of table.x and table.y the
    hexapod stands on the ground: bodies and friction of the table may be missing.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    PlatformData
        Checked numbers.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from symbody.motion import load_platform
    >>> load_platform(files("symbody.motion") / "xy_platform.yaml").feet.shape
    (6, 3)
    """
    read: Mapping[str, Any] = yaml.safe_load(decode(read_bytes(path)))
    shape, friction, legs = read["geometry"], read["friction"], read["legs"]
    v0 = friction["smoothing"]
    return PlatformData(
        feet=_plate(shape, "base"),
        tops=_plate(shape, "top"),
        neutral_height=shape["neutral_height"],
        bodies=_NO_TABLE | {name: _inertial(body) for name, body in read["bodies"].items()},
        friction=_no_friction(v0) | {name: _friction(law, v0) for name, law in friction.items() if name != "smoothing"},
        limits=dict.fromkeys(TABLE, FIXED) | {name: _limit(name, numbers) for name, numbers in read["limits"].items()},
        legs=_leg_limits(legs),
        payload=read["payload"],
        drives=read["drives"],
    )


def laden(data: PlatformData, place: tuple[float, float, float], mass: float) -> PlatformData:
    """The platform with a mass (kg) fixed to its upper plate at a place (m, from O_u), by the parallel axis theorem."""
    body = data.bodies["platform"]
    whole = body.mass + mass
    com = (body.mass * np.array(body.com) + mass * np.array(place)) / whole
    xx, yy, zz, xy, xz, yz = body.inertia
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # noqa: E741  (the inertia tensor)
    for m, at in ((body.mass, body.com), (mass, place)):
        d = np.array(at) - com
        I = I + m * (d @ d * np.eye(3) - np.outer(d, d))  # noqa: E741
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    made = Inertial(whole, (float(com[0]), float(com[1]), float(com[2])), tuple(float(x) for x in six))  # type: ignore[arg-type]
    return replace(data, bodies={**data.bodies, "platform": made})


def anchors(circle: Mapping[str, float], centres: list[float]) -> Array:
    """Six points (6, 3) on a circle, a pair at ± the half angle about each centre (°)."""
    places = np.radians([centre + side * circle["half_angle"] for centre in centres for side in (-1, 1)])
    return circle["radius"] * np.stack([np.cos(places), np.sin(places), 0.0 * places], axis=-1)


def _plate(shape: Mapping[str, Any], plate: str) -> Array:
    """The anchors of a plate (6, 3): a circle, or six points."""
    given = shape[plate]
    if isinstance(given, Mapping):
        return anchors(given, shape["centres"])
    points = np.array(given, dtype=float)
    if points.shape != (len(LEGS), 3):
        raise ModelError(f"anchors of the shape {points.shape}", element=plate, cure="give six points [x, y, z] (m)")
    return points


def _leg_limits(legs: Mapping[str, float]) -> LegLimits:
    found = LegLimits(
        legs["shortest"], legs["longest"], legs["radius"], radians(legs["foot_tilt"]), radians(legs["top_tilt"]),
        legs.get("speed", inf), legs.get("acceleration", inf),
    )  # fmt: skip
    if not (0.0 < found.shortest < found.longest and found.speed > 0.0 and found.acceleration > 0.0):
        cure = "give 0 < shortest < longest, and a speed and an acceleration above zero"
        raise ModelError("contradictory limits", element="legs", cure=cure)
    return found


_NO_TABLE = {name.replace(".", "_"): Inertial(0.0, (0.0, 0.0, 0.0), 6 * (0.0,)) for name in TABLE}


def _no_friction(v0: float) -> dict[str, DirectionalFriction]:
    return {name.replace(".", "_"): DirectionalFriction(0.0, 0.0, 0.0, 0.0, v0) for name in TABLE}


def _friction(law: Mapping[str, Any], v0: float) -> DirectionalFriction:
    (dry_forward, dry_backward), (forward, backward) = law["dry"], law["viscous"]
    return DirectionalFriction(dry_forward, dry_backward, forward, backward, v0)


def _inertial(body: Mapping[str, Any]) -> Inertial:
    moments = (*body["inertia"], 0.0, 0.0, 0.0)[:6]
    return Inertial(body["mass"], tuple(body["com"]), moments)


def _limit(axis: str, numbers: list[float]) -> AxisLimit:
    unit = radians(1.0) if axis in TURNS else 1.0
    limit = AxisLimit(*(unit * number for number in numbers))
    if not (limit.low < limit.high and limit.speed > 0.0 and limit.acceleration > 0.0):
        cure = "give low < high, and a speed and an acceleration above zero"
        raise ModelError(f"contradictory limits {numbers}", element=axis, cure=cure)
    return limit
