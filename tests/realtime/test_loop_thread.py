"""The thread of the loop (loop.c) without a clock, a second thread or the system: all of them are simulated.

The clock moves only when the loop sleeps and while a step lasts, so that each record is known in advance.
"""

import ctypes
from math import copysign, inf, isfinite, isnan, nan

import numpy as np
import pytest

from c_functions import c_functions
from symbody.realtime.loop_layout import BINS, LoopOf, Mailbox, SharedBlock

pytestmark = pytest.mark.posix

CALLS = (
    "clock_gettime", "clock_nanosleep", "pthread_create", "pthread_join", "pthread_sigmask", "mlockall", "prctl",
    "getrusage", "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setinheritsched",
    "pthread_attr_setschedpolicy", "pthread_attr_setschedparam", "pthread_attr_setaffinity_np",
)  # fmt: skip
BEFORE = "\n".join(f"#define {name} simulated_{name}" for name in CALLS)
TEXT = r"""
int64_t simulated_now, per_reading, faults_of_pages, calls[200], ncalls;
int64_t results[3]; /* of create, affinity, lock */
int64_t (*asleep)(int64_t until);
static loop_t *of;
static void call(int64_t what, int64_t with) { if (ncalls < 100) calls[2*ncalls] = what, calls[2*ncalls++ + 1] = with; }
int clock_gettime(int which, struct timespec *t)
{
    simulated_now += per_reading;
    t->tv_sec = simulated_now/1000000000, t->tv_nsec = simulated_now % 1000000000;
    return which != CLOCK_MONOTONIC;
}
int clock_nanosleep(int which, int flags, const struct timespec *t, struct timespec *left)
{
    if (which == CLOCK_MONOTONIC && flags == TIMER_ABSTIME && !left && t->tv_nsec >= 0 && t->tv_nsec < 1000000000)
        simulated_now = asleep((int64_t)t->tv_sec*1000000000 + t->tv_nsec);
    return 0;
}
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *argument)
{
    call(1, how && start == live && argument == of), *thread = 5;
    return (int)(ncalls && results[0] > 0 ? results[0]-- : 0);
}
int pthread_join(pthread_t thread, void **result) { call(2, thread == 5 && !result); return 0; }
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    call(3, how == SIG_BLOCK && !old && !memcmp(set, &all, 8));
    return 0;
}
int mlockall(int flags) { call(4, flags); return (int)results[2]; }
int prctl(int option, ...) { call(5, option); return 0; }
int getrusage(int who, struct rusage *used)
{
    used->ru_minflt = faults_of_pages, used->ru_majflt = who == RUSAGE_THREAD;
    faults_of_pages += 3;
    return 0;
}
int pthread_attr_init(pthread_attr_t *how) { call(6, 0); return 0; }
int pthread_attr_destroy(pthread_attr_t *how) { call(7, 0); return 0; }
int pthread_attr_setinheritsched(pthread_attr_t *how, int inherit)
{
    call(8, inherit == PTHREAD_EXPLICIT_SCHED);
    return 0;
}
int pthread_attr_setschedpolicy(pthread_attr_t *how, int policy) { call(9, policy == SCHED_FIFO); return 0; }
int pthread_attr_setschedparam(pthread_attr_t *how, const struct sched_param *p)
{
    call(10, p->sched_priority);
    return 0;
}
int pthread_attr_setaffinity_np(pthread_attr_t *how, size_t size, const cpu_set_t *set)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(3, &one);
    call(11, size == sizeof one && !memcmp(set, &one, sizeof one));
    return (int)results[1];
}
int begin(loop_t *l) { of = l; return loop_start(l); }
void live_now(loop_t *l) { live(l); }
"""
CREATE, JOIN, MASK, LOCK, SLACK, INIT, DESTROY, INHERIT, POLICY, PARAMETERS, AFFINITY = range(1, 12)
NY, NU, CAPACITY, LOOK = 3, 4, 512, 50_000_000
STOPPED, RUNNING, PAUSED, SAFE = range(4)
STALE, OVERRUN, OUTSIDE, DIVERGED = 4, 5, 6, 7
HOLD, RESTART, LATCH = range(3)
CLEAR, BEGIN_AGAIN = 1, 2
HEAD = 6
STEP, TIME, WAKE, LATE, TOOK, STATE = range(HEAD)
Stepper = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    *3 * [ctypes.c_int64],
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_int),
)
Asleep = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
EDGES = 1e-9 * (25_000.0 * np.arange(BINS + 1))  # many times are exactly at an edge


