"""The scene of a machine for the page: shapes, start poses, camera, seats, ground and sky."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.model.model import Model
from symbody.studio.machine import Ride, Viewpoint
from symbody.studio.poses import Array, Poses
from symbody.studio.preview import Preview
from symbody.visual.file_looks import file_looks
from symbody.visual.geometry import Geometry
from symbody.visual.motion import BodyMotion, Camera, camera
from symbody.visual.page import page_data
from symbody.visual.scene import Look, Scene
from symbody.visual.shapes import scene

MARKS = ("ground", "joint", "mass", "point")  # roles of symbols, which are not looks


def scene_page(
    model: Model,
    shapes: Scene,
    start: BodyMotion,
    camera: Camera,
    *,
    note: str = "",
    dressed: bool = False,
    rides: Sequence[Ride] = (),
    view: Viewpoint | None = None,
    grid: bool = True,
    sky: bool = False,
    marks: bool = True,
) -> dict[str, Any]:
    """The scene as JSON; dressed: bodies have looks. All others: see `Machine`."""
    frames = Geometry(model).frames
    seats = [vars(ride) | {"frame": frames[ride.body]} for ride in rides]
    hidden = MARKS if not marks else ("mass",) if dressed else ()  # centres of mass would be inside the looks
    return page_data(note, shapes, start, camera, 1.0, rides=seats, view=view, grid=grid, sky=sky, hidden=hidden)


def seated(rides: Sequence[Ride], view: Viewpoint | None) -> bool:
    """Whether the first view is from the first seat."""
    return view is None and bool(rides)


def standing_preview(
    title: str,
    model: Model,
    q: Array,
    *,
    looks: Mapping[str, Sequence[Look]] | None = None,
    scenery: Sequence[Look] = (),
    rides: Sequence[Ride] = (),
    view: Viewpoint | None = None,
    grid: bool = True,
    sky: bool = False,
    marks: bool = True,
) -> Preview:
    """The first picture of a model at coordinates q, before it is traced; all others: see `Machine`."""
    dress = {**file_looks(model), **(looks or {})}
    shapes = scene(model, model.values, dress, scenery)
    start = Poses(model, shapes.up, model.values).motion(q[np.newaxis])
    drawn = scene_page(
        model, shapes, start, camera(shapes, start),
        dressed=bool(dress), rides=rides, view=view, grid=grid, sky=sky, marks=marks,
    )  # fmt: skip
    return {"title": title, "seated": seated(rides, view), "scene": drawn}
