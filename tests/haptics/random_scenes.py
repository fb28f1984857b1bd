"""Random groups of bodies and linkages that overlap, as impacts find them, and their equations in NumPy."""

import math

import numpy as np

from symbody.haptics import ContactModel, HapticBody, HapticScene, Linkage, Polygon, Rendering, box, rectangle
from symbody.haptics.thesis_scenes.two_link import arm

SPREAD = 0.06  # m, over which bodies are thrown: about their size


def planar_scene(seed, bodies=4, linkage=True, walls=True, **contact):
    """Rectangles and triangles, a linkage of three rods and two walls, all apart at first."""
    random = np.random.default_rng(seed)
    made = []
    for k in range(bodies):
        corners = rectangle(*random.uniform(0.02, 0.08, 2))
        shape = corners if k % 2 else Polygon([(0.05, 0.0), (-0.02, 0.03), (-0.02, -0.03)])
        pose = (10.0 * (k + 1), 0.0, 0.0)
        made.append(HapticBody(f"body{k}", shape, random.uniform(0.1, 5.0), random.uniform(1e-4, 1e-2), pose))
    if linkage:
        rod = rectangle(0.042, 0.01, (0.021, 0.0))
        shapes = {"link1": rod, "link2": rod, "link3": rod}
        made.append(Linkage("arm", arm((0.042, 0.042, 0.042), (3.0, 3.0, 1.0)), shapes, q=(0.1, 0.2, 0.3)))
    ground = {"left": rectangle(0.1, 1.0, (-0.15, 0.0)), "floor": rectangle(1.0, 0.1, (0.5, -0.15))} if walls else {}
    return HapticScene(made, ground, rendering=Rendering(ContactModel(**contact)))


def spatial_scene(seed, bodies=4, **contact):
    """Boxes and a floor."""
    random = np.random.default_rng(seed)
    made = []
    for k in range(bodies):
        inertia = random.uniform(0.5, 1.0, 3) * 1e-3
        made.append(HapticBody(f"box{k}", box(*random.uniform(0.02, 0.08, 3)), random.uniform(0.1, 5.0), inertia,
                               (10.0 * (k + 1), 0.0, 10.0)))  # fmt: skip
    floor = {"floor": box(1.0, 1.0, 0.2, (0.0, 0.0, -0.1))}
    return HapticScene(made, floor, rendering=Rendering(ContactModel(**contact)))


def throw(scene, random):
    """Put all objects somewhere near, turned and moving anyhow."""
    q, v = scene.q, scene.v
    at = random.uniform(-1.0, 1.0, len(q))
    for made in scene.c.objects[: scene.c.nobjects]:
        place, turn = at[made.q : made.q + 2 + made.kind], at[made.q + 2 + made.kind : made.q + made.nq]
        if made.kind == 0:
            place *= SPREAD
            turn *= 4.0
        elif made.kind == 1:
            place *= SPREAD
            turn[:] = random.normal(size=4)
            turn /= math.hypot(*turn)
        else:
            at[made.q : made.q + made.nq] *= 2.0
    q[:] = at
    v[:] = random.normal(size=len(v)) * 10.0 ** random.uniform(-2, 1)


def mass_matrix(scene):
    """D of all objects, block by block."""
    from symbody.haptics.objects import HapticBody as Rigid

    D = np.zeros((scene.c.nv, scene.c.nv))
    for made, one in zip(scene.c.objects, scene.objects, strict=False):
        here = slice(made.v, made.v + made.nv)
        if not isinstance(one, Rigid):
            D[here, here] = one.function(scene.q[made.q : made.q + made.nq], np.zeros(made.nv)).M
        elif made.kind == 0:
            D[here, here] = np.diag([one.mass, one.mass, float(one.inertia)])
        else:
            R = rotation(scene.q[made.q + 3 : made.q + 7])
            D[here, here] = np.block([[one.mass * np.eye(3), np.zeros((3, 3))],
                                      [np.zeros((3, 3)), R @ one.inertia_matrix(False) @ R.T]])  # fmt: skip
    return D


def rotation(e):
    """The matrix of a quaternion, as e v e*."""
    w, u = e[0], np.array(e[1:])
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * cross


def closing_rows(scene):
    """J_c: the rows n^T (J_a − J_b) of contacts that close, by finite differences of nothing: from r × n."""
    rows = []
    for c in scene.c.memory.contacts[: scene.c.memory.ncontacts]:
        row, n = np.zeros(scene.c.nv), np.array(c.normal)
        for shape, sign in ((c.a, 1.0), (c.b, -1.0)):
            link = scene.c.shapes[shape].link
            if link < 0:
                continue
            made = scene.c.objects[scene.c.owner[link]]
            one = scene.objects[scene.c.owner[link]]
            q = scene.q[made.q : made.q + made.nq]
            if made.kind == 0:
                r = np.array(c.point)[:2] - q[:2]
                part = [n[0], n[1], r[0] * n[1] - r[1] * n[0]]
            elif made.kind == 1:
                part = [*n, *np.cross(np.array(c.point) - q[:3], n)]
            else:
                found = one.function(q, np.zeros(made.nv))
                k = link - made.link
                r = np.array(c.point) - found.position[k]
                part = n @ found.J[k][:3] + np.cross(r, n) @ found.J[k][3:]
            row[made.v : made.v + made.nv] += sign * np.asarray(part)
        rows.append(row)
    J = np.array(rows).reshape(-1, scene.c.nv)
    return J[J @ scene.v < 0.0]