@pytest.fixture(scope="module")
def c():
    made = c_functions("realtime/loop.c", TEXT, SharedBlock, LoopOf, before=BEFORE)
    for name in ("begin", "live_now", "loop_stop", "block_alive", "block_records"):
        getattr(made, name).argtypes = [ctypes.c_void_p]
    made.block_give.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    made.block_latest.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    made.block_read.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    made.block_records.restype = made.block_read.restype = ctypes.c_int64
    return made


class Memory(ctypes.Structure):
    """A block, and the parts that its offsets name."""

    _fields_ = (
        ("block", SharedBlock), ("samples", ctypes.c_double * 9), ("efforts", ctypes.c_double * NY),
        ("ring", ctypes.c_double * (CAPACITY * (HEAD + NU + NY))),
    )  # fmt: skip


class World:
    """A block, what the script of a run does while the loop sleeps, and a stepper: the same for C and for the model."""

    def __init__(self, seed, **options):
        self.rng, self.now, self.per_reading = np.random.default_rng(seed), 5_000_000_000_123, 0
        self.memory = Memory()
        b = self.block = self.memory.block
        b.nsample, b.nu, b.ny, b.capacity, b.period, b.slow, b.allowed, b.watchdog = (
            2,
            NU,
            NY,
            CAPACITY,
            1e-3,
            1.0,
            -1,
            0.1,
        )
        b.samples, b.efforts, b.ring = Memory.samples.offset, Memory.efforts.offset, Memory.ring.offset
        b.given, b.edges[:] = Mailbox.empty(), EDGES.tolist()
        self.memory.efforts[:] = [2.0, nan, nan]
        self.u = np.append(np.zeros(NU), 77.0)  # no more than the inputs and outputs are read
        self.kept, self.y = np.array([1.0, 2.0]), np.append(np.zeros(NY), nan)
        self.sample, self.record = np.zeros(2), np.zeros(HEAD + NU + NY)
        self.capped, self.doubted = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        self.substeps, self.tracked, self.policy, self.patience, self.spin = 1, 0, HOLD, 3, 0.0
        self.stale, self.slack, self.momentary = inf, inf, 0
        self.wild, self.ends = 0.0, 60
        self.late, self.early, self.gives = 0.0, 0, 0.5
        self.calls, self.slept, self.beats = [], [], []
        vars(self).update(options)

    def integrate(self, first, n, every, path):
        """A step: sums of the inputs; at times it lasts long, fails, or leaves the limits."""
        self.calls.append((first, n, every, *self.u[:NU]))
        self.kept += [1.0, self.u[0]]
        path[0], path[1], path[2] = self.kept[1], self.u[1], self.kept[0] - 1.0
        x = self.rng.random()
        self.now += int(self.rng.choice([0, 1000, 250_000]))
        self.capped[0] += self.rng.random() < 0.1
        self.doubted[0] = self.rng.random() < 0.1
        if x < self.wild:
            self.now += int(self.rng.choice([0, 3_000_000, 1_000_000]))
            path[int(self.rng.integers(3))] = self.rng.choice([5.0, 5.5, -0.5, -1.0, nan, 2.0, 2.5, -2.5])
            return int(self.rng.choice([0, 0, 0, 1, 3]))
        return 0

    def sleep(self, until, give):
        """Wakes late at times; what another process does meanwhile."""
        b, rng = self.block, self.rng
        self.slept.append(until)
        self.beats.append(b.heartbeat)
        self.now = max(until - self.early * int(rng.integers(2)), self.now) + int(rng.choice([0, 0, 0, 200_000]))
        if rng.random() < self.late:
            self.now += int(rng.choice([1_000_000, 999_999, 1_000_001, 2_500_000, 40_000_000]))
        if rng.random() < self.gives:
            give([rng.choice([0.0, 0.5, -0.5]), rng.choice([0.0, 1.0])], 0)
        if rng.random() < self.wild:
            given = [rng.choice([0.0, nan, inf, 9.0, 9.5]), rng.choice([0.0, -9.0, -9.5])]
            give(given, int(rng.choice([0, 1, self.now, self.now + 1_000_000, self.now + 2_000_000])))
        if rng.random() < self.wild:
            what = rng.integers(6)
            if what == 0:
                b.allowed = int(rng.choice([0, 1, 2, -1]))
            elif what == 1:
                b.command = int(rng.choice([CLEAR, BEGIN_AGAIN]))
            elif what == 2:
                b.slow = float(rng.choice([0.5, 1.0, 2.0, 200.0]))
            else:
                b.allowed, b.slow, b.command = -1, 1.0, CLEAR
        if len(self.slept) >= self.ends:
            b.stop = 1
        return self.now


