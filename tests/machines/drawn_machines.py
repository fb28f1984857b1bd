"""Machines as they are drawn at random states with closed loops: surfaces of all bodies, and gaps between them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from symbody.errors import AssemblyError
from symbody.studio.scene_page import MARKS
from symbody.system.assembly import assemble, closing_joints, constraint_function, initial_state
from symbody.visual.geometry import Geometry, floats
from symbody.visual.motion import poses
from symbody.visual.render import HIDDEN, _stretched
from symbody.visual.scene import Scene
from symbody.visual.shapes import scene

TURN, SLIDE = 0.25, 0.5  # rad; of the mean distance between joints: ranges of joints without limits
TRIES = 40
POINTS = 4000  # on each surface


@dataclass
class DrawnMachine:
    """A model with its scene; `hidden`: roles that its page does not show."""

    name: str
    model: object
    scene: Scene
    hidden: tuple[str, ...]

    @cached_property
    def geometry(self):
        return Geometry(self.model)

    def joined(self):
        """Pairs of bodies that a joint or a cut connects, with the name of the connection."""
        frames = self.geometry.frames
        shown = {part.frame for part in self.parts()} | {f for span in self.spans() for f in span.frames}
        pairs = []
        for body in self.model.bodies.values():
            if not floats(body):
                pairs.append((body.name, self.model.point_at(body.on).body, f"joint of {body.name}"))
        for cut in self.model.cuts.values():
            a, b = (self.model.point_at(path).body for path in (cut.a, cut.b))
            pairs.append((a, b, f"cut {cut.name}"))
        return [(a, b, why) for a, b, why in pairs if a != b and {frames[a], frames[b]} <= shown]

    def parts(self):
        return [part for part in self.scene.parts if part.role not in (*HIDDEN, *self.hidden, "mass", "point")]

    def spans(self):
        return [span for span in self.scene.spans if span.role not in self.hidden]

    def surfaces(self, q):
        """Triangles (n, 3, 3) of each frame at coordinates q; a span belongs to both of its frames."""
        position, rotation = (x[0] for x in poses(self.model, q[None], {}))
        position = np.concatenate([np.zeros((1, 3)), position])
        rotation = np.concatenate([np.eye(3)[None], rotation])
        found = {frame: [] for frame in self.geometry.frames.values()}
        for part in self.parts():
            mesh = self.scene.meshes[part.mesh]
            corners = mesh.vertices @ part.place[:, :3].T + part.place[:, 3]
            corners = corners @ rotation[part.frame].T + position[part.frame]
            found[part.frame].append(corners[mesh.triangles])
        for span in self.spans():
            made = _stretched(self.scene, span, 0, position, rotation)
            for frame in span.frames:
                found[frame].append(made.vertices[made.triangles])
        return {frame: np.concatenate(all_of) for frame, all_of in found.items() if all_of}

    def gaps(self, q):
        """Gap of each connected pair (in bar radii) at coordinates q, by the name of the connection."""
        frames, places, found = self.geometry.frames, self.places(q), {}
        triangles = self.surfaces(q)
        whole = {frame: SampledSurface(made) for frame, made in triangles.items()}
        for a, b, why in self.joined():
            pair = [
                whole[one]
                if whole[one].spacing < 0.5 * self.scene.unit
                else SampledSurface(near(triangles[one], triangles[other]))
                for one, other in ((frames[a], frames[b]), (frames[b], frames[a]))
            ]
            found[why] = gap(*pair, places[why]) / self.scene.unit
        return found

    def places(self, q):
        """Position of each joint on its carrier, and of each cut, by the name of the connection."""
        position, rotation = (x[0] for x in poses(self.model, q[None], {}))
        position = np.concatenate([np.zeros((1, 3)), position])
        rotation = np.concatenate([np.eye(3)[None], rotation])

        def at(path):
            frame, place = self.geometry.place(path)
            return position[frame] + rotation[frame] @ place

        found = {f"joint of {body.name}": at(body.on) for body in self.model.bodies.values()}
        return found | {f"cut {cut.name}": at(cut.b) for cut in self.model.cuts.values()}


class SampledSurface:
    """Corners and random points on triangles (n, 3, 3), evenly by area, with their mean spacing."""

    def __init__(self, triangles):
        a, b, c = (triangles[:, k] for k in range(3))
        areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        rng = np.random.default_rng(0)
        chosen = rng.choice(len(triangles), POINTS, p=areas / areas.sum())
        u, v = rng.random((2, POINTS, 1))
        u, v = np.where(u + v > 1.0, 1.0 - u, u), np.where(u + v > 1.0, 1.0 - v, v)
        inner = a[chosen] + u * (b - a)[chosen] + v * (c - a)[chosen]
        self.points, self.spacing = np.concatenate([a, b, c, inner]), float(np.sqrt(areas.sum() / POINTS))

    @cached_property
    def tree(self):
        return cKDTree(self.points)

    def distance(self, points):
        """Smallest distance of points to the surface. That of some of them bounds the search for all."""
        some = np.min(self.tree.query(np.atleast_2d(points)[::50])[0])
        return float(min(some, np.min(self.tree.query(points, distance_upper_bound=some)[0])))


def gap(one, other, joint):
    """Gap between two surfaces, up to the spacing of their points: between them, or from their joint to both."""
    at_joint = max(surface.distance(joint) - surface.spacing for surface in (one, other))
    if at_joint <= 0.0:  # whatever their distance is, which takes long to find
        return 0.0
    apart = one.distance(other.points) - max(one.spacing, other.spacing)
    return max(min(apart, at_joint), 0.0)


def near(triangles, others):
    """Triangles whose boxes overlap the box of others, twice as large; all if there are none."""
    low, high = others.min(axis=(0, 1)), others.max(axis=(0, 1))
    margin = 0.5 * (high - low).max()
    close = np.all((triangles.max(axis=1) >= low - margin) & (triangles.min(axis=1) <= high + margin), axis=1)
    return triangles[close] if close.any() else triangles


def drawn(entry):
    """A machine of the register as its page draws it, or as any model."""
    if entry.has_page:
        page = entry.page()
        model, hidden = page.system.model, () if page.marks else MARKS
        return DrawnMachine(entry.name, model, scene(model, looks=page.looks, scenery=page.scenery), hidden)
    model = entry.moving_model()
    return DrawnMachine(entry.name, model, scene(model), ())


def random_states(machine, rng, count, ranges=None):
    """Coordinates (nq,) with closed loops; ranges: (low, high) of coordinates by name, others near their start."""
    model, given = machine.model, ranges or {}
    start, constraints = initial_state(model)[0], constraint_function(model)
    start = assemble(model, constraints=constraints)
    moving = set(closing_joints(model)[0]) if model.has_loops else set()
    size = SLIDE * 10.0 * machine.scene.unit
    found = []
    for _ in range(TRIES * count):
        q, k = start.copy(), 0
        for joint in model.joints():
            for i in range(k, k + joint.nq):
                if joint.name in given:
                    q[i] = rng.uniform(*given[joint.name])
                elif joint.nature in ("independent", "driven") and joint.nq == joint.nv and i not in moving:
                    q[i] += rng.uniform(-1.0, 1.0) * (TURN if joint.type[0] == "R" else size)
            k += joint.nq
        try:
            found.append(assemble(model, q, constraints))
        except AssemblyError:
            continue
        if len(found) == count:
            return found
    raise AssertionError(f"{machine.name}: loops close at {len(found)} of {TRIES * count} random states")
