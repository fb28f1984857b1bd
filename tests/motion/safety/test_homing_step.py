"""Homing in C (homing.h) by itself, against the same laws in Python: numbers are sums of powers of two."""

import ctypes
from math import isfinite, nan

import numpy as np
import pytest

from c_functions import c_functions, eight, same
from symbody.motion.control.drive_loop import HoldOf, HomingLawOf, HomingOf

TEXT = """
void begin(homing_t *h, const homing_law_t *law, const double *q) { homing_begin(h, law, q); }
int step(homing_t *h, const homing_law_t *law, hold_t *hold, double *q, double dt)
{
    return homing_step(h, law, hold, q, dt);
}
"""
DT = 2.0**-6
GROUPS = ([1], [0], range(2, 8))
RETURNING, AT_HOME, LOST = 3, 4, 5
Eight = ctypes.c_double * 8


@pytest.fixture(scope="module")
def c():
    made = c_functions("motion/safety/homing.h", TEXT, HoldOf, HomingOf, HomingLawOf)
    made.step.argtypes = [*4 * [ctypes.c_void_p], ctypes.c_double]
    return made


def law_of(rng):
    """A law in C; reports after four samples, in one half of the laws after three and a half."""
    numbers = {
        "pace": eight(rng, 0.25, 0.5, 0.5, 0.0), "low": eight(rng, -1.0, 0.5), "neutral": eight(rng, 0.0, 0.5),
        "longest": eight(rng, 0.0625, 0.125, 1.0), "quick": eight(rng, 1.0, 2.0), "push": eight(rng, 1.0),
    }  # fmt: skip
    kept = {name: Eight(*row) for name, row in numbers.items()}
    law = HomingLawOf(
        **{name: ctypes.addressof(row) for name, row in kept.items()}, report=rng.choice([4.0, 3.5]) * DT,
        stalled=rng.choice([1.0, 3.0]), starting=rng.choice([0.0, 8.0 * DT]), share=0.5, lead=rng.choice([0.0625, DT]),
        arrived=0.125, patience=rng.choice([0.0, 0.125, 0.5]),
    )  # fmt: skip
    law.kept = kept
    for name, row in numbers.items():
        setattr(law, f"{name}s", row)
    law.rest = rng.choice([0.8, 0.4])  # how often an actuator does not move
    return law


class Homing:
    """The laws of homing.h: fields of `homing_t` and `hold_t` after each sample."""

    def __init__(self, law, q):
        self.law, self.elapsed, self.span, self.axis = law, 0.0, 0.0, 0.0
        self.shift, self.start = 8 * [0.0], 8 * [0.0]
        self.enter(0, q)

    def enter(self, phase, q):
        group = GROUPS[phase] if phase < RETURNING else ()
        self.phase, self.ticks, self.reports, self.count = phase, 0, 0, 8 * [0]
        self.waiting = [k in group and self.law.paces[k] > 0.0 for k in range(8)]
        self.last, self.begun = list(q), list(q)

    def report(self, q):
        law = self.law
        for k in (k for k in range(8) if self.waiting[k]):
            if not isfinite(q[k]) or abs(q[k] - self.begun[k]) > law.longests[k]:
                self.phase, self.axis = LOST, k
                return
            moves = abs(q[k] - self.last[k]) >= law.share * law.report * law.paces[k]
            self.count[k] = 0 if moves or self.reports * law.report < law.starting else self.count[k] + 1
            self.last[k] = q[k]
            if self.count[k] >= law.stalled:
                self.waiting[k], self.shift[k] = False, q[k] - law.lows[k]
        self.reports += 1

    def step(self, hold, q):
        law = self.law
        if self.phase < RETURNING:
            for k in range(8):
                hold.rate[k] = -law.paces[k] if self.waiting[k] else 0.0
                if self.waiting[k]:
                    ahead = hold.place[k] + DT * hold.rate[k] - q[k]
                    hold.place[k] = q[k] + (ahead if ahead != ahead else min(max(ahead, -law.lead), law.lead))
            self.ticks += 1
            if self.ticks * DT > law.report - 0.5 * DT:
                self.ticks = 0
                self.report(q)
            if self.phase == LOST or any(self.waiting):
                return False
            if self.phase < RETURNING - 1:
                self.enter(self.phase + 1, q)
                return False
            self.go_back(hold, q)
            return True
        if self.phase == RETURNING:
            self.come_back(hold, q)
        return False

    def go_back(self, hold, q):
        law, self.span = self.law, 1e-3
        for k in range(8):
            q[k] -= self.shift[k]
            hold.place[k] -= self.shift[k]
            hold.integral[k] = 0.0
            if law.paces[k] > 0.0:
                self.span = max(self.span, 1.875 * abs(law.neutrals[k] - hold.place[k]) / law.quicks[k])
        self.start, self.elapsed = list(hold.place), 0.0
        self.enter(RETURNING, q)

    def come_back(self, hold, q):
        law, x = self.law, min(self.elapsed / self.span, 1.0)
        away = [k for k in range(8) if law.paces[k] > 0.0 and not abs(law.neutrals[k] - q[k]) < law.arrived]
        for k in (k for k in range(8) if law.paces[k] > 0.0):
            far = law.neutrals[k] - self.start[k]
            hold.place[k] = self.start[k] + far * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
            hold.rate[k] = far * 30.0 * x * x * (1.0 - x) ** 2 / self.span
        self.elapsed += DT
        if x >= 1.0 and not away:
            self.phase = AT_HOME
        elif self.elapsed > self.span + law.patience:
            self.phase, self.axis = LOST, max(away, default=-1)