def run_in_c(c, world, locked=0, **fields):
    """Let the thread of loop.c live in a world; returns its structure. fields: others of `loop_t`."""
    b = ctypes.addressof(world.block)
    now = ctypes.c_int64.in_dll(c, "simulated_now")

    def integrate(_of, first, n, every, path, status):
        world.now = now.value
        status[0] = world.integrate(first, n, every, path)
        now.value = world.now
        return n

    def give(numbers, stamp):
        now.value = world.now
        c.block_give(b, (ctypes.c_double * 3)(*numbers, 0.0), stamp)
        world.now = now.value

    def sleep(until):
        world.now = now.value
        return world.sleep(until, give)

    step, asleep = Stepper(integrate), Asleep(sleep)
    ctypes.c_void_p.in_dll(c, "asleep").value = ctypes.cast(asleep, ctypes.c_void_p).value
    ctypes.c_int64.in_dll(c, "per_reading").value = world.per_reading
    ctypes.c_int64.in_dll(c, "faults_of_pages").value = ctypes.c_int64.in_dll(c, "ncalls").value = 0
    (ctypes.c_int64 * 3).in_dll(c, "results")[:] = [0, 0, locked]
    now.value = world.now
    arrays = {
        "kept": np.array([world.kept.ctypes.data], dtype=np.uint64), "sizes": np.array([2]), "start": world.kept.copy(),
        "target": np.array([0, 1]), "momentary": np.array([world.momentary, 0]), "tracked": np.array([1]),
        "low": np.array([-9.0, -9.0]), "high": np.array([9.0, 9.0]), "least": np.array([-0.5, -9.0, -inf]),
        "most": np.array([5.0, 9.0, inf]), "filters": FILTER.copy(), "measured": np.zeros(1), "followed": np.zeros(3),
        "hoisted": np.zeros(3), "fields": np.zeros(1), "places": np.zeros(1), "u": world.u, "y": world.y,
        "sample": world.sample, "record": world.record, "capped": world.capped, "doubted": world.doubted,
    }  # fmt: skip
    loop = LoopOf(
        **{name: array.ctypes.data for name, array in arrays.items()}, block=b,
        stepper=ctypes.cast(step, ctypes.c_void_p).value, nkept=1, nhoisted=1, ntracked=world.tracked,
        substeps=world.substeps, policy=world.policy, patience=world.patience, stale=world.stale, slack=world.slack,
        spin=world.spin, parameters=Mailbox.empty(), core=-1,
    )  # fmt: skip
    for name, value in fields.items():
        setattr(loop, name, value)
    c.live_now(ctypes.byref(loop))
    return loop


FILTER = np.array([1.0, 0.5, 0.25, 0.0, 1.0, 0.5, 0.0, 0.0, 0.5, 0.25, 0.5, 1.0])  # A row by row, then b


