"""The variables of an FMU: names, references, causalities, starts, units; the same for FMI 2 and 3."""

from __future__ import annotations

from dataclasses import dataclass

from symbody.export.dependencies import dependencies
from symbody.export.parts import SystemParts
from symbody.export.units import fmi_units
from symbody.model.model import Model


@dataclass(frozen=True)
class Variable:
    """One real number that an importer sees."""

    name: str
    reference: int
    causality: str
    variability: str
    initial: str = ""
    start: float | None = None
    unit: str = ""
    about: str = ""
    state: int | None = None  # of a derivative: the reference of its state


@dataclass(frozen=True)
class Interface:
    """All variables, and the references that outputs and derivatives depend on (None: on everything)."""

    variables: list[Variable]
    depends: dict[int, list[int] | None]


def interface(model: Model, parts: SystemParts, step: float) -> Interface:
    """The variables; references as in runtime/instance.h.in: time, step, states, rates, inputs, parameters, outputs."""
    taken: set[str] = set()

    def own(name: str, ending: str) -> str:
        while name in taken:
            name += ending
        taken.add(name)
        return name

    units = fmi_units(model, [*parts.states, *parts.inputs, *parts.outputs])
    sizes = [1, 1, len(parts.states), len(parts.states), len(parts.inputs), len(parts.parameters)]
    TIME, STEP, X, XD, U, P, Y = (sum(sizes[:k]) for k in range(len(sizes) + 1))
    watched = set(parts.outputs)
    found = []
    for k, (name, start) in enumerate(zip(parts.states, parts.x0, strict=True)):
        causality = "output" if name in watched else "local"
        found.append(Variable(own(name, ""), X + k, causality, "continuous", "exact", start, units[name], "state"))
    for k, (name, start) in enumerate(zip(parts.inputs, parts.u0, strict=True)):
        found.append(Variable(own(name, ".in"), U + k, "input", "continuous", "", start, units[name], "input"))
    for k, (name, value) in enumerate(parts.parameters.items()):
        unit = model.parameters[name].unit if name in model.parameters else ""
        found.append(Variable(own(name, ".p"), P + k, "parameter", "tunable", "exact", value, unit, "parameter"))
    for k, name in enumerate(parts.outputs):
        if name not in parts.states:  # a state is already an output
            found.append(Variable(own(name, ".out"), Y + k, "output", "continuous", "calculated", unit=units[name]))
    for k, name in enumerate(parts.states):
        unit = _per_second(units[name])
        rate = own(f"der({name})", "'")
        found.append(Variable(rate, XD + k, "local", "continuous", "calculated", unit=unit, state=X + k))
    about = "longest step of the integration inside a communication step (co-simulation)"
    name = own("internal.step", "_")
    found.append(Variable(name, STEP, "parameter", "fixed", "exact", step, "s", about))
    found.append(Variable(own("time", "_"), TIME, "independent", "continuous", unit="s"))
    knowns = {"t[0]": TIME} | {f"x[{k}]": X + k for k in range(sizes[2])} | {f"u[{k}]": U + k for k in range(sizes[4])}
    return Interface(sorted(found, key=lambda v: v.reference), _depends(parts, knowns, X, XD, Y))


def _depends(parts: SystemParts, knowns: dict[str, int], X: int, XD: int, Y: int) -> dict[int, list[int] | None]:
    found: dict[int, list[int] | None] = {X + k: [X + k] for k in range(len(parts.states))}
    for program, output, first in ((parts.rates, "xd", XD), (parts.observe, "y", Y)):
        for k, names in enumerate(dependencies(program, output)):
            found[first + k] = None if len(names) == len(knowns) else sorted(knowns[name] for name in names)
    return found


def _per_second(unit: str) -> str:
    return {"": "", "m": "m/s", "rad": "rad/s", "m/s": "m/s2", "rad/s": "rad/s2"}.get(unit, f"{unit}/s")
