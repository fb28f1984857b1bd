"""A filter over a recorded log: what it estimates, its bands, what it refused, and whether it may be trusted."""

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

SURPRISING = 2.0  # mean y²/S of a sensor, 1 where noise and model errors are told right
MOST_REFUSED = 0.05  # share of a sensor's measurements
BLOCK = 1000  # steps that are lost where one of them fails
SIGMA = ".sigma"  # ends the name of a channel's standard deviation


@dataclass(frozen=True)
class SensorTrust:
    """How a sensor fared: measurements that came, that the gate refused, and the mean of y²/S of those used."""

    sensor: str
    measured: int
    refused: int
    surprise: float | None  # None: none was used


@dataclass(frozen=True)
class LogEstimate:
    """Estimates over time as a run, with a channel NAME.sigma behind each; sensors; reasons not to trust them."""

    run: Run
    sensors: list[SensorTrust]
    doubts: list[str]
    error: DivergenceError | SingularityError | None = None  # that ended it before the log did


def estimate_log(
    twin: StateFilter, log: SensorLog, inputs: Mapping[str, Signal] | None = None, record: Sequence[str] = ()
) -> LogEstimate:
    """The filter over the log, from its first row on; record: outputs, such as "*.q", instead of the states."""
    s, u = twin.system, log_inputs(twin.system, log, inputs or {})
    twin.t, twin.u = log.start, u[0].copy()
    twin.correct(log.z[0])
    estimated = [one.name for one in twin.doubt.estimated]
    straight = len(s.layout.coordinates) == len(s.layout.velocities)  # each state has a σ of its own
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
    """Rows of inputs: as the log has them, else as they are given, else as the system has them."""
    u = np.broadcast_to(inputs_at(s, given, log.t), (len(log.t), len(s.inputs))).copy()
    for name, column in log.u.items():
        place = s.inputs.index(name)
        u[:, place] = np.where(np.isfinite(column), column, u[:, place])
    return np.asarray(u)


def _followed(twin: StateFilter, u: Array, z: Array, names: Sequence[str] | None) -> Followed:
    """Steps, with estimates of outputs by name; None: of the states, as the filter follows them itself."""
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
    """From rows of y²/S of each sensor."""
    found = []
    for name, column in zip(twin.sensors, shares.T, strict=True):
        came = column[np.isfinite(column)]
        used = came[came <= twin.gate]
        mean = float(used.mean()) if len(used) else None
        found.append(SensorTrust(name, len(came), len(came) - len(used), mean))
    return found


def doubts(sensors: Sequence[SensorTrust]) -> list[str]:
    """Why a filter should not be trusted, in words; none where nothing speaks against it."""
    said = []
    for one in sensors:
        if one.measured and one.refused > MOST_REFUSED * one.measured:
            share = f"{one.refused} of {one.measured} measurements"
            said.append(f"{one.sensor}: {share} were refused: it jumps, or the model is wrong")
        elif one.surprise is not None and one.surprise > SURPRISING:
            said.append(f"{one.sensor}: {one.surprise:.2g} times as far off as told: give more noise or model_error")
        elif not one.measured:
            said.append(f"{one.sensor}: it was never measured")
    return said
