"""Measures of the bench: impacts of the arm, the corner by method and limit, friction laws, times."""

from __future__ import annotations

from symbody.codegen import wait_optimised
from symbody.haptics.thesis_scenes.corner import LIMITED, METHODS, PUSH, SECONDS, Corner, corner, pushed
from symbody.haptics.thesis_scenes.two_link import PLACES, loss
from symbody.machines.haptic_bench.stick_slip import MODELS, StickSlip, drawn, measures
from symbody.realtime.tick_times import percentiles

FRICTION_SECONDS = 20.0


def impact_losses() -> dict[str, float]:
    """Energy (J) that a plastic impact takes from the arm, by the place that is struck."""
    return {f"{place} m": loss(place, 0.0)[1] for place in PLACES}


def corners() -> dict[str, Corner]:
    """The corner by each method."""
    return {method: pushed(method) for method in METHODS}


def limited() -> dict[str, Corner]:
    """The corner by impulses, for each way to keep within the device's limits; and by springs within them."""
    return {how: pushed("impulse", how) for how in LIMITED} | {"penalty": pushed("penalty", "saturate")}


def frictions() -> dict[str, StickSlip]:
    """Stick and slip by each law."""
    return {name: measures(drawn(friction, seconds=FRICTION_SECONDS)) for name, friction in MODELS.items()}


def tick_times(method: str = "impulse") -> dict[str, float]:
    """Microseconds of a tick of the corner: scene, controller and device, with optimised code if it is available."""
    wait_optimised()
    return percentiles(corner(METHODS[method]).times(SECONDS, PUSH))
