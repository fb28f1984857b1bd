"""Handling of a failed step: change the coordinates if that helps, else raise an error that names the cause."""

from __future__ import annotations

import numpy as np

from symbody.errors import DivergenceError, LimitError, SingularityError
from symbody.model.joint_chains import JointChain
from symbody.stepping.fixed_step import BEYOND_LIMIT, NEAR_SINGULAR, NOT_CONVERGED, TOO_COARSE, TOWARDS_SINGULAR
from symbody.stepping.method import FixedStepMethod, Method
from symbody.stepping.pivot_reference import SWITCH
from symbody.stepping.registry import FIXED
from symbody.stepping.stable_step import eigenvalue_text, largest_stable_step
from symbody.stepping.start_state import (
    StartState,
    crossing_ahead,
    repartitioned,
    require_clear_path,
    shrunk,
    start_state,
)
from symbody.system.held_equations import LARGEST_GAP, contradiction
from symbody.system.mass_condition import SINGULAR_MASS, WEAK_MASS, weakest_motion
from symbody.system.not_finite import NotFinite
from symbody.system.programs import limits_program
from symbody.system.system import Array, System

GIVEN = ("state", "input", "parameter", "trajectory")  # given quantities, not consequences of the motion
MEANT = 1e6  # times its initial size (or 1): a smaller state is still meaningful
GROWN = 1e12  # times its initial size (or 1): a larger state has diverged
NUDGE = 1e-6  # of a state, relative: for derivatives of the rates by differences
MOST_STATES = 400  # above which the fastest eigenvalue is not computed
TIE = 1e-3  # of equally fast eigenvalues, the growing one is reported
MARGIN = 1.02  # a step must exceed the stable one by this factor to be blamed, because of difference quotients
SOONER = (", or repartition=True to change coordinates sooner", "")  # by whether that is already so
LATER = 0.5  # of the start's eigenvalue: from here on the last good state is reported


def after_stop(at: StartState, status: int, t: float, dt: float, u: Array, allowed: bool, method: Method) -> StartState:
    """The state from which steps of dt (s) can continue after they stopped at t with a status; an error if they cannot.

    allowed: whether other coordinates may be used; another order of the same coordinates is always allowed.
    """
    s = at.system
    if status == BEYOND_LIMIT:
        raise beyond_limit(at, t, u, dt, method) or diverged(s, t)
    if status == TOWARDS_SINGULAR:
        clear = crossing_ahead(at, t, dt, u) is None
        return at if clear else require_clear_path(repartitioned(at, t, u, allowed), t, dt, u, allowed)
    if status == TOO_COARSE:
        onward = require_clear_path(repartitioned(at, t, u, allowed), t, dt, u, allowed)
        if onward.system is not s:
            return onward
        raise too_coarse(at, t, dt, allowed)
    here = s.rates_function(np.array([t]), at.x, u, at.guess)
    sound = status == NEAR_SINGULAR and bool(np.all(np.isfinite([*here.xd, *here.v])))
    culprit = None if sound else step_culprit(at, t, dt, u)
    given = culprit is not None and culprit.kind in GIVEN
    if not given and not method.implicit and (fast := _too_fast(at, t, dt, u, method)):
        raise diverged(s, t, fast.format(dt=dt, method=method.name, also=f" ({culprit})" if culprit else ""))
    opening = culprit is None and status != NEAR_SINGULAR and _opens(at, t, dt, u)
    if culprit is None and (status == NEAR_SINGULAR or opening or shrunk(at, t, u, SWITCH)):
        onward = repartitioned(at, t, u, allowed)
        if status == NEAR_SINGULAR or onward.system is not s:
            return require_clear_path(onward, t, dt, u, allowed)
    if opening:
        joints = ", ".join(s.model.velocities[i] for i in s.partition.free)
        cure = f"use smaller steps{SOONER[allowed]}"
        problem = f"{s.model.name}: after t = {t:g} s the loops cannot be closed by moving {joints}; {cure}"
        raise SingularityError(problem, time=t)
    stuck = "Newton's method does not converge in a step; use a smaller `dt`"
    raise failed(at, t, u, culprit, stuck if status == NOT_CONVERGED else "")


