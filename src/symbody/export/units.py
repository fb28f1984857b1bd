"""Units of the variables of an FMU: those of a run, in FMI notation."""

from __future__ import annotations

from collections.abc import Iterable

from symbody.model.model import Model
from symbody.results.channels import DIMENSIONLESS, channel_units

EXPONENTS = str.maketrans("²³", "23")


def fmi_units(model: Model, names: Iterable[str]) -> dict[str, str]:
    """Units of channels and inputs by name; empty if there is none or it is unknown."""
    return {
        name: model.inputs[name].unit if name in model.inputs else _in_fmi(unit)
        for name, unit in channel_units(model, names).items()
    }


def _in_fmi(unit: str) -> str:
    """FMI notation: exponents as digits (m/s2), no unit for dimensionless numbers."""
    return "" if unit == DIMENSIONLESS else unit.translate(EXPONENTS)
