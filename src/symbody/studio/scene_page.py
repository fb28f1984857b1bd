"""The scene of a machine for the page: shapes, start poses, camera, seats, ground and sky."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symbody.model.model import Model
from symbody.studio.cameras import Arrangement, MachineCamera, camera_rows, first_views
from symbody.studio.landscape import Landscape, landscape_data
from symbody.studio.machine import Trail, Viewpoint
from symbody.studio.poses import Array, Poses
from symbody.studio.preview import Preview
from symbody.visual.file_looks import file_looks
from symbody.visual.geometry import Geometry
from symbody.visual.materials import Ground
from symbody.visual.motion import BodyMotion, Camera, camera
from symbody.visual.page import page_data
from symbody.visual.page_types import TrailRow
from symbody.visual.scene import Look, Scene
from symbody.visual.shapes import scene
from symbody.visual.springs import wound

MARKS = ("ground", "joint", "mass", "point")  # roles of symbols, which are not looks


def scene_page(
    model: Model,
    shapes: Scene,
    start: BodyMotion,
    camera: Camera,
    *,
    note: str = "",
    dressed: bool = False,
    cameras: Sequence[MachineCamera] = (),
    view: Viewpoint | None = None,
    grid: bool = True,
    sky: bool = False,
    ground: Ground = "",
    marks: bool = True,
    landscape: Landscape | None = None,
    trails: Sequence[Trail] = (),
) -> dict[str, Any]:
    """The scene as JSON; dressed: bodies have looks. All others: see `Machine`."""
    frames = Geometry(model).frames
    rigs = camera_rows(cameras, frames)
    hidden = MARKS if not marks else ("mass",) if dressed else ()  # centres of mass would be inside the looks
    return page_data(
        note, shapes, start, camera, 1.0, cameras=rigs, view=view, grid=grid, sky=sky, ground=ground,
        hidden=hidden, keeps=not rigs and (view is None or not view.points), most_turn=view.most_turn if view else None,
        landscape=None if landscape is None else landscape_data(landscape),
        trails=[TrailRow(frames[one.body], one.at, one.width, one.colour) for one in trails],
    )  # fmt: skip


def standing_preview(
    title: str,
    model: Model,
    q: Array,
    *,
    looks: Mapping[str, Sequence[Look]] | None = None,
    scenery: Sequence[Look] = (),
    cameras: Sequence[MachineCamera] = (),
    view: Viewpoint | None = None,
    grid: bool = True,
    sky: bool = False,
    ground: Ground = "",
    marks: bool = True,
    landscape: Landscape | None = None,
    trails: Sequence[Trail] = (),
    views: Sequence[str] = (),
    arrangement: Arrangement = "inset",
) -> Preview:
    """The first picture of a model at coordinates q, before it is traced; all others: see `Machine`."""
    dress = {**file_looks(model), **(looks or {})}
    shapes = scene(model, model.values, dress, scenery)
    start = Poses(model, shapes.up, model.values).motion(q[np.newaxis])
    wound(shapes, start)
    drawn = scene_page(
        model, shapes, start, camera(shapes, start),
        dressed=bool(dress), cameras=cameras, view=view, grid=grid, sky=sky, ground=ground,
        marks=marks, landscape=landscape, trails=trails,
    )  # fmt: skip
    shown = first_views(views, cameras, view is not None)
    return {"title": title, "views": shown, "arrangement": arrangement, "scene": drawn}
