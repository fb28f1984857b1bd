"""Mirrors of the structures of scene.h, and the library that works on them."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import runtime_library

OBJECTS, LINKS, SHAPES, POINTS, FACES, CORNERS, PAIRS = 32, 64, 96, 768, 320, 1280, 2048
NV, DOF, COORDINATES, CONTACTS, HAND, POSE, LONGEST, LOOP, FRICTIONS = 24, 160, 192, 160, 6, 7, 256, 16, 4
PLANAR, SPATIAL, LINKAGE = range(3)
GROUND = -1
CONTACT_MODELS = ("impulse", "penalty", "constraint")
CONTROLLERS = ("four-channel", "virtual-coupler", "unilateral-coupler", "direct")
LIMITING = ("full", "saturate", "scale", "spread", "spread-exact")
STATES = ("free", "resting", "colliding")

_integer, _real, _pointer = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


def integers(names: str) -> list[tuple[str, Any]]:
    """Fields of integers."""
    return [(name, _integer) for name in names.split()]


def reals(names: str, *shape: int) -> list[tuple[str, Any]]:
    """Fields of numbers, or of arrays of a shape."""
    kind: Any = _real
    for size in reversed(shape):
        kind = kind * size
    return [(name, kind) for name in names.split()]


class ObjectOf(Mirror):
    """object_t: a body or a linkage."""

    c_type = "object_t"
    _fields_ = (
        *integers("kind q nq v nv link nlinks driven"),
        ("dynamics", _pointer),
        ("dynamics_h", _pointer),
    )


class LinkOf(Mirror):
    """link_t: a rigid body of an object, and the point where a hand holds it."""

    c_type = "link_t"
    _fields_ = (*reals("mass"), *reals("com", 3), *reals("inertia", 9), *reals("hold", 3))


class ShapeOf(Mirror):
    """shape_t: a convex shape on a link."""

    c_type = "shape_t"
    _fields_ = (*integers("link first count face faces edge edges"), *reals("centre", 3), *reals("radius"))


class SettingsOf(Mirror):
    """settings_t: settings that may change from tick to tick."""

    c_type = "settings_t"
    _fields_ = (
        *integers("contact controller limiting friction two_rows unclamped shaping passivity curving hold"),
        *reals("stiffness damping restitution mu_s mu_k deflection v_min beta mu_impact"),
        *reals("couple_k couple_b", HAND),
        *reals("adaptive least_damping k_tc b_tc rank_tolerance"),
        *reals("limit hand_limit", HAND),
        *reals("gravity", 3),
    )


class DeviceOf(Mirror):
    """device_t: the device in the hand, and the hand."""

    c_type = "device_t"
    _fields_ = (
        *integers("external pantograph observed substeps delay"),
        *reals("mass damping friction limit quantum", HAND),
        *reals("reach", 3),
        *reals("hand_k hand_b hand_m", HAND),
        *reals("smoothing gain arm forearm gap handle rotor torque counts"),
    )


class ContactOf(Mirror):
    """contact_t: a contact of two shapes."""

    c_type = "contact_t"
    _fields_ = (
        *integers("a b link_a link_b key seen group"),
        *reals("point normal place", 3),
        *reals("s vn moving"),
        *reals("vt", 3),
        *reals("firm"),
        *reals("z", 3),
        *reals("mode target mu_s mu_k"),
        *reals("force", 3),
    )


class MemoryOf(Mirror):
    """memory_t: the state that a tick remembers."""

    c_type = "memory_t"
    _fields_ = (
        *reals("q", COORDINATES),
        *reals("v", DOF),
        ("contacts", ContactOf * CONTACTS),
        *integers("ncontacts ticks"),
        ("staying", _integer * OBJECTS),
        *reals("x", POSE),
        *reals("xd momentum", HAND),
        *reals("measured", POSE),
        *reals("rate hand", HAND),
        *reals("ring rendered", LONGEST * HAND),
        *reals("moved", HAND),
        *reals("energy pressed"),
        *integers("joined away"),
        *reals("Jh", HAND * NV),
        *integers("link rank lost bounded faults dropped singular"),
    )


class RecordOf(Mirror):
    """record_t: the record of a tick."""

    c_type = "record_t"
    _fields_ = (
        *reals("t state contacts impacts sliding depth kinetic before after energy friction strike rub rank apart"),
        *reals("hand command wrench felt", HAND),
        *reals("x", POSE),
        *reals("xd", HAND),
        *reals("tool", POSE),
        *reals("toold", HAND),
    )


class SceneOf(Mirror):
    """scene_t: a scene with its memory and record."""

    c_type = "scene_t"
    _fields_ = (
        *integers("nobjects nlinks nshapes nq nv npairs nown held nh np"),
        *reals("dt travel margin"),
        ("objects", ObjectOf * OBJECTS),
        ("links", LinkOf * LINKS),
        ("owner", _integer * LINKS),
        ("shapes", ShapeOf * SHAPES),
        *reals("points", POINTS, 3),
        *reals("normals", FACES, 3),
        *reals("edges", CORNERS, 3),
        ("loops", (_integer * 2) * FACES),
        ("corners", _integer * CORNERS),
        ("pairs", (_integer * 2) * PAIRS),
        ("settings", SettingsOf),
        ("device", DeviceOf),
        ("laws", _pointer * FRICTIONS),
        ("laws_h", _pointer * FRICTIONS),
        ("work", _pointer),
        ("local", _pointer),
        ("memory", MemoryOf),
        ("record", RecordOf),
    )


RECORD = np.dtype(RecordOf)


def library() -> Any:
    """The library of scene.c, in the best build that exists now."""
    return _declared(runtime_library("scene.c", SceneOf, package="symbody.haptics.tick"))


@cache
def _declared(made: Any) -> Any:
    """A build with the types of its functions."""
    made.scene_run.restype = None
    made.scene_run.argtypes = [_pointer, _integer, _pointer, _integer, _pointer]
    made.scene_look.restype, made.scene_look.argtypes = ctypes.c_int, [_pointer]
    for function in (made.scene_hold, made.scene_gains, made.scene_wrench):
        function.restype, function.argtypes = None, [_pointer] * 3
    made.scene_displace.restype, made.scene_displace.argtypes = None, [_pointer] * 2
    made.scene_inverse.restype = _integer
    made.scene_inverse.argtypes = [_integer, _integer, *[_pointer] * 3, _real, *[_pointer] * 3]
    made.scene_impact.restype, made.scene_impact.argtypes = _integer, [_pointer]
    made.scene_pantograph.restype, made.scene_pantograph.argtypes = ctypes.c_int, [_pointer] * 7
    return made


def work_size() -> int:
    """Size of the work space of a scene (bytes)."""
    return int(_integer.in_dll(library(), "work_size").value)