def too_coarse(at: StartState, t: float, dt: float, allowed: bool) -> SingularityError:
    """The error for loops that move so fast that even parts of a step are too long."""
    where = f"{at.system.model.name}: after t = {t:g} s the loops move too fast for steps of {dt:g} s"
    why = "they pass very near a singular position, or change their assembly mode"
    return SingularityError(f"{where}: {why}; use smaller steps{SOONER[allowed]}", time=t)


def step_culprit(at: StartState, t: float, dt: float, u: Array) -> NotFinite | None:
    """What is not finite first in a step from t: at its state, then along its rates.

    A law may be finite at the last state but not a little later: √q when q passes zero.
    """
    rates = at.system.rates_function(np.array([t]), at.x, u, at.guess).xd
    shares, ahead = (0.0, 0.5, 1.0), np.nan_to_num(dt * rates, posinf=0.0, neginf=0.0)
    places = [*((share, at.x) for share in shares), *((share, at.x + share * ahead) for share in shares[1:])]
    found = (at.system.culprit(t + share * dt, x, u, at.guess) for share, x in places)
    return next(filter(None, found), None)


def failed(
    at: StartState, t: float, u: Array, culprit: NotFinite | None, why: str = ""
) -> DivergenceError | SingularityError:
    """The error for a motion that is not finite: what was not finite first, or which mass is missing."""
    s = at.system
    if culprit is not None:
        return diverged(s, t, str(culprit))
    q, _ = s.motion(t, at.x, u, at.guess)
    weak = weakest_motion(s.live_model, q) if np.all(np.isfinite(q)) else None
    if weak is None or weak.share >= WEAK_MASS:
        return diverged(s, t, why)
    problem = f"{', '.join(weak.joints)}: {weak}; {weak.cure}"
    if weak.share < SINGULAR_MASS:
        return SingularityError(f"{s.model.name}: at t = {t:g} s {problem}", time=t)
    return diverged(s, t, "; ".join(filter(None, (why, problem))))


def diverged(s: System, t: float, why: str = "") -> DivergenceError:
    """The error for a motion that is not finite, with its reason."""
    return DivergenceError(f"the motion of {s.model.name} diverged after t = {t:g} s{': ' if why else ''}{why}", time=t)


def _too_fast(at: StartState, t: float, dt: float, u: Array, method: Method) -> str:
    """Whether explicit steps are too long to be stable, in words; empty if not.

    It examines the last good state, or the start if the motion was faster there. With loops it examines only the start,
    because a singular position looks just as fast, and not if the start is near one.
    """
    s, x = at.system, at.x
    if len(at.pivots) and shrunk(start_state(s), 0.0, s.u0, SWITCH):
        return ""
    where, fastest = "at the start", fastest_eigenvalue(StartState(s, s.x0, s.start_guess, s.pivots), t, u)
    growing = np.abs(x) / np.maximum(np.abs(s.x0), 1.0)
    sane = not len(at.pivots) and growing.max(initial=0.0) < MEANT
    if sane and abs(last := fastest_eigenvalue(at, t, u)) >= abs(fastest) * LATER:
        where, fastest = f"at t = {t:g} s", last
    growth = method.growth if isinstance(method, FixedStepMethod) else None
    stable = largest_stable_step(growth, fastest) if growth and fastest else np.inf
    grows = " (and the motion is unstable)" if fastest.real > abs(fastest) / 2 else ""
    speed = f"the fastest eigenvalue {where} is {eigenvalue_text(fastest)}{grows}"
    other = implicit_method(s.options.closure)
    instead = f"{method.name} is stable below {stable:.3g} s; use such a `dt`, or the implicit method {other}"
    if dt > MARGIN * stable:
        return f"the step of {{dt:g}} s is too large for {{method}}{{also}}; {speed}: {instead}"
    if growing.max(initial=0.0) < GROWN:
        return ""
    k = int(np.argmax(growing))
    cure = f"{f'{speed}; ' if fastest else ''}use a smaller `dt`, or the implicit method {other}"
    return f"{s.states[k]} has grown to {x[k]:.2g} with {{method}} in steps of {{dt:g}} s{{also}}; {cure}"


