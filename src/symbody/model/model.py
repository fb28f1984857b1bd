"""A multibody system as pure data: bodies on joints, components, parameters and circuits."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeVar

from symbody.errors import ModelError, SizeWarning
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Parameter, Point
from symbody.model.circuit import Circuit
from symbody.model.components import (
    SENSED,
    Constraint,
    Coupling,
    Cut,
    ForceSite,
    Interaction,
    Limit,
    Link,
    NonholonomicConstraint,
    RollingContact,
    Sensor,
    Signal,
    State,
    UserInput,
)
from symbody.model.description import freedoms_text, model_html
from symbody.model.dropped import Dropped
from symbody.model.element_check import body_problems, cut_problems, odd_sizes
from symbody.model.file_shape import FileShape
from symbody.model.formula import Formula, Number, Vector
from symbody.model.hooks import portable
from symbody.model.law import Law
from symbody.model.number_check import identifier_problems
from symbody.model.plain_numbers import GRAVITY, gravity_vector, inertia_six, number, triple
from symbody.suggestions import did_you_mean
from symbody.units import quantity, require_si

L = TypeVar("L", bound=Law)

TIME = "t"  # the name of the time in laws


@dataclass(repr=False)
class Model:
    """A multibody system. Build it with the methods of this class, or `load` it from a file. `check` it before use.

    Parameters
    ----------
    name : str
    gravity : float or sequence of 3 float
        m/s², in the ground frame; one number g means (0, 0, −g). Default 9.81.
    parameters, inputs, states : dict
        Named numbers: adjustable in compiled code; given from outside while a system runs; with a rate of their own.
    bodies, ground : dict of str to Body, Body
        The tree. The order of the bodies is the order of their coordinates.
    links, joint_laws, couplings, force_sites, interactions : dict
        Forces: between two points, in a joint, in several joints, at a point, between two points with torque.
    cuts, constraints : dict
        Closed loops, and equations h(q) = 0 of the user.
    rolling_contacts, nonholonomic_constraints : dict
        Equations between velocities.
    trajectories : dict
        Motion of driven joints.
    sensors, signals, limits : dict
        Outputs: motion of points, values of the user, and values that must stay positive.
    circuits : dict of str to Circuit
        Hydraulic circuits.
    source, file : object, str or None
        The file that the model comes from, and its path.
    notes, dropped, shapes : list, list, dict
        What a reader changed and left out, and the looks of bodies.
    inertia_as_given : bool
        Whether moments of inertia that no body can have are accepted. Default False.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.Model("pendulum", gravity=9.81)
    >>> length = m.parameter("length", 0.5, unit="m")
    >>> bob = m.body("bob", joints="R2", mass=1.0, com=(0, 0, -length))
    >>> m.nv
    1
    >>> run = sb.simulate(m, until=1.0, dt=1e-3)
    """

    name: str
    gravity: Vector = (0.0, 0.0, -GRAVITY)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    bodies: dict[str, Body] = field(default_factory=dict)  # without the ground, in the order of their coordinates
    links: dict[str, Link] = field(default_factory=dict)
    cuts: dict[str, Cut] = field(default_factory=dict)
    force_sites: dict[str, ForceSite] = field(default_factory=dict)
    sensors: dict[str, Sensor] = field(default_factory=dict)
    ground: Body = field(default_factory=lambda: Body(GROUND, on=""))
    inputs: dict[str, UserInput] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    constraints: dict[str, Constraint] = field(default_factory=dict)
    nonholonomic_constraints: dict[str, NonholonomicConstraint] = field(default_factory=dict)
    rolling_contacts: dict[str, RollingContact] = field(default_factory=dict)
    signals: dict[str, Signal] = field(default_factory=dict)
    interactions: dict[str, Interaction] = field(default_factory=dict)
    couplings: dict[str, Coupling] = field(default_factory=dict)
    limits: dict[str, Limit] = field(default_factory=dict)
    circuits: dict[str, Circuit] = field(default_factory=dict)
    joint_laws: dict[str, Law] = field(default_factory=dict, compare=False)
    trajectories: dict[str, Law] = field(default_factory=dict, compare=False)
    source: Any = field(default=None, compare=False, repr=False)  # the rest of the file, to write it back
    file: str | None = field(default=None, compare=False)
    notes: list[str] = field(default_factory=list, compare=False)  # what a reader left out, added or changed
    dropped: list[Dropped] = field(default_factory=list, compare=False)  # parts of the file that the model leaves out
    shapes: dict[str, list[FileShape]] = field(default_factory=dict, compare=False, repr=False)  # looks from a file
    inertia_as_given: bool = field(default=False, compare=False)  # accept moments of inertia that no body can have

    def __post_init__(self) -> None:
        self.gravity = gravity_vector(self.gravity)

    def __repr__(self) -> str:
        sizes = {"bodies": len(self.bodies), "joint velocities": self.nv, "cuts": len(self.cuts)}
        return f"Model({self.name!r}: {', '.join(f'{n} {what}' for what, n in sizes.items())})"

    def __str__(self) -> str:
        return f"Model({self.name!r}: {len(self.bodies)} bodies, {freedoms_text(self)})"

    def _repr_html_(self) -> str:
        return model_html(self)

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(portable(self)))

    def __copy__(self) -> Model:
        return self._with(dict(vars(self)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self._with(deepcopy(vars(self), memo))

    @staticmethod
    def _with(content: dict[str, Any]) -> Model:
        """A model with this content. Laws stay the same functions, unlike in a pickle."""
        made = Model.__new__(Model)
        vars(made).update(content)
        return made

    def parameter(
        self, name: str, value: float, unit: str = "", low: float | None = None, high: float | None = None
    ) -> Formula:
        """Add a named number. The result can be used like a number, as in `-length / 2`.

        Parameters
        ----------
        name : str
        value : float or str
            In SI units; or a text with its unit, such as "20 N/mm".
        unit : str
            A coherent SI unit such as "N/m", or "" (default).
        low, high : float, optional
            The useful range; sliders end there.
        """
        self._new(self.parameters, name)
        given = quantity(value, unit, name)
        self._require(identifier_problems(name, name, f"parameters.{name}", "parameter"))
        require_si(unit, given, name)
        self.parameters[name] = Parameter(name, given, unit, low, high)
        return Formula(name)

    def body(
        self,
        name: str,
        on: Body | Point | str | None = None,
        joints: str | Iterable[str | Joint] = (),
        mass: Number = 0.0,
        com: Sequence[Number] = (0.0, 0.0, 0.0),
        inertia: Number | Sequence[Number] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body.

        Parameters
        ----------
        name : str
        on : Body, Point or str
            The point that carries the body; default: the ground's origin.
        joints : str or list of Joint
            For example "R2", "T1 T3 R2" or "free"; default: none, so that the body is welded to the point.
        mass : float
            kg, default 0.
        com : sequence of 3 float
            Centre of mass in the body frame, m, default 0.
        inertia : sequence or float
            About the centre of mass, kg m², default 0: (xx, yy, zz), (xx, yy, zz, xy, xz, yz), a symmetric 3 × 3
            matrix, or one number for all axes.
        """
        self._new(self.bodies, name)
        listed = joints.split() if isinstance(joints, str) else list(joints)
        usual = default_joint_names(name, ["" if isinstance(j, Joint) else j for j in listed])
        made = [j if isinstance(j, Joint) else Joint(usual[i], j) for i, j in enumerate(listed)]
        where = f"bodies.{name}"
        xx, yy, zz, xy, xz, yz = (number(x, f"{where}.inertia") for x in inertia_six(inertia, name))
        six = xx, yy, zz, xy, xz, yz
        body = Body(name, self._path(on), made, number(mass, f"{where}.mass"), triple(com, f"{where}.com"), six)
        self._require(body_problems(body, where, None))
        for remark in odd_sizes(body, None):
            warnings.warn(SizeWarning(f"{self.name}: {remark}"), stacklevel=2)
        self.bodies[name] = body
        return body

    def link(self, name: str, a: Body | Point | str, b: Body | Point | str) -> Link:
        """Add a force along the line between two points. Its law (length (m), rate (m/s), p) gives the tension (N)."""
        self._new(self.links, name)
        self.links[name] = Link(name, self._path(a), self._path(b))
        return self.links[name]

    def joint_force(self, joint: str) -> Callable[[L], L]:
        """Decorator for a law (q, qd, p) that gives the force (N, N m) of an elementary joint."""
        return self._attach(self.joint_laws, joint)

    def trajectory(self, joint: str) -> Callable[[L], L]:
        """Decorator for a law (t, p) that gives the coordinate of a driven joint. Its derivatives are exact."""
        return self._attach(self.trajectories, joint)

    def input(
        self, name: str, value: float = 0.0, unit: str = "", low: float | None = None, high: float | None = None
    ) -> UserInput:
        """Add a number that is set from outside while the system runs. Laws read it as `p.NAME`.

        Parameters
        ----------
        name : str
        value : float
            Initial value, in SI units, default 0.
        unit : str
            A coherent SI unit, or "" (default).
        low, high : float, optional
            The useful range; sliders end there.
        """
        self._new(self.inputs, name)
        given = quantity(value, unit, name)
        self._require(identifier_problems(name, name, f"inputs.{name}", "input"))
        require_si(unit, given, name)
        self.inputs[name] = UserInput(name, given, unit, low, high)
        return self.inputs[name]

    def state(self, name: str, start: Number = 0.0, scale: float = 1.0, unit: str = "") -> State:
        """Decorator for a law (s, p) that gives the rate of a state of the user. Laws read the state as `p.NAME`.

        start: initial value, default 0. scale: typical size for tolerances, default 1. unit: a coherent SI unit, or ""
        (default).
        """
        self._new(self.states, name)
        require_si(unit, 1.0, name)
        self.states[name] = State(name, start, float(scale), unit)
        return self.states[name]

    def constraint(self, name: str, count: int = 1) -> Constraint:
        """Decorator for a law (s, p) that gives the values of `count` equations h = 0 over the coordinates."""
        self._new(self.constraints, name)
        self.constraints[name] = Constraint(name, count)
        return self.constraints[name]

    def nonholonomic(self, name: str, count: int = 1) -> NonholonomicConstraint:
        """Decorator for a law (s, p) that gives `count` equations A(q) q̇ + b(q) = 0, linear in the velocities."""
        self._new(self.nonholonomic_constraints, name)
        self.nonholonomic_constraints[name] = NonholonomicConstraint(name, count)
        return self.nonholonomic_constraints[name]

    def rolling(
        self, name: str, kind: str, point: Body | Point | str, plane: Body | Point | str | None = None, **more: Any
    ) -> RollingContact:
        """Add a contact without slip between a body and a plane. The plane's normal is axis 3 of the point `plane`.

        Parameters
        ----------
        name : str
        kind : str
            "wheel" (radius=, m; axis=1, 2 or 3 is the axle, default 2; tube=, m, for a torus), "ball" (radius=) or
            "knife-edge" (axis= along the blade).
        point : Body, Point or str
            Centre of the wheel or ball, or the point of the blade that touches.
        plane : Body, Point or str
            Default: the ground's origin.
        """
        self._new(self.rolling_contacts, name)
        more = {"axis": 1, **more} if kind == "knife-edge" else more
        self.rolling_contacts[name] = RollingContact(name, kind, self._path(point), self._path(plane), **more)
        return self.rolling_contacts[name]

    def signal(self, name: str, count: int = 1, unit: str = "") -> Signal:
        """Decorator for a law (s, p) that gives an output of the system of this name, with `count` values.

        unit: a coherent SI unit, or "" (default).
        """
        self._new(self.signals, name)
        require_si(unit, 1.0, name)
        self.signals[name] = Signal(name, count, unit)
        return self.signals[name]

    def limit(self, name: str) -> Limit:
        """Decorator for a law (s, p) that gives a number that must stay positive while the system runs."""
        self._new(self.limits, name)
        self.limits[name] = Limit(name)
        return self.limits[name]

    def circuit(self, name: str, **oil: Any) -> Circuit:
        """Add a hydraulic circuit.

        Its methods add nodes and elements. `oil`: the numbers of `Circuit`, such as density.
        """
        self._new(self.circuits, name)
        self.circuits[name] = Circuit(name, **oil)
        return self.circuits[name]

    @property
    def has_loops(self) -> bool:
        """Whether there are constraints between coordinates."""
        return bool(self.cuts or self.constraints) or any(c.touches for c in self.rolling_contacts.values())

    @property
    def has_nonholonomic(self) -> bool:
        """Whether there are constraints between velocities only."""
        return bool(self.rolling_contacts or self.nonholonomic_constraints)

    @property
    def is_constrained(self) -> bool:
        """Whether there are constraints between coordinates or velocities."""
        return self.has_loops or self.has_nonholonomic

    def cut(self, name: str, kind: str, a: Body | Point | str, b: Body | Point | str, **more: Any) -> Cut:
        """Open a loop between two points; constraints close it.

        Parameters
        ----------
        name : str
        kind : str
            "ball", "rod" (with length=, m), "universal", "revolute", "solid", "planar-ball" or "planar-solid".
        a, b : Body, Point or str
        axis : int
            1, 2 or 3 (default 3): the hinge axis or the normal of the plane, in the frames of both points.
        """
        self._new(self.cuts, name)
        for option in more.keys() - {"length", "axis"}:
            raise ModelError(f"unknown option '{option}'", element=f"cuts.{name}", cure="use length= or axis=")
        cut = Cut(name, kind, self._path(a), self._path(b), **more)
        self._require(cut_problems(cut, f"cuts.{name}", None))
        self.cuts[name] = cut
        return cut

    def force_site(self, name: str, point: Body | Point | str) -> ForceSite:
        """Add a point where an external force and torque act.

        As a decorator it takes the law (at, p) that gives them.
        """
        self._new(self.force_sites, name)
        self.force_sites[name] = ForceSite(name, self._path(point))
        return self.force_sites[name]

    def interaction(self, name: str, a: Body | Point | str, b: Body | Point | str) -> Interaction:
        """Decorator for a law (a, b, p) that gives the force and torque between two points, acting on the second."""
        self._new(self.interactions, name)
        self.interactions[name] = Interaction(name, self._path(a), self._path(b))
        return self.interactions[name]

    def coupling(self, name: str, *joints: str) -> Coupling:
        """Decorator for a law (s, p) over the whole motion that gives one force for each of these elementary joints."""
        self._new(self.couplings, name)
        self.couplings[name] = Coupling(name, joints)
        return self.couplings[name]

    def sensor(self, name: str, point: Body | Point | str, quantities: Sequence[str] = SENSED) -> Sensor:
        """Add a point whose motion is an output. quantities: of `SENSED` (default: all of these) and `INERTIAL`."""
        self._new(self.sensors, name)
        self.sensors[name] = Sensor(name, self._path(point), tuple(quantities))
        return self.sensors[name]

    def __getitem__(self, path: str) -> Body | Point:
        """A body by its name, or a point by its path `body.point`."""
        if path == GROUND:
            return self.ground
        if path in self.bodies:
            return self.bodies[path]
        body, _, point = path.rpartition(".")
        if body == GROUND or body in self.bodies:
            return (self.ground if body == GROUND else self.bodies[body])[point]
        raise ModelError("unknown body or point", element=path, cure=did_you_mean(path, self.bodies, "bodies"))

    def point_at(self, path: str) -> Point:
        """The point at a path; a body's name means its origin."""
        found = self[path]
        return found[ORIGIN] if isinstance(found, Body) else found

    def joints(self) -> Iterator[Joint]:
        """All joints, in the order of their coordinates."""
        for body in self.bodies.values():
            yield from body.joints

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates q, in order: (nq,)."""
        return [name for joint in self.joints() for name in joint.coordinates]

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities q̇, in order: (nv,). For quaternion joints they differ from those of q."""
        return [name for joint in self.joints() for name in joint.velocities]

    @property
    def nq(self) -> int:
        """Number of coordinates q."""
        return sum(joint.nq for joint in self.joints())

    @property
    def nv(self) -> int:
        """Number of velocities q̇: the degrees of freedom without constraints."""
        return sum(joint.nv for joint in self.joints())

    @property
    def values(self) -> dict[str, float]:
        """Values of the named parameters, by name."""
        return {name: parameter.value for name, parameter in self.parameters.items()}

    @staticmethod
    def _attach(family: dict[str, Law], name: str) -> Callable[[L], L]:
        def attach(law: L) -> L:
            family[name] = law
            return law

        return attach

    def _require(self, problems: Iterator[ModelError]) -> None:
        """Raise the first problem of an element that is being added."""
        for error in problems:
            error.file = error.file or self.file
            raise error

    def _new(self, family: dict[str, Any], name: str) -> None:
        if name == TIME and any(family is named for named in (self.parameters, self.inputs, self.states)):
            raise ModelError(
                "the name 't' is reserved for the time", element=name, cure="give it another name", file=self.file
            )
        if name in family or name == GROUND:
            raise ModelError(
                "the model already has an element of this name", element=name, cure="rename one of them", file=self.file
            )

    def _path(self, place: Body | Point | str | None) -> str:
        if place is None:
            place = self.ground
        if isinstance(place, str):
            return self.point_at(place).path
        return place[ORIGIN].path if isinstance(place, Body) else place.path


def default_joint_names(body: str, kinds: Sequence[str]) -> list[str]:
    """`arm` for a single joint, `arm.R1` in a sequence, `arm.R1_3` when the sequence repeats the type."""
    if len(kinds) == 1:
        return [body]
    count = Counter(kinds)
    return [f"{body}.{kind}" if count[kind] == 1 else f"{body}.{kind}_{i}" for i, kind in enumerate(kinds, start=1)]
