"""supervisor.c by itself: its laws are those in Python, at every limit; numbers are sums of powers of two.

The distances to the shared limits are simple sums here, so that states are exactly at a limit.
"""

import ctypes
from math import exp, floor, inf, isfinite, nan
from types import SimpleNamespace

import numpy as np
import pytest

from c_functions import c_functions, ends_well, same
from symbody.motion.safety import fast_stop, governor, stream
from symbody.motion.safety.fast_stop import stop_time, stoppable
from symbody.motion.safety.governor import Target, governed
from symbody.motion.safety.loop_supervisor import SHOWN, SupervisorMemoryOf, SupervisorOf, table
from symbody.motion.safety.states import TRANSITIONS, RideEvent, RideState
from symbody.motion.safety.stream import StreamGuard, StreamRules
from symbody.motion.servo import BRAKING

TEXT = """
static double sum_of(const double *x) { double s = 0.0; int k; for (k = 0; k < 6; k++) s += fabs(x[k]); return s; }
void distances(const double *const *in, double *const *out, const double *room)
{
    int k;
    for (k = 0; k < 16; k++)
        out[0][k] = k < 3 ? room[k] - sum_of(in[k]) : 1.0;
}
void *where(void) { return distances; }
int offered(supervisor_t *s, const double *sample) { offer(s, sample); return (int)s->m->status; }
int advanced(supervisor_t *s) { return advance(s); }
void braked(supervisor_t *s) { brake(s); }
int rests(supervisor_t *s) { return still(s->m); }
int can_stop(supervisor_t *s, const double *r, const double *v) { return stoppable(s, r, v); }
void measured(supervisor_t *s, const double *goal, const double *rates) { measure_delay(s, goal, rates); }
"""
DT = 2.0**-6
ROUNDING, CLIPPED = 2.0**-20, 2.0**-10
FRACTIONS, SHARES = np.linspace(0.0, 1.0, 5), (1.0, 0.5, 0.25)
FOLLOW = 8.0
BEYOND, JUMP = 4.0, 2.0
BLEND, PATIENCE, TRACKING, SILENT, FORGET = 16 * DT, 6 * DT, 0.5, 0.25, 1.0
METHODS = 4
Eight = ctypes.c_double * 8
INPUTS = 10 + 8 + 8 * METHODS  # of the supervisor: wish … output age, gains, axes of the methods


class Platform(SimpleNamespace):
    """The limits of axes: seven alike, and one that the platform does not have."""

    low = np.array([-1.0, -0.5, -1.0, -2.0, -1.0, -0.5, -1.0, 0.0])
    high = np.array([1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0, 0.0])
    speed = np.array([1.0, 0.5, 1.0, 1.0, 0.25, 1.0, 1.0, 0.0])
    acceleration = np.array([4.0, 4.0, 8.0, 4.0, 8.0, 4.0, 16.0, 0.0])
    neutral_axes = np.array([0.0, 0.0, 0.25, 0.0, 0.0, 0.25, 0.0, 0.0])
    limits = dict.fromkeys(stream.AXES, SimpleNamespace(low=-1.0, high=1.0))

    def ends(self, name):
        return getattr(self, name)

    def unit(self, axis):
        return "m"


DATA = Platform()


def functions(**options):
    made = c_functions("motion/safety/supervisor.c", TEXT, SupervisorOf, SupervisorMemoryOf, **options)
    made.where.restype = ctypes.c_void_p
    pointers = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    for name, count in (("offered", 2), ("advanced", 1), ("braked", 1), ("rests", 1), ("can_stop", 3), ("measured", 3)):
        getattr(made, name).argtypes = pointers[:count]
    made.integrate.argtypes = [ctypes.c_void_p, *3 * [ctypes.c_int64], *2 * [ctypes.c_void_p]]
    made.guard_sample.argtypes = pointers[:2]
    return made


@pytest.fixture(scope="module")
def c():
    return functions()


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """The numbers of the laws in Python are sums of powers of two, too."""
    monkeypatch.setattr(fast_stop, "ROUNDING", ROUNDING)
    monkeypatch.setattr(governor, "ROUNDING", ROUNDING)
    monkeypatch.setattr(fast_stop, "FRACTIONS", FRACTIONS)
    monkeypatch.setattr(governor, "SHARES", SHARES)
    monkeypatch.setattr(governor, "CLIPPED", CLIPPED)
    monkeypatch.setattr(governor, "FOLLOW", FOLLOW)


