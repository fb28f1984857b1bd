"""What a player chooses: bucket and dipper cylinder, small, medium or large. They are numbers of the model, not code.

Masses, volumes, bores, rod lengths and cylinder masses: Jaiswal et al. (dissertation LUT 2021, Publication VI, tables I
and II). The printed 22.55 m³ of the large bucket is a misprint; 0.755 m³ continues the small and the medium one. Two
cylinders of the size act on the dipper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import atan2, hypot

from symbody.errors import ModelError
from symbody.suggestions import did_you_mean
from symbody.terrain.soil.tool_shape import ToolBox

SECTION = ((0.05, 0.05), (0.15, 0.72), (0.80, 0.72), (1.15, 0.0))  # m: wall of the large bucket, from pin to teeth
WIDTH, PLATE = 1.2, 0.06  # m, of that bucket and its plates; smaller ones have the same shape
LARGEST = 0.755  # m³


@dataclass(frozen=True)
class Bucket:
    """Volume (m³) and mass (kg)."""

    volume: float
    mass: float

    @property
    def scale(self) -> float:
        """Of its lengths, compared with the large bucket."""
        return float((self.volume / LARGEST) ** (1.0 / 3.0))

    @property
    def inertia(self) -> tuple[float, float, float]:
        """Of a homogeneous box of its outer sizes (kg m²)."""
        x, y, z = (self.scale * length for length in (SECTION[-1][0], WIDTH, SECTION[1][1]))
        return (
            self.mass * (y * y + z * z) / 12.0,
            self.mass * (x * x + z * z) / 12.0,
            self.mass * (x * x + y * y) / 12.0,
        )

    @property
    def boxes(self) -> tuple[ToolBox, ...]:
        """Its plates in its frame: x from the pin to the teeth, z out of its back."""
        k, plates = self.scale, []
        for (x0, z0), (x1, z1) in pairwise(SECTION):
            size = (k * hypot(x1 - x0, z1 - z0), k * WIDTH, k * PLATE)
            pitch = -atan2(z1 - z0, x1 - x0)
            plates.append(ToolBox(size, (k * (x0 + x1) / 2, 0.0, k * (z0 + z1) / 2), (0.0, pitch, 0.0)))
        (x0, _), (_, deep), (x1, _), (tip, _) = SECTION
        for y in (-WIDTH / 2, WIDTH / 2):
            for low, high, z in ((x0, x1, deep), (x1, tip, deep / 2)):  # the side is cut off towards the teeth
                plates.append(ToolBox((k * (high - low), k * PLATE, k * z), (k * (low + high) / 2, k * y, k * z / 2)))
        return tuple(plates)


@dataclass(frozen=True)
class DipperCylinder:
    """Bore, length of the piston rod (m) and mass (kg) of one cylinder."""

    bore: float
    rod_length: float
    mass: float


BUCKETS: Mapping[str, Bucket] = {
    "S": Bucket(0.318, 315.0),
    "M": Bucket(0.512, 450.0),
    "L": Bucket(LARGEST, 750.0),
}
CYLINDERS: Mapping[str, DipperCylinder] = {
    "S": DipperCylinder(0.120, 1.630, 8.0),
    "M": DipperCylinder(0.140, 1.650, 10.0),
    "L": DipperCylinder(0.160, 1.670, 12.0),
}
OPTIONS = tuple(f"{bucket}/{cylinder}" for bucket, cylinder in product(BUCKETS, CYLINDERS))
USUAL = "L/M"


def chosen(option: str) -> tuple[Bucket, DipperCylinder]:
    """Bucket and dipper cylinder of an option such as "L/M"."""
    if option not in OPTIONS:
        raise ModelError(
            f"unknown option '{option}'", element="excavator", cure=did_you_mean(option, OPTIONS, "options")
        )
    bucket, _, cylinder = option.partition("/")
    return BUCKETS[bucket], CYLINDERS[cylinder]


def parameters(option: str) -> dict[str, float]:
    """Values of the model's parameters for an option."""
    bucket, cylinder = chosen(option)
    return {
        "bucket_mass": bucket.mass,
        **{f"bucket_inertia_{axis}": x for axis, x in zip("xyz", bucket.inertia, strict=True)},
        "bucket_scale": bucket.scale,
        "dipper_bore": cylinder.bore,
        "dipper_closed": cylinder.rod_length,
        "dipper_extra": 2.0 * cylinder.mass,
    }
