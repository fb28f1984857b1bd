"""The scene of a machine for the page: shapes, start poses, camera, seats, ground and sky."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.model.model import Model
from symbody.studio.appearance import Appearance
from symbody.studio.cameras import camera_rows, first_views
from symbody.studio.landscape import landscape_data
from symbody.studio.poses import Array, Poses
from symbody.studio.preview import Preview
from symbody.visual.file_looks import file_looks
from symbody.visual.geometry import Geometry
from symbody.visual.motion import BodyMotion, Camera, camera
from symbody.visual.page import Surroundings, page_data
from symbody.visual.page_types import TrailRow
from symbody.visual.scene import Scene
from symbody.visual.shapes import scene
from symbody.visual.springs import wound

MARKS = ("ground", "joint", "mass", "point")  # roles of symbols, which are not looks


def scene_page(
    model: Model, shapes: Scene, start: BodyMotion, camera: Camera, seen: Appearance, note: str = "", *, dressed: bool
) -> dict[str, Any]:
    """The scene as JSON; dressed: bodies have looks, of the model or of the appearance."""
    frames, view = Geometry(model).frames, seen.view
    cameras = camera_rows(seen.cameras, frames)
    around = Surroundings(
        cameras=cameras,
        view=view,
        grid=seen.grid,
        sky=seen.sky,
        ground=seen.ground,
        hidden=MARKS if not seen.marks else ("mass",) if dressed else (),  # masses would be inside the looks
        keeps=not cameras and (view is None or not view.points),
        most_turn=view.most_turn if view else None,
        landscape=None if seen.landscape is None else landscape_data(seen.landscape),
        trails=[TrailRow(frames[one.body], one.at, one.width, one.colour) for one in seen.trails],
    )
    return page_data(note, shapes, start, camera, 1.0, around)


def preview(title: str, seen: Appearance, drawn: dict[str, Any]) -> Preview:
    """The first picture, of a scene as JSON."""
    views = first_views(seen.views, seen.cameras, seen.view is not None)
    return {"title": title, "views": views, "arrangement": seen.arrangement, "scene": drawn}


def standing_preview(title: str, model: Model, q: Array, seen: Appearance) -> Preview:
    """The first picture of a model at coordinates q, before it is traced."""
    looks = {**file_looks(model), **seen.looks}
    shapes = scene(model, model.values, looks, seen.scenery)
    start = Poses(model, shapes.up, model.values).motion(q[np.newaxis])
    wound(shapes, start)
    return preview(title, seen, scene_page(model, shapes, start, camera(shapes, start), seen, dressed=bool(looks)))