@pytest.fixture
def room(monkeypatch):
    """Change the room of the sums of positions, rates and accelerations."""
    now = np.array([inf, inf, inf])

    def slack_of(*motion_and_data):
        return np.stack([now[k] - np.abs(x).sum(axis=-1) for k, x in enumerate(motion_and_data[:3])], axis=-1)

    monkeypatch.setattr(fast_stop, "slack_of", slack_of)
    return now


def supervisor(c, room=(inf, inf, inf)):
    """A structure of supervisor.c at rest at the neutral position, with its memory `m` and its inputs `u`."""
    arrays = {name: np.array(DATA.ends(name)) for name in ("low", "high", "speed", "acceleration")}
    arrays |= {"neutral": DATA.neutral_axes.copy(), "fractions": FRACTIONS, "shares": np.array(SHARES), "next": table()}
    arrays = {
        name: np.append(array, 1e3) if name != "next" else array for name, array in arrays.items()
    }  # no more is read
    arrays |= {"u": np.zeros(INPUTS), "slack_h": np.array(room)}
    m = SupervisorMemoryOf(armed=1.0)
    for name in ("r", "target", "last"):
        getattr(m, name)[:] = DATA.neutral_axes.tolist()
    made = SupervisorOf(
        slack=c.where(), m=ctypes.addressof(m), nslack=16, nfractions=len(FRACTIONS), nshares=len(SHARES),
        nmethods=METHODS, dt=DT, follow=FOLLOW, approach=0.25 * FOLLOW, braking=BRAKING, clipped=CLIPPED,
        rounding=ROUNDING, beyond=BEYOND, jump=JUMP, patience=PATIENCE, tracking=TRACKING, blend=BLEND, forget=FORGET,
        silent=SILENT, **{name: array.ctypes.data for name, array in arrays.items()},
    )  # fmt: skip
    made.arrays = arrays
    made.memory = m
    made.inputs = arrays["u"]
    return made


def at(s):
    return ctypes.addressof(s)


# -- fast stop and governor --------------------------------------------------------------------------------------------


def states(rng, n):
    """Positions and rates (n, 8) near limits, and exactly at them."""
    beyond = rng.choice([0.0, 0.0, ROUNDING, 2 * ROUNDING, -ROUNDING], (n, 8), p=[0.6, 0.2, 0.15, 0.02, 0.03])
    share = rng.choice([0.0, 0.25, 0.5, 1.0], (n, 8), p=[0.4, 0.3, 0.2, 0.1])
    v = rng.choice([-1.0, 1.0], (n, 8)) * DATA.speed * rng.choice([0.0, 0.125, 0.25, 0.5, 1.0], (n, 8))
    v *= rng.choice([1.0, 1.0 + ROUNDING, 1.0 + 2 * ROUNDING], (n, 8), p=[0.9, 0.09, 0.01])
    v *= rng.choice([0.0, 1.0], (n, 8))
    stop = 0.5 * v * stop_time(v, DATA, DT)
    high = rng.choice([True, False], (n, 8))
    ends = np.where(high, DATA.high + beyond, DATA.low - beyond) - stop * rng.choice([0.0, 1.0], (n, 8), p=[0.1, 0.9])
    return np.where(share == 1.0, ends, DATA.neutral_axes * (1.0 - share) + share * DATA.high), v


@pytest.mark.parametrize("limit", [None, 0, 1, 2])
def test_states_are_stoppable_in_c_if_they_are_in_python(c, room, limit):
    rng = np.random.default_rng(7)
    r, v = states(rng, 600)
    if limit is not None:  # as far as this motion, and not farther
        r, v = r[::3], v[::3]
        sums = np.abs(r[:, 2:]).sum(axis=1), np.abs(v[:, 2:]).sum(axis=1), np.full(len(r), 20.0)
        room[limit] = np.median(sums[limit])
    s = supervisor(c, room)
    beyond = np.full((len(r), 1), 1e6)  # no more than eight numbers are read
    found = [
        c.can_stop(at(s), r.ctypes.data, v.ctypes.data)
        for r, v in zip(*(np.hstack([x, beyond]) for x in (r, v)), strict=True)
    ]
    wanted = stoppable(r, v, DATA, DT).tolist()
    assert list(map(bool, found)) == wanted
    assert 0.02 < np.mean(wanted) < 0.98


