"""The structures of scene.h as Python sees them, and the library that works on them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

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
    """Fields that are whole numbers."""
    return [(name, _integer) for name in names.split()]


def reals(names: str, *shape: int) -> list[tuple[str, Any]]:
    """Fields that are numbers, or arrays of them."""
    kind: Any = _real
    for size in reversed(shape):
        kind = kind * size
    return [(name, kind) for name in names.split()]


class ObjectOf(ctypes.Structure):
    """object_t: a body or a linkage."""

    _fields_ = (
        *integers("kind q nq v nv link nlinks driven"),
        ("dynamics", _pointer),
        ("dynamics_h", _pointer),
    )


class LinkOf(ctypes.Structure):
    """link_t: a rigid body of an object, and where it is held."""

    _fields_ = (*reals("mass"), *reals("com", 3), *reals("inertia", 9), *reals("hold", 3))


class ShapeOf(ctypes.Structure):
    """shape_t: a convex shape on a link."""

    _fields_ = (*integers("link first count face faces edge edges"), *reals("centre", 3), *reals("radius"))


class SettingsOf(ctypes.Structure):
    """settings_t: numbers that may change from tick to tick."""

    _fields_ = (
        *integers("contact controller limiting friction two_rows unclamped shaping passivity curving hold"),
        *reals("stiffness damping restitution mu_s mu_k deflection v_min beta mu_impact"),
        *reals("couple_k couple_b", HAND),
        *reals("adaptive least_damping k_tc b_tc rank_tolerance"),
        *reals("limit hand_limit", HAND),
        *reals("gravity", 3),
    )


class DeviceOf(ctypes.Structure):
    """device_t: what is in the hand, and the hand."""

    _fields_ = (
        *integers("external pantograph observed substeps delay"),
        *reals("mass damping friction limit quantum hand_k hand_b hand_m", HAND),
        *reals("smoothing gain arm forearm gap handle rotor torque counts"),
    )


class ContactOf(ctypes.Structure):
    """contact_t: two shapes that touch."""

    _fields_ = (
        *integers("a b link_a link_b key seen group"),
        *reals("point normal", 3),
        *reals("s vn moving"),
        *reals("vt", 3),
        *reals("firm"),
        *reals("z", 3),
        *reals("mode target mu_s mu_k"),
        *reals("force", 3),
    )


class MemoryOf(ctypes.Structure):
    """memory_t: all that a tick remembers."""

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


class RecordOf(ctypes.Structure):
    """record_t: a tick, as it is recorded."""

    _fields_ = (
        *reals("t state contacts impacts sliding depth kinetic before after energy friction strike rub rank apart"),
        *reals("hand command wrench felt", HAND),
        *reals("x", POSE),
        *reals("xd", HAND),
        *reals("tool", POSE),
        *reals("toold", HAND),
    )


class SceneOf(ctypes.Structure):
    """scene_t: a scene, and where it works."""

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
MIRRORED = (SceneOf, ObjectOf, ShapeOf, SettingsOf, DeviceOf, ContactOf, MemoryOf, RecordOf, LinkOf)


def library() -> Any:
    """The ticks in C, as they are compiled now."""
    made = runtime_library("scene.c", *MIRRORED, package="symbody.haptics.tick")
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
    """Bytes that a scene works in."""
    return int(_integer.in_dll(library(), "work_size").value)
