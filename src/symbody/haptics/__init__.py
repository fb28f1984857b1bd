"""Rigid contact that a hand can feel: scenes of bodies and linkages, impacts and springs, controllers, devices."""

from symbody.haptics.device import HapticDevice, HapticHand, Pantograph
from symbody.haptics.driver import DeviceDriver
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticContact, HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Controller, Rendering, WrenchLimit
from symbody.haptics.shapes import Polygon, Polyhedron, box, rectangle
from symbody.haptics.steps import haptic_method, scene_system

__all__ = [
    "ContactFriction", "ContactModel", "Controller", "DeviceDriver", "HapticBody", "HapticContact", "HapticDevice",
    "HapticHand", "HapticScene", "Linkage", "Pantograph", "Polygon", "Polyhedron", "Rendering", "WrenchLimit", "box",
    "haptic_method", "rectangle", "scene_system",
]  # fmt: skip