BETWEEN = [0, 0, 0.25, 0.5, 0, 0.25, 0, 0], [1.0, 0, 0.75, -0.4375, 0, 0.375, 0, 0]  # farthest out after 6 samples
EARLY = [0, 0, 0.25, 0.75, 0, 0.25, 0, 0], [0, 0, 1.0, -1.0, 0, 0.5, 0, 0]  # after 4, a quarter of the stop


@pytest.mark.parametrize(
    ("state", "most", "good"),
    [(BETWEEN, 1.0294, True), (BETWEEN, 1.0290, False), (EARLY, 1.266, True), (EARLY, 1.265, False)],
)
def test_a_stop_is_checked_on_its_way_and_where_an_axis_comes_to_rest(c, room, state, most, good):
    """Two axes go out, and one comes in for longer: their sum is largest between the begin and the end."""
    r, v = (np.array(x) for x in state)
    room[0] = most
    assert stoppable(r, v, DATA, DT) == good
    s = supervisor(c, room)
    assert c.can_stop(at(s), Eight(*r), Eight(*v)) == good


def test_a_position_that_is_not_a_number_is_not_stoppable(c, room):
    s, r, v = supervisor(c, room), np.array(DATA.neutral_axes), np.zeros(8)
    assert c.can_stop(at(s), Eight(*r), Eight(*v))
    for k in range(8):
        bad = r.copy()
        bad[k] = nan
        assert not c.can_stop(at(s), Eight(*bad), Eight(*v))
        assert not c.can_stop(at(s), Eight(*r), Eight(*(bad - r)))


@pytest.mark.parametrize("limit", [None, 0, 1, 2])
def test_a_sample_of_the_governor_in_c_is_that_in_python(c, room, limit):
    rng = np.random.default_rng(5)
    n = 300
    r, v = states(rng, 4 * n)
    r, v = (x[stoppable(r, v, DATA, DT)][:n] for x in (r, v))
    if limit is not None:
        room[limit] = (1.5, 0.75, 12.0)[limit]
    goal = r + DATA.speed * rng.choice([0.0, DT, -DT, 0.25, -0.25, 2.0], r.shape)
    slope = DATA.speed * rng.choice([0.0, 0.0, 0.5, -1.0], r.shape)
    wanted = governed(r, v, Target(goal, slope), DATA, DT)
    s = supervisor(c, room)
    m = s.memory
    for k in range(len(r)):
        m.r[:], m.v[:], m.target[:], m.rates[:] = (x[k].tolist() for x in (r, v, goal, slope))
        clipped = c.advanced(at(s))
        assert same(m.r, wanted.axes[k])
        assert same(m.v, wanted.rates[k])
        assert same(m.a, wanted.second[k])
        assert same(m.target, goal[k] + DT * slope[k])
        assert clipped == wanted.clipped[k]
    assert wanted.clipped.mean() > 0.02


@pytest.mark.parametrize(("share", "clipped"), [(1, False), (2, True)])
def test_a_rate_that_differs_by_the_smallest_share_is_not_clipped(c, room, share, clipped):
    s, v = supervisor(c, room), DATA.speed * (np.arange(8) == 0)
    slope = v * (1.0 + share * CLIPPED / (DT * FOLLOW))
    goal = DATA.neutral_axes + DT * (v - slope)
    m = s.memory
    m.v[:], m.target[:], m.rates[:] = v.tolist(), goal.tolist(), slope.tolist()
    assert c.advanced(at(s)) == clipped
    wanted = governed(DATA.neutral_axes[None], v[None], Target(goal[None], slope[None]), DATA, DT)
    assert wanted.clipped[0] == clipped
    assert same(m.v, wanted.rates[0])


def test_brakes_in_c_are_those_in_python(c):
    rng = np.random.default_rng(3)
    s, guard = supervisor(c), StreamGuard(DATA, DT)
    for r, v in zip(*states(rng, 40), strict=True):
        guard.axes, guard.rates = r, v
        s.memory.r[:], s.memory.v[:] = r.tolist(), v.tolist()
        for _ in range(2):
            guard.brake()
            c.braked(at(s))
            assert same(s.memory.r, guard.axes)
            assert same(s.memory.v, guard.rates)
            assert same(s.memory.a, guard.second)
            assert c.rests(at(s)) == guard.still


