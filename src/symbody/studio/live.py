"""A machine in the real-time loop: hands on its controls and its bodies, its numbers on dials."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError, SymbodyError
from symbody.model.model import Model
from symbody.nearest import did_you_mean
from symbody.realtime.loop import Loop
from symbody.realtime.rejected import Rejected
from symbody.results.run import Run
from symbody.studio.dial import Dial
from symbody.studio.hands import Hands
from symbody.studio.machine import Machine
from symbody.studio.messages import (
    MOST_CHANNELS,
    LetGo,
    Message,
    Move,
    Pause,
    Pilot,
    Play,
    Pull,
    Release,
    Reset,
    Set,
    Speed,
    Step,
)  # fmt: skip
from symbody.studio.model_machine import model_machine
from symbody.studio.poses import Array, Poses
from symbody.studio.pull import HELD, INPUTS, grip, pullable_frames
from symbody.studio.sounds import sound_channels
from symbody.studio.source import StudioSource
from symbody.system.motion_names import coordinate_names
from symbody.system.options import MEASURED
from symbody.system.system import System
from symbody.visual.geometry import Geometry
from symbody.visual.motion import camera
from symbody.visual.page import page_data, sides
from symbody.visual.scene import Scene
from symbody.visual.shapes import geometry_parameters, scene
from symbody.visual.urdf_shapes import urdf_looks

FORESEEN, GLANCES = 1.5, 40  # s of motion that the camera looks at beforehand, and instants of it
LATE = 0.1  # s that are caught up; a loop that is later drops them and goes on
MARKS = ("ground", "joint", "mass", "point")  # roles of parts that stand for something, and look like nothing
HEAVY = 0.7  # of real time
SETTLED = 0.02  # s in time again after which it does


class Live(StudioSource):
    """A machine that runs until it is closed, or a model as a machine without controls but with a hand on its bodies.

    values: parameters and inputs of a model, set before it starts.
    """

    kind = "live"

    def __init__(
        self,
        what: Model | Machine,
        rate: float = 1000.0,
        method: str | None = None,
        values: Mapping[str, float] | None = None,
    ):
        machine = model_machine(what, rate, method, values or {}) if isinstance(what, Model) else what
        s, model = machine.system, machine.system.model
        self.machine, self.title, self._model = machine, machine.title, model
        self.sounds = machine.sounds
        self.pulled = pullable_frames(model) if HELD in s.inputs else {}
        moved = {control.name for control in machine.controls}
        self._inputs = {
            name: float(x)
            for name, x in zip(s.inputs, s.u0, strict=True)
            if name not in {*INPUTS, *moved, *_made(machine)}
        }
        self.dials = {dial.name: dial for dial in machine.dials} or _dials(s, self._inputs)
        self._looks, self._drawn, self.version = {**urdf_looks(model), **machine.looks}, geometry_parameters(model), 0
        self._scene = self._shapes(dict(s.parameters))
        self._poses = Poses(model, self._scene.up, dict(s.parameters))
        began = time.perf_counter()
        foreseen = self._poses.motion(_foreseen(machine).q)
        heavy = time.perf_counter() - began > HEAVY * FORESEEN  # an urgent one of these would leave nothing to others
        self.loop = machine_loop(machine, priority=0 if heavy else machine.priority)
        self._camera, self._start = camera(self._scene, foreseen), foreseen.at(np.array([0]))
        self.sides = sides(self._scene, self._start)
        self._turn = self._start.rotation[0, 0]  # from the ground frame to the view
        self.loop.give(self._inputs)
        self._places = {name: k for k, name in enumerate(self.loop.names)}
        self._q = [self.loop.outputs.index(name) for name in coordinate_names(model)]
        self.units = {name: self.loop.channels.units.get(name, "") for name in self.loop.names}
        _check_channels(machine, self.units)
        self._speed, self._begun = 1.0, 0
        self.loop.start()
        self.hands = Hands(self.loop, machine.controls).start()

    def shapes(self) -> Scene:
        if not self.version:
            return self._scene
        # numbers that shapes depend on were changed
        return self._shapes(dict(self.loop.parameters), self._scene.unit)

    def _shapes(self, parameters: Mapping[str, float], unit: float | None = None) -> Scene:
        made = scene(self._model, dict(parameters), self._looks, self.machine.scenery, unit)
        made.clouds = [particles.cloud for particles in self.machine.particles]
        made.fields = [terrain.field for terrain in self.machine.terrains]
        return made

    def scene(self, shapes: Scene) -> dict[str, Any]:
        m, frames = self.machine, Geometry(self._model).frames
        note = f"{len(self._model.bodies)} bodies · {self._model.nq} coordinates · {self.loop.rate:g} Hz"
        rides = [vars(ride) | {"frame": frames[ride.body]} for ride in m.rides]
        hidden = () if m.marks else MARKS
        return page_data(
            note, shapes, self._start, self._camera, 1.0,
            rides=rides, view=m.view, grid=m.grid, sky=m.sky, hidden=hidden,
        )  # fmt: skip

    def about(self) -> dict[str, Any]:
        m, frames = self.machine, Geometry(self._model).frames
        controls = [
            asdict(c) | {"grips": [{"frame": frames[g.body], "slope": g.slope} for g in c.grips]} for c in m.controls
        ]
        return {
            "controls": controls,
            "pilots": list(m.pilots),
            "plots": list(m.plots),
            "help": list(m.help),
            "seated": m.view is None and bool(m.rides),
        }

    def moved(self) -> list[float]:
        return list(self.hands.values.values())

    def poses(self) -> tuple[float, Array]:
        _, t, y = self.loop.latest()
        return t, self._poses.rows(y[self._q])

    def points(self) -> Sequence[Array]:
        return [particles.points() for particles in self.machine.particles]

    def heights(self) -> Sequence[Array]:
        return [terrain.heights() for terrain in self.machine.terrains]

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        head, rows = self.loop.records(since)
        return head, rows[:, 1], rows[:, [self._places[name] for name in channels]]

    def status(self) -> dict[str, Any]:
        values = {
            name: self._inputs[name] if name in self._inputs else self.loop.parameters[name] for name in self.dials
        }
        late = self.loop.statistics().faults["overrun"]
        return {
            "state": self.loop.state, "reason": self.loop.reason, "speed": self._speed, "late": late, "dials": values,
            "pilot": self.hands.pilot, "lines": self._lines(), "begun": self._begun,
        }  # fmt: skip

    def _lines(self) -> list[str]:
        complaints = [self.hands.complaint] if self.hands.complaint else []
        if self.machine.shows is None:
            return complaints
        channels = dict(zip(self.loop.outputs, self.loop.latest().outputs, strict=True))
        return [*complaints, *self.machine.shows(channels)]

    def welcome(self) -> None:
        if self.machine.controls:  # what happens in a machine is for those who are there
            self._reset()

    def obey(self, message: Message) -> None:
        loop = self.loop
        match message:
            case Play():
                if self.machine.controls:
                    self.hands.stand()
                loop.resume()
            case Pause():
                loop.pause()
            case Step(n):
                loop.pause()
                loop.step(n, timeout=0.0)  # in slow motion they take long: nobody waits
            case Reset():
                self._reset()
            case Speed(factor):
                self._speed = factor
                loop.slow(1.0 / factor)
            case Set(name, value):
                self._set(name, value)
            case Pull(frame, at, to):
                if frame not in self.pulled:
                    raise Rejected("no such body")
                loop.give(grip(frame, at, self._turn.T @ np.array(to)))
            case Release():
                if self.pulled:
                    loop.give({HELD: 0.0})
            case Move(name, value, seconds):
                self.hands.move(name, value, seconds)
            case LetGo(name):
                self.hands.let_go(name)
            case Pilot(name):
                if name and name not in self.machine.pilots:
                    raise Rejected("no such pilot")
                self.hands.appoint(name, self.machine.pilots.get(name))
            case _:
                raise Rejected("not of a running model")

    def _reset(self) -> None:
        """Begin again; what is paused shows the start, and stays there."""
        self._begun += 1
        paused = self.loop.state == "paused"
        self.hands.begin_again()
        self.loop.restart()
        if paused:
            self.loop.pause()
            self.loop.step(timeout=0.0)

    def _set(self, name: str, value: float) -> None:
        dial = self.dials.get(name)
        if dial is None:
            raise Rejected("no such dial")
        if not dial.low <= value <= dial.high:
            raise Rejected("out of range")
        if name in self._inputs:
            self._inputs[name] = value
            self.loop.give({name: value})
        else:
            self.loop.parameters[name] = value
            self._poses.update({name: value})
            self.version += name in self._drawn

    def close(self) -> None:
        self.hands.close()
        self.loop.stop()


def _made(machine: Machine) -> set[str]:
    """Inputs that the loop's filters make of measured positions."""
    return {f"{joint}.{rate}" for joint in machine.track for rate in MEASURED[1:]}


