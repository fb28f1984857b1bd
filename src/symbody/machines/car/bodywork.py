"""The body of the car: transparent, so that the suspensions are visible, with the cabin that the driver sees."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from symbody.files.mesh import Array
from symbody.machines.car.driven import COLUMN
from symbody.vehicles.axles import FRONT, REAR, Axle
from symbody.vehicles.corner import Half
from symbody.visual.convex_hull import kept
from symbody.visual.scene import Look
from symbody.visual.surfaces import about_y, bar, block, both_sides, cushion, look, moved, sheet, solid

PAINT, TINT, TRIM, LEATHER, FABRIC = "#2b6cb0", "#9fb8c8", "#2c3138", "#7f8790", "#565d66"
CAST, LAMP, TAIL = "#8b939c", "#f6f3e4", "#b3312a"
SEEN_THROUGH, DENSER, GLASS = 0.38, 0.7, 0.14  # opacity of the painted body, its bonnet and its windows

# On the chassis (m): x forward, y to the left, z up from the wheel centres. A saloon car that fits the axles.
OUTLINE = np.array(
    [  # x, half the width, top
        (2.24, 0.50, 0.13), (2.21, 0.62, 0.26), (2.10, 0.74, 0.35), (1.85, 0.83, 0.415), (1.35, 0.90, 0.505),
        (0.78, 0.905, 0.575), (0.00, 0.905, 0.62), (-0.80, 0.905, 0.66), (-1.35, 0.90, 0.68), (-1.90, 0.86, 0.69),
        (-2.15, 0.79, 0.67), (-2.24, 0.70, 0.60),
    ]
)  # fmt: skip
FRONT_END, REAR_END = OUTLINE[0, 0], OUTLINE[-1, 0]
SILL, ARCH = -0.12, 0.375  # lower edge; radius about the wheels' centres
COWL, DECK = 0.80, -1.42  # front and rear end of the cabin
BELT, WING = 0.08, 0.25  # shares of the width: sides along the cabin, and wings up to the bonnet
ROUND = 0.35  # e, of the superellipses across the body
ROOF = np.array([(0.06, 0.585, 1.07), (-0.30, 0.60, 1.115), (-0.75, 0.60, 1.11), (-1.08, 0.57, 1.05)])  # left edge
POSTS = [((0.84, 0.74, 0.52), ROOF[0]), ((-0.36, 0.84, 0.52), (-0.42, 0.60, 1.11)), ((-1.52, 0.76, 0.61), ROOF[3])]
OTHER_SIDE = np.array((1.0, -1.0, 1.0))
SEAT = (-0.30, 0.36, 0.10)  # the left cushion's middle
MOTOR = (-1.47, -0.02, 0.06)  # its middle
DASHBOARD = ((0.86, 0.70, 0.51), (0.86, 0.76, 0.30), (0.62, 0.80, 0.50), (0.54, 0.80, 0.46), (0.56, 0.80, 0.26))


def chassis() -> list[Look]:
    """Body, windows, cabin, lamps and motor, in several parts: the part around the eye of a seat is not drawn."""
    windscreen, *behind = posts()
    lamps = both_sides(cushion((0.05, 0.14, 0.04), (2.14, 0.49, 0.215)))
    mirrors = both_sides(cushion((0.05, 0.09, 0.055), (0.62, 0.98, 0.66)))
    return [
        look(TRIM, *windscreen, mirrors, material="plastic"),
        look(LEATHER, *dashboard(), material="rubber"),
        *(look(TRIM, *post, material="plastic") for post in behind),
        look(TRIM, *frame(), *floor(), material="plastic"),
        look(FABRIC, seats(), material="felt"),
        look(CAST, bar(np.add(MOTOR, (0.0, -0.17, 0.0)), np.add(MOTOR, (0.0, 0.17, 0.0)), 0.11), material="steel"),
        look(CAST, *subframe(FRONT), *subframe(REAR), material="steel"),
        look(LAMP, lamps, material="glass"),
        look(TAIL, tail_lamps(), material="glass"),
        look(PAINT, body(), opacity=SEEN_THROUGH),
        look(PAINT, bonnet(), opacity=DENSER),
        look(PAINT, roof(), opacity=SEEN_THROUGH),
        look(TINT, *windows(), opacity=GLASS),
    ]


# -- outside -----------------------------------------------------------------------------------------------------------


def body() -> Array:
    """Wings with their arches, sides up to the belt, boot, both ends."""
    sections = [lofted(FRONT_END, COWL, (0.0, WING)), lofted(COWL, DECK, (0.0, BELT)), lofted(DECK, REAR_END)]
    ends = [_closed(lofted(FRONT_END, COWL)[0]), _closed(sections[-1][-1])[:, ::-1]]
    return both_sides(np.concatenate([*map(sheet, sections), *ends]))


def bonnet() -> Array:
    """Between the wings."""
    return both_sides(sheet(lofted(FRONT_END, COWL, (WING, 1.0))))


def lofted(first: float, last: float, inwards: tuple[float, float] = (0.0, 1.0)) -> Array:
    """Sections of the left side from one x back to another: y = w cosᵉφ, z = sill + h sinᵉφ, above the arches.

    inwards: begin and end of a section, as shares of the width from the side to the middle.
    """
    x = _stations(first, last)
    width, top = (_through(column, x) for column in OUTLINE.T[1:])
    ahead = np.abs(x[:, np.newaxis] - (FRONT.x, REAR.x)).min(axis=1)
    foot = np.where(ahead < ARCH, np.sqrt(np.maximum(ARCH**2 - ahead**2, 0.0)), SILL)
    begin, end = (np.arccos((1.0 - share) ** (1.0 / ROUND)) for share in inwards)
    low = np.maximum(np.arcsin(((foot - SILL) / (top - SILL)) ** (1.0 / ROUND)), begin)
    angle = np.linspace(low, end, 8, axis=1)
    y = width[:, np.newaxis] * np.maximum(np.cos(angle), 0.0) ** ROUND
    z = SILL + (top - SILL)[:, np.newaxis] * np.sin(angle) ** ROUND
    return np.stack([np.broadcast_to(x[:, np.newaxis], y.shape), y, z], axis=-1)


def _stations(first: float, last: float) -> Array:
    """Positions along x, dense at arches and ends; an arch has an upright edge on both sides."""
    around = ARCH * np.append(0.9999 * np.cos(np.linspace(0.0, np.pi, 15)), (1.0001, -1.0001))
    all_along = [np.linspace(first, last, 8), FRONT.x + around, REAR.x + around, OUTLINE[[1, 2, -2], 0]]
    x = np.unique(np.concatenate(all_along))[::-1]
    return np.asarray(x[(x <= first) & (x >= last)])


def _through(column: Array, x: Array) -> Array:
    """A smooth curve through the outline without overshoot."""

    def curve(given: Array) -> Array:
        from scipy.interpolate import PchipInterpolator

        heights, places = np.split(given, [len(column)])
        return np.asarray(PchipInterpolator(OUTLINE[::-1, 0], heights[::-1])(places))

    return kept("outline of the car", np.concatenate([column, x]), curve)


def _closed(section: Array) -> Array:
    """Close a section to the middle, seen from the front."""
    return sheet(np.stack([section * (1.0, 0.0, 1.0), section]))


def tail_lamps() -> Array:
    """Left and right."""
    return both_sides(cushion((0.03, 0.16, 0.05), (-2.22, 0.50, 0.47)))


def roof() -> Array:
    """From edge to edge, higher in the middle."""
    across = np.linspace(-1.0, 1.0, 9)
    arched = zip(ROOF, (0.0, 0.05, 0.05, 0.0), strict=True)
    return sheet(np.array([[(x, -w * s, z + high * (1.0 - s * s)) for s in across] for (x, w, z), high in arched]))


def windows() -> list[Array]:
    """Front, rear and sides, seen from outside only."""
    sills = np.array([POSTS[0][0], (-0.30, 0.84, 0.53), (-0.75, 0.84, 0.55), POSTS[2][0]])
    front, *_, rear = np.stack([sills, ROOF], axis=1)
    screens = [[front * OTHER_SIDE, front], [rear, rear * OTHER_SIDE]]
    return [*(sheet(np.array(screen)) for screen in screens), both_sides(sheet(np.stack([sills, ROOF], axis=1)))]


def frame() -> list[Array]:
    """Sills, and the edges of the arches."""
    sill = bar((FRONT.x - ARCH, 0.87, SILL + 0.02), (REAR.x + ARCH, 0.87, SILL + 0.02), 0.04)
    ring = [(ARCH - 0.004, 0.87), (ARCH - 0.004, 0.912), (ARCH + 0.022, 0.908)]  # radius, y
    turn = np.linspace(0.0, np.pi, 19)
    edges = [
        sheet(np.array([[(axle.x + r * np.cos(a), y, r * np.sin(a)) for r, y in ring] for a in turn]))
        for axle in (FRONT, REAR)
    ]
    return [both_sides(np.concatenate([sill, *edges]))]


def subframe(axle: Axle) -> list[Array]:
    """A frame that carries an axle: bars between the inner ends of its rods, its anti-roll bar, rack and strut tops."""
    left = Half(axle, 1)
    rods = [rod for key, rod in axle.rods.items() if key != axle.steered]
    link = np.array(left.place(axle.spring_link.inner))
    arms = [bar(link, left.place(rod.inner), 0.022) for rod in rods]
    tower = bar(left.place(rods[1].inner), left.place(axle.strut_top), 0.022)
    hinge = np.array((axle.x + axle.bar[0], 0.0, axle.bar[2]))
    across = [bar(link * OTHER_SIDE, link, 0.03), bar(hinge, link * (1.0, 0.0, 1.0), 0.02)]
    if axle.steered:
        x, _, z = left.place(axle.rods[axle.steered].inner)
        across.append(bar((x, 0.0, z), link * (1.0, 0.0, 1.0), 0.02))
    return [*map(both_sides, (*arms, tower)), *across]


# -- inside ------------------------------------------------------------------------------------------------------------


def posts() -> list[list[Array]]:
    """Posts of the windscreen with its mirror, middle and rear posts, and edges of the roof."""
    front, middle, rear = ([both_sides(bar(foot, head, 0.028, 0.8))] for foot, head in POSTS)
    foot, head, end = (bar(place * OTHER_SIDE, place, 0.024) for place in (np.array(POSTS[0][0]), ROOF[0], ROOF[-1]))
    edges = [both_sides(bar(a, b, 0.024)) for a, b in pairwise(ROOF)]
    return [[*front, foot, head, cushion((0.012, 0.10, 0.026), (0.30, 0.0, 1.01))], middle, [*rear, end], edges]


def dashboard() -> list[Array]:
    """The dashboard, with a hood over the instruments."""
    y = COLUMN[0][1]
    foot = [(x, y + aside, z) for x, z in ((0.52, 0.48), (0.68, 0.50)) for aside in (-0.17, 0.17)]
    top = [(x, y + aside, 0.555) for x in (0.53, 0.64) for aside in (-0.11, 0.11)]
    return [solid([*DASHBOARD, *(place * OTHER_SIDE for place in np.array(DASHBOARD))]), solid(foot + top)]


def floor() -> list[Array]:
    """The battery under the cabin, and the tunnel between the seats."""
    return [block((-0.95, -0.74, -0.155), (0.90, 0.74, -0.08)), block((-1.10, -0.10, -0.11), (0.80, 0.10, 0.06))]


def seats() -> Array:
    """Cushion, back and headrest, left and right."""
    back = moved(cushion((0.07, 0.25, 0.34)), (-0.33, 0.0, 0.33), about_y(-0.35))
    head = moved(cushion((0.05, 0.13, 0.09)), (-0.47, 0.0, 0.70), about_y(-0.25))
    return both_sides(moved(np.concatenate([cushion((0.27, 0.25, 0.08)), back, head]), SEAT))