# -- stream ------------------------------------------------------------------------------------------------------------

REFUSALS = ("", "not a number", "far outside", "jumps")


@pytest.mark.parametrize("seed", range(8))
def test_samples_are_refused_in_c_if_they_are_in_python(c, seed):
    rng = np.random.default_rng(seed)
    guard = StreamGuard(DATA, DT, StreamRules(beyond=BEYOND, jump=JUMP))
    s, refused = supervisor(c), 0
    middle, half = 0.5 * (DATA.low + DATA.high), 0.5 * (DATA.high - DATA.low)
    last = DATA.neutral_axes
    for tick in range(1, 60):
        s.memory.now = tick * DT
        moves = DATA.speed * DT * rng.choice([0.0, 0.5, -1.0, JUMP, -JUMP], 8)
        sample = last + moves
        one = rng.integers(7)
        if rng.random() < 0.5:
            away = rng.choice([BEYOND, -BEYOND, BEYOND + 2.0**-5, nan, inf, 1.0, 0.0])
            sample[one] = middle[one] + half[one] * away
        sample[7] = rng.choice([0.0, 1e-10, 1e-8], p=[0.8, 0.1, 0.1])  # of an axis without a range
        verdict = guard.offer(tick * DT, sample)
        status = c.offered(at(s), (ctypes.c_double * 9)(*sample, nan))  # no more than eight numbers are read
        reason = next((k for k, words in enumerate(REFUSALS) if words and words in verdict.reason), 0)
        assert status == (2 if verdict.status == "refused" else 0)
        if reason:
            assert s.memory.refusal == reason
            assert list(s.memory.rates) == 8 * [0.0]
            refused += 1
        else:
            last = sample
        assert same(s.memory.target, guard.target.axes)
        assert same(s.memory.rates, guard.target.rates)
        assert s.memory.counts[2] == guard.counts["refused"] == refused
    assert 0 < refused < 59


def test_a_guard_alone_counts_its_time_and_says_what_a_limit_clipped(c):
    s = supervisor(c)
    where = at(s)
    assert c.guard_sample(where, Eight(*DATA.neutral_axes)) == 0
    assert s.memory.now == DT
    far = DATA.neutral_axes + 0.5 * DT * DATA.speed
    assert c.guard_sample(where, Eight(*far)) == 1
    assert c.guard_sample(where, Eight(*(far + 1.0))) == 2
    assert s.memory.now == 3 * DT


def test_the_delay_is_measured_while_no_limit_acts(c):
    rng = np.random.default_rng(2)
    s, calm, lag, moved = supervisor(c), 0.0, 0.0, 0.0
    m, width = s.memory, np.maximum(DATA.high - DATA.low, 1e-9)
    for k in range(80):
        m.status = 1.0 if k in (20, 21, 40) else 0.0
        goal, rates = rng.choice([0.0, 0.5, -0.25], (2, 8))
        goal[7] = rates[7] = 1e-10
        c.measured(at(s), Eight(*goal), Eight(*rates))
        calm = calm + DT if m.status == 0.0 else 0.0
        if calm >= 0.2:
            lag, moved = lag * exp(-DT / FORGET), moved * exp(-DT / FORGET)
            lag += np.sum((goal - DATA.neutral_axes) * rates / width**2)
            moved += np.sum(rates * rates / width**2)
        assert m.calm == calm
        assert same([m.lag, m.moved], [lag, moved])
    assert moved > 0.0


# -- rides -------------------------------------------------------------------------------------------------------------

