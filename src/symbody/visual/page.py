"""A motion as a page of its own: shapes, poses and viewer in one HTML file that needs no network."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from symbody.visual.mesh import Mesh
from symbody.visual.motion import FIELD, BodyMotion, Camera, ViewDirection, aimed
from symbody.visual.scene import Scene

Array = np.ndarray

VIEW = (
    "space",
    "shaders",
    "painter",
    "eye",
    "pointer",
    "pace",
    "view",
)  # scripts, in the order in which they need each other


def page(title: str, note: str, scene: Scene, moved: BodyMotion, camera: Camera, speed: float) -> str:
    """The HTML of a page that needs nothing else."""
    assets = files("symbody.visual") / "assets"
    parts = {
        "title": html.escape(title),
        "style": (assets / "viewer.css").read_text(encoding="utf-8").strip(),
        "script": view_script() + "\n" + (assets / "viewer.js").read_text(encoding="utf-8").strip(),
        "data": _embedded(page_data(note, scene, moved, camera, speed)),
    }
    text = (assets / "viewer.html").read_text(encoding="utf-8")
    head, *rest = text.split("{{")  # one pass: what is put in is not looked at again
    return head + "".join(parts[key] + after for key, after in (piece.split("}}", 1) for piece in rest))


def view_script() -> str:
    """What draws a scene in a browser: `makeView(data, canvas, words)`."""
    assets = files("symbody.visual") / "assets"
    return "\n".join((assets / f"{name}.js").read_text(encoding="utf-8").strip() for name in VIEW)


def page_data(
    note: str,
    scene: Scene,
    moved: BodyMotion,
    camera: Camera,
    speed: float,
    *,
    rides: Sequence[Mapping[str, Any]] = (),
    view: ViewDirection | None = None,
    grid: bool = True,
    hidden: Sequence[str] = (),
) -> dict[str, Any]:
    """What the viewer reads: `poses` are float32, for each frame and body x y z and the quaternion w x y z.

    rides: seats, each with name, frame, eye and ahead (m, in that frame) and field (degrees). grid: on the floor.
    hidden: roles of parts that are not shown at first.
    """
    camera = aimed(camera, view) if view else camera
    names = list(scene.meshes)
    colours = list(dict.fromkeys([p.colour for p in scene.parts] + [s.colour for s in scene.spans]))
    number = {name: k for k, name in enumerate(names)}
    levels = _levels([scene.meshes[name] for name in names])
    vertices, normals, triangles, table = _packed(levels)
    return {
        "note": note,
        "start": float(moved.t[0]),
        "dt": float(moved.t[1] - moved.t[0]) if len(moved.t) > 1 else 0.0,
        "frames": len(moved.t),
        "bodies": moved.position.shape[1],
        "speed": speed,
        "poses": _base64(np.concatenate([moved.position, quaternions(moved.rotation)], axis=-1), "<f4"),
        "vertices": _base64(vertices, "<f4"),
        "normals": _base64(normals, "i1"),
        "triangles": _base64(triangles, "<u4"),
        "meshes": table,
        "coarser": [[levels.index(m.coarser) if m.coarser else -1, _short([m.deviation])[0]] for m in levels],
        "colours": colours,
        "parts": [
            [number[p.mesh], p.frame, _short(p.place.T.ravel()), colours.index(p.colour), p.role, p.opacity]
            for p in scene.parts
        ],
        "spans": [
            [number[s.mesh], *s.frames, *map(_short, s.ends), s.radius, colours.index(s.colour), s.role, side]
            for s, side in zip(scene.spans, sides(scene, moved), strict=True)
        ],
        "labels": [[label.text, label.frame, _short(label.position)] for label in scene.labels],
        "camera": {
            "azimuth": camera.azimuth,
            "elevation": camera.elevation,
            "points": [_short(p) for p in camera.points],
            "middle": _short(camera.middle),
            "size": camera.size,
            "floor": camera.floor,
            "step": camera.step,
            "follow": camera.follow,
            "field": FIELD,
            "grid": grid,
        },
        "rides": [dict(ride) for ride in rides],
        "hidden": list(hidden),
    }


def sides(scene: Scene, moved: BodyMotion) -> list[int]:
    """For each span the axis of its first frame that stays across it: a coil must not spin about itself."""
    found = []
    for span in scene.spans:
        (i, j), (from_, to) = span.frames, span.ends
        P, R = moved.position[0], moved.rotation[0]
        along = P[j] + R[j] @ to - P[i] - R[i] @ from_
        found.append(int(np.argmin(np.abs(R[i].T @ along))))
    return found


def quaternions(R: Array) -> Array:
    """(w, x, y, z) of rotation matrices (…, 3, 3), from the largest component so that no root is of a small number."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    x, y, z = (R[..., j, i] - R[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))  # 4 w x, 4 w y, 4 w z
    xy, xz, yz = (R[..., i, j] + R[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2)))
    w2, x2, y2, z2 = np.moveaxis(squares, -1, 0)
    rows = [[w2, x, y, z], [x, x2, xy, xz], [y, xy, y2, yz], [z, xz, yz, z2]]
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)  # each row is 4 times one component by all
    best = np.argmax(squares, axis=-1)[..., None, None]
    chosen = np.take_along_axis(table, best, axis=-2)[..., 0, :]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=-1, keepdims=True))


def _levels(meshes: list[Mesh]) -> list[Mesh]:
    """The meshes, and after them all coarser ones."""
    found = list(meshes)
    for mesh in found:  # which grows meanwhile
        found += [mesh.coarser] if mesh.coarser and mesh.coarser not in found else []
    return found


def _packed(meshes: list[Mesh]) -> tuple[Array, Array, Array, list[list[int]]]:
    """Meshes one after the other, and for each: first vertex, vertices, first triangle, triangles."""
    table, v, t = [], 0, 0
    for mesh in meshes:
        table.append([v, len(mesh.vertices), t, len(mesh.triangles)])
        v, t = v + len(mesh.vertices), t + len(mesh.triangles)
    normals = np.vstack([mesh.normals for mesh in meshes])
    padded = np.column_stack([np.round(127 * normals), np.zeros(len(normals))])  # four bytes each
    return np.vstack([m.vertices for m in meshes]), padded, np.vstack([m.triangles for m in meshes]), table


def _base64(values: Array, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def _short(values: Array | Sequence[float]) -> list[float]:
    return [float(f"{x:.6g}") for x in np.asarray(values).ravel()]


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the element that holds it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