class Loop:
    """The rules of the loop in Python, in a world of its own."""

    def __init__(self, world):
        self.w, self.b, self.start = world, world.block, world.kept.copy()
        self.stamp = self.begun = self.anew = self.refusal = self.calm = 0
        self.suspect, self.suspected, self.measured, self.followed = 0, 0.0, 0.0, np.zeros(3)
        self.waiting, self.counts, self.records = [], {k: [] for k in range(3)}, []

    def clock(self):
        self.w.now += self.w.per_reading
        return self.w.now

    def give(self, numbers, stamp):
        self.waiting = [(numbers, stamp or self.clock())]

    def repaced(self, slow):
        return self.b.slow != slow

    def wait(self, deadline, slow):
        w, b = self.w, self.b
        wake = deadline - int(1e9 * w.spin)
        while True:
            now = self.clock()
            b.heartbeat = now
            if now >= deadline or b.stop or self.repaced(slow):
                return now
            if now < wake:
                w.sleep(min(wake, now + LOOK), self.give)

    def count(self, which, ns):
        self.counts[which].append(1e-9 * ns)

    def fail(self, fault, culprit, value):
        b = self.b
        b.culprit, b.blamed, b.fault, self.calm = culprit, value, fault, 0
        b.faults[fault] += 1
        return False

    def restart(self):
        self.w.kept[:] = self.start

    def track(self):
        z, w = self.measured, self.w
        s = np.array([z, 0.0, 0.0]) if self.anew else self.followed
        self.followed = FILTER[:9].reshape(3, 3) @ s + FILTER[9:] * z
        w.u[1:4] = self.followed
        self.anew = 0

    def advance(self, step):
        w, n = self.w, self.w.substeps
        w.capped[0], status, some = 0, 0, 1 if w.tracked else n
        for k in range(0, n, some):
            if k:
                self.track()
            status = w.integrate(n * step + k, some, n, w.y)
            if status:
                break
        return status

    def take_sample(self, now):
        w, b = self.w, self.b
        if not self.waiting:
            return
        (z, stamp), self.waiting = self.waiting[0], []
        b.received += 1
        self.refusal = self.check(z, stamp, now)
        if self.refusal:
            b.refused[self.refusal - 1] += 1
            return
        if not self.begun or 1e-9 * (stamp - self.stamp) > w.stale:
            self.anew = 1
        self.begun, self.stamp = 1, stamp
        w.sample[:] = z

    def check(self, z, stamp, now):
        if (self.begun and stamp < self.stamp) or stamp > now + 1_000_000:
            self.suspect, self.suspected = -1, 1e-9 * (stamp - now)
            return 3
        for k, x in enumerate(z):
            if k == 0 and self.w.momentary and isnan(x):
                continue
            if not isfinite(x) or abs(x) > 9.0:
                self.suspect, self.suspected = k, x
                return 2 if isfinite(x) else 1
        return 0

    def forget(self):
        if self.w.momentary:
            self.w.sample[0] = nan

    def state(self, command, allowed, now, late):
        b, w = self.b, self.w
        stale = b.nsample and 1e-9 * (now - self.stamp) > w.stale
        fault = OVERRUN if 1e-9 * late > w.slack else (self.refusal or STALE) if stale else 0
        self.calm = 0 if fault else self.calm + 1
        lasting = w.policy == LATCH or (w.policy == HOLD and b.fault >= OUTSIDE)
        if command or (b.fault and not lasting and self.calm >= w.patience):
            if command == BEGIN_AGAIN or (b.fault and w.policy == RESTART):
                self.restart()
                b.begun, b.restarts = b.steps, b.restarts + 1
            self.forget()
            self.anew, b.fault = 1, 0
        if not b.fault and fault and allowed:
            self.fail(fault, *((self.suspect, self.suspected) if fault < STALE else (-1, nan)))
        return SAFE if b.fault else RUNNING if allowed else PAUSED

    def step(self):
        b, w = self.b, self.w
        w.u[:2] = w.sample
        if w.tracked:
            self.measured = w.u[1]
            self.track()
        self.forget()
        for k in range(NU):
            w.record[HEAD + k] = w.u[k] if isfinite(w.u[k]) else w.record[HEAD + k]
        status = self.advance(b.steps - b.begun)
        b.capped += int(w.capped[0])
        b.doubted += int(w.doubted[0])
        if status:
            return self.fail(DIVERGED + status - 1, -1, nan)
        for k, (y, low, high) in enumerate(zip(w.y[:NY].tolist(), (-0.5, -9.0, -inf), (5.0, 9.0, inf), strict=True)):
            if not isfinite(y) or not low <= y <= high:
                return self.fail(OUTSIDE if isfinite(y) else DIVERGED, k, y)
            if k == 0 and abs(y) > 2.0:
                w.y[0] = copysign(2.0, y)
                b.clamped += 1
        w.record[STEP], w.record[TIME] = b.steps, b.steps * b.period
        w.record[HEAD + NU :] = w.y[:NY]
        b.steps += 1
        return True

    def show(self, state, wake, late):
        record = self.w.record
        if state != RUNNING:
            record[HEAD + NU] = 0.0
        record[WAKE], record[LATE], record[TOOK] = 1e-9 * wake, 1e-9 * late, 1e-9 * (self.clock() - wake)
        record[STATE] = state
        self.records.append(record.copy())
        self.b.state = state

    def live(self):
        b, w = self.b, self.w
        slow, before, k = b.slow, STOPPED, 0
        period = 1e9 * b.period * slow
        self.advance(0)
        self.restart()
        now = anchor = deadline = self.stamp = self.clock()
        while True:
            if self.repaced(slow):
                slow, k, anchor = b.slow, 0, min(now, deadline)
                period = 1e9 * b.period * slow
            k += 1
            deadline = anchor + int(period * k)
            now = self.wait(deadline, slow)
            if b.stop:
                break
            if now < deadline:
                continue
            late = now - deadline
            self.count(0, late)
            command, b.command = b.command, 0
            allowed = b.allowed
            self.take_sample(now)
            state = self.state(command, allowed, now, late)
            if state == RUNNING:
                state = RUNNING if self.step() else SAFE
                b.allowed -= b.allowed > 0
            if state in (RUNNING, *({state} - {before})):
                self.show(state, now, late)
            before, finished = state, self.clock()
            if state == RUNNING:
                self.count(1, finished - now)
            if finished - deadline > period:
                self.count(2, finished - deadline - int(period))
            if 1e-9 * late > w.slack:
                anchor = deadline = finished
                k = 0
        self.show(STOPPED, now, 0)


