"""What a system is made of, as pure data, and the files it comes from."""

from symbody.model.attached import Cut, ForceSite, Link, Sensor
from symbody.model.body import Body, Joint, Parameter, Point
from symbody.model.check import check, warnings
from symbody.model.files import load, save
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
    "load",
    "save",
    "warnings",
]