(WISH, METHOD, TABLE, HALT, ERROR, DRIVE_FAULT, HOMED_DRIVES, OUTPUT_FAULT, OUTPUT_BUSY, OUTPUT_AGE, GAINS) = range(11)
CUES = GAINS + 8
S, E = RideState, RideEvent
STATE = list(RideState)
GOOD = {WISH: 2.0, TABLE: 1.0, HOMED_DRIVES: 1.0}
AT_LIMITS = {WISH: 1.5, HALT: 0.5, ERROR: TRACKING, DRIVE_FAULT: 0.5, OUTPUT_FAULT: 0.5, OUTPUT_AGE: SILENT}
VALUES = {  # of inputs, on both sides of each limit
    WISH: (0.0, 0.25, 0.5, 1.0, 1.25, 1.5, 2.0), METHOD: (0.0, 0.25, 0.5, 1.0, 1.25, -9.0, 9.0, nan),
    TABLE: (0.0, 0.5, 0.75, 1.0), HALT: (0.0, 0.5, 0.75, 1.0), ERROR: (0.0, TRACKING, TRACKING + ROUNDING, nan, inf),
    DRIVE_FAULT: (0.0, 0.5, 0.75, 1.0, 2.0, 3.0, 4.0, 9.0, nan), HOMED_DRIVES: (0.0, 0.25, 0.5, 0.75, 1.0),
    OUTPUT_FAULT: (0.0, 0.5, 0.75), OUTPUT_BUSY: (0.0, 0.25, 0.5, 1.0), OUTPUT_AGE: (0.0, SILENT, 0.5, nan),
}  # fmt: skip
STOPPED_BY_WISH, STOPPED_BY_HALT, STARVED, NOT_FOLLOWED, NOT_MEASURED, UNSTABLE, NO_END, NO_OUTPUT = range(1, 9)
DRIVE_REASONS = (0, NOT_FOLLOWED, UNSTABLE, NOT_MEASURED, NO_END)


def within(x, low, high):
    """NaN is the lower end."""
    return min(x, high) if x > low else low