def machine_loop(machine: Machine, **more: Any) -> Loop:
    """What a hand asks for is refused outside the ends of its control; what falls behind drops time and goes on."""
    options: dict[str, Any] = {
        "inputs": {control.name: (control.low, control.high) for control in machine.controls},
        "limits": machine.limits,
        "effort_limits": machine.effort_limits,
        "track": machine.track,
        "stale": machine.stale if machine.controls else None,
        "overrun": LATE,
        "calm": SETTLED,
        "substeps": machine.substeps,
        "newton": machine.newton,
        "priority": machine.priority,
    }
    return Loop(machine.system, machine.rate, machine.method, **options | more)


def _check_channels(machine: Machine, known: Collection[str]) -> None:
    """Refuse plots and sounds of channels that there are not, and more plots than a browser shows."""
    plotted = dict.fromkeys(name for plot in machine.plots for name in ([plot] if isinstance(plot, str) else plot))
    for name in [*plotted, *sound_channels(machine.sounds)]:
        if name not in known:
            cure = did_you_mean(name, known, "channels")
            raise ModelError("no such channel", element=f"{machine.title}, {name}", cure=cure)
    if len(plotted) > MOST_CHANNELS:
        cure = f"a page plots {MOST_CHANNELS}"
        raise ModelError(f"plots of {len(plotted)} channels", element=machine.title, cure=cure)


def _dials(s: System, inputs: Mapping[str, float]) -> dict[str, Dial]:
    """Inputs first, then parameters."""
    m = s.model
    units = {name: x.unit for name, x in m.inputs.items()} | {name: x.unit for name, x in m.parameters.items()}
    values = {**inputs, **s.parameters}
    return {name: Dial.about(name, value, units.get(name, ""), name in inputs) for name, value in values.items()}


def _foreseen(machine: Machine) -> Run:
    """The first moments, so that the camera sees them; where they cannot be computed, as far as they can."""
    s, dt = machine.system, 1.0 / (machine.rate * machine.substeps)
    every = dt * max(1, round(FORESEEN / dt / GLANCES))
    here = Run(s, np.zeros(1), s.observe(0.0, s.x0)[np.newaxis])
    if machine.view is not None and machine.view.points:
        return here
    try:
        return simulate(
            s, FORESEEN, dt, method=machine.method, inputs=dict(zip(s.inputs, s.u0, strict=True)), every=every
        )
    except SymbodyError as error:
        state = getattr(error, "state", None)
        return state if isinstance(state, Run) and len(state) and np.isfinite(state.q).all() else here
