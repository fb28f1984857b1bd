"""What the ride looks like: the mountain with its piste, a dual-ski with its skier, the platform, the felt heads."""

from __future__ import annotations

import warnings
from typing import Any

from symbody.errors import SizeWarning
from symbody.files.mesh import Array, faceted
from symbody.machines.ride.data import HEAD, WORLD
from symbody.machines.ride.senses import SIDES
from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.motion.data import PlatformData
from symbody.motion.mechanism import mechanism
from symbody.motion.platform_looks import looks as platform_looks
from symbody.motion.platform_looks import scenery as rails
from symbody.studio.landscape import Landscape
from symbody.terrain import Mountain
from symbody.visual.scene import Look, placed
from symbody.visual.surfaces import bar, block, cone, cushion, look, moved

LEFT, RIGHT, FRAME, SHELL, SUIT, SKIN, SKI = (
    "#d8442f", "#2f62d0", "#4b5560", "#2f3a45", "#b3312a", "#e8c9a8", "#e2b53a",
)  # fmt: skip
FELT, MEANT = "#d0562c", "#2f7fd0"  # the heads: as felt on the platform, and as it should be
FINEST = 2.0  # m between two heights of the finest tiles
SIDE, GATES = 12.0, 20.0  # m from the middle of the piste to its poles, and between two of them
PIVOT = 0.35  # m, height of the lean pivots of the dual-ski
EYE = (-0.05, 0.0, 0.75)  # m, from the lean pivot
SKI_JOINTS = (
    ("ski_x", "T1"), ("ski_y", "T2"), ("ski_z", "T3"), ("ski_heading", "R3"), ("ski_pitch", "R2"), ("ski_roll", "R1"),
)  # fmt: skip


def drawn_model(data: PlatformData, scene: Mountain) -> Model:
    """Bodies that are drawn: the platform, the dual-ski with seat and lean pivots, and two heads.

    It has no loops: the ride gives all coordinates.
    """
    m = mechanism(data)
    m.name = "ride"
    m.cuts.clear()
    for joint in m.joints():
        joint.nature = "independent"
    start = [*scene.piste.line[0].tolist(), 0.0, 0.0, 0.0]
    joints = [Joint(name, kind, q0=(x,)) for (name, kind), x in zip(SKI_JOINTS, start, strict=True)]
    small: dict[str, Any] = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SizeWarning)  # metres indeed: the mountain is high
        foot = m.ground.point("mountain", WORLD)
    frame = m.body("dual_ski", foot, joints, **small)
    seat = m.body("seat", frame.point("pivot", (0.0, 0.0, PIVOT)), [Joint("lean", "R1")], **small)
    for side, y in zip(SIDES, (0.16, -0.16), strict=True):
        m.body(f"ski_{side}", frame.point(f"edge_{side}", (0.0, y, 0.06)), [Joint(f"edge_{side}", "R1")], **small)
    for prefix, on in (("felt", m.bodies["platform"].point("felt", HEAD)), ("scene", seat.point("head", EYE))):
        turns = [Joint(f"{prefix}_{name}", kind) for name, kind in (("yaw", "R3"), ("pitch", "R2"), ("roll", "R1"))]
        m.body(f"{prefix}_head", on, turns, **small)
    return m


def looks(data: PlatformData) -> dict[str, list[Look]]:
    """Looks by body."""
    made = platform_looks(data)
    made["platform"] = made["platform"][:-1]  # the head is a body of its own
    made |= {"dual_ski": frame(), "seat": seat()}
    made |= {f"ski_{side}": [look(SKI, *ski())] for side in SIDES}
    made |= {"felt_head": head(FELT, 1.0), "scene_head": head(MEANT, 2.2)}
    return made


def frame() -> list[Look]:
    """The frame of the dual-ski, from its skis to the lean pivots."""
    arms = [bar((x, y, 0.08), (0.4 * x, 0.0, PIVOT), 0.018) for x in (-0.3, 0.3) for y in (-0.16, 0.16)]
    return [look(FRAME, *arms, bar((-0.14, 0.0, PIVOT), (0.14, 0.0, PIVOT), 0.03), material="steel")]


def ski() -> list[Array]:
    """A ski of 1.5 m with a raised tip, about its edge joint."""
    tip = bar((0.72, 0.0, 0.0), (0.9, 0.0, 0.1), 0.03, 0.5)
    return [cushion((0.75, 0.045, 0.012), (0.0, 0.0, -0.04)), tip, block((-0.32, -0.03, -0.03), (0.32, 0.03, 0.04))]


def seat() -> list[Look]:
    """A shell with the skier, about the lean pivots."""
    shell = [cushion((0.3, 0.22, 0.04), (0.05, 0.0, 0.06)), cushion((0.04, 0.22, 0.32), (-0.26, 0.0, 0.34))]
    body = [cushion((0.12, 0.17, 0.26), (-0.12, 0.0, 0.36))]
    legs = [bar((0.0, y, 0.16), (0.42, 0.9 * y, 0.2), 0.07) for y in (-0.12, 0.12)]
    legs += [bar((0.42, 0.9 * y, 0.2), (0.72, y, 0.02), 0.05) for y in (-0.12, 0.12)]
    arms = [bar((-0.1, y, 0.52), (0.28, 1.6 * y, 0.34), 0.045) for y in (-0.2, 0.2)]
    return [look(SHELL, *shell, material="plastic"), look(SUIT, *body, *legs, *arms, material="felt")]


def head(colour: str, size: float) -> list[Look]:
    """A head with a helmet and a nose, about its middle."""
    face = moved(size * cushion((0.05, 0.045, 0.055)), (0.0, 0.0, 0.0))
    nose = size * bar((0.045, 0.0, 0.0), (0.085, 0.0, 0.0), 0.012, 0.4)
    helmet = size * cushion((0.056, 0.052, 0.03), (-0.008, 0.0, 0.045))
    return [look(SKIN, face, nose, material="plastic"), look(colour, helmet)]


# -- the mountain -----------------------------------------------------------------------------------------------


def landscape(scene: Mountain) -> Landscape:
    """The mountain in tiles, under snow, with its trees."""
    return Landscape.of(
        scene.ground, origin=(-WORLD[0], -WORLD[1], -WORLD[2]), finest=FINEST, snow=0.0, trees=scene.trees
    )


def poles(scene: Mountain) -> list[Look]:
    """Poles along both sides of the piste, each side in its own colour."""
    every, at = round(GATES / 2.0), placed(WORLD)
    feet = [scene.beside_piste(side)[::every, None, None, :] for side in (-SIDE, SIDE)]
    return [
        Look(faceted((row + cone(0.15, 2.0, 5)).reshape(-1, 3, 3)), at, colour, material="plastic")
        for row, colour in zip(feet, (RIGHT, LEFT), strict=True)
    ]


def scenery(data: PlatformData, scene: Mountain) -> list[Look]:
    """Poles along the piste, and the rails of the platform."""
    return [*poles(scene), *rails(data)]