WORLDS = {
    "on time": {},
    "late": {"late": 0.2, "ends": 120},
    "late with a limit": {"late": 0.2, "slack": 1e-9 * 1_000_000, "ends": 120},
    "late with a latch": {"late": 0.1, "slack": 1e-9 * 1_000_000, "policy": LATCH, "wild": 0.1, "ends": 150},
    "silent without a refusal": {"stale": 0.003, "gives": 0.1},
    "silent": {"stale": 0.003, "wild": 0.2, "ends": 150},
    "silent and late, with restarts": {"stale": 0.003, "slack": 0.002, "policy": RESTART, "wild": 0.3, "late": 0.1},
    "wild": {"wild": 0.4, "ends": 250, "momentary": 1},
    "wild with measured motion": {"wild": 0.3, "ends": 250, "tracked": 1, "substeps": 3, "patience": 1, "stale": 0.01},
    "measured motion": {"tracked": 1, "substeps": 2},
    "substeps": {"substeps": 4, "wild": 0.1, "ends": 100},
    "spinning": {"spin": 2e-5, "per_reading": 1000, "early": 1000, "ends": 60},
    "a clock that goes on": {"per_reading": 700, "late": 0.1, "slack": 1e-3, "wild": 0.1},
}
SAME = (
    "steps", "fault", "culprit", "restarts", "begun", "allowed", "command", "received", "clamped", "capped", "doubted",
    "state", "head", "heartbeat",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", WORLDS)
def test_a_life_in_c_is_that_of_the_rules(c, name, seed):
    real, model = (World(seed, **WORLDS[name]) for _ in range(2))
    run_in_c(c, real)
    loop = Loop(model)
    loop.live()
    b, expected = real.block, model.block
    expected.head = len(loop.records)
    assert real.slept == model.slept
    assert real.beats == model.beats
    np.testing.assert_array_equal(real.calls, model.calls)
    rows = np.array(real.memory.ring).reshape(CAPACITY, -1)[: b.head]
    np.testing.assert_array_equal(rows, loop.records)
    assert {field: getattr(b, field) for field in SAME} == {field: getattr(expected, field) for field in SAME}
    assert list(b.faults) == list(expected.faults)
    assert list(b.refused) == list(expected.refused)
    np.testing.assert_array_equal(b.blamed, expected.blamed)
    assert b.page_faults == 3  # of those that the system counts, without the first step
    for which, times in loop.counts.items():
        h = b.histogram[which]
        np.testing.assert_array_equal(h.count, np.histogram(times, np.append(EDGES, inf))[0])
        assert (h.sum, h.largest) == (sum(times), max(times, default=0.0))


def test_the_thread_is_prepared_once(c):
    """Signals are blocked, timers are exact, memory is locked."""
    world = World(0, ends=1)
    run_in_c(c, world)
    assert world.block.thread > 0
    assert called(c) == [(MASK, 1), (SLACK, 29), (LOCK, 1 | 4)]
    assert world.block.rights == 2


def called(c):
    """What was asked of the system, with a number of each."""
    count = ctypes.c_int64.in_dll(c, "ncalls").value
    numbers = (ctypes.c_int64 * 200).in_dll(c, "calls")[: 2 * count]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def started(c, priority, core, create=0, affinity=0):
    """Start a loop that does not live; returns its status, what was asked, the rights and the thread."""
    world = World(0)
    world.block.rights = 2
    ctypes.c_int64.in_dll(c, "ncalls").value = 0
    (ctypes.c_int64 * 3).in_dll(c, "results")[:] = [create, affinity, 0]
    loop = LoopOf(block=ctypes.addressof(world.block), priority=priority, core=core)
    status = c.begin(ctypes.byref(loop))
    calls = called(c)
    assert calls[0] == (INIT, 0)
    assert calls[-1] == (DESTROY, 0)
    return status, calls[1:-1], world.block.rights, loop.thread


URGENT = [(INHERIT, 1), (POLICY, 1), (PARAMETERS, 7), (CREATE, 1)]
NORMAL = [(INHERIT, 0), (CREATE, 1)]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"priority": 0, "core": -1}, (0, NORMAL, 2)),
        ({"priority": 7, "core": -1}, (0, URGENT, 2 | 1)),
        ({"priority": 7, "core": -1, "create": 1}, (0, URGENT + NORMAL, 2)),
        ({"priority": 7, "core": -1, "create": 2}, (1, URGENT + NORMAL, 2)),
        ({"priority": 0, "core": 3}, (0, [(AFFINITY, 1), *NORMAL], 2 | 4)),
        ({"priority": 7, "core": 3, "affinity": 1}, (0, [(AFFINITY, 1), *URGENT], 2 | 1)),
        ({"priority": 0, "core": 0, "affinity": 1}, (0, [(AFFINITY, 0), *NORMAL], 2)),
        ({"priority": 0, "core": -1, "create": 1}, (1, NORMAL, 2)),
    ],
)
def test_a_thread_starts_with_the_rights_that_the_system_gives(c, options, found):
    *result, thread = started(c, **options)
    assert tuple(result) == found
    assert thread == 5


