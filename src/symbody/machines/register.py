"""The demos there are."""

from __future__ import annotations

from symbody.machines.car.report import DEMO as CAR
from symbody.machines.car_suspension.report import DEMO as CAR_SUSPENSION
from symbody.machines.crane.report import DEMO as CRANE
from symbody.machines.report_options import Demo
from symbody.machines.hydraulics.published import DEMOS as HYDRAULIC
from symbody.machines.piano.report import DEMO as PIANO
from symbody.errors import ModelError

DEMOS: dict[str, Demo] = {demo.name: demo for demo in (PIANO, CAR, CRANE, CAR_SUSPENSION, *HYDRAULIC)}


def demo_called(name: str) -> Demo:
    """A demo by its name."""
    if name not in DEMOS:
        raise ModelError("no such demo", element=name, cure=f"they are {', '.join(DEMOS)}")
    return DEMOS[name]
