# Written by tests/stubs.py from the table in __init__.py.
from symbody.elements.attach import on_joint, on_link
from symbody.elements.boxes import Box, box_on_box
from symbody.elements.contact import (
    contact_between,
    sphere_in_socket,
    sphere_on_plane,
    sphere_on_segment,
    sphere_on_sphere,
)
from symbody.elements.contact_laws import Contact, Felt, HuntCrossley, Penalty
from symbody.elements.contact_shapes import ContactPoint, Segment
from symbody.elements.drives import DcMotor, ServoDrive, dc_motor, encoder, servo_drive
from symbody.elements.friction import FRICTION, Friction, evaluate_friction
from symbody.elements.friction_bristle import Dahl, LuGre, ModifiedLuGre
from symbody.elements.friction_reset import ResetIntegrator
from symbody.elements.friction_static import BengisuAkay, BrownMcPhee, Coulomb, Efficiency
from symbody.elements.seal import SEAL
from symbody.elements.springs import BilinearDamper, BumpStop, CubicSpring, Damper, GasSpring, Spring
from symbody.elements.tyre_bristle import BristleTyre
from symbody.elements.tyre_slip import MagicTyre, SaturatingTyre, Tyre
from symbody.elements.tyres import tyre

__all__ = [
    "FRICTION",
    "SEAL",
    "BengisuAkay",
    "BilinearDamper",
    "Box",
    "BristleTyre",
    "BrownMcPhee",
    "BumpStop",
    "Contact",
    "ContactPoint",
    "Coulomb",
    "CubicSpring",
    "Dahl",
    "Damper",
    "DcMotor",
    "Efficiency",
    "Felt",
    "Friction",
    "GasSpring",
    "HuntCrossley",
    "LuGre",
    "MagicTyre",
    "ModifiedLuGre",
    "Penalty",
    "ResetIntegrator",
    "SaturatingTyre",
    "Segment",
    "ServoDrive",
    "Spring",
    "Tyre",
    "box_on_box",
    "contact_between",
    "dc_motor",
    "encoder",
    "evaluate_friction",
    "on_joint",
    "on_link",
    "servo_drive",
    "sphere_in_socket",
    "sphere_on_plane",
    "sphere_on_segment",
    "sphere_on_sphere",
    "tyre",
]
