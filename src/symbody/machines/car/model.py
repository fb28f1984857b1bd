"""The car in a lane change, or with a steering wheel and pedals."""

from __future__ import annotations

from symbody.errors import ModelError
from symbody.machines.car.driven import driven_car
from symbody.model.model import Model
from symbody.vehicles.lane_change import lane_change_car

KINDS = {"lane-change": lane_change_car, "driven": driven_car}


def model(kind: str = "lane-change") -> Model:
    """The car in its lane change at 10 m/s, or `driven` at 75 km/h."""
    if kind not in KINDS:
        raise ModelError("unknown kind of car", element=str(kind), cure=f"use {' or '.join(KINDS)}")
    return KINDS[kind]()
