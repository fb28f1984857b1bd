"""A machine in the real-time loop: hands on its controls and its bodies, its numbers on dials."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from symbody.errors import SymbodyError
from symbody.model.model import Model
from symbody.realtime.loop import POLL
from symbody.realtime.rejected import Rejected
from symbody.stages import FORESEEING, reach_stage
from symbody.studio.anatomy import anatomy, body_numbers
from symbody.studio.arrows import arrows
from symbody.studio.hands import Hands
from symbody.studio.machine import Machine
from symbody.studio.machine_loop import GLANCES, check_channels, foreseen, machine_loop, standing
from symbody.studio.memory import TIME, Memory
from symbody.studio.messages import (
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
    Settings,
    Speed,
    Step,
)
from symbody.studio.model_machine import default_dials, model_machine
from symbody.studio.poses import Array, Poses
from symbody.studio.preview import Preview, offer_preview
from symbody.studio.pull import HELD, INPUTS, grip, pullable_frames
from symbody.studio.scene_page import scene_page, seated
from symbody.studio.source import StudioSource
from symbody.studio.stop import blamed_law, stop_of
from symbody.system.motion_names import coordinate_names
from symbody.visual.file_looks import file_looks
from symbody.visual.geometry import Geometry
from symbody.visual.motion import Camera, camera, interpolated
from symbody.visual.page import sides
from symbody.visual.scene import Scene
from symbody.visual.shapes import geometry_parameters, scene

HEAVY = 0.7  # of a processor
PAUSING = 0.2  # s that a loop may take to stand still; in slow motion it takes longer, and shows its start later


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
        self.labels = machine.labels
        self._looks, self.version = {**file_looks(model), **machine.looks}, 0
        self._scene = self._shapes(dict(s.parameters))
        self._poses = Poses(model, self._scene.up, dict(s.parameters))
        self._start = self._poses.motion(standing(s).q)
        offer_preview(self._preview)
        reach_stage(FORESEEING)
        seen, cost = foreseen(machine)
        ahead = self._poses.motion(seen.q)
        # a heavy one that is urgent would leave nothing to others
        self.loop = machine_loop(machine, priority=0 if cost > HEAVY else machine.priority)
        given, moved = self.loop.channels, {control.name for control in machine.controls}
        self._inputs = {
            name: x for name, x in zip(given.given, given.start, strict=True) if name not in {*INPUTS, *moved}
        }
        self.dials = {dial.name: dial for dial in machine.dials or default_dials(s, self._inputs)}
        self._camera = camera(self._scene, ahead, until=GLANCES)
        self.sides = sides(self._scene, self._start)
        self._turn = self._start.rotation[0, 0]  # from the ground frame to the view
        self.loop.give(self._inputs)
        self._places = {name: k for k, name in enumerate(self.loop.names)}
        self._q = [self.loop.outputs.index(name) for name in coordinate_names(model)]
        self.units = {name: self.loop.channels.units.get(name, "") for name in self.loop.names}
        check_channels(machine, self.units)
        self._speed, self._begun, self._waiting = 1.0, 0, False
        self._at_start = False  # begun again and paused: hands stand as at the start, whatever the last record says
        self._changed: dict[str, float] = {}  # dials that were turned since it began, and what they were before
        self._blame = -1, ""  # the step after which it was asked which law had no value, and the answer
        self._memory = Memory(self.loop, self.loop.rate)
        self.remembers = self._memory.span
        self.arrows, self.anatomy = arrows(model, self.units), anatomy(model, self.units, self.dials)
        for companion in machine.companions:
            companion.start()
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
        return self._page(shapes, self._camera)

    def _preview(self) -> Preview:
        return {
            "title": self.title,
            "seated": seated(self.machine.rides, self.machine.view),
            "scene": self._page(self._scene, camera(self._scene, self._start)),
        }

    @cached_property
    def _drawn(self) -> set[str]:
        """Names of the parameters that its shapes depend on."""
        return geometry_parameters(self._model)

    def _page(self, shapes: Scene, camera: Camera) -> dict[str, Any]:
        m = self.machine
        note = f"{len(self._model.bodies)} bodies · {self._model.nq} coordinates · {m.rate:g} Hz"
        return scene_page(
            self._model, shapes, self._start, camera,
            note=note, dressed=bool(self._looks), rides=m.rides, view=m.view, grid=m.grid, sky=m.sky, marks=m.marks,
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
            "start": m.start,
            "presets": [asdict(preset) for preset in m.presets],
            "seated": seated(m.rides, m.view),
        }

    def moved(self) -> list[float]:
        return list(self.hands.values.values())

    def poses(self) -> tuple[float, Array]:
        _, t, y = self.loop.latest()
        return t, self._poses.rows(y[self._q])

    def past(self, t: float) -> tuple[float, Array] | None:
        self._memory.take()
        rows = self._memory.around(t)
        if not len(rows):
            return None
        at = float(np.clip(t, rows[0, TIME], rows[-1, TIME]))
        first = len(self.loop.names) - len(self.loop.outputs)
        q = rows[:, first:][:, self._q]
        return at, self._poses.rows(interpolated(self._model, np.array([at]), rows[:, TIME], q)[0])

    def recalled(self, until: float, channels: Sequence[str]) -> tuple[Array, Array]:
        rows = self._memory.rows()
        rows = rows[rows[:, TIME] < until]
        return rows[:, TIME], rows[:, [self._places[name] for name in channels]]

    def points(self) -> Sequence[Array]:
        return [particles.points() for particles in self.machine.particles]

    def heights(self) -> Sequence[Array]:
        return [terrain.heights() for terrain in self.machine.terrains]

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        head, rows = self.loop.records(since)
        return head, rows[:, 1], rows[:, [self._places[name] for name in channels]]

    def values(self, channels: Sequence[str], past: float | None = None) -> Array:
        record = self.loop.newest()
        if past is not None and len(rows := self._memory.around(past)):
            record = rows[np.argmin(np.abs(rows[:, TIME] - past))]
        return np.asarray(record[[self._places[name] for name in channels]])

    def numbers(self, body: str) -> Array:
        return body_numbers(self._model, body, dict(self.loop.parameters))

    def status(self) -> dict[str, Any]:
        values = self._values()
        late, stop = self.loop.statistics().faults["overrun"], stop_of(self.loop, self._changed, self._blamed)
        self._memory.take()
        since = self._memory.since()
        return {
            "state": self.loop.state, "reason": self.loop.reason, "speed": self._speed, "late": late, "dials": values,
            "pilot": self.hands.pilot, "lines": self._lines(), "begun": self._begun,
            "waiting": self._waiting, "stop": asdict(stop) if stop else None,
            "since": float(np.ceil(since)) if np.isfinite(since) else None,
        }  # fmt: skip

    def _blamed(self) -> str:
        """Which law had no value where it stopped; sought once, since that evaluates the model."""
        step = self.loop.latest().step
        if self._blame[0] != step:
            self._blame = step, ""
            with suppress(SymbodyError):
                self._blame = step, blamed_law(self.machine.system, self.loop, 2.0 / self.machine.rate)
        return self._blame[1]

    def _lines(self) -> list[str]:
        complaints = [self.hands.complaint] if self.hands.complaint else []
        if self.machine.shows is None:
            return complaints
        channels = dict(zip(self.loop.outputs, self.loop.latest().outputs, strict=True))
        try:
            return [*complaints, *self.machine.shows(channels)]
        except Exception as error:  # of whoever wrote the page: its machine runs on
            return [*complaints, f"`shows` of this machine failed: {error!r}"]

    def welcome(self) -> None:
        if self.machine.controls:  # what happens in a machine is for those who are there
            self._reset()

    def obey(self, message: Message) -> None:
        loop = self.loop
        match message:
            case Play():
                self._play()
            case Pause():
                loop.pause()
            case Step(n):
                self._at_start = False
                loop.pause()
                loop.step(n, timeout=0.0)  # in slow motion they take long: nobody waits
            case Reset():
                self._reset()
            case Speed(factor):
                self._speed = factor
                loop.slow(1.0 / factor)
            case Set(name, value):
                self._set({name: value})
            case Settings(values):
                self._set(values)
            case Pull(frame, at, to):
                if frame not in self.pulled:
                    raise Rejected("no such body")
                loop.give(grip(frame, at, self._turn.T @ np.array(to)))
            case Release():
                if self.pulled:
                    loop.give({HELD: 0.0})
            case Move(name, value, seconds):
                self.hands.move(name, value, seconds)
                self._go()
            case LetGo(name):
                self.hands.let_go(name)
            case Pilot(name):
                if name and name not in self.machine.pilots:
                    raise Rejected("no such pilot")
                self.hands.appoint(name, self.machine.pilots.get(name))
                if name:
                    self._go()
            case _:
                raise Rejected("not of a running model")

    def _play(self) -> None:
        if self.machine.controls and not self._at_start:
            self.hands.stand()
        self._waiting = self._at_start = False
        self.loop.resume()

    def _go(self) -> None:
        """Somebody has touched a machine that waits for that."""
        if self._waiting:
            self._play()

    def _reset(self) -> None:
        """Begin again; what is paused shows the start, and stays there; dials that may have stopped it are put back."""
        if stop_of(self.loop, self._changed):
            self._turn_dials(self._changed)
        self._changed.clear()
        self._begun += 1
        self._waiting = self.machine.waits and not self.hands.pilot
        paused = self.loop.stands or self._waiting
        self.hands.begin_again()
        self.loop.restart()
        self._at_start = paused
        if paused:
            self.loop.pause()
            self._stand_still()
            self.loop.step(timeout=0.0)

    def _stand_still(self) -> None:
        """Wait until a step that is under way is made: it would use up the one that is allowed next."""
        until = time.monotonic() + PAUSING
        while self.loop.state == "running" and time.monotonic() < until:
            time.sleep(POLL)

    def _set(self, values: Mapping[str, float]) -> None:
        """All of them, or none where one cannot be."""
        for name, value in values.items():
            dial = self.dials.get(name)
            if dial is None:
                raise Rejected("no such dial", name)
            if not dial.low <= value <= dial.high:
                raise Rejected("out of range", name)
        before = self._values()
        self._turn_dials(values)
        self._changed = {name: before[name] for name in values} | self._changed

    def _values(self) -> dict[str, float]:
        """What the dials say."""
        return {name: self._inputs[name] if name in self._inputs else self.loop.parameters[name] for name in self.dials}

    def _turn_dials(self, values: Mapping[str, float]) -> None:
        given = {name: value for name, value in values.items() if name in self._inputs}
        if given:
            self._inputs |= given
            self.loop.give(given)
        for name, value in values.items():
            if name in given:
                continue
            self.loop.parameters[name] = value
            self._poses.update({name: value})
            self.version += name in self._drawn

    def close(self) -> None:
        self.hands.close()
        self.loop.stop()
        for companion in self.machine.companions:
            companion.close()
