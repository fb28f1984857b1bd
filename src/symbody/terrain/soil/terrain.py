"""Deformable ground for machines: `ground = sb.Terrain(heights, spacing)`, then `ground.wheel(…)`, `ground.tool(…)`.

Each step is an explicit exchange: bodies give their motion, and get forces of the soil.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from symbody.elements.tyre_slip import Tyre
from symbody.errors import ModelError
from symbody.model.body import Body, Point
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.realtime.chain import Chain, Stage
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper
from symbody.realtime.unclocked import Unclocked
from symbody.results.run import Run
from symbody.stepping.inputs import Signal
from symbody.stepping.step_options import FixedStep
from symbody.suggestions import did_you_mean
from symbody.system.options import SITE_INPUTS
from symbody.system.system import System, system
from symbody.terrain.height_map import Array, HeightMap
from symbody.terrain.soil.ground_contact import GROUND, GroundContact, contact_structures
from symbody.terrain.soil.material import Soil, loose_radius, material_numbers, particle_volume, soil_named
from symbody.terrain.soil.structures import (
    BORN,
    CROWDED,
    CULPRIT,
    DEEP,
    FINE,
    KEPT,
    MERGED,
    MOST_MOVED,
    NOT_A_NUMBER,
    OFF_TERRAIN,
    POINT_STATE,
    POURED,
    SEED,
    TOOL,
    TROUBLE,
    TYRE,
    WHEEL,
    MaterialOf,
    SoilOf,
    bucket_count,
    hired,
    library,
    soil_arrays,
)
from symbody.terrain.soil.tool_shape import ToolBox
from symbody.terrain.soil.tyre_on_ground import tyre_on_ground

MOST_CELLS = 512  # along x or y
MOST_PARTICLES = 5000
MOST_THREADS = 16
PITCH = 2.0 / 3.0  # of a cell, between force points: each cell under a face has one
SENSED = ("position", "rotation", "velocity", "omega")
COUNTED = {"soil.particles": "1", "soil.absorbed": "J"}
TROUBLES = {
    OFF_TERRAIN: ("is off the terrain", "use a larger terrain, or steer back"),
    DEEP: ("is deep in the ground at the start", "begin above the ground"),
    NOT_A_NUMBER: ("moves by numbers that are not finite", "check the commands and the model"),
    CROWDED: ("presses more particles together than the neighbour search can hold", "use larger particles"),
}
Place = Body | Point | str
Heights = HeightMap | Array | Callable[[Array, Array], Any]


class ParticleRows(NamedTuple):
    """Particles at one moment, a row each."""

    centres: Array  # (n, 3), m
    radii: Array  # m, with their voids
    void_ratios: Array
    numbers: Array  # from 1, in the order of their births since the start


class Terrain:
    """Ground that wheels and tools deform: cells with a height, and particles of loose soil.

    Parameters
    ----------
    heights : HeightMap, array (ny, nx) or function
        Heights (m): a map; an array with `spacing`; or a function h(x, y) over arrays, with `area` and `spacing`.
    spacing : float, optional
        m between the centres of two cells; default for a map: its own.
    origin : (float, float)
        x and y (m) of the first cell, for an array.
    area : (float, float, float, float), optional
        Least x and y, largest x and y (m), for a function.
    soil : Soil or str
        The material, or a name of `SOILS` (default "sand").
    particles : int
        The most particles at a time, up to 5000 (default 1000).
    particle_radius : float, optional
        m; default: 0.4 of the spacing.
    stiffness, friction : array (ny, nx), optional
        Of each cell: k_φ as a multiple of the soil's, and the friction angle (rad).
    merging : bool
        Whether particles at rest become ground (default True).
    seed : int
        Of the places of new particles. The same seed gives the same run, bit for bit.
    gravity : float
        m/s². Default 9.81.
    threads : int
        That share flow and particles, up to 16 (default 1). Their number does not change a bit of the result.

    Examples
    --------
    >>> import numpy as np
    >>> import symbody as sb
    >>> ground = sb.Terrain(np.zeros((20, 30)), spacing=0.1)
    >>> ground.heights.shape
    (20, 30)
    """

    def __init__(
        self,
        heights: Heights,
        spacing: float | None = None,
        origin: tuple[float, float] = (0.0, 0.0),
        *,
        area: tuple[float, float, float, float] | None = None,
        soil: Soil | str = "sand",
        particles: int = 1000,
        particle_radius: float | None = None,
        stiffness: Array | None = None,
        friction: Array | None = None,
        merging: bool = True,
        seed: int = 0,
        gravity: float = GRAVITY,
        threads: int = 1,
    ):
        self.start = _height_map(heights, spacing, origin, area)
        self.soil, self.gravity, self.merging = soil_named(soil), gravity, merging
        if not 0 <= particles <= MOST_PARTICLES:
            cure = f"use at most {MOST_PARTICLES}, and larger ones: particle_radius"
            raise ModelError(f"{particles} particles", element="terrain", cure=cure)
        radius = 0.4 * self.start.spacing if particle_radius is None else float(particle_radius)
        if not (np.isfinite(radius) and 0.0 < radius <= 2.0 * self.start.spacing):
            cure = f"use up to {2.0 * self.start.spacing:g} m, two cells"
            raise ModelError(f"particles with a radius of {radius} m", element="terrain", cure=cure)
        if not 0 <= int(seed) < 2**31 - 2:
            raise ModelError(f"a seed of {seed}", element="terrain", cure="use a positive integer below 2³¹ − 2")
        if not 1 <= int(threads) <= MOST_THREADS:
            raise ModelError(f"{threads} threads", element="terrain", cure=f"use 1 to {MOST_THREADS}")
        self.threads = int(threads)
        self._team: int | None = None
        self.capacity, self.particle_radius, self.seed = int(particles), radius, int(seed)
        self.contacts: list[GroundContact] = []
        shape = self.start.heights.shape
        self._modulus = self.soil.frictional_modulus * _cells(stiffness, shape, 1.0, "stiffness")
        self._grip = np.tan(_cells(friction, shape, self.soil.friction, "friction"))
        self._poured: list[tuple[Array, Array]] = []
        self._memory: dict[str, Array] | None = None
        self._structure: Any = None
        self._alive: tuple[Any, ...] = ()  # what the structure points to
        self._states: list[Array] = []  # of force points

    # -- bodies on the ground ----------------------------------------------------------------------------------------

    def wheel(
        self, m: Model, name: str, wheel: Place, radius: float, width: float, *, bulldozing: bool = False
    ) -> None:
        """Add a rigid wheel NAME by Bekker, Wong, Janosi and Hanamoto.

        Parameters
        ----------
        m : Model
        name : str
        wheel : Body, Point or str
            The centre of the wheel, which rotates about axis 2.
        radius, width : float
            m.
        bulldozing : bool
            Whether the wheel pushes soil ahead: the passive earth pressure over its sinkage resists its motion.
        """
        self._add(m, wheel, GroundContact(name, WHEEL, radius, width, bulldozing=bulldozing))

    def tyre(self, m: Model, name: str, wheel: Place, law: Tyre, width: float) -> None:
        """Add a tyre NAME with a law of `symbody.elements` on the ground, which gives way under its load.

        Parameters
        ----------
        m : Model
        name : str
        wheel : Body, Point or str
            The centre of the wheel, which rotates about axis 2.
        law : Tyre
            For example `BristleTyre`.
        width : float
            m.
        """
        self._add(m, wheel, GroundContact(name, TYRE, float(law.radius), width, float(law.stiffness)))
        tyre_on_ground(m, name, wheel, law)

    def tool(
        self, m: Model, name: str, body: Place, boxes: ToolBox | Sequence[ToolBox], pitch: float | None = None
    ) -> None:
        """Add a tool NAME, such as a blade or a bucket, that presses, cuts and pushes soil.

        Parameters
        ----------
        m : Model
        name : str
        body : Body, Point or str
            The point that carries the boxes.
        boxes : ToolBox or sequence of ToolBox
            Its plates.
        pitch : float, optional
            m, the largest distance between two force points of a face; default: two thirds of the spacing.
        """
        plates = (boxes,) if isinstance(boxes, ToolBox) else tuple(boxes)
        apart = PITCH * self.start.spacing if pitch is None else pitch
        self._add(m, body, GroundContact(name, TOOL, boxes=plates, pitch=apart))

    def reshape_tool(self, name: str, boxes: Sequence[ToolBox], pitch: float) -> None:
        """Give a tool other boxes before a start, also of a loop that exists; it must keep its number of force points.

        Parameters
        ----------
        name : str
        boxes : sequence of ToolBox
            As many as before, of one shape: scale `pitch` (m) with them.
        """
        place = next((k for k, contact in enumerate(self.contacts) if contact.name == name), None)
        if place is None:
            known = [contact.name for contact in self.contacts]
            raise ModelError("unknown tool", element=name, cure=did_you_mean(name, known, "tools"))
        changed = replace(self.contacts[place], boxes=tuple(boxes), pitch=pitch)
        new, old = changed.memory(), self.contacts[place].memory()
        if new.points.shape != old.points.shape or new.boxes.shape != old.boxes.shape:
            cure = "give boxes of the same shape, and scale the pitch"
            raise ModelError("another number of boxes or force points", element=name, cure=cure)
        self.contacts[place] = changed
        if self._alive:
            structures, kept = self._alive[1]
            kept[place].points[:], kept[place].boxes[:] = new.points, new.boxes
            replace(kept[place], hull=new.hull, reach=new.reach, breadth=new.breadth).fill(
                structures[place], changed, structures[place].u
            )

    def _add(self, m: Model, place: Place, contact: GroundContact) -> None:
        if contact.name in (other.name for other in self.contacts):
            raise ModelError("two contacts have this name", element=contact.name, cure="use another name")
        contact.memory()  # raises if there are too many force points
        m.sensor(contact.name, place, SENSED)
        m.force_site(contact.site, place)
        self.contacts.append(contact)

    # -- runs --------------------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[str]:
        """Inputs that `system` needs besides the model's own: the forces of the soil."""
        return [f"{contact.site}.force" for contact in self.contacts]

    def system(self, m: Model, outputs: Sequence[str] = ("default",), **options: Any) -> System:
        """A system whose inputs and outputs the terrain can exchange; options: those of `system`."""
        wanted = [*outputs, *(name for contact in self.contacts for name in contact.inputs)]
        more = options.pop("inputs", ())
        return system(m, inputs=[*more, *self.inputs], outputs=list(dict.fromkeys(wanted)), **options)

    def wires(self) -> dict[str, str]:
        """Inputs of a system and the outputs of the terrain that they get, for a `Stage` of the system."""
        forces = {f"{c.site}.{x}": f"{c.site}.{x}" for c in self.contacts for x in SITE_INPUTS}
        tyres = [c for c in self.contacts if c.kind == TYRE]
        ground = {f"{c.name}_{x.replace('.', '_')}": f"{c.site}.{x}" for c in tyres for x in GROUND}
        return forces | ground

    def stage(self) -> Stage:
        """The terrain as the first stage of a chain, before the system on it."""
        return Stage(self, {name: name for contact in self.contacts for name in contact.inputs})

    def chain(self, s: System, outputs: Sequence[str] = ("*",), substeps: int = 1) -> Chain:
        """Terrain and system as one source of the real-time loop; substeps: of the system in a step of the ground."""
        return Chain(s.model.name, [self.stage(), Stage(s, self.wires(), substeps=substeps)], outputs)

    def simulate(
        self,
        what: Model | System,
        until: float,
        dt: float = 1e-3,
        *,
        inputs: Mapping[str, Signal] | None = None,
        outputs: Sequence[str] = ("*",),
        every: float | None = None,
    ) -> Run:
        """Simulate a model on this terrain from its start, with an exchange at each step.

        Parameters
        ----------
        what : Model or System
            With all contacts of this terrain; a system is made by `system`.
        until, dt : float
            s; `dt` is the step of both.
        inputs : mapping, optional
            As in `simulate`: numbers, functions of time, or (times, values).
        outputs : sequence of str
            Channels to record, as patterns (default: all).
        every : float, optional
            s between records, a multiple of dt.

        Returns
        -------
        Run
            Afterwards `heights` and `particles` show the ground at its end.

        Raises
        ------
        ModelError
            If a body leaves the terrain, is deep in the ground at the start, or moves by numbers that are not finite.
        """
        s = what if isinstance(what, System) else self.system(what)
        steps = Unclocked(self.chain(s, outputs), dt)
        return steps.run(until, inputs or {}, every, stopped=lambda t: self.raise_trouble(t), model=s.model)

    def raise_trouble(self, t: float | None = None) -> None:
        """Raise ModelError if the soil stopped: it names the body, the time and the cure."""
        if self._memory is None or self._memory["count"][TROUBLE] == FINE:
            return
        problem, cure = TROUBLES[int(self._memory["count"][TROUBLE])]
        name = self.contacts[int(self._memory["count"][CULPRIT])].name if self.contacts else "particles"
        raise ModelError(problem if t is None else f"{problem} (t = {t:g} s)", element=name, cure=cure)

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The terrain as the loop steps it, from its first heights; it has its own method."""
        inputs = [name for contact in self.contacts for name in contact.inputs]
        units = {name: unit for contact in self.contacts for name, unit in contact.outputs.items()} | COUNTED
        u = np.zeros(max(len(inputs), 1))
        memory, contacts = self._fresh(), contact_structures(self.contacts, u)
        numbers = material_numbers(self.soil, self.gravity, self.start.spacing, self.particle_radius, dt)
        if not self.merging:
            numbers["calm_time"] = np.inf
        material = MaterialOf(**numbers)
        rows, columns = self.start.heights.shape
        if self.threads > 1 and self._team is None:
            self._team = hired(self, self.threads)
        structure: Any = SoilOf(
            **{name: array.ctypes.data for name, array in memory.items()},
            u=u.ctypes.data, material=ctypes.addressof(material), contacts=ctypes.addressof(contacts[0]),
            modulus=self._modulus.ctypes.data, grip=self._grip.ctypes.data, rows=rows, columns=columns,
            ncontacts=len(self.contacts), capacity=self.capacity, buckets=bucket_count(self.capacity),
            team=self._team, most_moved=MOST_MOVED, spacing=self.start.spacing, x0=self.start.origin[0],
            y0=self.start.origin[1], dt=dt,
        )  # fmt: skip
        self._memory, self._structure, self._alive = memory, structure, (u, contacts, material)
        self._states = [x.states for x in contacts[1] if len(x.states)]
        stepper = LoopStepper(
            (self, memory, self._alive),
            ctypes.cast(library().integrate, ctypes.c_void_p).value or 0, structure,
            (*(memory[name] for name in KEPT), *self._states),
            NONE.ctypes.data,
        )  # fmt: skip
        return LoopModel("terrain", inputs, u[: len(inputs)], list(units), np.zeros(len(units)), units, {}, stepper)

    def _fresh(self) -> dict[str, Array]:
        """The memory at the start."""
        rows, columns = self.start.heights.shape
        memory = soil_arrays(rows, columns, self.capacity, max(len(self.contacts), 1))
        memory["height"][:] = self.start.heights.ravel()
        memory["count"][SEED] = self.seed + 1.0
        memory["voids"][:] = self.soil.void_ratio + self.soil.loosening  # of poured soil; cut soil begins as ground
        memory["size"][:] = loose_radius(self.soil, self.particle_radius)
        first = 0
        for position, velocity in self._poured:
            some = slice(3 * first, 3 * (first + len(position)))
            memory["position"][some], memory["velocity"][some] = position.ravel(), velocity.ravel()
            memory["alive"][first : first + len(position)] = 1.0
            first += len(position)
        memory["born"][:first] = 1.0 + np.arange(first)
        memory["count"][POURED] = first
        return memory

    def pour(self, position: Any, velocity: Any = (0.0, 0.0, 0.0)) -> None:
        """Add particles at the start of the next run: positions (n, 3) (m) and velocities (m/s)."""
        places = np.atleast_2d(np.array(position, dtype=float))
        speeds = np.array(np.broadcast_to(velocity, places.shape), dtype=float)
        inside = self.start.contains(places[:, 0], places[:, 1])
        if places.shape[1] != 3 or not (np.isfinite(places).all() and np.isfinite(speeds).all() and inside.all()):
            cure = "give finite positions (n, 3) over the terrain, and finite velocities"
            raise ModelError("particles that are not over the terrain", element="terrain", cure=cure)
        count = len(places) + sum(len(some) for some, _ in self._poured)
        if count > self.capacity:
            cure = f"use Terrain(particles={count}), at most {MOST_PARTICLES}"
            raise ModelError(f"{count} particles, but room for {self.capacity}", element="terrain", cure=cure)
        self._poured.append((places, speeds))

    # -- the ground now ----------------------------------------------------------------------------------------------

    def _now(self) -> dict[str, Array]:
        return self._fresh() if self._memory is None else self._memory

    @property
    def heights(self) -> Array:
        """Heights now (ny, nx) (m), also while a loop runs."""
        return self._now()["height"].reshape(self.start.heights.shape)

    @property
    def height_map(self) -> HeightMap:
        """The ground now."""
        return HeightMap(self.heights.copy(), self.start.spacing, self.start.origin)

    @property
    def particles(self) -> Array:
        """Centres of the particles now (n, 3) (m), also while a loop runs."""
        now = self._now()
        return now["position"].reshape(-1, 3)[now["alive"] > 0.0]

    @property
    def void_ratios(self) -> Array:
        """Void ratio of each particle now (n,): that of the ground when it is cut, then growing by `Soil.loosening`."""
        now = self._now()
        return now["voids"][now["alive"] > 0.0]

    @property
    def particle_rows(self) -> ParticleRows:
        """All about the particles now, read at once while a loop runs."""
        now = self._now()
        alive = now["alive"] > 0.0
        rows = now["position"].reshape(-1, 3)[alive]
        return ParticleRows(rows, now["size"][alive], now["voids"][alive], now["born"][alive].astype(np.int64))

    @property
    def loose_volume(self) -> float:
        """Room (m³) that the particles take now, with their voids; on merging each gives back `particle_volume`."""
        return float(np.sum(1.0 + self.void_ratios)) * self.particle_volume / (1.0 + self.soil.void_ratio)

    @property
    def particle_volume(self) -> float:
        """Volume (m³) that one particle has in the ground."""
        return particle_volume(self.soil, self.particle_radius)

    @property
    def loose_radius(self) -> float:
        """Radius (m) of a particle of loose soil, the largest one."""
        return loose_radius(self.soil, self.particle_radius)

    @property
    def volume(self) -> float:
        """Volume (m³) of the ground above z = 0, of particles, and of cut soil on tools; only `pour` changes it."""
        loose = [states.reshape(-1, POINT_STATE)[:, -1].sum() for states in self._states]
        cells = np.sum(self.heights, dtype=np.longdouble) + sum(loose)
        return float(cells * self.start.spacing**2) + len(self.particles) * self.particle_volume

    @property
    def steepest(self) -> float:
        """The steepest slope now (rad), by differences to the next cells along x and y."""
        h, d = self.heights, self.start.spacing
        return float(np.arctan(np.hypot(np.diff(h, axis=1)[:-1], np.diff(h, axis=0)[:, :-1]).max() / d))

    @property
    def cut_and_merged(self) -> tuple[int, int]:
        """How many particles were cut and merged since the start."""
        count = self._now()["count"]
        return int(count[BORN]), int(count[MERGED])

    def settle(self, steps: int = 100_000) -> int:
        """Let slopes flow without bodies until they rest; returns the number of steps. The result is the new start."""
        if self._structure is None:
            self.loop_model(1e-3, 1, FixedStep())
        settle = library().settle
        settle.restype, settle.argtypes = ctypes.c_int64, [ctypes.c_void_p, ctypes.c_int64]
        made = int(settle(ctypes.addressof(self._structure), steps))
        self.start = self.height_map
        return made

    def settled(self) -> Terrain:
        """A copy of the ground now without bodies and particles, after its slopes have settled."""
        grip, modulus = (x.reshape(self.start.heights.shape) for x in (self._grip, self._modulus))
        made = Terrain(
            self.height_map, soil=self.soil, particles=0, gravity=self.gravity, friction=np.arctan(grip),
            stiffness=modulus / self.soil.frictional_modulus,
        )  # fmt: skip
        made.settle()
        return made

    def base_pressure(self, base: float, block: float = 0.1, side: float = 0.25) -> Array:
        """Pressure (Pa) at the level `base` (m) under each cell (ny, nx), from the weight above and the loads now.

        The soil is a stack of layers of blocks. A block passes its load to nine blocks of the layer below, by the
        kernel (side, 1 − 2 side, side) along x and y: p₀ = Σₙ φⁿ ∗ mⁿ with the n-fold kernel φⁿ (Pub. V, 13 and 14).

        Parameters
        ----------
        base : float
            m, below all heights.
        block : float
            Height of a block (m).
        side : float
            0 to ½.
        """
        high = float(self.heights.max()) - base
        layers = int(np.ceil(high / block)) if block > 0.0 and high > 0.0 else 0
        if not (0.0 <= side <= 0.5 and 1 <= layers <= 1000):
            cure = "give a base below the ground, up to 1000 blocks above it, and a side of 0 to 0.5"
            raise ModelError(f"base {base} m, block {block} m, side {side}", element="terrain", cure=cure)
        if self._structure is None:
            self.loop_model(1e-3, 1, FixedStep())
        pressure, work = np.zeros(self.heights.size), np.zeros(self.heights.size)
        function = library().base_pressure
        function.restype = None
        function.argtypes = [ctypes.c_void_p, *3 * [ctypes.c_double], ctypes.c_int64, *2 * [ctypes.c_void_p]]
        function(ctypes.addressof(self._structure), base, block, side, layers, pressure.ctypes.data, work.ctypes.data)
        return pressure.reshape(self.heights.shape)


def _height_map(
    heights: Heights, spacing: float | None, origin: tuple[float, float], area: tuple[float, ...] | None
) -> HeightMap:
    """The start as a map of at most 512 × 512 cells."""
    if callable(heights):
        if area is None or spacing is None or not spacing > 0.0:
            cure = "give area=(least x, least y, largest x, largest y) and spacing (m)"
            raise ModelError("a function without an area", element="terrain", cure=cure)
        x, y = (np.arange(low, high + 0.5 * spacing, spacing) for low, high in zip(area[:2], area[2:], strict=True))
        _check_size((len(y), len(x)))
        X, Y = np.meshgrid(x, y)
        made = np.broadcast_to(np.asarray(heights(X, Y), dtype=float), X.shape).copy()
        return HeightMap(made, spacing, (float(area[0]), float(area[1])))
    if isinstance(heights, HeightMap):
        if spacing is None or spacing == heights.spacing:
            _check_size(heights.heights.shape)
            return heights
        (x0, x1), (y0, y1) = heights.x[[0, -1]], heights.y[[0, -1]]
        return _height_map(heights.height, spacing, origin, (float(x0), float(y0), float(x1), float(y1)))
    if spacing is None:
        raise ModelError("heights without a spacing", element="terrain", cure="give spacing (m)")
    grid = np.array(heights, dtype=float)
    if grid.ndim == 2:
        _check_size(grid.shape)
    return HeightMap(grid, float(spacing), origin)


def _check_size(shape: tuple[int, ...]) -> None:
    if max(shape) > MOST_CELLS:
        cure = f"use at most {MOST_CELLS} × {MOST_CELLS} cells, or a larger spacing"
        raise ModelError(f"{shape[1]} × {shape[0]} cells", element="terrain", cure=cure)


def _cells(given: Array | None, shape: tuple[int, ...], usual: float, name: str) -> Array:
    """A number of each cell, flat."""
    if given is None:
        return np.full(int(np.prod(shape)), usual)
    values = np.array(given, dtype=float)
    if values.shape != shape or not (np.isfinite(values).all() and (values > 0.0).all()):
        cure = f"give positive numbers of the shape {shape}"
        raise ModelError(f"{name} of the shape {values.shape}", element="terrain", cure=cure)
    return np.ascontiguousarray(values.ravel())
