"""The hydraulic four-bar linkage of Jaiswal's Publication III: the true machine, and the wrong model of the filter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from symbody.estimation.noisy_sensor import NoisySensor
from symbody.hydraulics.cylinder_drive import COMMAND as COMMAND
from symbody.hydraulics.tilted_four_bar import tilted_four_bar
from symbody.model.model import Model
from symbody.system.system import System, system

# Errors of the filter's model, relative to the truth; chosen, because the publication does not print its values.
SHARES = {"hydraulics_bulk": 1400 / 1500, "valve_cv": 1.02, "cylinder_Fc": 0.8, "cylinder_Fs": 0.8}
GRAVITY = 1.1  # times the true gravity
AWAY = np.radians(2.0)  # error of the crank angle at the start

SENSORS = {  # σ of an encoder, of a cheap gyroscope, and of three pressure sensors
    "crank.q": NoisySensor("crank.q", np.radians(1.0)),
    "crank.qd": NoisySensor("crank.qd", 9.84e-4),
    "hose_p": NoisySensor("hose_p", 0.1e6),
    "piston_p": NoisySensor("piston_p", 0.1e6),
    "rod_p": NoisySensor("rod_p", 0.1e6),
}
SETS = {  # Jaiswal, dissertation (2021), §4.3
    1: ("crank.q", "hose_p", "piston_p", "rod_p"),
    2: ("crank.q", "crank.qd", "hose_p", "piston_p", "rod_p"),
    3: ("crank.q", "crank.qd", "hose_p", "piston_p"),
    4: ("crank.q", "crank.qd", "hose_p", "rod_p"),
}
WITHOUT_GYROSCOPE = {  # sets 3 and 4 without their gyroscope
    3: ("crank.q", "hose_p", "piston_p"),
    4: ("crank.q", "hose_p", "rod_p"),
}
# White noise of a filter without uncertain parameters: 1e-3 (rad/s²)²s, and (1e4 Pa)² in each step of 1 ms; chosen.
WHITE = {"crank.qd": 1e-3**0.5} | dict.fromkeys(("hose_p", "piston_p", "rod_p"), 1e4 / 1e-3**0.5)
FILTERS: dict[str, dict[str, Any]] = {  # options of `estimate`
    "own": {},  # the oil moves the errors of pressures, every parameter is uncertain by 5 %
    "printed": {"transition": "held", "model_error": WHITE},  # errors of pressures are held (dissertation, §3.1)
    "white": {"model_error": WHITE},  # the oil moves them, no parameter is uncertain
}
RATES = (1000, 500, 200, 100)  # Hz
START = {"crank.q": AWAY, "crank.qd": 0.01, "valve_spool": 1e-3, "hose_p": 1e5, "piston_p": 1e5, "rod_p": 1e5}


def model() -> Model:
    """The true machine; the input `U_ref` (V) moves the valve."""
    m = tilted_four_bar()
    m.name = "estimator"
    return m


@cache
def wrong_system() -> System:
    """The system of the filters in experiments."""
    return new_wrong_system()


def new_wrong_system() -> System:
    """A wrong system for a filter: too heavy, oil too soft, valve too wide, too little friction, another start."""
    m = model()
    x, y, z = m.gravity
    m.gravity = (GRAVITY * x, GRAVITY * y, GRAVITY * z)
    s = system(m)
    s.parameters.update({name: share * s.parameters[name] for name, share in SHARES.items()})
    start = s.x0.copy()
    start[s.states.index("crank.q")] += AWAY
    return s.starting_at(start)
