"""A filter over a recorded log: estimates with standard deviations, rejected measurements, and consistency checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symbody.errors import DivergenceError, SingularityError
from symbody.estimation.sensor_log import SensorLog
from symbody.estimation.state_filter import Followed, StateFilter
from symbody.results.channels import channel_units, matching
from symbody.results.run import Run
from symbody.stepping.inputs import Signal, inputs_at
from symbody.system.system import Array, System

SURPRISING = 2.0  # mean y²/S of a sensor; 1 if noise and model errors are specified correctly
MOST_REFUSED = 0.05  # share of a sensor's measurements
BLOCK = 1000  # steps per call; a failing step loses its block
SIGMA = ".sigma"  # suffix of a channel's standard deviation


@dataclass(frozen=True)
class SensorTrust:
    """Statistics of a sensor: measurements received, rejected by the gate, and the mean y²/S of the used ones."""

    sensor: str
    measured: int
    refused: int
    surprise: float | None  # None: none was used


@dataclass(frozen=True)
class LogEstimate:
    """Estimates as a run, each followed by a channel NAME.sigma; sensor statistics; reasons not to trust them."""

    run: Run
    sensors: list[SensorTrust]
    doubts: list[str]
    error: DivergenceError | SingularityError | None = None  # the error that stopped the filter early


def estimate_log(
    twin: StateFilter, log: SensorLog, inputs: Mapping[str, Signal] | None = None, record: Sequence[str] = ()
) -> LogEstimate:
    """Run the filter over the log. record: outputs to estimate instead of the states, such as "*.q"."""
    s, u = twin.system, log_inputs(twin.system, log, inputs or {})
    twin.t, twin.u = log.start, u[0].copy()
    twin.correct(log.z[0])
    estimated = [one.name for one in twin.doubt.estimated]
    straight = len(s.layout.coordinates) == len(s.layout.velocities)  # no quaternions: each state has its own σ
    names = [*(s.states if straight and not record else matching(s.outputs, record or ("*.q", "*.qd"))), *estimated]
    rows = [_row(twin, names)]
    shares, error = [twin.shares.copy()], None
    try:
        for k in range(0, len(log.t) - 1, BLOCK):
            part = slice(k, min(k + BLOCK, len(log.t) - 1))
            found = _followed(twin, u[part], log.z[1:][part], None if straight and not record else names)
            rows += list(np.hstack([found.mean, found.sigma]))
            shares += list(found.shares)
    except (DivergenceError, SingularityError) as stopped:
        error = stopped
    units = channel_units(s.model, names)
    run = Run(
        None, log.t[: len(rows)], np.array(rows), names=[*names, *(name + SIGMA for name in names)],
        units={**units, **{name + SIGMA: unit for name, unit in units.items()}},
        meta={"model": s.model.name, "estimated": True}, model=s.model,
    )  # fmt: skip
    trust = sensor_trust(twin, np.array(shares))
    return LogEstimate(run, trust, doubts(trust), error)


def log_inputs(s: System, log: SensorLog, given: Mapping[str, Signal]) -> Array:
    """Rows of inputs: from the log, else from `given`, else the system's defaults."""
    u = np.broadcast_to(inputs_at(s, given, log.t), (len(log.t), len(s.inputs))).copy()
    for name, column in log.u.items():
        place = s.inputs.index(name)
        u[:, place] = np.where(np.isfinite(column), column, u[:, place])
    return np.asarray(u)


def _followed(twin: StateFilter, u: Array, z: Array, names: Sequence[str] | None) -> Followed:
    """Steps with estimates of outputs by name; None: of the states, as the filter computes them."""
    if names is None:
        return twin.follow(u, z)
    rows, shares = [], []
    for inputs, measured in zip(u, z, strict=True):
        twin.step(inputs, measured)
        rows.append(_row(twin, names))
        shares.append(twin.shares.copy())
    both = np.array(rows)
    return Followed(both[:, : len(names)], both[:, len(names) :], np.array(shares), np.full(len(rows), np.nan))


def _row(twin: StateFilter, names: Sequence[str]) -> Array:
    mean, sigma = twin.mean, twin.sigma
    return np.array([mean[name] for name in names] + [sigma[name] for name in names])


def sensor_trust(twin: StateFilter, shares: Array) -> list[SensorTrust]:
    """Sensor statistics from rows of y²/S."""
    found = []
    for name, column in zip(twin.sensors, shares.T, strict=True):
        came = column[np.isfinite(column)]
        used = came[came <= twin.gate]
        mean = float(used.mean()) if len(used) else None
        found.append(SensorTrust(name, len(came), len(came) - len(used), mean))
    return found


def doubts(sensors: Sequence[SensorTrust]) -> list[str]:
    """Reasons not to trust the estimates, as sentences; empty if there are none."""
    said = []
    for one in sensors:
        if one.measured and one.refused > MOST_REFUSED * one.measured:
            share = f"{one.refused} of {one.measured} measurements"
            said.append(f"{one.sensor}: {share} were rejected: the sensor jumps, or the model is wrong")
        elif one.surprise is not None and one.surprise > SURPRISING:
            said.append(f"{one.sensor}: y²/S is {one.surprise:.2g} instead of 1: give more noise or model_error")
        elif not one.measured:
            said.append(f"{one.sensor}: it has no measurements")
    return said