NUMBERS = ("phase", "ticks", "reports", "elapsed", "span", "axis")
ROWS = ("waiting", "count", "last", "begun", "shift")


def homing_numbers(h, start):
    """The fields of `homing_t`, or of its model."""
    return [*(getattr(h, name) for name in NUMBERS), *(x for name in ROWS for x in getattr(h, name)), *start]


def compare(h, hold, model, expected):
    assert same(homing_numbers(h, getattr(h, "from")), homing_numbers(model, model.start))
    for name in ("place", "rate", "integral"):
        assert same(getattr(hold, name), getattr(expected, name))


def positions(model, q, rng):
    """Next positions of the actuators: slow and now and then at rest, or wherever they are wanted."""
    if model.phase == RETURNING:
        away = rng.choice([0.0, 0.0625, -0.0625], 8)
        if rng.random() < 0.8:
            away[rng.integers(8)] = 0.125  # not there yet
        return [x + far for x, far in zip(model.law.neutrals, away.tolist(), strict=True)]
    rest = model.law.rest
    moves = DT * rng.choice([0.0, 0.5, 1.0], 8, p=[rest, 0.5 - 0.5 * rest, 0.5 - 0.5 * rest])
    if rng.random() < 1e-3:
        moves[rng.integers(8)] = nan
    return [x - pace * move for x, pace, move in zip(q, model.law.paces, moves.tolist(), strict=True)]


@pytest.mark.parametrize("seed", range(24))
def test_homing_in_c_is_homing_in_python(c, seed):
    rng = np.random.default_rng(seed)
    law, q = law_of(rng), eight(rng, 0.0, 0.25, 0.5)
    h, hold, expected = HomingOf(), HoldOf(), HoldOf()
    ctypes.memset(ctypes.byref(h), 1, ctypes.sizeof(h))  # of an earlier homing
    for one in (hold, expected):
        one.place[:], one.integral[:] = q, 8 * [1.0]
    c.begin(ctypes.byref(h), ctypes.byref(law), Eight(*q))
    assert [h.elapsed, h.span, h.axis, *h.shift, *getattr(h, "from")] == 19 * [0.0]
    model = Homing(law, q)
    compare(h, hold, model, expected)
    ended = 0
    while ended < 3:
        q = positions(model, q, rng)
        seen = Eight(*q)
        known = model.step(expected, q)
        assert c.step(ctypes.byref(h), ctypes.byref(law), ctypes.byref(hold), seen, DT) == known
        assert same(seen, q)
        compare(h, hold, model, expected)
        ended += model.phase > RETURNING


def test_a_return_without_a_way_takes_a_millisecond(c):
    law = law_of(np.random.default_rng(0))
    law.kept["pace"][:] = 8 * [0.5]
    law.kept["neutral"][:] = [low - 0.5 * DT * (k in GROUPS[2]) for k, low in enumerate(law.kept["low"])]
    h, hold, q = HomingOf(), HoldOf(), Eight(*law.kept["low"])
    hold.place[:] = q
    c.begin(ctypes.byref(h), ctypes.byref(law), q)
    while h.phase < RETURNING:
        hold.place[:] = q
        c.step(ctypes.byref(h), ctypes.byref(law), ctypes.byref(hold), q, DT)
    assert h.span == 1e-3


@pytest.mark.parametrize("late", [0, 3, 7])
def test_an_actuator_that_is_not_back_in_time_is_lost(c, late):
    law, q = law_of(np.random.default_rng(0)), Eight()
    law.kept["pace"][:], law.kept["quick"][:], law.kept["neutral"][:] = 8 * [0.5], 8 * [1.0], 8 * [0.5]
    law.patience = 4 * DT
    way = 60 * DT  # 1.875 · 0.5 m / (1 m/s)
    h, hold = HomingOf(phase=RETURNING, span=way), HoldOf()
    q[:] = law.kept["neutral"]
    q[late] += 0.125
    for _ in range(64):
        c.step(ctypes.byref(h), ctypes.byref(law), ctypes.byref(hold), q, DT)
    assert (h.phase, h.elapsed) == (RETURNING, 64 * DT)
    c.step(ctypes.byref(h), ctypes.byref(law), ctypes.byref(hold), q, DT)
    assert (h.phase, h.axis) == (LOST, late)
