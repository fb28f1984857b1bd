"""Bodies, joints and points: the tree of a model, as plain data in SI units.

A body frame sits at the body's last joint. It coincides with the frame of the point that carries the body when all
joint coordinates are zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

from symbody.errors import ModelError, SizeWarning
from symbody.model.formula import Number, Vector
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.mesh_look import ORIGIN_AT, MeshLook, mesh_look
from symbody.model.plain_numbers import several, triple
from symbody.suggestions import did_you_mean

ELEMENTARY = ("R1", "R2", "R3", "T1", "T2", "T3")  # rotate about, or slide along, axis 1 2 3
QUATERNION = ("ball", "free")  # ball: quaternion (w,x,y,z); free: position, then quaternion
JOINT_TYPES = ELEMENTARY + QUATERNION
NATURES = ("independent", "dependent", "driven", "locked")
GROUND = "ground"
ORIGIN = "origin"
FAR = 100.0  # m: a point farther from its body's origin is probably in mm

_POSITION_NAMES = {"ball": ("qw", "qx", "qy", "qz"), "free": ("x", "y", "z", "qw", "qx", "qy", "qz")}
_VELOCITY_NAMES = {"ball": ("wx", "wy", "wz"), "free": ("vx", "vy", "vz", "wx", "wy", "wz")}
_REFERENCE = {"ball": (1.0, 0.0, 0.0, 0.0), "free": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}


@dataclass
class Parameter:
    """A named number in SI units. Formulas may use it, and it stays adjustable in compiled code.

    Parameters
    ----------
    name : str
    value : float
    unit : str
    low, high : float, optional
        The useful range; sliders end there.
    """

    name: str
    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None


@dataclass
class Joint:
    """One elementary joint (R1 … T3) or quaternion joint (ball, free).

    Parameters
    ----------
    name : str
    type : str
        "R1", "R2", "R3" (rotation about axis 1, 2, 3), "T1", "T2", "T3" (translation), "ball" or "free".
    q0 : sequence of float, shape (nq,)
        Initial coordinates, rad or m; quaternions as (w, x, y, z).
    v0 : sequence of float, shape (nv,)
        Initial velocities, rad/s or m/s.
    nature : str
        One of `NATURES`: "independent", "dependent", "driven" or "locked".
    armature : float
        Inertia of the drive at the joint (kg m² or kg). It adds ½ a q̇² to the energy and a to the mass matrix
        diagonal.
    limits : JointLimits, optional
        Only for elementary joints. The effort bounds the input JOINT.Q; laws may use the other limits.

    Examples
    --------
    >>> import symbody as sb
    >>> sb.Joint("knee", "R2", q0=0.3).coordinates
    ['knee']
    >>> sb.Joint("base", "free").nv
    6
    """

    name: str
    type: str
    nature: str = "independent"
    q0: tuple[Number, ...] = ()
    v0: tuple[Number, ...] = ()
    armature: Number = 0.0
    limits: JointLimits = UNLIMITED

    def __post_init__(self) -> None:
        self.q0 = several(self.q0) or _REFERENCE.get(self.type, (0.0,))
        self.v0 = several(self.v0) or (0.0,) * self.nv

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(_REFERENCE.get(self.type, (0.0,)))

    @property
    def nv(self) -> int:
        """Number of velocities (degrees of freedom)."""
        return {"ball": 3, "free": 6}.get(self.type, 1)

    @property
    def coordinates(self) -> list[str]:
        """Names of its coordinates: the joint's name, or NAME.qw … for a quaternion."""
        return [f"{self.name}.{c}" for c in _POSITION_NAMES[self.type]] if self.type in QUATERNION else [self.name]

    @property
    def velocities(self) -> list[str]:
        """Names of its velocities: the joint's name, or NAME.wx … for a quaternion joint."""
        return [f"{self.name}.{c}" for c in _VELOCITY_NAMES[self.type]] if self.type in QUATERNION else [self.name]


@dataclass
class Point:
    """A frame on a body: position (m), and roll-pitch-yaw (rad; R = Rz(yaw) Ry(pitch) Rx(roll)), in the body frame."""

    body: str
    name: str
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)

    @property
    def path(self) -> str:
        """BODY.POINT, the name of the point in models and files."""
        return f"{self.body}.{self.name}"


@dataclass
class Body:
    """A rigid body: mass (kg), centre of mass (m, body frame), inertia (kg m²) about that centre.

    The six numbers of the inertia are xx, yy, zz, xy, xz, yz. `Model.body` makes bodies.

    Parameters
    ----------
    name : str
    on : str
        Path of the point that carries the first joint.
    joints : list of Joint
        From the carrying point to the body. Default: none, so that the body is welded.
    mass : float or Formula
        kg. Default 0.
    com : tuple of 3 float or Formula
        Centre of mass in the body frame, m. Default 0.
    inertia : tuple of 6 float or Formula
        xx, yy, zz, xy, xz, yz about the centre of mass, kg m². Default 0.
    points : dict of str to Point
        Points by name. "origin" is always there.
    looks : list of MeshLook
        Mesh files that the body looks like. Default: none, so that its look is derived from points and inertia.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.Model("m")
    >>> arm = m.body("arm", joints="R2", mass=1.0, com=(0.5, 0, 0))
    >>> arm.point("tip", (1, 0, 0)).path
    'arm.tip'
    """

    name: str
    on: str  # path of the point that carries the first joint
    joints: list[Joint] = field(default_factory=list)
    mass: Number = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[Number, Number, Number, Number, Number, Number] = (0.0,) * 6
    points: dict[str, Point] = field(default_factory=dict)
    looks: list[MeshLook] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.points.setdefault(ORIGIN, Point(self.name, ORIGIN))

    def point(self, name: str, position: Sequence[Number], rotation: Sequence[Number] = (0.0, 0.0, 0.0)) -> Point:
        """Add a point at a position (m, body frame), with roll, pitch and yaw (rad, default 0)."""
        if name in self.points and name != ORIGIN:
            raise ModelError(
                "the body already has a point of this name", element=f"{self.name}.{name}", cure="rename one of them"
            )
        where = f"{self.name}.{name}"
        at, turned = triple(position, where), triple(rotation, f"{where}.rotation")
        far = max((abs(x) for x in at if isinstance(x, float)), default=0.0)
        if far > FAR:
            warnings.warn(
                SizeWarning(f"{where}: {far:g} m from the body's origin (is this length in mm?)"), stacklevel=2
            )
        self.points[name] = Point(self.name, name, at, turned)
        return self.points[name]

    def look(
        self,
        file: str,
        scale: float = 1.0,
        position: Sequence[float] = ORIGIN_AT,
        rotation: Sequence[float] = ORIGIN_AT,
        colour: str | None = None,
    ) -> MeshLook:
        """Add a mesh file that the body looks like; its name is relative to the folder of the model's file."""
        self.looks.append(mesh_look(file, scale, position, rotation, colour, f"{self.name}.looks"))
        return self.looks[-1]

    def __getitem__(self, point: str) -> Point:
        if point not in self.points:
            cure = did_you_mean(point, self.points, "points here")
            raise ModelError("unknown point", element=f"{self.name}.{point}", cure=cure)
        return self.points[point]
