"""Why a step could not be made: other coordinates where those help, else the error that says what happened."""

from __future__ import annotations

import numpy as np

from symbody.errors import DivergenceError, LimitError, SingularityError
from symbody.model.joint_chains import JointChain
from symbody.stepping.fixed_step import BEYOND_LIMIT, NEAR_SINGULAR
from symbody.stepping.start_state import SWITCH, StartState, repartitioned, shrunk
from symbody.system.programs import limits_program
from symbody.system.system import Array, System


def after_stop(at: StartState, status: int, t: float, dt: float, u: Array, allowed: bool) -> StartState:
    """Where steps of dt (s) that stopped at t with a status go on; raises where they cannot.

    allowed: whether over other coordinates; over another order of the same ones in any case.
    """
    s = at.system
    if status == BEYOND_LIMIT:
        raise beyond_limit(at, t, u) or diverged(s, t, None)
    culprit = None
    for share in (0.0, 0.5, 1.0) if status != NEAR_SINGULAR else ():
        culprit = culprit or s.culprit(t + share * dt, at.x, u)
    opening = culprit is None and status != NEAR_SINGULAR and _opens(at, t, dt, u)
    if culprit is None and (opening or shrunk(at, t, u, SWITCH)):
        onward = repartitioned(at, t, u, allowed)
        if status == NEAR_SINGULAR or onward.system is not s:
            return onward
    if opening:
        joints = ", ".join(s.model.velocities[i] for i in s.partition.free)
        cure = "take smaller steps, or let repartition=True choose other coordinates sooner"
        problem = f"{s.model.name}: after t = {t:g} s the loops cannot be closed where {joints} lead; {cure}"
        raise SingularityError(problem, time=t)
    raise diverged(s, t, culprit)


def _opens(at: StartState, t: float, dt: float, u: Array) -> bool:
    """Whether the loops can be closed here but not where a step leads: past a dead centre, out of reach."""
    s = at.system
    if not len(at.guess):
        return False
    here = s.rates_function(np.array([t]), at.x, u, at.guess)
    if not np.all(np.isfinite(here.xd)):
        return not np.all(np.isfinite(here.v))
    there = [s.rates_function(np.array([t + c * dt]), at.x + c * dt * here.xd, u, here.v).v for c in (0.5, 1.0)]
    return not np.all(np.isfinite(there))


def diverged(s: System, t: float, culprit: tuple[str, float] | None, why: str = "") -> DivergenceError:
    """The error of a motion that left the numbers."""
    cause = f": the law of {culprit[0]} gives {culprit[1]}" if culprit else f" ({why})" if why else ""
    return DivergenceError(f"the motion of {s.model.name} diverged after t = {t:g} s{cause}", time=t)


def beyond_limit(at: StartState, t: float, u: Array) -> LimitError | SingularityError | None:
    """The error of a state that has passed a limit, or whose joints lock; None where it has not."""
    s = at.system
    room = np.atleast_1d(s.function("limits", limits_program)(np.array([t]), at.x, u, at.guess))
    if np.all(room > 0):
        return None
    k = int(np.argmax(~(room > 0)))
    if k >= len(s.model.limits):
        return _locked(s, s.lockable[k - len(s.model.limits)], t)
    name, value = list(s.model.limits)[k], float(room[k])
    problem = f"{s.model.name}: {name} must stay positive and is {value:g} at t = {t:g} s"
    return LimitError(problem, limit=name, value=value, time=t)


def _locked(s: System, chain: JointChain, t: float) -> SingularityError:
    """Joints in a row that no longer determine how the body at their end moves."""
    where = f"{s.model.name}: at t = {t:g} s the joints {chain.names} of {chain.body} come near a singular position"
    if chain.meeting:
        hinges = ", ".join(joint.name for joint in chain.meeting)
        cure = f"put a joint of type ball in the place of {hinges}, or turn their axes so that it is not met"
        return SingularityError(f"{where} (gimbal lock); {cure}", time=t)
    cure = "describe the motion by other joints, or give mass to what lies between them"
    return SingularityError(f"{where} of their coordinates; {cure}", time=t)
