"""Elements: laws with states, parameters and energies for springs, friction, contact, tyres, hydraulics and drives.

An element is a frozen dataclass. Its numbers are fields and its formulas are methods. Attached to a model under a name,
its numbers become live parameters NAME_FIELD, its states NAME_STATE, and its energies signals: NAME.stored (J),
NAME.dissipated (W, never negative), NAME.supplied (W, into the system).

Examples
--------
Springs, dampers, stops and friction on joints and links:

>>> import symbody as sb
>>> from symbody.elements import BilinearDamper, BumpStop, CubicSpring, Damper, GasSpring, LuGre, Spring
>>> from symbody.elements import on_joint, on_link
>>> m = sb.Model("slide", gravity=(0, 0, 0))
>>> _ = m.ground.point("wall", (-1.0, 0.0, 0.0))
>>> block = m.body("block", m.ground, "T1", mass=20.0)
>>> on_link(m, "strut", m.ground["wall"], block, Spring(2e4, rest=0.9), Damper(300.0))
>>> on_joint(m, "stop", "block", BumpStop(contact=-0.2, stiffness=1e6, soft=5e-3))
>>> on_joint(m, "seal", "block", LuGre(Fc=20.0, Fs=40.0))
>>> on_joint(m, "shock", "block", CubicSpring(1e3, 1e5), BilinearDamper(100.0, 300.0))
>>> on_joint(m, "gas", "block", GasSpring(area=1e-4, pressure=1e6, volume=1e-4, rest=0.0))
>>> run = sb.simulate(m, until=0.01, dt=1e-4, method="rodas4", outputs=["block.q", "seal.dissipated"])
>>> bool((run["seal.dissipated"] >= 0.0).all())
True

Friction laws at one velocity, all with the same interface:

>>> from symbody.elements import BengisuAkay, BrownMcPhee, Coulomb, Dahl, Efficiency, ModifiedLuGre, ResetIntegrator
>>> from symbody.elements import Friction, evaluate_friction
>>> laws: list[Friction] = [BengisuAkay(), BrownMcPhee(), Coulomb(), Dahl(), ModifiedLuGre(), ResetIntegrator()]
>>> [evaluate_friction(law, 0.1, [0.0] * len(law.states)).dissipated >= 0.0 for law in laws]
[True, True, True, True, True, True]
>>> round(evaluate_friction(Efficiency(eta=0.9), 1.0, load=100.0).force, 3)
10.0

Contacts of balls, bars and boxes:

>>> from symbody.elements import Box, Contact, ContactPoint, Felt, HuntCrossley, Penalty, Segment
>>> from symbody.elements import box_on_box, contact_between, sphere_in_socket, sphere_on_plane, sphere_on_segment
>>> from symbody.elements import sphere_on_sphere
>>> m = sb.Model("contacts")
>>> ball = m.body("ball", joints="free", mass=6.0, inertia=(0.03, 0.03, 0.03))
>>> hard: Contact = HuntCrossley(stiffness=2e7, damping=0.5)
>>> sphere_on_plane(m, "floor", ball, 0.11, m.ground, law=hard, friction=Coulomb(Fc=0.3, v0=1e-3, sigma2=0.0))
>>> sphere_on_sphere(m, "stone", ball, 0.11, m.ground, 0.05, law=Felt(stiffness=4e8))
>>> sphere_on_segment(m, "rail", ball, 0.11, m.ground, Segment(1.0, thick=0.01), law=Penalty(stiffness=1e5))
>>> sphere_in_socket(m, "clearance", ball, 0.11, m.ground, 0.111, law=hard)
>>> box_on_box(m, "table", ball, Box(0.1, 0.1, 0.1), m.ground, Box(1.0, 1.0, 0.01, rounding=1e-6), law=hard)
>>> def above(a, b, p):
...     return ContactPoint(-a.position[2], (0, 0, -1), a.position)
>>> contact_between(m, "above", ball, m.ground, above, law=hard)
>>> len(m.interactions)
6

Tyres and drives:

>>> from symbody.elements import BristleTyre, DcMotor, MagicTyre, SaturatingTyre, ServoDrive, Tyre
>>> from symbody.elements import dc_motor, encoder, servo_drive, tyre
>>> laws: list[Tyre] = [MagicTyre(), SaturatingTyre(), BristleTyre()]
>>> m = sb.Model("wheel")
>>> joints = [sb.Joint("z", "T3", q0=(0.3,)), sb.Joint("spin", "R2")]
>>> wheel = m.body("wheel", joints=joints, mass=20.0, inertia=(0.6, 1.0, 0.6))
>>> tyre(m, "tyre", wheel, laws[0])
>>> dc_motor(m, "motor", "spin", DcMotor(resistance=0.5, torque_constant=0.05, ratio=20.0))
>>> encoder(m, "angle", "spin")
>>> drive = ServoDrive(resistance=0.5, torque_constant=0.1, peak_torque=2.0, rated_speed=300.0, no_load_speed=400.0)
>>> servo_drive(m, "servo", "z", drive)
>>> list(m.inputs)
['motor_voltage', 'servo_command']
"""

from symbody.lazy_imports import lazy_names

# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "elements.attach": "on_joint on_link",
    "elements.boxes": "Box box_on_box",
    "elements.contact": "contact_between sphere_in_socket sphere_on_plane sphere_on_segment sphere_on_sphere",
    "elements.contact_laws": "Contact Felt HuntCrossley Penalty",
    "elements.contact_shapes": "ContactPoint Segment",
    "elements.drives": "DcMotor ServoDrive dc_motor encoder servo_drive",
    "elements.friction": "FRICTION Friction evaluate_friction",
    "elements.friction_bristle": "Dahl LuGre ModifiedLuGre",
    "elements.friction_reset": "ResetIntegrator",
    "elements.friction_static": "BengisuAkay BrownMcPhee Coulomb Efficiency",
    "elements.seal": "SEAL",
    "elements.springs": "BilinearDamper BumpStop CubicSpring Damper GasSpring Spring",
    "elements.tyre_bristle": "BristleTyre",
    "elements.tyre_slip": "MagicTyre SaturatingTyre Tyre",
    "elements.tyres": "tyre",
}

__all__ = lazy_names(__name__, _NAMES)
