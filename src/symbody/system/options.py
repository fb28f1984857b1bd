"""Options of a system: how it is made from a model, and the names of its inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from symbody.elements.hydraulics import with_circuits
from symbody.equations.tree import Live
from symbody.errors import ModelError
from symbody.model.body import QUATERNION
from symbody.model.formula import evaluate
from symbody.model.model import Model
from symbody.suggestions import did_you_mean, either, nearest

Closure = Literal["partitioning", "augmented", "penalty"]
Formulation = Literal["recursive", "semi-recursive"]
CLOSURES = ("partitioning", "augmented", "penalty")
FORMULATIONS = ("recursive", "semi-recursive")
XYZ = ("x", "y", "z")
MEASURED = ("q", "qd", "qdd")
SITE_INPUTS = tuple(f"{kind}.{axis}" for kind in ("force", "torque") for axis in XYZ)


def listed(given: str | Iterable[str] | None) -> list[str] | None:
    """Names or patterns as a list; a single one becomes a list of one."""
    return None if given is None else [given] if isinstance(given, str) else list(given)


@dataclass(frozen=True)
class SystemOptions:
    """The user's options: closure of loops, form of the equations, inputs."""

    closure: Closure = "partitioning"
    formulation: Formulation = "recursive"
    inputs: tuple[str, ...] = ()  # "JOINT.Q": a force; "JOINT.q": the motion of a driven joint; "SITE.force"
    live: Live = "named"
    alpha: float = 0.0  # penalty factor; 0: chosen from the masses, see `system.py`
    omega: float = 10.0  # rad/s, and
    mu: float = 1.0  # damping ratio of the decay of violations with the penalty closure
    work: bool = False  # whether the work ∫P dt is a state, for the channel energy.unaccounted

    def __post_init__(self) -> None:
        for name, value, known in (
            ("closure", self.closure, CLOSURES),
            ("formulation", self.formulation, FORMULATIONS),
            ("live", self.live, get_args(Live)),
        ):
            if value not in known:
                raise ModelError(
                    f"unknown {name} '{value}'",
                    element=name,
                    cure=did_you_mean(str(value), known, f"choices of {name}"),
                )

    def measured(self, joint: str) -> bool:
        """Whether the motion of a driven joint is an input."""
        return f"{joint}.q" in self.inputs


def input_names(model: Model, options: SystemOptions) -> list[str]:
    """Names of the inputs: the model's own, then those of the options."""
    names = list(model.inputs)
    joints = {joint.name: joint for joint in model.joints()}
    for wanted in options.inputs:
        owner, _, kind = wanted.rpartition(".")
        if kind == "Q" and owner in model.velocities:
            names.append(wanted)
        elif kind == "q" and owner in joints and joints[owner].nature == "driven":
            names += [f"{owner}.{x}" for x in MEASURED]
        elif kind == "force" and owner in model.force_sites:
            names += [f"{owner}.{x}" for x in SITE_INPUTS]
        else:
            near = [] if owner in joints else nearest(wanted, possible_inputs(model), 2)
            cure = "use JOINT.Q for a force, JOINT.q for the motion of a driven joint, SITE.force for a force site"
            cure = f"did you mean {either(near)}?" if near else cure
            raise ModelError(f"unknown input '{wanted}'", element=wanted, cure=cure, file=model.file)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ModelError("the input is listed twice", element=min(twice), cure="list it once", file=model.file)
    return names


def possible_inputs(model: Model) -> list[str]:
    """All possible inputs, the model's own first."""
    driven = [f"{joint.name}.q" for joint in model.joints() if joint.nature == "driven"]
    return [*model.inputs, *(f"{v}.Q" for v in model.velocities), *driven, *(f"{f}.force" for f in model.force_sites)]


def asked_for(model: Model, names: Iterable[str]) -> list[str]:
    """What the options must list so that inputs of these names exist."""
    wanted: dict[str, None] = {}
    own = with_circuits(model).inputs
    for name in names:
        owner, _, kind = name.rpartition(".")
        if name in own:
            continue
        if kind in XYZ:
            wanted[f"{owner.rpartition('.')[0]}.force"] = None
        else:
            wanted[f"{owner}.q" if kind in MEASURED else name] = None
    return list(wanted)


def input_values(model: Model, options: SystemOptions) -> list[float]:
    """Initial values of the inputs: measured joints stay at their initial coordinates."""
    values = {name: given.value for name, given in model.inputs.items()}
    values |= {f"{joint.name}.q": float(evaluate(joint.q0[0], model.values)) for joint in model.joints()}
    return [values.get(name, 0.0) for name in input_names(model, options)]


def elementary_only(model: Model, joint_name: str) -> None:
    """Driven and locked joints must be elementary."""
    joint = next(joint for joint in model.joints() if joint.name == joint_name)
    if joint.type in QUATERNION:
        cure = "use elementary joints: R1 R2 R3 T1 T2 T3"
        raise ModelError("quaternion joints cannot be driven or locked", element=joint.name, cure=cure, file=model.file)