def test_a_stop_waits_for_the_end_of_the_thread(c):
    world = World(0)
    loop = LoopOf(block=ctypes.addressof(world.block), thread=5)
    ctypes.c_int64.in_dll(c, "ncalls").value = 0
    c.loop_stop(ctypes.byref(loop))
    assert world.block.stop == 1
    assert called(c) == [(JOIN, 1)]


def test_memory_that_cannot_be_locked_is_no_right(c):
    world = World(0, ends=1)
    run_in_c(c, world, locked=1)
    assert world.block.rights == 0


def test_parameters_come_whole_from_the_newest_message(c):
    h, (first, second, third) = np.zeros(6), (np.array(x) for x in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]))
    loop = LoopOf(hoisted=h.ctypes.data, nhoisted=2, parameters=Mailbox.empty())
    for numbers, middle in ((first, 1), (second, 0), (third, 1)):
        c.loop_parameters(ctypes.byref(loop), ctypes.c_void_p(numbers.ctypes.data))
        assert loop.parameters.middle == middle | 4
        assert h[2 * middle : 2 * middle + 2].tolist() == numbers.tolist()
    assert loop.parameters.back == 0
    assert loop.parameters.front == 2


def test_a_step_uses_the_parameters_that_came_before_it(c):
    h, places = np.zeros(6), np.array([1])
    pointer = np.array([h.ctypes.data], np.uint64)
    posted = LoopOf(hoisted=h.ctypes.data, nhoisted=2, parameters=Mailbox.empty())
    c.loop_parameters(ctypes.byref(posted), (ctypes.c_double * 2)(3.0, 4.0))
    fields = np.array([pointer.ctypes.data], np.uint64)
    run_in_c(
        c, World(0, ends=2), hoisted=h.ctypes.data, nhoisted=2, parameters=posted.parameters,
        nfields=1, fields=fields.ctypes.data, places=places.ctypes.data,
    )  # fmt: skip
    assert ctypes.c_double.from_address(int(pointer[0])).value == 4.0