class Ride:
    """The rules of a ride, over the guard in C: its memory is that of supervisor.c."""

    def __init__(self, c):
        self.c, self.s = c, supervisor(c)
        self.m, self.where = self.s.memory, ctypes.addressof(self.s)

    def change(self, event, reason=0):
        to = TRANSITIONS.get((STATE[int(self.m.state)], event))
        if to is None:
            return False
        if event in (E.STOP, E.FAIL):
            self.m.reason, self.m.armed = reason, 0.0
            self.m.failed = float(bool(self.m.failed) or event is E.FAIL)
        self.m.state = STATE.index(to)
        return True

    def cue(self, u, method):
        first = CUES + 8 * int(method)
        return [
            n + g * x for n, g, x in zip(DATA.neutral_axes.tolist(), u[GAINS:CUES], u[first : first + 8], strict=True)
        ]

    def arrived(self):
        x = min(self.m.fade / BLEND, 1.0)
        return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)

    def from_rest(self):
        getattr(self.m, "from")[:] = self.m.r
        self.m.old, self.m.fade = -1.0, 0.0

    def choose(self, u):
        m = self.m
        old, chosen = (
            m.method,
            within(
                2.0 * (floor(u[METHOD] + 0.5) if isfinite(u[METHOD]) else nan) + (u[TABLE] > 0.5), 0.0, METHODS - 1.0
            ),
        )
        m.method = chosen
        if chosen == old or STATE[int(m.state)] is not S.RUNNING:
            return
        axes = self.cue(u, old)
        getattr(m, "from")[:] = m.target
        m.offset[:] = [a - b for a, b in zip(m.target, axes, strict=True)]
        m.old, m.fade = old if all(map(isfinite, axes)) else -1.0, 0.0

    def blended(self, u, axes):
        m, share = self.m, self.arrived()
        if share >= 1.0:
            return axes
        if m.old >= 0.0:
            old = self.cue(u, m.old)
            if all(map(isfinite, old)):
                getattr(m, "from")[:] = [a + b for a, b in zip(old, m.offset, strict=True)]
        return [share * a + (1.0 - share) * b for a, b in zip(axes, getattr(m, "from"), strict=True)]

    def watch(self, u):
        fault, error = within(u[DRIVE_FAULT], 0.0, 4.0), u[ERROR]
        if self.m.failed:
            return
        if fault > 0.5:
            self.change(E.FAIL, DRIVE_REASONS[int(fault + 0.5)])
        elif self.silent(u):
            self.change(E.FAIL, NO_OUTPUT)
        elif not isfinite(error) or error > TRACKING:
            self.change(E.FAIL, NOT_FOLLOWED if isfinite(error) else NOT_MEASURED)

    def silent(self, u):
        return u[OUTPUT_FAULT] > 0.5 or not u[OUTPUT_AGE] <= SILENT

    def run(self, u):
        m = self.m
        if u[HALT] > 0.5 or u[WISH] < 1.5:
            self.change(E.STOP, STOPPED_BY_HALT if u[HALT] > 0.5 else STOPPED_BY_WISH)
            return
        self.c.offered(self.where, Eight(*self.blended(u, self.cue(u, m.method))))
        if m.now - m.accepted_at > PATIENCE:
            self.change(E.STOP, STARVED)
            return
        goal, rates = [x + DT * v for x, v in zip(m.target, m.rates, strict=True)], list(m.rates)
        if self.c.advanced(self.where) and m.status == 0.0:
            m.status = 1.0
        if m.status != 2.0:
            m.counts[int(m.status)] += 1
        self.c.measured(self.where, Eight(*goal), Eight(*rates))

    def home(self, u):
        m = self.m
        if m.lost:
            m.r[:] = DATA.neutral_axes.tolist()
            ended = u[HOMED_DRIVES] > 0.5
        elif m.fade < BLEND:
            share, begun = self.arrived(), getattr(m, "from")
            m.target[:] = [a + share * (b - a) for a, b in zip(begun, DATA.neutral_axes.tolist(), strict=True)]
            m.rates[:] = Eight()
            self.c.advanced(self.where)
            return
        else:
            self.c.braked(self.where)
            ended = not any(m.v)
        if ended and u[OUTPUT_BUSY] < 0.5:
            self.change(E.HOMED)

    def tick(self, u):
        m, wish = self.m, floor(u[WISH] + 0.5)
        m.now, m.fade = m.now + DT, m.fade + DT
        if wish < 2:
            m.armed = 1.0
        self.choose(u)
        if STATE[int(m.state)] not in (S.OFF, S.FAULT):
            self.watch(u)
        state = STATE[int(m.state)]
        if state is S.OFF and wish >= 1 and not self.silent(u):
            self.change(E.POWER_ON)
            m.lost, m.failed = float(u[HOMED_DRIVES] < 0.5), 0.0
            self.from_rest()
        elif state is S.HOMING:
            self.home(u) if not m.lost or wish > 0 else self.change(E.POWER_OFF)
        elif state is S.READY and wish == 0:
            self.change(E.POWER_OFF)
        elif state is S.READY and wish == 2 and m.armed and u[HALT] < 0.5:
            self.change(E.START)
            m.reason = m.refusal = m.failed = m.fed = 0.0
            m.accepted_at = m.now
            self.from_rest()
        elif state is S.RUNNING:
            self.run(u)
        elif state is S.FAULT and wish == 0:
            self.change(E.RESET)
            m.failed = 0.0
        if STATE[int(m.state)] is S.STOPPING:
            self.c.braked(self.where)
            if not any(m.v):
                self.change(E.FAILED_AT_REST if m.failed else E.AT_REST)
        elif STATE[int(m.state)] not in (S.RUNNING, S.HOMING):
            m.v[:], m.a[:] = Eight(), Eight()

    def outputs(self):
        m = self.m
        row = [*m.r, *m.v, *m.a, m.state, m.reason, m.status, m.refusal, *m.counts]
        return [*row, m.lag / m.moved if m.moved > 1e-12 else 0.0, m.method, float(STATE[int(m.state)] is S.RUNNING)]


def events(rng, ticks):
    """Inputs of a ride, tick after tick: mostly good ones, at times a value near a limit; methods that move slowly."""
    u, places = np.zeros(INPUTS), {**GOOD}
    cues = np.zeros(8 * METHODS)
    wild = 1.0 / rng.choice([4, 40, 400])
    u[GAINS:CUES] = rng.choice([1.0, 1.0, -0.5], 8)
    for _ in range(ticks):
        if rng.random() < wild:
            which = int(rng.choice(list(VALUES)))
            places[which] = float(rng.choice(VALUES[which]))
        if rng.random() < 0.05:
            places = {**GOOD, METHOD: float(rng.integers(2)), TABLE: float(rng.integers(2))}
        if rng.random() < 0.02:
            places = {**GOOD, WISH: 0.0}
        if rng.random() < 0.05:
            places = {
                **AT_LIMITS,
                HOMED_DRIVES: float(rng.choice([0.5, 1.0])),
                OUTPUT_BUSY: float(rng.choice([0.0, 0.5])),
            }
        cues += np.tile(DATA.speed, METHODS) * DT * rng.choice([0.0, 0.125, -0.125], 8 * METHODS)
        cues *= 0.96875
        u[:GAINS] = [places.get(k, 0.0) for k in range(GAINS)]
        u[CUES:] = cues
        if rng.random() < 0.05:
            u[CUES + rng.integers(8 * METHODS)] = rng.choice([nan, 100.0, 1.0])
        yield u


