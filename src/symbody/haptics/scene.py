"""A haptic scene: bodies and linkages with convex shapes, walls, and a tool in the hand; stepped in C at a fixed rate.

scene = HapticScene([peg], {"floor": rectangle(0.2, 0.02, (0.0, -0.05))}, tool="peg", rate=512.0)
log = scene.run(2.0, push=(0.32, -0.4, 0.0))
log["tool"][:, 1]
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.codegen import Function
from symbody.errors import DivergenceError, ModelError
from symbody.haptics import structures as of
from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.friction import friction_functions
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene_memory import fill, give_inertia, place_objects, place_pairs, place_shapes, set_law
from symbody.haptics.settings import Rendering, finite, in_space
from symbody.haptics.shapes import Array, Polygon, Shape, thickness

Push = Sequence[float] | Array | Callable[[float], Sequence[float]]
Log = NDArray[Any]  # records of ticks: fields of record_t
TOUCHING = 1e-7  # m: allowed initial overlap of shapes (rounding)
MARGIN = 0.005  # m: distance within which approaching surfaces become constraints
FAR = 0.5  # of the thinnest shape: a body that moves further in a tick may pass through it
INPUTS = of.HAND + of.POSE  # of a tick: the hand's push, and a pose


@dataclass(frozen=True)
class HapticContact:
    """Two shapes in contact.

    Parameters
    ----------
    a, b : str
        Names of the shapes.
    point : array
        Position (m).
    normal : array
        Unit normal from b to a.
    s : float
        Separation (m).
    vn : float
        Separation rate (m/s).
    force : array
        Force on a (N).
    """

    a: str
    b: str
    point: Array
    normal: Array
    s: float
    vn: float
    force: Array


class HapticScene:
    """A scene in C memory; `run` makes ticks.

    Parameters
    ----------
    objects : sequence of HapticBody or Linkage
        Moving objects.
    walls : mapping name → shape, optional
        Shapes of the ground.
    tool : str, optional
        The object in the hand, or "LINKAGE.LINK". None: nothing is held, and the bodies move freely.
    at : sequence of float, optional
        The point of the tool's link where it is held (m; default: its centre of mass).
    rate : float
        Ticks per second (default 512).
    rendering : Rendering, optional
        Contact, friction, controller and limits.
    device : HapticDevice, optional
        The device between hand and tool.
    hand : HapticHand, optional
        The simulated hand.
    gravity : sequence of float
        m/s² (default: none).

    Raises
    ------
    ModelError
        If shapes overlap initially, the tool is unknown, or the scene is too large.
    """

    def __init__(
        self,
        objects: Sequence[HapticBody | Linkage],
        walls: Mapping[str, Shape] | None = None,
        *,
        tool: str | None = None,
        at: Sequence[float] | None = None,
        rate: float = 512.0,
        rendering: Rendering | None = None,
        device: HapticDevice | None = None,
        hand: HapticHand | None = None,
        gravity: Sequence[float] = (0.0, 0.0, 0.0),
    ):
        self.rate, self.dt = finite("rate", rate, 1.0, 1e5), 1.0 / rate
        self.objects, self.walls = list(objects), dict(walls or {})
        self._functions: list[Function] = []
        self.planar = self._is_planar()
        self.c = of.SceneOf(dt=self.dt, margin=MARGIN, held=of.GROUND)
        self.c.nh, self.c.np = (3, 3) if self.planar else (of.HAND, of.POSE)
        self._work = np.zeros(of.work_size() // 8 + 1)
        self.c.work = self._work.ctypes.data
        place_objects(self.c, self.objects, self.planar, self._call)
        place_shapes(self.c, list(self._shapes()))
        place_pairs(self.c, self.objects)
        self.shape_names = [name for name, _, _ in self._shapes()]
        self.c.travel = FAR * min((thickness(shape) for _, _, shape in self._shapes()), default=1.0)
        self.c.settings.gravity = in_space("gravity", gravity)
        self.use(rendering or Rendering())
        self.device, self.hand = device or HapticDevice(), hand or HapticHand()
        fill(self.c.device, {**self.device.numbers(self.nh, self.dt), **self.hand.numbers(self.nh)})
        for k, law in enumerate(friction_functions()):
            self._call(law, partial(set_law, self.c, k))
        if tool is not None:
            self.hold(tool, at)
        self._check_start()

    # -- construction ------------------------------------------------------------------------------------------------

    def _is_planar(self) -> bool:
        shapes = [shape for _, _, shape in self._shapes()]
        flat = [isinstance(shape, Polygon) for shape in shapes]
        if any(flat) and not all(flat):
            raise ModelError("a scene cannot mix polygons and polyhedra", cure="use one kind")
        planar = [one.planar if isinstance(one, Linkage) else np.ndim(one.inertia) == 0 for one in self.objects]
        if not flat:
            return all(planar)
        for one in self.objects:
            if all(flat) and isinstance(one, Linkage) and not one.planar:
                raise ModelError("the linkage leaves the plane of the scene", element=one.name, cure="use polyhedra")
        return all(flat)

    def _shapes(self) -> Iterator[tuple[str, int, Shape]]:
        """Names, links and shapes, in the order of C."""
        link = 0
        for one in self.objects:
            parts = [one.listed] if isinstance(one, HapticBody) else [one.shapes_of(name) for name in one.links]
            names = [one.name] if isinstance(one, HapticBody) else [f"{one.name}.{name}" for name in one.links]
            for name, shapes in zip(names, parts, strict=True):
                yield from ((name, link, shape) for shape in shapes)
                link += 1
        yield from ((name, of.GROUND, shape) for name, shape in self.walls.items())

    def hold(self, tool: str, at: Sequence[float] | None = None) -> None:
        """Hold another body or link, at its centre of mass or a point (m); the device moves there."""
        names = {one.name: (k, 0) for k, one in enumerate(self.objects) if isinstance(one, HapticBody)}
        for k, one in enumerate(self.objects):
            if isinstance(one, Linkage):
                names |= {f"{one.name}.{link}": (k, i) for i, link in enumerate(one.links)}
        if not isinstance(tool, str) or tool not in names:  # one hand: a list of tools is not allowed
            raise ModelError("unknown tool", element=str(tool), cure=f"use one of {', '.join(names)}")
        held, link = names[tool]
        made = self.c.links[self.c.objects[held].link + link]
        give_inertia(made, tool, self.planar)
        self.c.held, self.c.settings.hold = held, link
        if at is not None:
            made.hold[:] = in_space("at", at)

    def _check_start(self) -> None:
        """Raise if bodies overlap, and put the device where the tool is held."""
        if not self._look():
            raise ModelError("the mass matrix is not positive at the start", cure="give every link mass and inertia")
        deepest = min(self.contacts(), key=lambda c: c.s, default=None)
        if deepest is not None and deepest.s < -TOUCHING:
            problem = f"{deepest.a} and {deepest.b} overlap by {-1e3 * deepest.s:.3g} mm at the start"
            raise ModelError(problem, element=deepest.a, cure="move them apart")
        self.c.memory.ncontacts = 0
        if self.c.held >= 0:
            x, xd = self.tool_motion()
            m = self.c.memory
            m.x[: self.c.np], m.measured[: self.c.np] = x, x
            m.xd[: self.nh] = xd
            m.link = self.c.objects[self.c.held].link + self.c.settings.hold
        self._first = bytes(self.c.memory)

    def _call(self, function: Function, place: Callable[[Function], None]) -> None:
        """Let C call a generated function, and its optimised version when it is compiled."""
        if function.backend != "c":
            raise ModelError("haptic scenes are stepped in C", cure="install a C compiler")
        self._functions.append(function)
        place(function)
        function.when_optimised(partial(place, function))

    # -- settings and state ------------------------------------------------------------------------------------------

    @property
    def nh(self) -> int:
        """Number of axes of the hand: three in the plane, six in space."""
        return int(self.c.nh)

    def use(self, rendering: Rendering) -> None:
        """Use other settings from the next tick on."""
        numbers = rendering.numbers(self.nh)
        self.rendering = rendering
        fill(self.c.settings, numbers)

    def reset(self) -> None:
        """Return to the initial state."""
        ctypes.memmove(ctypes.byref(self.c.memory), self._first, len(self._first))
        ctypes.memset(ctypes.byref(self.c.record), 0, ctypes.sizeof(self.c.record))

    @property
    def q(self) -> Array:
        """Coordinates of all objects in one array; a writable view."""
        return np.ctypeslib.as_array(self.c.memory.q)[: self.c.nq]

    @property
    def v(self) -> Array:
        """Velocities of all objects in one array; a writable view."""
        return np.ctypeslib.as_array(self.c.memory.v)[: self.c.nv]

    def displace(self, offset: Sequence[float]) -> None:
        """Move the device away from its position: m, and rad as a rotation vector."""
        m, given = self.c.memory, [float(x) for x in offset]
        if len(given) != self.nh or not np.isfinite(given).all():
            raise ModelError(f"an offset of {len(given)} numbers", cure=f"give {self.nh} finite numbers")
        of.library().scene_displace(ctypes.byref(self.c), (ctypes.c_double * self.nh)(*given))
        m.measured[:] = m.x[:]

    def tool_motion(self) -> tuple[list[float], list[float]]:
        """Pose and velocity where the tool is held: (x, y, angle), or (x, y, z, quaternion) and (v, ω)."""
        x, xd = (ctypes.c_double * of.POSE)(), (ctypes.c_double * of.HAND)()
        of.library().scene_hold(ctypes.byref(self.c), x, xd)
        return list(x)[: self.c.np], list(xd)[: self.nh]

    @property
    def notes(self) -> list[str]:
        """Coupling gains that were reduced because they are too high for the tick at this pose."""
        if self.c.held < 0 or not self._look():
            return []
        k, b = np.zeros(of.HAND + 1), np.zeros(of.HAND + 1)
        of.library().scene_gains(ctypes.byref(self.c), k.ctypes.data, b.ctypes.data)
        now, axes = self.c.settings, range(self.nh)
        asked = [
            *((f"stiffness of the coupling, axis {axis + 1}", now.couple_k[axis], k[axis]) for axis in axes),
            *((f"damping of the coupling, axis {axis + 1}", now.couple_b[axis], b[axis]) for axis in axes),
            ("k_tc", now.k_tc, k[self.nh]),
            ("b_tc", now.b_tc, b[self.nh]),
        ]
        return [
            f"{gain}: {used:.3g} instead of {wanted:.3g}, because of the length of a tick"
            for gain, wanted, used in asked
            if used < wanted
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Counters of ticks: device lost, hand force limited, rolled back, hold singular; and of dropped contacts."""
        names = ("ticks", "lost", "bounded", "faults", "dropped", "singular")
        return {name: int(getattr(self.c.memory, name)) for name in names}

    def _name(self, shape: int) -> str:
        return self.shape_names[shape] if shape >= 0 else "constraint"

    def contacts(self) -> list[HapticContact]:
        """Contacts of the last tick."""
        m = self.c.memory
        return [
            HapticContact(
                self._name(c.a), self._name(c.b), np.array(c.point), np.array(c.normal), c.s, c.vn, np.array(c.force)
            )
            for c in m.contacts[: m.ncontacts]
        ]

    def _look(self) -> bool:
        return bool(of.library().scene_look(ctypes.byref(self.c)))

    # -- ticks -------------------------------------------------------------------------------------------------------

    def inputs(self, n: int, push: Push | None, pose: Push | None) -> Array:
        """Inputs of n ticks: the hand's push (N, N m), and a pose (target of the hand, or of an external device)."""
        rows = np.zeros((n, INPUTS))
        start = self.c.memory.ticks
        rows[:, of.HAND :] = np.array(self.c.memory.x)
        for given, first, size in ((push, 0, self.nh), (pose, of.HAND, int(self.c.np))):
            if given is None:
                continue
            values: Any = [given((start + k) * self.dt) for k in range(n)] if callable(given) else given
            found = np.asarray(values, dtype=float)
            if found.shape not in ((size,), (n, size)):
                cure = f"give {size} numbers, or one row of them per tick"
                raise ModelError(f"a push or pose of shape {found.shape}", cure=cure)
            rows[:, first : first + size] = found
        return rows

    def run(self, seconds: float, push: Push | None = None, pose: Push | None = None, *, strict: bool = True) -> Log:
        """Make ticks and return a record of each. strict: rolled-back ticks or dropped contacts raise an error."""
        n = max(0, round(seconds * self.rate))
        log = np.zeros(n, dtype=of.RECORD)
        self.advance(self.inputs(n, push, pose), log)
        if strict:
            self.refuse_faults(log)
        return log

    def advance(self, inputs: Array, log: Log | None = None) -> None:
        """Make one tick per row of inputs (INPUTS numbers)."""
        run = of.library().scene_run
        run(ctypes.byref(self.c), len(inputs), inputs.ctypes.data, INPUTS, None if log is None else log.ctypes.data)

    def times(self, seconds: float, push: Push | None = None, pose: Push | None = None) -> Array:
        """Make ticks one by one and return the duration of each (s), including about 1 µs for the call from Python."""
        inputs = self.inputs(max(0, round(seconds * self.rate)), push, pose)
        run, scene, took = of.library().scene_run, ctypes.byref(self.c), np.zeros(len(inputs))
        for k, place in enumerate(range(inputs.ctypes.data, inputs.ctypes.data + inputs.nbytes, inputs.strides[0])):
            began = perf_counter_ns()
            run(scene, 1, place, 0, None)
            took[k] = 1e-9 * (perf_counter_ns() - began)
        return took

    def impact(self) -> tuple[float, float]:
        """One impact of all closing contacts; kinetic energy before and after (J)."""
        if not self._look():
            raise ModelError("the mass matrix is not positive", cure="give every link mass and inertia")
        of.library().scene_impact(ctypes.byref(self.c))
        return float(self.c.record.before), float(self.c.record.after)

    def refuse_faults(self, log: Log) -> None:
        """Raise if contacts were dropped or ticks were rolled back."""
        m = self.c.memory
        if m.dropped:
            cure = f"a scene holds {of.CONTACTS}: use fewer or simpler shapes"
            raise ModelError(f"{m.dropped} contacts were dropped", cure=cure)
        if m.faults:
            raise DivergenceError(f"{m.faults} ticks diverged and were rolled back", state=log)