def shown(c, world, **fields):
    """A block with three records in a ring of two."""
    b = world.block
    b.capacity, b.head = 2, 3
    for k in range(2):
        first = k * (HEAD + NU + NY)
        world.memory.ring[first : first + HEAD + NU + NY] = [float(100 * k + j) for j in range(HEAD + NU + NY)]
    for name, value in fields.items():
        setattr(b, name, value)
    return b


def test_the_newest_record_is_read_and_its_efforts_are_zero_unless_the_loop_is_alive(c):
    now = ctypes.c_int64.in_dll(c, "simulated_now")
    ctypes.c_int64.in_dll(c, "per_reading").value = 0
    for state, beat, alive in (
        (RUNNING, 99_999_999, True), (RUNNING, 100_000_000, False), (RUNNING, 0, True), (PAUSED, 0, False),
        (STOPPED, 0, False), (SAFE, 0, False),
    ):  # fmt: skip
        world, row = World(0), (ctypes.c_double * (HEAD + NU + NY + 1))(*(HEAD + NU + NY) * [0.0], 7.5)
        b = shown(c, world, state=state, heartbeat=10**12)
        now.value = 10**12 + beat
        assert c.block_alive(ctypes.addressof(b)) == alive
        assert c.block_records(ctypes.addressof(b)) == 3
        assert c.block_latest(ctypes.addressof(b), row) == 1
        expected = [float(j) for j in range(HEAD + NU + NY)]
        expected[HEAD + NU] *= alive  # the only effort
        assert list(row) == [*expected, 7.5]
    b.head = 0
    assert c.block_latest(ctypes.addressof(b), row) == 0


@pytest.mark.parametrize(
    ("head", "first", "n", "lost"), [(3, 1, 2, 1), (3, 2, 1, 0), (3, 0, 1, 1), (4, 0, 2, 2), (2, 1, 1, 0)]
)
def test_records_that_may_have_been_overwritten_are_counted(c, head, first, n, lost):
    world, size = World(0), HEAD + NU + NY
    b, rows = shown(c, world, head=head), (ctypes.c_double * (2 * size + 1))()
    rows[n * size] = 7.5
    assert c.block_read(ctypes.addressof(b), first, n, rows) == lost
    assert [rows[k * size] for k in range(n)] == [100.0 * ((first + k) % 2) for k in range(n)]
    assert rows[n * size] == 7.5
