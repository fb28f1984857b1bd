"""Sensor sets at rates, over seeds: how near a filter comes, and whether its bands hold the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.estimation.twin import TwinRun, twin_run
from symbody.machines.estimator.model import COMMAND, SENSORS, SETS, START, model, wrong_system
from symbody.results.run import Run
from symbody.system.system import system
from symbody.visual.report import Record

DT, UNTIL = 1e-3, 10.0  # s
NAMES = ("crank.q", "crank.qd", "hose_p", "piston_p", "rod_p")


@cache
def truth(until: float = UNTIL) -> Run:
    """The true motion: it tilts out from 1 s to 2.5 s, and in from 5 s to 8 s."""
    return simulate(system(model()), until, DT, method="trapezoidal", inputs={"U_ref": COMMAND})


def observed(sensors: Sequence[str], rate: float, seed: int, until: float = UNTIL) -> TwinRun:
    """The filter with some sensors at a rate (Hz), with noise of a seed."""
    chosen = [replace(SENSORS[name], rate=rate) for name in sensors]
    run = truth(until)
    u = np.array([[COMMAND(t)] for t in run.t[:-1]])
    return twin_run(run, wrong_system(), chosen, u, seed, method="trapezoidal", start=START)


def figures(runs: Sequence[TwinRun]) -> Record:
    """Means over seeds of the error, in % of the largest truth, and of the share of time within the band of 95 %."""
    error = {name: float(np.mean([one.rmse_percent(name) for one in runs])) for name in NAMES}
    coverage = {name: float(np.mean([one.coverage(name) for one in runs])) for name in NAMES}
    return {"rmse_percent": error, "coverage": coverage}


def sensors_alone() -> dict[str, float]:
    """What the sensors would be off by themselves, in % of the largest truth."""
    run = truth()
    return {name: 100.0 * SENSORS[name].sigma / float(np.abs(run[name]).max()) for name in SETS[2]}