def implicit_method(closure: str) -> str:
    """The implicit fixed-step method of highest order that supports a closure of loops."""
    return max((m for m in FIXED.values() if m.implicit and closure in m.closures), key=lambda m: m.order).name


def fastest_eigenvalue(at: StartState, t: float, u: Array) -> complex:
    """The largest eigenvalue (1/s) of the derivative of the rates, by differences; 0 if it cannot be computed."""
    s, n = at.system, len(at.x)
    here = s.rates_function(np.array([t]), at.x, u, at.guess).xd
    if not 0 < n <= MOST_STATES or not np.all(np.isfinite(here)):
        return 0.0j
    slopes = np.zeros((n, n))
    with np.errstate(all="ignore"):
        for k in range(n):
            step = NUDGE * max(1.0, abs(at.x[k]))
            moved = at.x + step * (np.arange(n) == k)
            slopes[:, k] = (s.rates_function(np.array([t]), moved, u, at.guess).xd - here) / step
    if not np.all(np.isfinite(slopes)):
        return 0.0j
    values = np.linalg.eigvals(slopes)
    return complex(values[int(np.argmax(np.abs(values) + TIE * values.real))])


def _opens(at: StartState, t: float, dt: float, u: Array) -> bool:
    """Whether the loops close here but not after a step: beyond a dead centre, out of reach."""
    s = at.system
    if not len(at.guess):
        return False
    here = s.rates_function(np.array([t]), at.x, u, at.guess)
    if not np.all(np.isfinite(here.xd)):
        return not np.all(np.isfinite(here.v))
    there = [s.rates_function(np.array([t + c * dt]), at.x + c * dt * here.xd, u, here.v).v for c in (0.5, 1.0)]
    return not np.all(np.isfinite(there))


def beyond_limit(
    at: StartState, t: float, u: Array, dt: float, method: Method
) -> DivergenceError | SingularityError | None:
    """The error for a state that has passed a limit, or whose joints lock; None otherwise.

    If explicit steps of dt (s) are too long to be stable, the error says so: the step is the cause then.
    """
    room = limit_room(at, t, u)
    if np.all(room > 0):
        return None
    error = limit_passed(at, t, room)
    if isinstance(error, LimitError) and not method.implicit and (fast := _too_fast(at, t, dt, u, method)):
        why = fast.format(dt=dt, method=method.name, also="")
        return LimitError(f"{error}: {why}", limit=error.limit, value=error.value, time=t)
    return error


def limit_room(at: StartState, t: float, u: Array) -> Array:
    """Quantities that must stay positive: limits of the model, joint chains that can lock, held equations."""
    limits = at.system.function("limits", limits_program)
    return np.atleast_1d(limits(np.array([t]), at.x, u, at.guess))


def limit_passed(at: StartState, t: float, room: Array) -> DivergenceError | SingularityError:
    """The error for the limit with the least room."""
    s, k = at.system, int(np.argmin(np.where(np.isfinite(room), room, -np.inf)))
    chains = len(s.model.limits) + len(s.lockable)
    if k >= chains:
        gaps = zip(s.held, LARGEST_GAP[s.options.closure] - room[chains:], strict=True)
        return DivergenceError(contradiction(s.model, gaps, t), time=t)
    if k >= len(s.model.limits):
        return _locked(s, s.lockable[k - len(s.model.limits)], t)
    name, value = list(s.model.limits)[k], float(room[k])
    problem = f"{s.model.name}: {name} must stay positive but is {value:g} at t = {t:g} s"
    return LimitError(problem, limit=name, value=value, time=t)


def _locked(s: System, chain: JointChain, t: float) -> SingularityError:
    """The error for joints in series that no longer determine the motion of the body at their end."""
    where = f"{s.model.name}: at t = {t:g} s the joints {chain.names} of {chain.body} are near a singular position"
    if chain.meeting:
        hinges = ", ".join(joint.name for joint in chain.meeting)
        cure = f"use a joint of type ball instead of {hinges}, or change their axes"
        return SingularityError(f"{where} (gimbal lock); {cure}", time=t)
    cure = "use other joints, or give mass to the bodies between them"
    return SingularityError(f"{where} of their coordinates; {cure}", time=t)
