"""Figures of a work cycle: its timeline, loads, static forces of the cylinders, energy, fuel and times of steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.machines.tractor.model import numbers
from symbody.machines.tractor.work_cycle import DT, Worked
from symbody.model.plain_numbers import GRAVITY
from symbody.realtime.tick_times import percentiles
from symbody.results.run import Run
from symbody.visual.report import Record

Array = np.ndarray
LOAD = "bucket.soil.carried"
CARRIED = (14.0, 34.0)  # s: between dig and dump
PRINTED = {  # s, Publication V: the bucket is empty, fills, is full, dumps, is empty again
    "first": 10.12, "full": 12.85, "dumps": 37.20, "dumped": 40.28, "empty": 41.78,
}  # fmt: skip
DIG = (10.12, 10.85)  # s, Publication V: the bucket cuts the heap
LOADING = ("arm", "cross_tube", "plate", "levelling_rod", "rocker", "coupler", "bucket")


def timeline(run: Run) -> dict[str, float]:
    """Times (s): first soil, load steady within 3 %, less than 90 % of it, less than 10 %, less than 1 %."""
    t, load, held = run.t, run[LOAD], carried_load(run)
    after = t > np.mean(CARRIED)

    def first(where: Array) -> float:
        return float(t[where][0]) if where.any() else np.nan

    return {
        "first": first(load > 0.01 * held),
        "full": float(t[~after & (np.abs(load - held) > 0.03 * held)][-1]) if held > 0.0 else np.nan,
        "dumps": first(after & (load < 0.9 * held)),
        "dumped": first(after & (load < 0.1 * held)),
        "empty": first(after & (load <= 0.01 * held)),
    }


def carried_load(run: Run, begin: float = CARRIED[0]) -> float:
    """Mean load (kg) while the tractor reverses, from a time (s)."""
    while_carrying = (run.t >= begin) & (run.t <= CARRIED[1])
    return float(run[LOAD][while_carrying].mean()) if while_carrying.any() else float(run[LOAD].max())


def dig_force(run: Run) -> float:
    """Largest force (N) of a lift cylinder while the bucket cuts the heap."""
    return float(np.abs(run["lift_left.force"][(run.t >= DIG[0]) & (run.t <= DIG[1])]).max())


def figures(worked: Worked) -> Record:
    """The figures of `symbody demo tractor`."""
    run, times = worked.run, timeline(worked.run)
    return {
        "load_kg": carried_load(run),
        "volume_error": worked.volume_error,
        "held_s": [times["full"], times["dumps"]],
        "step_us": percentiles(worked.step_times),
        "realtime_factor": DT / float(worked.step_times.mean()),
        "particles_most": int(run["soil.particles"].max()),
        "steepest_deg": float(np.degrees(worked.soil.settled().steepest)),
        **work(run),
    }


def work(run: Run) -> dict[str, float]:
    """Time (s), energy of the engine (kJ), fuel (g) and largest load (kg) of a cycle."""
    return {
        "time_s": float(run.t[-1]),
        "energy_kJ": float(np.trapezoid(run["engine.power"], run.t)) / 1e3,
        "fuel_g": float(run["fuel.share"][0] - run["fuel.share"][-1]) * 10.0 * numbers()["engine"]["tank"],  # from %
        "most_kg": float(run[LOAD].max()),
    }


def static_lift_force(run: Run) -> Array:
    """Force (N) of each lift cylinder that holds the loader and its load at rest, by virtual work.

    A small lift dφ of the arm turns arm and cross tube, moves plate, rocker, coupler, bucket and load parallel to their
    pins, and turns the levelling rod: 2 F ds = g Σ m_k dz_k.
    """
    of, size = numbers()["bodies"], numbers()["cylinders"]["lift"]
    pins = {"plate": of["plate"]["at"], "bucket": numbers()["points"]["arm.bucket_pin"]}
    pins |= dict.fromkeys(("rocker", "coupler"), of["rocker"]["at"])
    q = run["lift.q"]
    moment: Any = run[LOAD] * _ahead(pins["bucket"], q)
    for name in LOADING:
        if name in pins:
            moment = moment + of[name]["mass"] * _ahead(pins[name], q)
        elif name == "levelling_rod":
            moment = moment + of[name]["mass"] * 0.5 * _ahead(of["plate"]["at"], q)
        else:
            com = np.array(of[name]["com"]) + (0.0 if name == "arm" else np.array(of[name]["at"]))
            moment = moment + of[name]["mass"] * _ahead(com, q)
    foot = np.array(size["foot"][1]) - np.array(of["arm"]["at"])
    eye, step = size["eye"][1], 1e-5
    lever = (_distance(eye, foot, q - step) - _distance(eye, foot, q + step)) / (2.0 * step)
    return np.asarray(GRAVITY * moment / lever / 2.0)


def _turned(point: Any, q: Array) -> tuple[Array, Array]:
    """x and z of a point of the arm, from its hinge."""
    x, _, z = point
    return x * np.cos(q) + z * np.sin(q), -x * np.sin(q) + z * np.cos(q)


def _ahead(point: Any, q: Array) -> Array:
    """dz/dφ of a point for a lift: its distance ahead of the hinge."""
    return _turned(point, q)[0]


def _distance(eye: Any, foot: Any, q: Array) -> Array:
    x, z = _turned(eye, q)
    return np.asarray(np.hypot(x - foot[0], z - foot[2]))
