"""The parts of a multibody system, as plain data."""

from symbody.model.body import Body, Joint, Parameter, Point
from symbody.model.check import check, warnings
from symbody.model.components import Cut, ForceSite, Link, Sensor
from symbody.model.formula import Formula
from symbody.model.model import Model

__all__ = [
    "Body",
    "Cut",
    "ForceSite",
    "Formula",
    "Joint",
    "Link",
    "Model",
    "Parameter",
    "Point",
    "Sensor",
    "check",
    "warnings",
]
