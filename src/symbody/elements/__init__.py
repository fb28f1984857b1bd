"""Laws as expressions, with states, parameters and energies: springs, friction, contact, tyres, hydraulics, drives.

An element is a frozen dataclass: its numbers are fields, its formulas methods that read as the textbook's. Attached to
a model under a name, its numbers become live parameters NAME_FIELD, its states NAME_STATE, and its energies signals:
NAME.stored (J), NAME.dissipated (W, never negative), NAME.supplied (W, into the system).
"""

from typing import TYPE_CHECKING

from symbody.late_modules import late_names

if TYPE_CHECKING:
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

_HOMES = {
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
late_names(__name__, _HOMES)

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
]  # fmt: skip
