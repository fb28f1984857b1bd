"""A crash attenuator behind a truck, hit by an impactor."""

from __future__ import annotations

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model
from symbody.vehicles.attenuator import BLOCKS, LENGTH, REACH, add_attenuator, add_contact, attenuator_parameters
from symbody.vehicles.crushable_cells import add_energies


def model(parts: int = 10) -> Model:
    """Ten blocks of `parts` bodies each on a fixed truck, hit by an impactor of 600 kg at 50 km/h."""
    m = Model("attenuator")
    attenuator_parameters(m)
    m.parameter("speed", 50 / 3.6, "m/s")
    (face,), cells = add_attenuator(m, m.ground, 0.0, parts, rows=1)
    joint = Joint("impactor", "T1", q0=(-BLOCKS * LENGTH - 0.02,), v0=(Formula("speed"),))  # almost touching
    impactor = m.body("impactor", None, [joint], mass=600.0)
    add_contact(m, "contact", impactor.point("held", (-REACH, 0.0, 0.0)), face)
    add_energies(m, "block", cells)
    m.sensor("impactor", impactor, ("rotation", "acceleration"))
    return m
