"""The demos there are."""

from __future__ import annotations

from symbody.apps.car_demo import DEMO as CAR
from symbody.apps.car_suspension import DEMO as CAR_SUSPENSION
from symbody.apps.crane_demo import DEMO as CRANE
from symbody.apps.demo import Demo
from symbody.apps.hydraulic_demos import DEMOS as HYDRAULIC
from symbody.apps.piano_demo import DEMO as PIANO
from symbody.errors import ModelError

DEMOS: dict[str, Demo] = {demo.name: demo for demo in (PIANO, CAR, CRANE, CAR_SUSPENSION, *HYDRAULIC)}


def demo_called(name: str) -> Demo:
    """A demo by its name."""
    if name not in DEMOS:
        raise ModelError("no such demo", element=name, cure=f"they are {', '.join(DEMOS)}")
    return DEMOS[name]
