"""The crane weighs its load from the pressures of its cylinders and two angles, while it lifts."""

from __future__ import annotations

from functools import cache

from symbody.estimation.estimate import with_own_parameters
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.twin_case import TwinCase
from symbody.machines.crane.model import LOAD_MASS, model
from symbody.system.system import System, system

DT, UNTIL = 1e-3, 0.6  # s
SENSORS = (
    *(NoisySensor(f"{name}_p", 1e5) for name in ("lift_piston", "lift_rod", "fold_piston", "fold_rod")),  # Pa
    NoisySensor("boom.q", 1e-3),  # rad
    NoisySensor("jib.q", 1e-3),
)
DOUBT = {f"{name}.qd": 0.01 for name in ("slew", "boom", "jib", "swing", "sway")}
DOUBT |= {"lift_piston_p": 1e5, "fold_piston_p": 1e5}
UNSURE = 200.0  # kg, of the load


@cache
def compiled() -> System:
    """The crane, with what the filter needs."""
    return system(model(), outputs=["*.q", "*.qd", "*_p", "*_spool"])


@cache
def case(mass: float, until: float = UNTIL) -> TwinCase:
    """A load (kg) that differs from the one of the filter; a command of 1 V lifts the boom."""
    crane = with_own_parameters(compiled())
    crane.parameters["load_mass"] = mass
    start = {name: 1e5 if name.endswith("_p") else 1e-3 for name in crane.states}
    return TwinCase(
        crane, until, DT, SENSORS, {"lift_command": 1.0}, {"load_mass": LOAD_MASS}, model_error=DOUBT,
        parameters={"load_mass": UNSURE}, start=start, method="trapezoidal",
    )  # fmt: skip
