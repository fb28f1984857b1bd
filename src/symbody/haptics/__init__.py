"""Haptic rendering of rigid contact: scenes, linkages, controllers, devices, local models and remote worlds."""

from symbody.haptics.device import HapticDevice, HapticHand, Pantograph
from symbody.haptics.driver import DeviceDriver
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticContact, HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Controller, Rendering, WrenchLimit
from symbody.haptics.shapes import Polygon, Polyhedron, box, rectangle
from symbody.haptics.steps import SceneSource, scene_model, scene_system
from symbody.haptics.two_rates.extra_inputs import SceneExtras
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.line import HapticLine
from symbody.haptics.two_rates.local_model import Belief, Coherence, LocalModel
from symbody.haptics.two_rates.mujoco_world import MujocoWorld
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.packet import LocalConstraint
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.round_shapes import Round
from symbody.haptics.two_rates.scene_world import SceneWorld
from symbody.haptics.two_rates.world import World
from symbody.haptics.two_rates.world_end import WorldEnd, WorldNode
from symbody.haptics.two_rates.world_link import WorldLink
from symbody.haptics.two_rates.world_thread import WorldThread

__all__ = [
    "Belief", "Coherence", "ContactFriction", "ContactModel", "Controller", "DeviceDriver", "HapticBody",
    "HapticContact", "HapticDevice", "HapticHand", "HapticLine", "HapticScene", "Impairment", "Linkage",
    "LocalConstraint", "LocalModel", "MujocoWorld", "Pantograph", "Polygon", "Polyhedron", "Port", "Rendering",
    "Round", "SceneExtras", "SceneSource", "SceneWorld", "TwoRates", "World", "WorldEnd", "WorldLink", "WorldNode",
    "WorldThread", "WrenchLimit", "box", "rectangle", "scene_model", "scene_system",
]  # fmt: skip
