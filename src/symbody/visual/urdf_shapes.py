"""Looks of a URDF's links: boxes, cylinders, spheres and meshes, read again from the model's file."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.mesh import Array, Mesh
from symbody.files.read_budget import ReadBudget
from symbody.files.safe_file import local_name
from symbody.files.safe_xml import number, read_xml
from symbody.files.urdf_file import LINK
from symbody.model.file_shape import hex_colour
from symbody.model.model import Model
from symbody.model.rotation import matrix
from symbody.visual.geometry import Geometry
from symbody.visual.mesh_files import read_looks, stretched
from symbody.visual.scene import Look


def urdf_looks(model: Model) -> dict[str, list[Look]]:
    """Looks by body, in body frames; empty if the model is not from a URDF. Unreadable looks are left out.

    If some links have looks, links without a <visual> have none.
    """
    file = Path(model.file or "")
    if isinstance(model.source, ET.Element):  # an expanded xacro
        root = model.source
    elif file.suffix.lower() == ".urdf" and file.is_file():
        root = read_xml(file).root
    else:
        return {}
    meshes, geometry = _Meshes(file.parent), Geometry(model)
    colours = {m.get("name", ""): _colour(m, {}) for m in root.iterfind("material")}
    bodies = {_plain(name): name for name in model.bodies}
    found: dict[str, list[Look]] = {}
    plain: list[str] = []
    for link in root.iterfind("link"):
        body = bodies.get(_plain(link.get("name", "")))
        if body is None or LINK not in model.bodies[body].points:
            continue
        if link.find("visual") is None:
            plain.append(body)
        turned = geometry.rotation(model.bodies[body].points[LINK])
        looks = list(_looks(link, meshes, colours, turned))
        if looks:
            found[body] = looks
    return found | {body: [] for body in plain} if found else {}


@dataclass
class _Meshes:
    """The mesh files of a URDF, each read once and stretched once for each scale."""

    folder: Path
    budget: ReadBudget = field(default_factory=ReadBudget)
    read: dict[Path, list[Look]] = field(default_factory=dict)
    made: dict[tuple[Path, tuple[float, ...]], list[Look]] = field(default_factory=dict)

    def looks(self, name: str, scale: tuple[float, ...]) -> list[Look]:
        """The surfaces of a file, stretched along its axes."""
        path = _found(name, self.folder)
        if path not in self.read:
            self.read[path] = read_looks(path, self.budget)
        if (path, scale) not in self.made:
            held = self.read[path]
            self.budget.spend("bytes", sum(look.mesh.nbytes for look in held if isinstance(look.mesh, Mesh)))
            self.made[path, scale] = [stretched(look, np.array(scale)) for look in held]
        return self.made[path, scale]


def _looks(link: ET.Element, meshes: _Meshes, colours: dict[str, str | None], turned: Array) -> Iterator[Look]:
    where = link.get("name", "")
    for visual in link.iterfind("visual"):
        try:
            shapes = _shapes(visual.find("geometry"), meshes, where)
            position, rpy = (_numbers(visual.find("origin"), key, where, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
        except ModelError as error:
            warnings.warn(f"the look of {where} is left out: {error}", stacklevel=2)
            continue
        turn, colour = turned @ matrix(rpy), _colour(visual.find("material"), colours)
        for shape in shapes:
            place = np.column_stack([turn @ shape.place[:, :3], turn @ shape.place[:, 3] + turned @ np.array(position)])
            own = shape.colour or (None if shape.texture else colour)  # a mesh may have its own colours
            yield replace(shape, place=place, colour=own)


def _shapes(geometry: ET.Element | None, meshes: _Meshes, where: str) -> list[Look]:
    """The looks of a link in the frame of its visual."""
    for kind in geometry if geometry is not None else ():
        if kind.tag == "box":
            return [_stretched("box", _numbers(kind, "size", where, (1.0, 1.0, 1.0)))]
        if kind.tag == "sphere":
            return [_stretched("ball", 3 * (number(kind.get("radius"), where),))]
        if kind.tag == "cylinder":
            radius, length = number(kind.get("radius"), where), number(kind.get("length"), where)
            return [_stretched("cylinder", (radius, radius, length), -length / 2)]
        if kind.tag == "mesh":
            return meshes.looks(kind.get("filename", ""), _numbers(kind, "scale", where, (1.0, 1.0, 1.0)))
    raise ModelError("unknown shape", element=where, cure="use box, cylinder, sphere or mesh")


def _stretched(mesh: str, by: Sequence[float], begin: float = 0.0) -> Look:
    """A named mesh, stretched along its axes and shifted to a height."""
    return Look(mesh, np.column_stack([np.diag(by), (0.0, 0.0, begin)]))


def _found(name: str, folder: Path) -> Path:
    """The file of a mesh: next to the URDF, or in a package in a folder above it."""
    plain = re.sub(r"^(package|file|model):/*", "" if not name.startswith("file:") else "/", name)
    above = [folder, *folder.resolve().parents]
    inside = plain.partition("/")[2] if name.startswith(("package:", "model:")) else plain
    parts = (plain, inside) if ":" in name else (name,)
    tried = [base / local_name(part) for base in (above if ":" in name else [folder]) for part in parts]
    for path in tried:
        if path.is_file():
            return path
    raise ModelError("mesh file not found", element=name[:80], cure=f"put it next to the model in {folder}")


def _colour(material: ET.Element | None, known: dict[str, str | None]) -> str | None:
    """#rrggbb, or None if the file gives no readable colour."""
    if material is None:
        return None
    colour = material.find("color")
    words = (colour.get("rgba") or "").split() if colour is not None else []
    try:
        shares = [float(word) for word in words[:3]]
    except ValueError:
        shares = []
    if len(shares) < 3 or not np.all(np.isfinite(shares)):
        return known.get(material.get("name", ""))
    return hex_colour(shares)


def _numbers(element: ET.Element | None, key: str, where: str, default: tuple[float, ...]) -> tuple[float, ...]:
    text = None if element is None else element.get(key)
    if text is None:
        return default
    found = tuple(number(word, where) for word in text.split())
    if len(found) != 3 or not np.all(np.isfinite(found)):
        raise ModelError(f'{key}="{text[:60]}" is not three numbers', element=where, cure=f'write {key}="0 0 0"')
    return found


def _plain(name: str) -> str:
    return re.sub(r"\W", "_", name.strip())
