"""Moving objects of a scene: rigid bodies, and serial linkages with generated equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from symbody.codegen import Function
from symbody.equations.compile import compile as compile_function
from symbody.errors import ModelError
from symbody.haptics.settings import finite
from symbody.haptics.shapes import Array, Shape
from symbody.model.formula import evaluate
from symbody.model.model import Model

IN_PLANE = ("R3", "T1", "T2")  # joints that keep bodies in the plane x, y
LEAST = 1e-9  # kg, kg m²
THIN = 1e-6  # smallest moment of inertia about the axis of a thin rod, relative to the largest


@dataclass(frozen=True)
class HapticBody:
    """A rigid body about its centre of mass.

    Parameters
    ----------
    name : str
        Unique in the scene.
    shapes : Shape or sequence of Shape
        Convex shapes in the frame of the centre of mass.
    mass : float
        kg.
    inertia : float or sequence of float or array
        Planar: I (kg m²). In space: (3,) or (3, 3), in the body frame.
    pose : sequence of float
        Planar: (x, y, angle). In space: (x, y, z) or (x, y, z, qw, qx, qy, qz). (m, rad). Default (0, 0, 0).
    velocity : sequence of float, optional
        Planar: (ẋ, ẏ, angular rate). In space: (v, ω) in the world frame. Default: at rest.
    """

    name: str
    shapes: Shape | Sequence[Shape]
    mass: float
    inertia: float | Sequence[float] | Array
    pose: Sequence[float] = (0.0, 0.0, 0.0)
    velocity: Sequence[float] = ()

    @property
    def listed(self) -> list[Shape]:
        """Its shapes."""
        return list(self.shapes) if isinstance(self.shapes, Sequence) else [self.shapes]

    def inertia_matrix(self, planar: bool) -> Array:
        """(3, 3) about the centre of mass; in the plane only its last element counts."""
        finite(f"{self.name}: mass", self.mass, LEAST)
        given = np.array(self.inertia, dtype=float)
        matrix = np.diag([1.0, 1.0, float(given)]) if planar and given.ndim == 0 else given
        matrix = np.diag(matrix) if matrix.shape == (3,) else matrix
        if matrix.shape != (3, 3) or not np.isfinite(matrix).all() or np.linalg.eigvalsh(matrix)[0] < LEAST:
            cure = "give a positive number in the plane; three, or a positive (3, 3), in space"
            raise ModelError(f"inertia = {self.inertia}", element=self.name, cure=cure)
        return np.asarray(0.5 * (matrix + matrix.T))

    def start(self, planar: bool) -> tuple[list[float], list[float]]:
        """Initial coordinates and velocities."""
        q, v = [float(x) for x in self.pose], [float(x) for x in self.velocity]
        nq, nv = (3, 3) if planar else (7, 6)
        if not planar and len(q) == 3:
            q += [1.0, 0.0, 0.0, 0.0]
        v = v or [0.0] * nv
        if len(q) != nq or len(v) != nv or not np.isfinite([*q, *v]).all():
            problem = f"a pose of {len(q)} and a velocity of {len(v)} numbers"
            raise ModelError(problem, element=self.name, cure=f"give {nq} and {nv} finite numbers")
        if not planar:
            size = float(np.linalg.norm(q[3:]))
            if size < 0.5:
                raise ModelError("the orientation is not a unit quaternion", element=self.name, cure="normalise it")
            q[3:] = [x / size for x in q[3:]]
        return q, v


@dataclass(frozen=True)
class Linkage:
    """A tree of bodies on joints; shapes belong to its bodies, by name.

    Parameters
    ----------
    name : str
        Unique in the scene.
    model : Model
        A tree without loops.
    shapes : mapping of str to Shape or sequence of Shape, optional
        Convex shapes by the names of bodies.
    q : sequence of float, optional
        Initial coordinates (m, rad). Default: of the model.
    v : sequence of float, optional
        Initial velocities (m/s, rad/s). Default 0.
    """

    name: str
    model: Model
    shapes: Mapping[str, Shape | Sequence[Shape]] = field(default_factory=dict)
    q: Sequence[float] = ()
    v: Sequence[float] = ()

    @property
    def links(self) -> list[str]:
        """Its bodies."""
        return list(self.model.bodies)

    @property
    def planar(self) -> bool:
        """Whether its joints keep it in the plane x, y."""
        m = self.model
        turns = [evaluate(x, m.values) for body in m.bodies.values() for x in m.point_at(body.on).rotation[:2]]
        return all(joint.type in IN_PLANE for joint in m.joints()) and not any(turns)

    def shapes_of(self, link: str) -> list[Shape]:
        """The shapes on a body."""
        found = self.shapes.get(link, ())
        return list(found) if isinstance(found, Sequence) else [found]

    def start(self) -> tuple[list[float], list[float]]:
        """Initial coordinates and velocities: as given, or those of the joints."""
        m = self.model
        q = [float(x) for x in self.q] if len(self.q) else [evaluate(x, m.values) for j in m.joints() for x in j.q0]
        v = [float(x) for x in self.v] if len(self.v) else [evaluate(x, m.values) for j in m.joints() for x in j.v0]
        if len(q) != m.nq or len(v) != m.nv or not np.isfinite([*q, *v]).all():
            raise ModelError(
                f"{len(q)} coordinates and {len(v)} velocities",
                element=self.name,
                cure=f"give {m.nq} finite numbers each",
            )
        return q, v

    @cached_property
    def function(self) -> Function:
        """(q, qd) → M, c, and position, rotation and Jacobian of every body, generated and compiled."""
        m = self.model
        if m.nq != m.nv or m.cuts or m.constraints:
            cure = "use joints without quaternions, and no loops"
            raise ModelError("a linkage must be a tree of hinges and slides", element=self.name, cure=cure)
        unknown = [link for link in self.shapes if link not in m.bodies]
        if unknown:
            raise ModelError("shapes for an unknown body", element=unknown[0], cure=f"use one of {self.links}")
        return compile_function(m, "linkage", live="none", loads=False)

    def inertia_of(self, link: str) -> tuple[float, Array, Array]:
        """Mass (kg), centre of mass (m, on the link's axes) and inertia about it (3, 3) of a body."""
        body, values = self.model.bodies[link], self.model.values
        xx, yy, zz, xy, xz, yz = (float(evaluate(x, values)) for x in body.inertia)
        com = np.array([float(evaluate(x, values)) for x in body.com])
        return float(evaluate(body.mass, values)), com, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def parents(self) -> list[int]:
        """For each link the index of its parent; -1 is the ground."""
        places = {name: k for k, name in enumerate(self.links)}
        return [places.get(body.on.rpartition(".")[0], -1) for body in self.model.bodies.values()]
