"""A controller on the full model: sampled, with encoders, drives, friction and a load that it does not know.

At each sample the encoders report whole increments, a filter differentiates the error, and the controller computes
forces. The drives hold them for one sample, in steps of a thousandth of their rated force and within their peak force.
Integrals stop while a drive saturates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp

import numpy as np

from symbody.errors import DivergenceError, ModelError, SingularityError
from symbody.motion.compiled import geometry_function
from symbody.motion.control.controller import SIZE, TrackingController, control_function, gains
from symbody.motion.data import ACTUATORS, AXES, Array, PlatformData
from symbody.motion.drives import PER_MILLE, quantised
from symbody.motion.mechanism import PAYLOAD, add_forces, loaded_mechanism
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.servo import drive_force
from symbody.stepping.stepper import stepper
from symbody.system.system import System, system

DT = 1e-3  # s, the sample time
DERIVATIVE = 600.0  # rad/s, cut-off of the filter that differentiates the error
LOST = 0.05  # m: a larger error of an actuator ends a run
SITS_DOWN = 0.5  # s: a load comes onto the platform during the first half second, in steps of `PORTION`
PORTION = 0.01  # s
SETTLE = 1.0  # s at the beginning of a run that figures leave out


@dataclass(frozen=True)
class LoopOptions:
    """Conditions of a sampled loop.

    Parameters
    ----------
    load : float
        On the platform (kg). Default 0.
    steps : bool
        Whether encoders and drives are quantised. Default True.
    offset : tuple of float
        Initial error of the axes (8,) (m, rad). Default: none.
    """

    load: float = 0.0
    steps: bool = True
    offset: tuple[float, ...] = SIZE * (0.0,)


@dataclass(frozen=True, eq=False)
class LoopRun:
    """A run of a sampled loop.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    wanted, wanted_rates, wanted_accelerations : array, shape (n, 8)
        Reference of the actuators and its derivatives (m, s).
    q, rates, accelerations : array, shape (n, 8)
        True motion of the actuators (m, s).
    forces : array, shape (n, 8)
        Of the drives (N).
    """

    t: Array
    wanted: Array
    wanted_rates: Array
    wanted_accelerations: Array
    q: Array
    rates: Array
    accelerations: Array
    forces: Array

    @property
    def settled(self) -> LoopRun:
        """The part after `SETTLE`."""
        return self.after(float(self.t[0]) + SETTLE)

    def after(self, t: float) -> LoopRun:
        """The part from a time (s)."""
        return LoopRun(*(getattr(self, name)[self.t >= t] for name in self.__dataclass_fields__))


@cache
def loaded_plant(data: PlatformData) -> System:
    """The platform with friction and a load on its upper plate, moved by forces; its states are the axes."""
    m = loaded_mechanism(data)
    add_forces(m, data)
    return system(m, independent=list(AXES), outputs=[])


def run_loop(
    controller: TrackingController, motion: PlatformMotion, data: PlatformData, options: LoopOptions | None = None
) -> LoopRun:
    """Follow a motion of the axes from a start on it.

    Parameters
    ----------
    controller : TrackingController
        The law and its gains.
    motion : PlatformMotion
        Sampled at `DT`.
    data : PlatformData
        The platform.
    options : LoopOptions, optional
        Load, quantisation, initial error.

    Returns
    -------
    LoopRun
        Until the end of the motion.

    Raises
    ------
    ModelError
        If the motion is not sampled at the loop's rate.
    DivergenceError
        If an actuator is too far from its reference.
    """
    options = options or LoopOptions()
    if len(motion.t) < 2 or np.abs(np.diff(motion.t) - DT).max() > 1e-6 * DT:
        raise ModelError("the motion is not sampled at the loop's rate", cure=f"sample it every {DT:g} s")
    s, function, geometry = loaded_plant(data), control_function(type(controller), data), geometry_function(data)
    s.parameters.update({PAYLOAD: 0.0})
    places = {name: k for k, name in enumerate(s.states)}
    position, rate = ([places[f"{axis}.{end}"] for axis in AXES] for end in ("q", "qd"))
    order = [ACTUATORS.index(name.removeprefix("force_").replace("table_", "table.")) for name in s.inputs]
    ends = np.array([drive_force(name, data) for name in ACTUATORS])
    step = np.array([drive_force(name, data, peak=False) for name in ACTUATORS]) / PER_MILLE
    plant, x = stepper(s, dt=DT), np.zeros(len(s.states))
    x[position], x[rate] = motion.axes[0] + np.asarray(options.offset), motion.rates[0]
    x = plant.reset(x)
    given, blend = gains(controller).ravel(), 1.0 - exp(-DERIVATIVE * DT)
    wanted_q, wanted_rates = motion.actuators, motion.actuator_rates
    integral, slope, before = np.zeros(SIZE), np.zeros(SIZE), None
    states, forces = np.empty((len(motion.t), len(x))), np.empty((len(motion.t), SIZE))
    for k, axes in enumerate(motion.axes):
        if options.load and k * DT <= SITS_DOWN and k % round(PORTION / DT) == 0:
            s.parameters.update({PAYLOAD: options.load * k * DT / SITS_DOWN})
        true = geometry(x[position]).q
        q = quantised(true, data) if options.steps else true
        error = wanted_q[k] - q
        if not np.abs(error).max() < LOST:
            worst = ACTUATORS[int(np.abs(np.nan_to_num(error, nan=np.inf)).argmax())]
            raise DivergenceError(f"{controller.name}: {worst} is off by more than {LOST:g} m", time=float(motion.t[k]))
        slope = slope if before is None else slope + blend * ((error - before) / DT - slope)
        before = error
        asked = function(axes, motion.rates[k], motion.second[k], q, wanted_rates[k] - slope, integral, given).forces
        applied = np.clip(asked, -ends, ends)
        integral = integral + DT * error * (applied == asked)
        applied = step * np.round(applied / step) if options.steps else applied
        states[k], forces[k] = x, applied
        try:
            x = plant.step(x, applied[order])
        except SingularityError as lost:
            raise DivergenceError(f"{controller.name}: {lost}", time=float(motion.t[k])) from lost
    return _loop_run(motion, states[:, position], states[:, rate], forces)


def _loop_run(motion: PlatformMotion, axes: Array, rates: Array, forces: Array) -> LoopRun:
    """Motion of the actuators from that of the axes; accelerations are means over a sample, of both motions."""
    still = np.zeros_like(axes)
    true = PlatformMotion(motion.t, axes, rates, still, motion.data)
    wanted_rates, true_rates = motion.actuator_rates, true.actuator_rates
    means = (np.diff(one, axis=0, append=one[-1:]) / DT for one in (wanted_rates, true_rates))
    rows = (motion.actuators, wanted_rates, next(means), true.actuators, true_rates, next(means), forces)
    return LoopRun(motion.t[:-1], *(one[:-1] for one in rows))


def loop_figures(run: LoopRun) -> dict[str, float]:
    """Figures of a run, over sliders and legs.

    Parameters
    ----------
    run : LoopRun
        Of `run_loop`.

    Returns
    -------
    dict of str to float
        Errors of position and acceleration, chattering and the largest force.
    """
    error = run.wanted - run.q
    return {
        "rms_mm": 1e3 * position_error(run),
        "largest_mm": 1e3 * float(np.abs(error).max()),
        "acceleration_error": acceleration_error(run),
        "chatter_N": chatter(run.forces),
        "force_max_N": float(np.abs(run.forces).max()),
    }


def position_error(run: LoopRun) -> float:
    """Root mean square of the position errors of all actuators (m)."""
    return float(np.sqrt(np.mean((run.wanted - run.q) ** 2)))


def acceleration_error(run: LoopRun) -> float:
    """Σ over the actuators of the root mean square of ë (m/s²): the fitness of Houda 2020, eq. 5.3.13, with squares."""
    lacking = run.wanted_accelerations - run.accelerations
    return float(np.sqrt(np.mean(lacking**2, axis=0)).sum())


SPAN = 20  # samples of the mean that chattering is measured against


def chatter(forces: Array) -> float:
    """Root mean square (N) of forces (n, 8) less their moving mean over `SPAN` samples."""
    kernel = np.ones(SPAN) / SPAN
    smooth = np.stack([np.convolve(row, kernel, "valid") for row in forces.T], axis=-1)
    fast = forces[SPAN // 2 : SPAN // 2 + len(smooth)] - smooth
    return float(np.sqrt(np.mean(fast**2)))
