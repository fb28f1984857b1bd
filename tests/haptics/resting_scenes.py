"""Random scenes of bodies that rest on each other or slide slowly, and which of their contacts stay."""

from dataclasses import dataclass, field, replace

import numpy as np

from symbody.haptics import (
    ContactFriction,
    ContactModel,
    Controller,
    HapticBody,
    HapticHand,
    HapticScene,
    Linkage,
    Rendering,
    box,
    rectangle,
)
from symbody.haptics import structures as of
from symbody.haptics.thesis_scenes.three_link import WIDTH, link_shape, three_link

CONTACT = np.dtype(of.ContactOf)
MU = 0.3
PLACE = 1e-5  # m: a contact within this distance of one before, or of the line between two, stays
HELD = HapticHand((200.0, 200.0, 1.0), (20.0, 20.0, 0.05))


def rendering(random):
    """Springs between 4000 and 20000 N/m, well damped, and friction that sticks."""
    contact = ContactModel(stiffness=random.uniform(4e3, 2e4), damping=random.uniform(60.0, 120.0))
    return Rendering(contact, ContactFriction("reset-integrator", static=MU, kinetic=0.8 * MU, damping=200.0))


def sometimes(random, value, other):
    """One of two values: the exact one makes faces parallel, of the same size and aligned."""
    return value if random.random() < 0.5 else other


def stack(seed, *, space, slope=None, rate=512.0, tool=None):
    """One to three blocks on a floor of one or two pieces; gravity is inclined to a random share of break-away."""
    random = np.random.default_rng(seed)
    width, top, blocks = random.uniform(0.05, 0.08, 2), 0.0, []
    for k in range(random.integers(1, 4)):
        size = sometimes(random, width, random.uniform(0.05, 0.08, 2))
        x, y = sometimes(random, np.zeros(2), random.uniform(-0.1, 0.1, 2) * size)
        high, mass, turn = (
            random.uniform(0.01, 0.02),
            random.uniform(0.3, 1.0),
            sometimes(random, 0.0, random.uniform(-0.3, 0.3)),
        )
        if space:
            inertia = mass / 12.0 * np.array([size[1] ** 2 + high**2, size[0] ** 2 + high**2, size @ size])
            pose = (x, y, top + high / 2, np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2))
            blocks.append(HapticBody(f"block{k}", box(*size, high), mass, inertia, pose))
        else:
            inertia = mass / 12.0 * (size[0] ** 2 + high**2)
            blocks.append(HapticBody(f"block{k}", rectangle(size[0], high), mass, inertia, (x, top + high / 2, 0.0)))
        top += high
    seam, pieces = random.uniform(-0.02, 0.02), sometimes(random, 1, 2)
    long = 0.6 / pieces
    middles = [seam + (k - 0.5 * (pieces - 1)) * long for k in range(pieces)]
    floor = {f"floor{k}": box(long, 0.6, 0.1, (x, 0.0, -0.05)) if space else rectangle(long, 0.1, (x, -0.05))
             for k, x in enumerate(middles)}  # fmt: skip
    steep = random.uniform(0.1, 0.8) * MU if slope is None else slope
    towards = random.uniform(0.0, 2.0 * np.pi)
    across = [np.cos(towards), np.sin(towards)] if space else [np.sign(np.cos(towards))]
    gravity = 9.81 * np.array([*(steep * np.array(across)), -1.0]) / np.hypot(1.0, steep)
    drawn = replace(rendering(random), controller=Controller("virtual-coupler"))
    return HapticScene(blocks, floor, rate=rate, rendering=drawn, gravity=gravity, tool=tool, hand=HELD)


