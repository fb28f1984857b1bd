"""Tyre forces of the kart on its bench: as unknown inputs, or by a tyre law with unknown parameters."""

from __future__ import annotations

from functools import cache
from math import radians

from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.twin_case import TwinCase
from symbody.machines.kart_bench.model import WHEELS, model
from symbody.stepping.inputs import Signal
from symbody.system.system import System, system

DT, UNTIL = 2e-3, 10.0  # s
SENSORS = (
    NoisySensor("cell.along", 0.3),  # N: strain gauges
    NoisySensor("cell.aside", 0.3),
    NoisySensor("yaw.q", radians(0.05)),  # the potentiometer at the pin, added here: the source has none
    NoisySensor("belt_speed", 0.03, rate=100.0),  # m/s: an optical sensor that counts marks
)
STEERED = (  # the cables of the remote steering wheel (s, rad): gently to both sides, then until the tyres slide
    (0.5, 0.8, 1.6, 2.2, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0),
    (0.0, 0.03, 0.03, -0.03, -0.03, 0.12, -0.12, 0.2, 0.2, 0.0),
)
TRUE = {"cornering": 9.0, "friction": 0.7}
TOE, OFFSET = 0.01, 0.003  # rad: toe-in, which is known, and error of the cables, which is not
WANDER = {"front_side": 40.0, "rear_side": 12.0, "along_force": 15.0}  # N/√s: so many N within a second
START = {"along.q": 2e-4, "aside.q": 2e-4, "yaw.q": 0.005, "along.qd": 0.005, "aside.qd": 0.005, "yaw.qd": 0.01,
         "belt_speed": 0.1}  # fmt: skip
MODEL_ERROR = {"along.qd": 0.001, "aside.qd": 0.001, "yaw.qd": 0.002, "belt_speed": 0.1, "cell_stiffness": 400.0,
               "drag": 0.004, "pin_friction": 0.02}  # fmt: skip
WRONG = {"cell_stiffness": 4.04e4, "drag": 0.025}  # of the filter's model
GUESSED = {"cornering": 7.0, "friction": 0.9, "cable_offset": 0.0}
TYRE_ERRORS, OFFSET_ERROR = {"cornering": 2.0, "friction": 0.2}, {"cable_offset": 0.003}
AXLE_SIDES = ("front.side", "rear.side")
WHEEL_SIDES = tuple(f"{name}.side" for name in WHEELS)


@cache
def machine(work: bool = False) -> System:
    """The true kart; the filters have no tyre law, or one with wrong numbers; work: whether ∫P dt is a state."""
    s = system(
        model(), outputs=["*.q", "*.qd", "belt_speed", "cell.*", "*.side", *(["energy.*"] if work else [])], work=work
    )
    s.parameters.update(TRUE | {"toe_front": TOE, "cable_offset": OFFSET})
    return s


@cache
def case(kind: str, until: float = UNTIL) -> TwinCase:
    """A twin experiment on a kart.

    Parameters
    ----------
    kind : str
        `unknown`: axle forces without a tyre law; `law`: four tyre forces by a law with unknown parameters.
    until : float
        End (s). Default 10.

    Returns
    -------
    TwinCase
        For `symbody.estimation`.

    Examples
    --------
    >>> from symbody.machines.kart_bench import case
    >>> sorted(case("unknown", until=0.5).forces)[:1]
    ['along_force']
    """
    inputs: dict[str, Signal] = {"steer": STEERED, "belt_command": 3.0}
    if kind == "unknown":
        bare = system(model("unknown"), outputs=["*.q", "*.qd", "belt_speed", "cell.*", "*.side"])
        return TwinCase(
            machine(), until, DT, SENSORS, inputs, WRONG, model_error=MODEL_ERROR, forces=WANDER, start=START,
            watched=AXLE_SIDES, filtered=bare,
        )  # fmt: skip
    return TwinCase(
        machine(), until, DT, SENSORS, inputs, WRONG | GUESSED, model_error=MODEL_ERROR | OFFSET_ERROR,
        parameters=TYRE_ERRORS, start=START,
        watched=[*AXLE_SIDES, *WHEEL_SIDES],
    )  # fmt: skip
