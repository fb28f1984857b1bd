"""A motion as a self-contained page: shapes, poses and viewer in one HTML file that needs no network."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.files.texture import Texture
from symbody.visual.built_page import built_page
from symbody.visual.materials import Ground, material_of
from symbody.visual.mesh_pack import mesh_rows, packed, short, with_coarser
from symbody.visual.motion import FIELD, BodyMotion, Camera, ViewDirection, aimed
from symbody.visual.page_types import LandscapeData, RigData, TrailRow
from symbody.visual.scene import Scene

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a page shows besides the shapes, and how it looks at them."""

    cameras: Sequence[RigData] = ()  # seats
    landscape: LandscapeData | None = None
    trails: Sequence[TrailRow] = ()
    view: ViewDirection | None = None  # of the view from outside
    grid: bool = True  # a ground with lines on the floor
    sky: bool = False  # above a horizon
    ground: Ground = ""
    hidden: Sequence[str] = ()  # roles of parts that are hidden at first
    keeps: bool = False  # the view glides after bodies that leave the picture
    most_turn: float | None = None  # as in `Viewpoint`


def page(title: str, note: str, scene: Scene, moved: BodyMotion, camera: Camera, speed: float) -> str:
    """The HTML of a self-contained page."""
    parts = {"title": html.escape(title), "data": _embedded(page_data(note, scene, moved, camera, speed))}
    # one pass: inserted text is not searched again
    return re.sub(r"\{\{(title|data)\}\}", lambda found: parts[found[1]], built_page("viewer"))


def page_data(
    note: str,
    scene: Scene,
    moved: BodyMotion,
    camera: Camera,
    speed: float,
    around: Surroundings | None = None,
) -> dict[str, Any]:
    """The data of the viewer: `poses` are float32, for each frame and body x y z and the quaternion w x y z."""
    around = around or Surroundings()
    camera = aimed(camera, around.view) if around.view else camera
    return {
        "note": note,
        "start": float(moved.t[0]),
        "dt": float(moved.t[1] - moved.t[0]) if len(moved.t) > 1 else 0.0,
        "frames": len(moved.t),
        "bodies": moved.position.shape[1],
        "speed": speed,
        "poses": _base64(np.concatenate([moved.position, quaternions(moved.rotation)], axis=-1), "<f4"),
        **shapes_data(scene, sides(scene, moved)),
        "geometry": packed(with_coarser(list(scene.meshes.values()))),
        "clouds": [[c.frame, c.count, c.radius, c.colour] for c in scene.clouds],
        "fields": [[f.frame, *f.shape, f.spacing, f.corner, f.colour] for f in scene.fields],
        "camera": {
            "azimuth": camera.azimuth,
            "elevation": camera.elevation,
            "points": [short(p) for p in camera.points],
            "middle": short(camera.middle),
            "size": camera.size,
            "floor": camera.floor,
            "step": camera.step,
            "follow": camera.follow,
            "keeps": around.keeps,
            "most_turn": around.most_turn,
            "field": FIELD,
            "grid": around.grid,
            "sky": around.sky,
            "ground": around.ground,
        },
        "cameras": list(around.cameras),
        "landscape": around.landscape,
        "trails": list(around.trails),
        "hidden": list(around.hidden),
    }


def shapes_data(scene: Scene, sides: Sequence[int]) -> dict[str, Any]:
    """The shapes in rows as in `frontend/src/contract.ts`; the bytes of the meshes are sent separately."""
    colours = list(dict.fromkeys([p.colour for p in scene.parts] + [s.colour for s in scene.spans]))
    number, shade = ({name: k for k, name in enumerate(names)} for names in (scene.meshes, colours))
    images = list(dict.fromkeys(p.texture for p in scene.parts if p.texture is not None))
    picture: dict[Texture | None, int] = {None: -1}
    picture |= {image: k for k, image in enumerate(images)}
    parts = [
        [number[p.mesh], p.frame, short(p.place.T.ravel()), shade[p.colour], p.role, p.opacity,
         material_of(p.material, p.role), picture[p.texture]]
        for p in scene.parts
    ]  # fmt: skip
    spans = [
        [number[s.mesh], *s.frames, *map(short, s.ends), s.radius, shade[s.colour], s.role, side,
         material_of(s.material, s.role)]
        for s, side in zip(scene.spans, sides, strict=True)
    ]  # fmt: skip
    return {
        "meshes": mesh_rows(with_coarser(list(scene.meshes.values()))),
        "colours": colours,
        "textures": [image.address for image in images],
        "parts": parts,
        "spans": spans,
        "labels": [[label.text, label.frame, short(label.position)] for label in scene.labels],
    }


def sides(scene: Scene, moved: BodyMotion) -> list[int]:
    """For each span the axis of its first frame that stays across it, so that a coil does not spin about itself."""
    found = []
    for span in scene.spans:
        (i, j), (from_, to) = span.frames, span.ends
        P, R = moved.position[0], moved.rotation[0]
        along = P[j] + R[j] @ to - P[i] - R[i] @ from_
        found.append(int(np.argmin(np.abs(R[i].T @ along))))
    return found


def quaternions(R: Array) -> Array:
    """(w, x, y, z) of rotation matrices (…, 3, 3), from the largest component to avoid roots of small numbers."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    x, y, z = (R[..., j, i] - R[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))  # 4 w x, 4 w y, 4 w z
    xy, xz, yz = (R[..., i, j] + R[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2)))
    w2, x2, y2, z2 = np.moveaxis(squares, -1, 0)
    rows = [[w2, x, y, z], [x, x2, xy, xz], [y, xy, y2, yz], [z, xz, yz, z2]]
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)  # each row: 4 times one component by all
    best = np.argmax(squares, axis=-1)[..., None, None]
    chosen = np.take_along_axis(table, best, axis=-2)[..., 0, :]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=-1, keepdims=True))


def _base64(values: Array, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot close the HTML element that contains it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