def slot(seed, *, space):
    """A peg in a slot of its own width, with a bottom: all sides touch exactly."""
    random = np.random.default_rng(seed)
    wide, high, mass = *random.uniform(0.02, 0.05, 2), random.uniform(0.3, 1.0)
    at = {"left": (-wide / 2 - 0.02, 0.0), "right": (wide / 2 + 0.02, 0.0)}
    if space:
        inertia = mass / 12.0 * np.array([wide**2 + high**2, wide**2 + high**2, 2 * wide**2])
        peg = HapticBody("peg", box(wide, wide, high), mass, inertia, (0.0, 0.0, high / 2, 1.0, 0.0, 0.0, 0.0))
        walls = {name: box(0.04, 0.2, 0.2, (x, 0.0, 0.0)) for name, (x, _) in at.items()}
        walls["bottom"] = box(0.3, 0.3, 0.1, (0.0, 0.0, -0.05))
        gravity = (0.0, 0.1 * MU * 9.81, -9.81)
    else:
        peg = HapticBody("peg", rectangle(wide, high), mass, mass / 12.0 * (wide**2 + high**2), (0.0, high / 2, 0.0))
        walls = {name: rectangle(0.04, 0.2, place) for name, place in at.items()}
        walls["bottom"] = rectangle(0.3, 0.1, (0.0, -0.05))
        gravity = (random.uniform(-0.5, 0.5), -9.81)
    return HapticScene([peg], walls, rendering=rendering(random), gravity=gravity)


def folded(seed):
    """An arm whose third link is pressed onto its first, which lies on a floor."""
    random = np.random.default_rng(seed)
    shapes = {f"link{k}": link_shape(k) for k in (1, 2, 3)}
    arm = Linkage("arm", three_link(), shapes, q=(0.0, 2.2, -2.2 + random.uniform(-0.1, 0.1)))
    floor = {"floor": rectangle(1.0, 0.1, (0.0, -WIDTH / 2 - 0.0505))}
    quick = replace(rendering(random), controller=Controller("virtual-coupler"))
    return HapticScene([arm], floor, rendering=quick, tool="arm.link3", hand=HELD)


def contacts(scene):
    """A view of the contacts of the last tick."""
    return np.frombuffer(scene.c.memory.contacts, dtype=CONTACT)[: scene.c.memory.ncontacts]


def stays(before, c, reach):
    """Whether contact c lies within reach (m) of a contact before of the same bodies, or of the line between two.

    Places are those on the second body, whose axes are nearly those of the world.
    """
    n = c["normal"]
    same = (before["link_a"] == c["link_a"]) & (before["link_b"] == c["link_b"]) & (before["normal"] @ n > 0.9999)
    places = before["place"][same] - c["place"]
    places -= np.outer(places @ n, n)
    for k, a in enumerate(places):
        for b in places[k:]:
            share = np.clip(-(a @ (b - a)) / max((b - a) @ (b - a), 1e-30), 0.0, 1.0)
            if np.linalg.norm(a + share * (b - a)) <= reach:
                return True
    return False


@dataclass
class Watched:
    """What happened in a run: ticks with impacts, new contacts, and contacts that stayed but were taken as new."""

    struck: int = 0
    new: int = 0
    mistaken: list[tuple[int, str]] = field(default_factory=list)
    known: int = 0  # contacts that continued
    way: float = 0.0  # m: largest displacement of the first object along x


def watch(scene, ticks, pose=None):
    """Make ticks one by one, and judge each new contact by the contacts of the tick before."""
    found, inputs, log = Watched(), scene.inputs(ticks, None, pose), np.zeros(1, dtype=of.RECORD)
    before, start = contacts(scene).copy(), scene.q[0]
    for k in range(ticks):
        scene.advance(inputs[k : k + 1], log)
        now = contacts(scene)
        found.struck += int(log["impacts"][0] > 0)
        found.known += int(now["seen"].sum())
        found.way = max(found.way, abs(scene.q[0] - start))
        for c in now[(now["seen"] == 0) & (now["s"] <= 0.0)]:
            found.new += 1
            if stays(before, c, 0.9 * (PLACE + 2.0 * scene.dt * float(np.linalg.norm(c["vt"])))):
                found.mistaken.append((k, f"shapes {c['a']} and {c['b']} at {c['point']}"))
        before = now.copy()
    return found
