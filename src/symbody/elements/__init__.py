"""Elements: laws with states, parameters and energies for springs, friction, contact, tyres, hydraulics and drives.

An element is a frozen dataclass. Its numbers are fields and its formulas are methods. Attached to a model under a name,
its numbers become live parameters NAME_FIELD, its states NAME_STATE, and its energies signals: NAME.stored (J),
NAME.dissipated (W, never negative), NAME.supplied (W, into the system).
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
