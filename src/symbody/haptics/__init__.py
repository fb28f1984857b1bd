"""Rigid contact that a hand can feel: scenes of bodies and linkages, controllers, devices, and local models."""

from symbody.haptics.device import HapticDevice, HapticHand, Pantograph
from symbody.haptics.driver import DeviceDriver
from symbody.haptics.impairment import Impairment
from symbody.haptics.local_model import Belief, Coherence, LocalModel
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.packet import LocalConstraint
from symbody.haptics.rounds import Round
from symbody.haptics.scene import HapticContact, HapticScene
from symbody.haptics.scene_world import SceneWorld
from symbody.haptics.settings import ContactFriction, ContactModel, Controller, Rendering, WrenchLimit
from symbody.haptics.shapes import Polygon, Polyhedron, box, rectangle
from symbody.haptics.steps import haptic_method, scene_system
from symbody.haptics.two_rates import TwoRates

__all__ = [
    "Belief", "Coherence", "ContactFriction", "ContactModel", "Controller", "DeviceDriver", "HapticBody",
    "HapticContact", "HapticDevice", "HapticHand", "HapticScene", "Impairment", "Linkage", "LocalConstraint",
    "LocalModel", "Pantograph", "Polygon", "Polyhedron", "Rendering", "Round", "SceneWorld", "TwoRates", "WrenchLimit",
    "box", "haptic_method", "rectangle", "scene_system",
]  # fmt: skip
