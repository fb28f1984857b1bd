"""Words of the .mbs format, shared by its reader and its writer."""

from __future__ import annotations

from symbody.errors import ModelError
from symbody.model.body import GROUND

BASE = "base"  # the name of the ground in .mbs files
SPELLINGS = {"forced": "driven"}
INERTIA = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
PLANAR = {"ball": "planar-ball", "solid": "planar-solid"}  # a cut that ignores one axis
FLAGS = {  # of a sensor, in the order of our quantities
    "Pos": "position",
    "Rot": "rotation",
    "Vit": "velocity",
    "Om": "omega",
    "Acc": "acceleration",
    "Omp": "omega_dot",
    "Jac": "jacobian",
}
ORDER = [  # of the elements inside any one parent
    *(
        "mbsname",
        "mbsyspad_version",
        "gravity",
        "baseBodyName",
        "base",
        "bodytree",
        "cuts",
        "links",
        "user_models",
        "x3D",
    ),
    *("bodyname", "jointname", "pointname", "name", "parent", "endpoint1", "endpoint2", "type", "nature", "length"),
    *("ignore", "initialvalue", "actuated", "q", "qd", "qdd", "coordinates", "joint", "mass", "com", "inertia"),
    *("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "x", "y", "z", "body", "point", "ball", "rod", "solid", "link"),
    *("graphics", "sensor", "extforce"),
]

_END = "<bodyname/><pointname>origin</pointname>"
_ENDS = f"<name/><endpoint1>{_END}</endpoint1><endpoint2>{_END}</endpoint2>"
NEW = {  # elements before they are filled in
    "body": f"<body><bodyname/><parent>{_END}</parent></body>",
    "joint": "<joint><jointname/><type/><nature>independent</nature></joint>",
    "point": "<point><pointname/><coordinates><x>0.0</x><y>0.0</y><z>0.0</z></coordinates></point>",
    "sensor": '<sensor name=""/>',
    "extforce": '<extforce name="" Pos="true" Rot="true" Vit="true" Om="true" Acc="true" Omp="true"/>',
    **{tag: f"<{tag}>{_ENDS}</{tag}>" for tag in ("ball", "rod", "solid", "link")},
}


def nature(text: str) -> str:
    """A joint's nature in our words; default independent."""
    return SPELLINGS.get(text, text) or "independent"


def truth(text: str | None, where: str) -> bool:
    """A sensor's flag; default false."""
    word = (text or "false").strip().lower()
    if word not in ("true", "false"):
        raise ModelError(f"'{word[:40]}' is neither true nor false", element=where, cure="write true or false")
    return word == "true"


def body_word(name: str) -> str:
    """A body's name in a .mbs file from ours, and back."""
    return {GROUND: BASE, BASE: GROUND}.get(name, name)