def ride_both(c, seed):
    """A ride in C and by the rules; they are the same after each tick."""
    ride, s = Ride(c), supervisor(c)
    row, status = (ctypes.c_double * (24 + len(SHOWN)))(), ctypes.c_int(7)
    for k, u in enumerate(events(np.random.default_rng(seed), 400)):
        s.inputs[:] = u
        ride.s.inputs[:] = u
        ride.tick(u.tolist())
        assert c.integrate(at(s), k, 1, 1, row, ctypes.byref(status)) == 1
        assert status.value == 0
        assert same(row, ride.outputs())
        assert bytes(s.memory) == bytes(ride.m)


@pytest.mark.parametrize("seed", range(12))
def test_a_ride_in_c_keeps_the_rules_of_a_ride(c, seed):
    ride_both(c, seed)


@pytest.mark.posix
def test_no_index_is_beyond_its_array():
    c = functions(checked=True)
    for seed in range(3):
        assert ends_well(lambda seed=seed: ride_both(c, seed))


KNOWN, UNKNOWN = {"fade": 2 * BLEND}, {"lost": 1.0}


@pytest.mark.parametrize(
    ("state", "fields", "inputs", "found"),
    [
        (S.OFF, {}, {WISH: 0.25}, S.OFF), (S.OFF, {}, {WISH: 0.5}, S.HOMING),
        (S.OFF, {}, {OUTPUT_AGE: SILENT, OUTPUT_FAULT: 0.5}, S.HOMING), (S.OFF, {}, {OUTPUT_FAULT: 0.75}, S.OFF),
        (S.OFF, {}, {OUTPUT_AGE: SILENT + ROUNDING}, S.OFF),
        (S.HOMING, KNOWN, {OUTPUT_BUSY: 0.5}, S.HOMING), (S.HOMING, KNOWN, {OUTPUT_BUSY: 0.25}, S.READY),
        (S.HOMING, {"fade": BLEND - DT}, {}, S.READY), (S.HOMING, {"fade": BLEND - 2 * DT}, {}, S.HOMING),
        (S.HOMING, UNKNOWN, {OUTPUT_BUSY: 0.5}, S.HOMING), (S.HOMING, UNKNOWN, {OUTPUT_BUSY: 0.25}, S.READY),
        (S.HOMING, UNKNOWN, {HOMED_DRIVES: 0.5}, S.HOMING), (S.HOMING, UNKNOWN, {HOMED_DRIVES: 0.75}, S.READY),
        (S.HOMING, UNKNOWN, {WISH: 0.25}, S.OFF), (S.HOMING, KNOWN, {WISH: 0.25}, S.READY),
        (S.READY, {}, {HALT: 0.5}, S.READY), (S.READY, {}, {HALT: 0.25}, S.RUNNING),
        (S.READY, {"armed": 0.0}, {}, S.READY), (S.READY, {}, {WISH: 1.25}, S.READY),
        (S.READY, {}, {WISH: 0.25}, S.OFF),
        (S.RUNNING, {}, {WISH: 1.5, HALT: 0.5}, S.RUNNING), (S.RUNNING, {}, {WISH: 1.25}, S.READY),
        (S.RUNNING, {}, {HALT: 0.75}, S.READY), (S.RUNNING, {}, {ERROR: TRACKING, DRIVE_FAULT: 0.5}, S.RUNNING),
        (S.RUNNING, {}, {ERROR: TRACKING + ROUNDING}, S.FAULT), (S.RUNNING, {}, {DRIVE_FAULT: 0.75}, S.FAULT),
        (S.FAULT, {}, {WISH: 0.5}, S.FAULT), (S.FAULT, {}, {WISH: 0.25}, S.OFF),
    ],
)  # fmt: skip
def test_the_next_state_at_the_limits_of_the_inputs(c, state, fields, inputs, found):
    s = supervisor(c)
    s.memory.state = STATE.index(state)
    for name, value in fields.items():
        setattr(s.memory, name, value)
    getattr(s.memory, "from")[:] = DATA.neutral_axes.tolist()
    for place, value in {**GOOD, **inputs}.items():
        s.inputs[place] = value
    c.integrate(at(s), 0, 1, 1, (ctypes.c_double * (24 + len(SHOWN)))(), ctypes.byref(ctypes.c_int()))
    assert STATE[int(s.memory.state)] is found


