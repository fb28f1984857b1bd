"""Haptic rendering of rigid contact: scenes, linkages, controllers, devices, local models and remote worlds.

Examples
--------
A peg that a hand presses against a wall:

>>> from symbody.haptics import ContactFriction, ContactModel, Controller, HapticBody, HapticContact, HapticDevice
>>> from symbody.haptics import HapticHand, HapticScene, Rendering, WrenchLimit, rectangle
>>> peg = HapticBody("peg", rectangle(0.042, 0.021), mass=2.0, inertia=0.005)
>>> wall = {"wall": rectangle(0.05, 0.3, at=(0.066, 0.0))}
>>> rendering = Rendering(ContactModel("impulse"), ContactFriction(), Controller("four-channel"), WrenchLimit("full"))
>>> scene = HapticScene([peg], wall, tool="peg", rendering=rendering, device=HapticDevice(), hand=HapticHand())
>>> log = scene.run(1.5, push=(0.32, 0.0, 0.0))
>>> round(float(log["felt"][-1, 0]), 2)
-0.32
>>> touching: list[HapticContact] = scene.contacts()
>>> touching[0].b
'wall'

Shapes, devices, linkages, and a scene as a model and as the source of a real-time loop:

>>> import symbody as sb
>>> from symbody.haptics import Linkage, Pantograph, Polygon, Polyhedron, SceneExtras, SceneSource, box
>>> from symbody.haptics import scene_model, scene_system
>>> triangle, cube = Polygon([(0, 0), (1, 0), (0, 1)]), box(0.1, 0.1, 0.1)
>>> isinstance(cube, Polyhedron)
True
>>> arm = Linkage("arm", sb.machines.model("linkage"), q=(0.785, 0.524, -0.524))
>>> held = HapticScene([arm], tool="arm.link2", device=Pantograph())
>>> source = SceneSource(held, SceneExtras())
>>> scene_model(scene).name, scene_system(scene).model.name
('haptic', 'haptic')

A slow world and a fast local model, with delay and loss between them:

>>> from symbody.haptics import Belief, Coherence, Impairment, LocalConstraint, LocalModel, PacketUse, Port, Round
>>> from symbody.haptics import SceneWorld, TwoRates, World
>>> floor = HapticScene([peg], {"floor": rectangle(0.3, 0.05, at=(0.0, -0.0505))})
>>> other = HapticScene([peg], {"post": rectangle(0.02, 0.02, at=(0.0, -0.1))})
>>> world: World = SceneWorld(other, "peg", rounds={"post": Round((0.0, -0.1, 0.0), 0.01)})
>>> packets = PacketUse(kinematic=True, coherence=Coherence(), belief=Belief())
>>> local = LocalModel(peg, rate=1000.0, packets=packets, port=Port())
>>> surface = LocalConstraint((0.0, -0.02, 0.0), (0.0, 1.0, 0.0), (0.0, -0.01, 0.0), s=0.01)
>>> both = TwoRates(SceneWorld(floor, "peg", epsilon=0.005), local, line=Impairment(delay=0.01, loss=0.1, seed=1))
>>> round(float(both.run(1.0, push=(0.0, -0.5, 0.0))["tool"][-1, 1]), 3)
-0.015

The same over a link between processes or threads:

>>> from symbody.haptics import HapticLine, WorldEnd, WorldLink, WorldNode, WorldThread
>>> line = HapticLine("memory", name="haptic-help")
>>> hand, far = line.for_hand(), line.for_world()
>>> link, node = WorldLink(local, hand), WorldNode(WorldEnd(SceneWorld(floor, "peg"), rate=60.0), far)
>>> hand.close(), far.close()
(None, None)
>>> thread = WorldThread(SceneWorld(floor, "peg"), local, rate=30.0)
"""

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
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.mujoco_world import MujocoWorld
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.packet import LocalConstraint
from symbody.haptics.two_rates.packet_use import Belief, Coherence, PacketUse
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
    "LocalConstraint", "LocalModel", "MujocoWorld", "PacketUse", "Pantograph", "Polygon", "Polyhedron", "Port",
    "Rendering", "Round", "SceneExtras", "SceneSource", "SceneWorld", "TwoRates", "World", "WorldEnd", "WorldLink",
    "WorldNode", "WorldThread", "WrenchLimit", "box", "rectangle", "scene_model", "scene_system",
]  # fmt: skip
