"""What a system is made of, as pure data, and the files it comes from."""

from symbody.model.check import check, warnings
from symbody.model.files import load, save
from symbody.model.formula import Formula
from symbody.model.model import Body, Cut, ForceSite, Joint, Link, Model, Parameter, Point, Sensor

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
