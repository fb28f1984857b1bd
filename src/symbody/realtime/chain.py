"""Several systems and other sources as one source of the real-time loop: a chain of stages, each stepped once a period.

Loop(Chain("ride", [Stage(scene), Stage(cueing, {"scene_x": "acceleration_x"}), …]), 1000.0)
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.errors import ModelError
from symbody.realtime.parameters import JoinedParameters
from symbody.realtime.stepper import LoopModel, LoopSource, LoopStepper, system_model
from symbody.stepping.step_options import FixedStep
from symbody.suggestions import did_you_mean
from symbody.system.system import System


class ChainStageOf(Mirror):
    """chain_stage_t of chain.c."""

    c_type = "chain_stage_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("step", "of", "u", "from", "y", "capped")),
        *((name, ctypes.c_int64) for name in ("nu", "substeps")),
    )


class ChainOf(Mirror):
    """chain_t of chain.c."""

    c_type = "chain_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("u", "values", "stages", "shown")),
        *((name, ctypes.c_int64) for name in ("nu", "ny", "count", "capped")),
    )


@dataclass(frozen=True)
class Stage:
    """A part of a chain: a system or another source of the loop, and where its inputs come from.

    wires: {input: value}; a value is an input of the chain or an output of a stage, of this period if the stage is
    earlier, else of the period before. An input without a wire is an input of the chain. prefix: of the names of its
    inputs, outputs and parameters in the chain. substeps: steps of the stage in a step of the chain.
    """

    source: System | LoopSource
    wires: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    substeps: int = 1

    def made(self, dt: float) -> LoopModel:
        """The stage as a loop would step it, with steps of dt (s) of the chain."""
        own = dt / self.substeps
        if isinstance(self.source, System):
            return system_model(self.source, own, FixedStep())
        return self.source.loop_model(own, self.substeps, FixedStep())


@dataclass(frozen=True)
class Chain:
    """Stages that a loop steps one after another in each period.

    outputs: names or patterns of the values that the loop records; default: all outputs of the stages. start: values of
    inputs at the start, instead of those of the stages.
    """

    name: str
    stages: Sequence[Stage]
    outputs: Sequence[str] = ("*",)
    start: Mapping[str, float] = field(default_factory=dict)

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The chain as the loop steps it; each stage has its own method."""
        if steps != FixedStep():
            raise ModelError("the stages of a chain have their own methods", element="method", cure="leave it out")
        made = [stage.made(dt) for stage in self.stages]
        given, shown, units = self._values(made)
        for name, value in self.start.items():
            if name not in given:
                raise ModelError("unknown input", element=name, cure=did_you_mean(name, given, "inputs"))
            given[name] = float(value)
        names = [*given, *shown]
        place = {name: k for k, name in enumerate(names)}
        values = np.array([*given.values(), *shown.values()])
        kept: list[Any] = [values]
        stages = (ChainStageOf * len(made))()
        first = len(given)
        for k, (stage, model) in enumerate(zip(self.stages, made, strict=True)):
            sources = np.array([_place(place, stage, name) for name in model.inputs], dtype=np.int64)
            kept.append(sources)
            stages[k] = ChainStageOf(
                step=model.stepper.function, of=ctypes.addressof(model.stepper.structure),
                u=model.stepper.structure.u, y=values.ctypes.data + values.itemsize * first,
                capped=model.stepper.capped, nu=len(sources), substeps=stage.substeps,
                **{"from": sources.ctypes.data},
            )  # fmt: skip
            first += len(model.outputs)
        outputs = [name for name in shown if any(fnmatchcase(name, pattern) for pattern in self.outputs)]
        u = np.array([*given.values(), 0.0])[: max(len(given), 1)].copy()
        seen = np.array([place[name] for name in outputs], dtype=np.int64)
        structure: Any = ChainOf(
            u=u.ctypes.data, values=values.ctypes.data, stages=ctypes.addressof(stages), shown=seen.ctypes.data,
            nu=len(given), ny=len(outputs), count=len(made),
        )  # fmt: skip
        library = optimised_runtime("chain.c", ChainOf, ChainStageOf, package="symbody.realtime")
        stepper = LoopStepper(
            (self, made, kept, stages, u, seen),
            ctypes.cast(library.integrate, ctypes.c_void_p).value or 0,
            structure,
            (values, *(array for model in made for array in model.stepper.kept)),
            ctypes.addressof(structure) + ChainOf.capped.offset,
            tuple(one for model in made for one in model.stepper.fields),
        )
        parameters = JoinedParameters([(s.prefix, m.parameters) for s, m in zip(self.stages, made, strict=True)])
        y0 = np.array([shown[name] for name in outputs])
        return LoopModel(
            self.name, list(given), u[: len(given)], outputs, y0, {n: units[n] for n in outputs}, parameters, stepper
        )

    def _values(self, made: Sequence[LoopModel]) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
        """Inputs of the chain and outputs of its stages with their start values, and units of the outputs."""
        given: dict[str, float] = {}
        shown: dict[str, float] = {}
        units: dict[str, str] = {}
        for stage, model in zip(self.stages, made, strict=True):
            for name, value in zip(model.inputs, model.u0, strict=True):
                if name not in stage.wires:
                    given[stage.prefix + name] = float(value)
            for name, value in zip(model.outputs, model.y0, strict=True):
                if stage.prefix + name in shown:
                    cure = "give a stage a prefix"
                    raise ModelError("two values of a chain have this name", element=stage.prefix + name, cure=cure)
                shown[stage.prefix + name] = float(value)
                units[stage.prefix + name] = model.units.get(name, "")
        for name in given:
            if name in shown:
                raise ModelError("two values of a chain have this name", element=name, cure="give a stage a prefix")
        return given, shown, units


def _place(place: Mapping[str, int], stage: Stage, name: str) -> int:
    wired = stage.wires.get(name, stage.prefix + name)
    if wired not in place:
        cure = did_you_mean(wired, place, "values")
        raise ModelError(f"the input {stage.prefix}{name} has an unknown source", element=wired, cure=cure)
    return place[wired]
