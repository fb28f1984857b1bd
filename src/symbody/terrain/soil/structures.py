"""The memory of soil for C: mirrors of its structures, and arrays that they point to."""

from __future__ import annotations

import ctypes
from typing import Any
from weakref import finalize

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.terrain.height_map import Array

WHEEL, TYRE, TOOL = range(3)
FINE, OFF_TERRAIN, DEEP, NOT_A_NUMBER, CROWDED = range(5)
POINT, POINT_STATE, BOX = 8, 9, 15
SLOTS, SLOT, TILE, NEIGHBOURS = 6, 7, 16, 24
CHUNK, PAIR, SPRINGS, REACTION = 256, 9, 6, 7
LAYERS, MOVING = 64, 16
STEP, SEED, POURED, BORN, MERGED, ABSORBED, TROUBLE, CULPRIT, COUNTS = range(9)
LEAST_BUCKETS = 8192  # 16 × 32 columns of 16 layers
MOST_MOVED = 20_000  # cells that sink in a step
NEVER = -1e9  # step in which an untouched cell was touched

_CELLS = {"height": 1, "sinkage": 1, "bristle": 4, "touched": 1, "load": 1, "sliced": 1}
_PARTICLES = {"position": 3, "velocity": 3, "spin": 3, "calm": 1, "alive": 1, "voids": 1, "size": 1, "held": 1}
_PARTICLES |= {"born": 1, "slots": SLOTS * SLOT}
KEPT = (*_CELLS, "awake", "count", *_PARTICLES)  # arrays that steps continue with
SCRATCH = ("flux", "moving", "moved", "moved_side", "pair", "reaction", "listed", "drift", "springs", "was_springs")
INDICES = (
    "busy", "moved_cell", "dense", "place", "bucket", "sorted", "key", "elsewhere", "next", "first", "near", "touching",
    "at", "was_first", "was_near", "was_touching", "was_at",
)  # fmt: skip


class MaterialOf(Mirror):
    """material_t of soil.h."""

    c_type = "material_t"
    _fields_ = tuple(
        (name, ctypes.c_double)
        for name in (
            "density", "gravity", "cohesive_modulus", "exponent", "cohesion", "shear_length", "elastic",
            "penetration", "tool_friction", "flow", "pressing", "radius", "mass", "thickness", "voids", "loose",
            "loosening", "widest", "stiffness", "damping", "friction", "rolling", "push",
            "drag", "calm_speed", "calm_time", "deepest",
        )
    )  # fmt: skip


class SoilContactOf(Mirror):
    """soil_contact_t of soil.h."""

    c_type = "soil_contact_t"
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("kind", "npoints", "nboxes")),
        *((name, ctypes.c_void_p) for name in ("u", "points", "boxes", "memory")),
        *((name, ctypes.c_double) for name in ("radius", "width", "stiffness", "reach", "breadth", "bulldozing")),
        ("hull", ctypes.c_double * 6), ("p", ctypes.c_double * 3), ("R", ctypes.c_double * 9),
        ("v", ctypes.c_double * 3), ("w", ctypes.c_double * 3),
        ("force", ctypes.c_double * 3), ("torque", ctypes.c_double * 3),
        ("height", ctypes.c_double), ("slope", ctypes.c_double * 2), ("carried", ctypes.c_double),
    )  # fmt: skip


class SoilOf(Mirror):
    """soil_t of soil.h."""

    c_type = "soil_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("u", "material", "contacts", "modulus", "grip", *KEPT)),
        *((name, ctypes.c_void_p) for name in (*SCRATCH, *INDICES, "team")),
        *(
            (name, ctypes.c_int64)
            for name in (
                "rows", "columns", "ncontacts", "capacity", "buckets", "nalive", "nmoved", "most_moved",
            )
        ),
        *((name, ctypes.c_double) for name in ("spacing", "x0", "y0", "dt")),
    )  # fmt: skip


STRUCTURES = (SoilOf, MaterialOf, SoilContactOf)


def library() -> ctypes.CDLL:
    """soil.c, compiled."""
    return optimised_runtime("soil.c", *STRUCTURES, package="symbody.terrain.soil")


def hired(owner: object, threads: int) -> int:
    """Address of a team of threads, which ends with its owner."""
    own = library()
    own.hire.restype, own.hire.argtypes = ctypes.c_void_p, [ctypes.c_int64]
    own.dismiss.restype, own.dismiss.argtypes = None, [ctypes.c_void_p]
    team = int(own.hire(threads) or 0)
    if team:
        finalize(owner, own.dismiss, team).atexit = False  # a loop may still step
    return team


def soil_arrays(rows: int, columns: int, capacity: int, contacts: int = 1) -> dict[str, Array]:
    """All arrays of cells and particles, flat, at rest."""
    cells, tiles = rows * columns, -(-rows // TILE) * -(-columns // TILE)
    room = max(capacity, 1)
    made: dict[str, Any] = {name: np.zeros(size * cells) for name, size in _CELLS.items()}
    made |= {name: np.zeros(size * room) for name, size in _PARTICLES.items()}
    made["touched"][:] = made["sliced"][:] = NEVER
    made["awake"], made["count"] = np.full(tiles, 2.0), np.zeros(COUNTS)
    made |= {"flux": np.zeros(2 * cells), "moved": np.zeros(MOST_MOVED), "moved_side": np.zeros(2 * MOST_MOVED)}
    made |= {
        "moving": np.zeros(MOVING * room),
        "listed": np.zeros(3 * room),
        "pair": np.zeros(PAIR * NEIGHBOURS * room),
    }
    made |= {name: np.zeros(SPRINGS * NEIGHBOURS * room) for name in ("springs", "was_springs")}
    made["drift"], made["reaction"] = np.zeros(3), np.zeros(REACTION * contacts * -(-room // CHUNK))
    sizes = {"busy": tiles, "moved_cell": MOST_MOVED, "bucket": bucket_count(capacity) + LAYERS + 2, "place": 3 * room}
    sizes |= dict.fromkeys(("dense", "sorted", "key", "elsewhere", "at", "was_at"), room)
    sizes |= dict.fromkeys(("first", "was_first"), room + 1)
    sizes |= dict.fromkeys(("near", "touching", "next", "was_near", "was_touching"), NEIGHBOURS * room)
    return made | {name: np.zeros(size, dtype=np.int64) for name, size in sizes.items()}


def bucket_count(capacity: int) -> int:
    """Buckets of the neighbour search: a power of two, at least twice the particles."""
    return max(LEAST_BUCKETS, 1 << max(capacity, 1).bit_length() + 1)
