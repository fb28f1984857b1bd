"""The crash attenuator and vehicles that hit it (Docquier 2013, section 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from symbody.analysis.simulate import simulate
from symbody.machines.attenuator.model import model as attenuator
from symbody.machines.crash.model import model as crash
from symbody.machines.crash.severity import felt, severity
from symbody.system.system import System, system
from symbody.system.varied_parameters import varied
from symbody_bench.validate.documents.row import Outcome, Row, at_most, holds, ordered, shares

SOURCE = "Docquier 2013"
DT, EVERY = 2.5e-5, 2e-4  # s
PARTS = (1, 3, 10)  # bodies per block
STARTS = range(10)  # speeds, masses and frictions
FRICTIONS = (0.3, 0.7)
WEAK = 0.1  # relative influence that is called weak


@cache
def impact(parts: int) -> float:
    """ASI of an impactor of 600 kg."""
    run = simulate(attenuator(parts), 0.2, DT, every=EVERY, outputs=["impactor.*"])
    return float(severity(run.t, felt(run, "impactor")).max())


@cache
def compiled(vehicle: str, locked: bool) -> System:
    return system(crash(vehicle, 1, locked), outputs=["vehicle.*"])


@cache
def asi(vehicle: str, start: int, locked: bool = False, friction: float = 0.5) -> float:
    """ASI of a vehicle; a start varies its speed and the strength of the blocks by up to 5 %."""
    s, (fast, strong) = compiled(vehicle, locked), shares(start, 2, 0.05)
    speed, strength = s.parameters["speed"] * fast, s.parameters["crush_first"] * strong
    more = {} if locked else {"truck_friction": friction}
    with varied(s, speed=speed, crush_first=strength, **more):
        run = simulate(s, 0.5, DT, every=EVERY)
    return float(severity(run.t, felt(run, "vehicle")).max())


def discretisation() -> Outcome:
    found = [impact(n) for n in PARTS]
    return at_most(100.0 * (max(found) / min(found) - 1.0), 0.4, "%", len(PARTS))


def size() -> Outcome:
    count = crash("car", 10).nv
    return holds([count > 300], f"{count} degrees of freedom")


def car_and_bus() -> Outcome:
    return ordered({name: [asi(name, k) for k in STARTS] for name in ("bus", "car")})


def locked_is_worst(vehicle: str) -> Outcome:
    cases: Sequence[tuple[str, bool]] = (("sliding", False), ("locked", True))
    return ordered({name: [asi(vehicle, k, locked) for k in STARTS] for name, locked in cases})


def friction_matters_little() -> Outcome:
    """Change of the ASI between two frictions of truck and ground."""
    changes = [abs(asi("car", k, friction=FRICTIONS[1]) / asi("car", k, friction=FRICTIONS[0]) - 1.0) for k in STARTS]
    return at_most(100.0 * max(changes), 100.0 * WEAK, "%", len(changes))


ROWS = [
    Row(SOURCE, "attenuator", "ASI with 1, 3 and 10 bodies per block", "differs by less than 0.4 %", discretisation),
    Row(SOURCE, "attenuator", "size of the full case", "above 300 degrees of freedom", size),
    Row(SOURCE, "attenuator", "ASI of car and bus", "car above bus", car_and_bus),
    Row(SOURCE, "attenuator", "ASI of the car with the truck locked", "worst case", lambda: locked_is_worst("car")),
    Row(SOURCE, "attenuator", "ASI of the bus with the truck locked", "worst case", lambda: locked_is_worst("bus")),
    Row(SOURCE, "attenuator", "friction of truck and ground, 0.3 to 0.7", "weak influence", friction_matters_little),
]