def test_after_a_fault_while_it_homes_the_reference_is_at_rest(c):
    s, row = supervisor(c), (ctypes.c_double * (24 + len(SHOWN)))()
    s.memory.state, s.memory.v[0], s.memory.a[0] = STATE.index(S.HOMING), 0.125, 1.0
    s.inputs[[WISH, HOMED_DRIVES, OUTPUT_FAULT]] = 2.0, 1.0, 1.0
    c.integrate(at(s), 0, 1, 1, row, ctypes.byref(ctypes.c_int()))
    assert STATE[int(s.memory.state)] is S.FAULT
    assert not any(row[8:24])


@pytest.mark.parametrize(("halt", "reason"), [(0.5, STOPPED_BY_WISH), (0.75, STOPPED_BY_HALT)])
def test_an_emergency_stop_is_the_reason_although_the_wish_has_ended_too(c, halt, reason):
    s = supervisor(c)
    s.memory.state = STATE.index(S.RUNNING)
    s.inputs[[WISH, HALT]] = 1.0, halt
    c.integrate(at(s), 0, 1, 1, (ctypes.c_double * (24 + len(SHOWN)))(), ctypes.byref(ctypes.c_int()))
    assert s.memory.reason == reason


@pytest.mark.parametrize(("homed", "lost"), [(0.25, 1.0), (0.5, 0.0)])
def test_a_position_is_lost_unless_the_drives_know_it(c, homed, lost):
    s = supervisor(c)
    s.inputs[[WISH, HOMED_DRIVES]] = 1.0, homed
    c.integrate(at(s), 0, 1, 1, (ctypes.c_double * (24 + len(SHOWN)))(), ctypes.byref(ctypes.c_int()))
    assert (STATE[int(s.memory.state)], s.memory.lost) == (S.HOMING, lost)


def test_the_reference_is_neutral_while_the_drives_do_not_know_the_position(c):
    s = supervisor(c)
    s.memory.state, s.memory.lost, s.memory.r[2] = STATE.index(S.HOMING), 1.0, 0.5
    s.inputs[WISH] = 1.0
    c.integrate(at(s), 0, 1, 1, (ctypes.c_double * (24 + len(SHOWN)))(), ctypes.byref(ctypes.c_int()))
    assert list(s.memory.r) == DATA.neutral_axes.tolist()


@pytest.mark.parametrize(("moved", "delay"), [(1e-12, 0.0), (1e-9, 0.5), (1.0, 0.5)])
def test_a_delay_needs_motion(c, moved, delay):
    s, row = supervisor(c), (ctypes.c_double * (24 + len(SHOWN)))()
    s.memory.moved, s.memory.lag = moved, 0.5 * moved
    c.integrate(at(s), 0, 1, 1, row, ctypes.byref(ctypes.c_int()))
    assert row[24 + list(SHOWN).index("ride.delay")] == delay


def test_outputs_are_those_of_each_step_that_is_recorded(c):
    one, many = supervisor(c), supervisor(c)
    row, rows = ((ctypes.c_double * (24 + len(SHOWN)))() for _ in range(2))
    status = ctypes.c_int()
    for s in (one, many):
        s.inputs[[WISH, HOMED_DRIVES]] = 2.0, 1.0
    for k in range(4, 8):
        c.integrate(at(one), k, 1, 1, row, ctypes.byref(status))
        if k == 4:
            first = list(row)
    assert c.integrate(at(many), 4, 4, 4, rows, ctypes.byref(status)) == 4
    assert list(rows) == first
    assert bytes(one.memory) == bytes(many.memory)
