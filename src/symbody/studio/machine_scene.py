"""The scene of a running machine: its shapes by its parameters, and the poses of its bodies by its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from symbody.studio.machine import Machine
from symbody.studio.machine_loop import GLANCES, standing
from symbody.studio.poses import Array, Poses
from symbody.studio.preview import Preview
from symbody.studio.scene_page import preview, scene_page
from symbody.visual.file_looks import file_looks
from symbody.visual.motion import BodyMotion, camera
from symbody.visual.page import sides
from symbody.visual.scene import Scene
from symbody.visual.shapes import geometry_parameters, scene
from symbody.visual.springs import wound
from symbody.visual.stands import stands


class MachineScene:
    """Shapes and poses of a machine; `version` counts changes of parameters that shapes depend on."""

    def __init__(self, machine: Machine):
        s = machine.system
        self.machine, self.version = machine, 0
        self._model, self._looks = s.model, {**file_looks(s.model), **machine.looks}
        self._first = self._shapes(dict(s.parameters))
        self._poses = Poses(s.model, self._first.up, dict(s.parameters))
        self._start = self._poses.motion(standing(s).q)
        wound(self._first, self._start)
        self._aim(self._start)
        self.sides = sides(self._first, self._start)
        self.turn = self._start.rotation[0, 0]  # rotation from the ground frame to the view

    def aim(self, ahead: Array) -> None:
        """Place the camera so that it sees the motion through rows of coordinates."""
        self._aim(self._poses.motion(ahead), until=GLANCES)

    def _aim(self, moved: BodyMotion, until: float = 0.0) -> None:
        m = self.machine
        self._camera = camera(self._first, moved, until)
        bare = m.marks and m.grid and not (m.ground or m.scenery or m.landscape)
        self._stands = stands(self._model, self._first, moved, self._camera) if bare else []

    def rows(self, q: Array) -> Array:
        """x y z and the quaternion w x y z of each frame, the ground first."""
        return self._poses.rows(q)

    def update(self, name: str, value: float) -> None:
        """Take over a parameter."""
        self._poses.update({name: value})
        self.version += name in self._drawn

    def shapes(self, parameters: Mapping[str, float]) -> Scene:
        """The shapes now, with the sizes of marks that the first ones had, and what they stand on."""
        made = wound(self._shapes(parameters, self._first.unit), self._start) if self.version else self._first
        return replace(made, parts=made.parts + self._stands)

    def page(self, shapes: Scene) -> dict[str, Any]:
        """Shapes, start poses and camera, as the page draws them."""
        m = self.machine
        note = f"{len(self._model.bodies)} bodies · {self._model.nq} coordinates · {m.rate:g} Hz"
        return scene_page(self._model, shapes, self._start, self._camera, m, note, dressed=bool(self._looks))

    def preview(self) -> Preview:
        """The first picture, at the start pose."""
        m = self.machine
        return preview(m.title, m, self.page(self.shapes(dict(m.system.parameters))))

    @cached_property
    def _drawn(self) -> set[str]:
        """Names of the parameters that the shapes depend on."""
        return geometry_parameters(self._model)

    def _shapes(self, parameters: Mapping[str, float], unit: float | None = None) -> Scene:
        made = scene(self._model, dict(parameters), self._looks, self.machine.scenery, unit)
        made.clouds = [particles.cloud for particles in self.machine.particles]
        made.fields = [terrain.field for terrain in self.machine.terrains]
        return made
