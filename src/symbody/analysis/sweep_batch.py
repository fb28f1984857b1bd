"""The runs of a sweep as one batch: a sample in each lane of the processor's vectors, on all cores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symbody.analysis.sweep_workers import Row, SweepJob
from symbody.batch.of_system import Batch, batch
from symbody.batch.system_kernel import METHODS
from symbody.codegen.compiler import find_compiler
from symbody.errors import AssemblyError, CompileError, ModelError, SingularityError
from symbody.stepping.fixed_trajectory import StepGrid, step_grid
from symbody.stepping.inputs import inputs_at
from symbody.stepping.registry import suited
from symbody.stepping.step_options import FixedStep, step_options
from symbody.system.sensitivity_formula import measured_each, outputs_in, reduced
from symbody.system.sensitivity_start import pivots_at, start, start_parameters
from symbody.system.system import Array, InitialState, System

FEWEST = 64  # samples that are worth the compilation of a kernel
MEMORY = 2.5e8  # bytes of channels that one batch may record
OPTIONS = {"every", "method"}  # of `simulate`, that a batch supports


def batch_rows(job: SweepJob, samples: Array, workers: int, fewest: int = FEWEST) -> dict[int, Row]:
    """Measures of at least `fewest` samples that a batch can compute; the others (all, or frozen ones) are missing.

    Kernels have no shortened or divided steps and no measures in Python; runs that need them stay with the workers.
    """
    s = job.system
    if s is None or len(samples) < fewest or not _suits(s, job):
        return {}
    grid = step_grid(0.0, job.until, job.dt or 0.0)
    if grid.shortened:
        return {}
    every, names = grid.every(job.options.get("every")), _channels(s, job)
    own = [name for name in job.names if name in s.parameters]
    method = suited(s, job.options.get("method"), job.dt).name
    size = max(FEWEST, int(MEMORY / (8 * max(1, len(names)) * (grid.steps // every + 1))))
    rows: dict[int, Row] = {}
    begin = job.start or batch_start(s)
    if begin is None:  # each run gives its own reason
        return {}
    here = s.starting(begin)
    for first in range(0, len(samples), size):
        part = samples[first : first + size]
        try:
            b = batch(
                here, len(part), dt=grid.dt, method=method, channels=names, per_state=bool(own), threads=workers
            )  # fmt: skip
        except (CompileError, ModelError):
            return {}
        found = _measured(s, job, b, part, grid, every)
        rows |= {first + i: row for i, row in found.items()}
    return rows


def batch_start(s: System) -> InitialState | None:
    """The start of all runs of a batch; None if the loops do not close or are singular there."""
    try:
        at = start(s)
        return InitialState(at.x, at.guess, pivots_at(s, at))
    except (AssemblyError, SingularityError):
        return None


def _suits(s: System, job: SweepJob) -> bool:
    steps = step_options(job.options.get("method"), job.dt, None)
    return (
        job.dt is not None
        and find_compiler() is not None
        and isinstance(steps, FixedStep)
        and steps == FixedStep(steps.method)
        and suited(s, steps.method, job.dt).name in METHODS
        and {name for name, value in job.options.items() if value is not None} <= OPTIONS
        and all(isinstance(measure, str) for measure in job.measures.values())
        and not s.options.work
        and not start_parameters(s).intersection(job.names)
        and (all(name in s.parameters for name in job.names) or _are_numbers(job.inputs))
    )


def _are_numbers(inputs: Mapping[str, Any]) -> bool:
    return all(np.ndim(x) == 0 and not callable(x) and not isinstance(x, tuple) for x in inputs.values())


def _channels(s: System, job: SweepJob) -> list[str]:
    formulas = [reduced(str(measure))[1] for measure in job.measures.values()]
    return list(dict.fromkeys(name for formula in formulas for name in outputs_in(formula, s.outputs)))


def _measured(s: System, job: SweepJob, b: Batch, samples: Array, grid: StepGrid, every: int) -> dict[int, Row]:
    columns = dict(zip(job.names, samples.T, strict=True))
    own = {name: x for name, x in columns.items() if name in s.parameters}
    if own:
        b.set_parameters(own)
    rows = inputs_at(s, job.inputs, grid.times)
    if len(rows) == 1:
        u = np.tile(rows, (len(samples), 1))
        for name in columns.keys() - own.keys():
            u[:, s.inputs.index(name)] = columns[name]
        run = b.rollout(grid.steps, u, every=every)
    else:
        run = b.rollout(grid.steps, rows, every=every, linear=True)
    channels = {name: run[name] for name in run.channels} or {"": np.zeros((len(run.t), len(samples)))}
    known = {**s.parameters, **own}
    values = [measured_each(str(measure), run.t, channels, known) for measure in job.measures.values()]
    table = np.stack(values, axis=1).tolist()
    return {i: row for i, row in enumerate(table) if i not in run.failures}
