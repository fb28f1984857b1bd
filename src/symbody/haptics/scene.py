"""A haptic scene: bodies and linkages with convex shapes, walls, a tool in the hand; stepped in C at a fixed rate.

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
TOUCHING = 1e-7  # m by which shapes may overlap at first: rounding
MARGIN = 0.005  # m, within which constraints see what comes
FAR = 0.5  # of the thinnest shape: what moves further in a tick may pass through it
INPUTS = of.HAND + of.POSE  # of a tick: the hand's push, and a pose


@dataclass(frozen=True)
class HapticContact:
    """Two shapes that touch: names, place, normal from b to a, separation (m), closing below zero (m/s), force on a."""

    a: str
    b: str
    point: Array
    normal: Array
    s: float
    vn: float
    force: Array


class HapticScene:
    """A scene in the memory of C; `run` makes ticks.

    walls: shapes of the ground, by name. tool: the object in the hand, or "LINKAGE.LINK"; at: the place of its link
    where it is held (m), or its centre of mass. gravity: m/s². None of them in the hand: bodies move by themselves.
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

    # -- making it ---------------------------------------------------------------------------------------------------

    def _is_planar(self) -> bool:
        shapes = [shape for _, _, shape in self._shapes()]
        flat = [isinstance(shape, Polygon) for shape in shapes]
        if any(flat) and not all(flat):
            raise ModelError("polygons and polyhedra in one scene", cure="use one kind")
        planar = [one.planar if isinstance(one, Linkage) else np.ndim(one.inertia) == 0 for one in self.objects]
        if not flat:
            return all(planar)
        for one in self.objects:
            if all(flat) and isinstance(one, Linkage) and not one.planar:
                raise ModelError("a linkage that leaves the plane", element=one.name, cure="use polyhedra")
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
        """Take another body or link into the hand, at its centre of mass or a place (m); the device goes there."""
        names = {one.name: (k, 0) for k, one in enumerate(self.objects) if isinstance(one, HapticBody)}
        for k, one in enumerate(self.objects):
            if isinstance(one, Linkage):
                names |= {f"{one.name}.{link}": (k, i) for i, link in enumerate(one.links)}
        if not isinstance(tool, str) or tool not in names:  # there is one hand: no list of tools
            raise ModelError("no such tool", element=str(tool), cure=f"it is one of {', '.join(names)}")
        held, link = names[tool]
        made = self.c.links[self.c.objects[held].link + link]
        give_inertia(made, tool, self.planar)
        self.c.held, self.c.settings.hold = held, link
        if at is not None:
            made.hold[:] = in_space("at", at)

    def _check_start(self) -> None:
        """Refuse bodies that overlap, and put the device where the tool is held."""
        if not self._look():
            raise ModelError("a mass matrix that is not positive at the start", cure="give every link mass and inertia")
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
        """Have C call a generated function, and the better one when it is there."""
        if function.backend != "c":
            raise ModelError("haptic scenes are stepped in C", cure="install a C compiler")
        self._functions.append(function)
        place(function)
        function.when_optimised(partial(place, function))

    # -- what it is told and asked -----------------------------------------------------------------------------------

    @property
    def nh(self) -> int:
        """Axes of the hand: three in the plane, six in space."""
        return int(self.c.nh)

    def use(self, rendering: Rendering) -> None:
        """Other settings, from the next tick on."""
        numbers = rendering.numbers(self.nh)
        self.rendering = rendering
        fill(self.c.settings, numbers)

    def reset(self) -> None:
        """Everything as at the start."""
        ctypes.memmove(ctypes.byref(self.c.memory), self._first, len(self._first))
        ctypes.memset(ctypes.byref(self.c.record), 0, ctypes.sizeof(self.c.record))

    @property
    def q(self) -> Array:
        """Coordinates of all objects, one behind the other; a view that can be written."""
        return np.ctypeslib.as_array(self.c.memory.q)[: self.c.nq]

    @property
    def v(self) -> Array:
        """Velocities of all objects; a view that can be written."""
        return np.ctypeslib.as_array(self.c.memory.v)[: self.c.nv]

    def displace(self, offset: Sequence[float]) -> None:
        """Put the device somewhere off where it is: m, and rad as a rotation vector."""
        m, given = self.c.memory, [float(x) for x in offset]
        if len(given) != self.nh or not np.isfinite(given).all():
            raise ModelError(f"an offset of {len(given)} numbers", cure=f"give {self.nh}, finite")
        of.library().scene_displace(ctypes.byref(self.c), (ctypes.c_double * self.nh)(*given))
        m.measured[:] = m.x[:]

    def tool_motion(self) -> tuple[list[float], list[float]]:
        """Pose and velocity of the hold: (x, y, angle), or (x, y, z, quaternion) and (v, ω)."""
        x, xd = (ctypes.c_double * of.POSE)(), (ctypes.c_double * of.HAND)()
        of.library().scene_hold(ctypes.byref(self.c), x, xd)
        return list(x)[: self.c.np], list(xd)[: self.nh]

    @property
    def notes(self) -> list[str]:
        """What is not as it was asked for: gains of the coupling that are too high for the tick, at this pose."""
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
            f"{gain}: {used:.3g} instead of {wanted:.3g}, for the tick" for gain, wanted, used in asked if used < wanted
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Ticks in which the device was lost, its hand bounded, the tick undone, the hold singular; contacts lost."""
        names = ("ticks", "lost", "bounded", "faults", "dropped", "singular")
        return {name: int(getattr(self.c.memory, name)) for name in names}

    def _name(self, shape: int) -> str:
        return self.shape_names[shape] if shape >= 0 else "constraint"

    def contacts(self) -> list[HapticContact]:
        """What touched in the last tick."""
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
        """What n ticks are given: the hand's push (N, N m), and a pose where the hand wants to be or the device is."""
        rows = np.zeros((n, INPUTS))
        start = self.c.memory.ticks
        rows[:, of.HAND :] = np.array(self.c.memory.x)
        for given, first, size in ((push, 0, self.nh), (pose, of.HAND, int(self.c.np))):
            if given is None:
                continue
            values: Any = [given((start + k) * self.dt) for k in range(n)] if callable(given) else given
            found = np.asarray(values, dtype=float)
            if found.shape not in ((size,), (n, size)):
                cure = f"give {size} numbers, or a row of them for each tick"
                raise ModelError(f"a push or pose of shape {found.shape}", cure=cure)
            rows[:, first : first + size] = found
        return rows

    def run(self, seconds: float, push: Push | None = None, pose: Push | None = None, *, strict: bool = True) -> Log:
        """Make ticks; a record of each. strict: what had to be undone or left out is an error."""
        n = max(0, round(seconds * self.rate))
        log = np.zeros(n, dtype=of.RECORD)
        self.advance(self.inputs(n, push, pose), log)
        if strict:
            self.refuse_faults(log)
        return log

    def advance(self, inputs: Array, log: Log | None = None) -> None:
        """A tick for each row of inputs (INPUTS numbers)."""
        run = of.library().scene_run
        run(ctypes.byref(self.c), len(inputs), inputs.ctypes.data, INPUTS, None if log is None else log.ctypes.data)

    def times(self, seconds: float, push: Push | None = None, pose: Push | None = None) -> Array:
        """Make ticks one by one, and say how long each took (s), with some 1 µs of Python's call."""
        inputs = self.inputs(max(0, round(seconds * self.rate)), push, pose)
        run, scene, took = of.library().scene_run, ctypes.byref(self.c), np.zeros(len(inputs))
        for k, place in enumerate(range(inputs.ctypes.data, inputs.ctypes.data + inputs.nbytes, inputs.strides[0])):
            began = perf_counter_ns()
            run(scene, 1, place, 0, None)
            took[k] = 1e-9 * (perf_counter_ns() - began)
        return took

    def impact(self) -> tuple[float, float]:
        """One impact of all that touches now and closes; kinetic energy before and after (J)."""
        if not self._look():
            raise ModelError("a mass matrix that is not positive", cure="give every link mass and inertia")
        of.library().scene_impact(ctypes.byref(self.c))
        return float(self.c.record.before), float(self.c.record.after)

    def refuse_faults(self, log: Log) -> None:
        """An error where contacts had no room, or ticks were undone."""
        m = self.c.memory
        if m.dropped:
            cure = f"a scene holds {of.CONTACTS}: use fewer or simpler shapes"
            raise ModelError(f"{m.dropped} contacts had no room", cure=cure)
        if m.faults:
            raise DivergenceError(f"{m.faults} ticks left the numbers and were undone", state=log)
