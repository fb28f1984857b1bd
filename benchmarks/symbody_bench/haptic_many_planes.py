"""Local models with many active constraints, for timing."""

from __future__ import annotations

import numpy as np

from symbody.haptics.objects import HapticBody
from symbody.haptics.settings import ContactFriction, ContactModel, Rendering
from symbody.haptics.shapes import box
from symbody.haptics.thesis_scenes.two_rate_testbed import LINK, linkage
from symbody.haptics.two_rates.local_model import LocalModel, tool_dynamics
from symbody.haptics.two_rates.packet import LocalConstraint, WorldPacket, world_packet

EDGE, MASS = 0.04, 0.5  # m, kg
RENDERING = Rendering(ContactModel("impulse"), ContactFriction("reset-integrator"))
ARM_PUSH, BOX_PUSH = (0.0, -2.0, 0.0), (0.2, 0.0, -2.0, 0.0, 0.0, 0.0)  # N, N m


def _floor(local: LocalModel, points: np.ndarray, heights: np.ndarray, up: int, link: int) -> WorldPacket:
    """A packet with a plane under each of these points of a link; heights: of the planes (m)."""
    normal, places = np.eye(3)[up], np.tile(np.eye(3)[up], (len(points), 1)) * heights[:, None]
    made = [
        LocalConstraint(tuple(place), tuple(normal), tuple(point), 0.0, link=link, body=k, mu_s=0.25, mu_k=0.2)
        for k, (place, point) in enumerate(zip(places, points, strict=True))
    ]
    return world_packet(1, 0.0, made, tool_dynamics(local.scene), 4000.0, 30.0)


def arm_on_planes(count: int = 20, rate: float = 1000.0) -> LocalModel:
    """The three-link arm, its distal link on planes along its lower side."""
    local = LocalModel(linkage(), "arm.link3", rate=rate, rendering=RENDERING)
    points = np.column_stack([np.linspace(0.0, LINK[0], count), np.full(count, -LINK[1] / 2), np.zeros(count)])
    local.update(_floor(local, points, points[:, 1], 1, 2))
    return local


def box_on_planes(count: int = 50, rate: float = 1000.0) -> LocalModel:
    """A box in space on planes under points of its lower face."""
    body = HapticBody("box", box(EDGE, EDGE, EDGE), MASS, (MASS * EDGE**2 / 6.0,) * 3)
    local = LocalModel(body, rate=rate, rendering=RENDERING)
    random = np.random.default_rng(0)
    points = np.column_stack([*random.uniform(-EDGE / 2, EDGE / 2, (2, count)), np.full(count, -EDGE / 2)])
    local.update(_floor(local, points, points[:, 2], 2, 0))
    return local
