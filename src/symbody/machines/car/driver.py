"""The car driven by a preview driver, or by the recorded motions of another drive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.errors import DivergenceError, ModelError
from symbody.machines.car.driven import LOCK, driven_car
from symbody.realtime.tick_times import input_tick_times
from symbody.realtime.tracking import Tracker
from symbody.results.channels import DIMENSIONLESS
from symbody.results.run import Run
from symbody.stepping.fixed_step import DONE, StepSettings
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.stepping.step_options import FixedStep
from symbody.system.definition import SystemDefinition, define
from symbody.system.options import SystemOptions
from symbody.system.system import System, system_of
from symbody.system.varied_parameters import varied
from symbody.vehicles.obstacle import add_obstacle
from symbody.vehicles.preview_driver import ARMS, TICK
from symbody.vehicles.road import Road

if TYPE_CHECKING:  # the studio needs a package that figures do not
    from symbody.studio.machine import Pilot

Array = np.ndarray
METHOD = "rk4"
WHEEL = ("wheel.q", "wheel.qd", "wheel.qdd")
PEDALS = ("throttle", "brake")
RECORDED = (
    "*.q", "yaw.qd", "wheel.qd", "wheel.qdd", "wheel.effort", "car.speed", "motor.speed", "tyres.use",
    "seat.acceleration.*", "*.tyre.force.*", "energy.*", "*.stored", "*.dissipated", "*.supplied",
)  # fmt: skip


def compiled_car(outputs: tuple[str, ...] = RECORDED, obstacle: Road | None = None) -> System:
    """The car with inputs wheel.q, wheel.qd, wheel.qdd of its steering wheel.

    Parameters
    ----------
    outputs : tuple of str, optional
        Channels that are computed. Default: those of the report.
    obstacle : Road, optional
        A road whose obstacle the car can hit.

    Returns
    -------
    System
        Ready to drive.
    """
    return system_of(car_definition(outputs, obstacle))


def car_definition(
    outputs: tuple[str, ...] = RECORDED, obstacle: Road | None = None, work: bool = False
) -> SystemDefinition:
    """`compiled_car` before it is traced and compiled; work: whether ∫P dt is a state."""
    m = driven_car()
    if obstacle is not None:
        add_obstacle(m, obstacle)
    return define(m, SystemOptions(inputs=("wheel.q",), work=work), outputs)


def drive(s: System, driver: Pilot, until: float, dt: float = TICK, arms: Tracker = ARMS) -> Run:
    """Simulate the car with a driver who sees the outputs at each step.

    Parameters
    ----------
    s : System
        As `compiled_car` returns it.
    driver : function
        Such as `Driver()`.
    until : float
        End (s).
    dt : float
        Step (s). Default 0.001.
    arms : Tracker, optional
        Filter that smooths the motion of the wheel.

    Returns
    -------
    Run
        The pedals are recorded as `throttle` and `brake`.

    Raises
    ------
    ModelError
        For times that are not 0 < dt ≤ until.
    DivergenceError
        If the car's state is not finite any more.

    Examples
    --------
    >>> from symbody.machines.car import Driver, Road, compiled_car, drive, measured, replay, varied
    >>> s = compiled_car()
    >>> run = drive(s, Driver(Road()), until=9.0)
    >>> figures = measured(run, Road())
    >>> again = replay(s, run, caster_shift=0.02)
    >>> with varied(s, friction=0.5):
    ...     s.parameters["friction"]
    0.5
    """
    if not (dt > 0.0 and until >= dt):
        raise ModelError(f"cannot drive {until} s in steps of {dt} s", element="drive", cure="give 0 < dt <= until")
    steps, about = round(until / dt), {"dt": dt, "method": METHOD}
    u = np.tile(s.u0, (steps + 3, 1))  # the stepper reads it while it is filled
    A, b = arms.matrices(dt)
    wheel, pedals = ([s.inputs.index(name) for name in names] for names in (WHEEL, PEDALS))
    run, rows = suited_fixed(s, METHOD).steps(start_state(s), StepSettings(dt, u)), []
    for k in range(steps + 1):
        rows += [*run.run(1)]
        if run.status != DONE:
            kept = Run(s, np.arange(len(rows)) * dt, np.array(rows).reshape(-1, len(s.outputs)), meta=about)
            raise DivergenceError(
                f"the motion of {s.model.name} diverged after t = {k * dt:g} s", time=k * dt, state=kept
            )
        wanted = commands(driver(k * dt, dict(zip(s.outputs, rows[-1].tolist(), strict=True))), k * dt)
        u[k + 2, pedals] = [wanted.get(name, before) for name, before in zip(PEDALS, u[k + 1, pedals], strict=True)]
        u[k + 2, wheel] = A @ u[k + 1, wheel] + b * wanted["wheel.q"]
    names, units = [*s.outputs, *PEDALS], dict.fromkeys(PEDALS, DIMENSIONLESS)
    values = np.hstack([np.array(rows), u[: steps + 1, pedals]])
    return Run(s, np.arange(steps + 1) * dt, values, names=names, units=units, meta=about)


def commands(given: Mapping[str, float], t: float) -> Mapping[str, float]:
    """Check the commands of a driver: ModelError with the time (s) for an unknown name or a value out of range."""
    ends = {"wheel.q": (-LOCK, LOCK), **dict.fromkeys(PEDALS, (0.0, 1.0))}
    for name, value in given.items():
        if name not in ends:
            raise ModelError("unknown command of a driver", element=name, cure=f"use {', '.join(ends)}")
        low, high = ends[name]
        if not low <= value <= high:  # also if it is NaN
            problem, cure = f"{value:g} at t = {t:g} s", f"keep it between {low:.3g} and {high:.3g}"
            raise ModelError(problem, element=name, cure=cure)
    if "wheel.q" not in given:
        raise ModelError(f"no wheel.q at t = {t:g} s", element="driver", cure="return the wheel angle (rad)")
    return given


def replay(s: System, run: Run, **parameters: float) -> Run:
    """Simulate the same motions of wheel and pedals with other parameters; their values are restored afterwards.

    Parameters
    ----------
    s : System
        The compiled car.
    run : Run
        Of `drive`.
    **parameters
        New values by name.

    Returns
    -------
    Run
        With the same steps.
    """
    with varied(s, **parameters):
        dt = float(run.meta["dt"])
        return simulate(s, float(run.t[-1]), dt, method=METHOD, inputs={name: run[name] for name in (*WHEEL, *PEDALS)})


def step_times(s: System, run: Run) -> Mapping[str, float]:
    """Median and 99th percentile of the time (µs) of a step of a run, with recording."""
    u = np.ascontiguousarray(np.stack([run[name] for name in s.inputs], axis=1))
    return input_tick_times(s, FixedStep(METHOD), float(run.meta["dt"]), u)
