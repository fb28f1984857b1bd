"""A model in the real-time loop, with a hand on its bodies and its numbers on dials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.analysis.animate_html import page_data
from symbody.analysis.animate_motion import camera
from symbody.analysis.run import Run
from symbody.analysis.shapes import scene
from symbody.analysis.shapes_urdf import urdf_looks
from symbody.analysis.simulate import simulate
from symbody.errors import ModelError, SymbodyError
from symbody.model.model import Model
from symbody.realtime.loop import Loop
from symbody.realtime.refused import Refused
from symbody.studio.messages import Message, Pause, Play, Pull, Release, Reset, Set, Speed, Step
from symbody.studio.poses import Array, Poses
from symbody.studio.pull import HELD, INPUTS, grip, pullable, pullable_frames
from symbody.studio.source import Dial
from symbody.system.channels import coordinate_names
from symbody.system.system import System, system

FORESEEN, GLANCES = 1.5, 40  # s of motion that the camera looks at beforehand, and instants of it
LATE = 0.1  # s that are caught up; a loop that is later drops them and goes on
SETTLED = 0.02  # s in time again after which it does


class Live:
    """A model that runs until it is closed; `values` are parameters and inputs set before it starts."""

    kind = "live"

    def __init__(
        self, model: Model, rate: float = 1000.0, method: str | None = None, values: Mapping[str, float] | None = None
    ):
        self.title, self._model, self.pulled = model.name, model, pullable_frames(model)
        s = system(pullable(model))
        self._inputs = _set_values(s, values or {})
        self.dials = _dials(s, self._inputs)
        self._scene = scene(model, dict(s.parameters), urdf_looks(model))
        self._poses = Poses(model, self._scene.up, dict(s.parameters))
        foreseen = self._poses.motion(_foreseen(s, 1.0 / rate, method, self._inputs).q)
        self._camera, self._start = camera(self._scene, foreseen), foreseen.at(np.array([0]))
        self._turn = self._start.rotation[0, 0]  # from the ground frame to the view
        self.loop = Loop(s, rate, method, stale=None, overrun=LATE, calm=SETTLED, priority=0)
        self.loop.give(self._inputs)
        self._places = {name: k for k, name in enumerate(self.loop.names)}
        self._q = [self.loop.outputs.index(name) for name in coordinate_names(model)]
        self.units = {name: self.loop.channels.units.get(name, "") for name in self.loop.names}
        self._speed = 1.0
        self.loop.start()

    def scene(self) -> dict[str, Any]:
        note = f"{len(self._model.bodies)} bodies · {self._model.nq} coordinates · {self.loop.rate:g} Hz"
        return page_data(note, self._scene, self._start, self._camera, 1.0)

    def poses(self) -> tuple[float, Array]:
        _, t, y = self.loop.latest()
        return t, self._poses.rows(y[self._q])

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        head, rows = self.loop.records(since)
        return head, rows[:, 1], rows[:, [self._places[name] for name in channels]]

    def status(self) -> dict[str, Any]:
        values = {
            name: self._inputs[name] if name in self._inputs else self.loop.parameters[name] for name in self.dials
        }
        late = self.loop.statistics().faults["overrun"]
        return {
            "state": self.loop.state, "reason": self.loop.reason, "speed": self._speed, "late": late, "dials": values
        }  # fmt: skip

    def obey(self, message: Message) -> None:
        loop = self.loop
        match message:
            case Play():
                loop.resume()
            case Pause():
                loop.pause()
            case Step(n):
                loop.pause()
                loop.step(n)
            case Reset():
                paused = loop.state == "paused"
                loop.restart()
                if paused:  # show the start, and stay there
                    loop.pause()
                    loop.step()
            case Speed(factor):
                self._speed = factor
                loop.slow(1.0 / factor)
            case Set(name, value):
                self._set(name, value)
            case Pull(frame, at, to):
                if frame not in self.pulled:
                    raise Refused("no such body")
                loop.give(grip(frame, at, self._turn.T @ np.array(to)))
            case Release():
                loop.give({HELD: 0.0})
            case _:
                raise Refused("not of a running model")

    def _set(self, name: str, value: float) -> None:
        dial = self.dials.get(name)
        if dial is None:
            raise Refused("no such dial")
        if not dial.low <= value <= dial.high:
            raise Refused("out of range")
        if name in self._inputs:
            self._inputs[name] = value
            self.loop.give({name: value})
        else:
            self.loop.parameters[name] = value
            self._poses.update({name: value})

    def close(self) -> None:
        self.loop.stop()


def _set_values(s: System, values: Mapping[str, float]) -> dict[str, float]:
    """Set the parameters among the values; all inputs but those of the hand."""
    inputs = {name: float(x) for name, x in zip(s.inputs, s.u0, strict=True) if name not in INPUTS}
    for name, value in values.items():
        if name in inputs:
            inputs[name] = value
        elif name in s.parameters:
            s.parameters[name] = value
        else:
            known = ", ".join([*inputs, *s.parameters]) or "none"
            raise ModelError("no such parameter or input", element=name, cure=f"they are {known}")
    return inputs


def _dials(s: System, inputs: Mapping[str, float]) -> dict[str, Dial]:
    """Inputs first, then parameters."""
    m = s.model
    units = {name: x.unit for name, x in m.inputs.items()} | {name: x.unit for name, x in m.parameters.items()}
    values = {**inputs, **s.parameters}
    return {name: Dial.about(name, value, units.get(name, "")) for name, value in values.items()}


def _foreseen(s: System, dt: float, method: str | None, inputs: Mapping[str, float]) -> Run:
    """The first moments, so that the camera sees them; where they cannot be computed, as far as they can."""
    every = max(1, round(FORESEEN / dt / GLANCES))
    try:
        return simulate(s, FORESEEN, dt, method=method, inputs=dict(inputs), every=every)
    except SymbodyError as error:
        state = getattr(error, "state", None)
        if isinstance(state, Run) and len(state) and np.isfinite(state.q).all():
            return state
        return Run(s, np.zeros(1), s.observe(0.0, s.x0)[np.newaxis])
