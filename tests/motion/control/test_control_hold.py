"""The soft hold (hold.h) by itself, against the same laws in Python: numbers are sums of powers of two."""

import ctypes
from math import inf, isfinite, nan

import numpy as np
import pytest

from c_functions import c_functions, eight
from symbody.motion.control.drive_loop import HoldLawOf, HoldOf

TEXT = """
double clip(double x, double end) { return hold_clip(x, end); }
void begin(hold_t *h, const hold_law_t *law, const double *q, const double *pace) { hold_begin(h, law, q, pace); }
void brake(hold_t *h, double dt) { hold_brake(h, dt); }
void forces(hold_t *h, const hold_law_t *law, const double *push, const double *q, const double *pace, double dt,
            double *found) { hold_forces(h, law, push, q, pace, dt, found); }
"""
DT = 0.125
Eight = ctypes.c_double * 8


@pytest.fixture(scope="module")
def c():
    made = c_functions("motion/control/hold.h", TEXT, HoldOf, HoldLawOf)
    made.clip.restype, made.clip.argtypes = ctypes.c_double, 2 * [ctypes.c_double]
    made.brake.argtypes = [ctypes.c_void_p, ctypes.c_double]
    made.forces.argtypes = [*5 * [ctypes.c_void_p], ctypes.c_double, ctypes.c_void_p]
    return made


def law_of(rng):
    """A law in C, and its numbers."""
    numbers = {name: eight(rng, 0.5, 1.0, 2.0, 4.0) for name in ("stiffness", "damping", "reset", "weight", "brake")}
    kept = {name: Eight(*row) for name, row in numbers.items()}
    law = HoldLawOf(**{name: ctypes.addressof(row) for name, row in kept.items()})
    law.kept = kept
    return law, numbers


def row(h, name):
    return list(getattr(h, name))


@pytest.mark.parametrize(("x", "found"), [(-3.0, -2.0), (-2.0, -2.0), (-1.0, -1.0), (2.0, 2.0), (2.5, 2.0)])
def test_a_force_is_kept_within_its_end_on_both_sides(c, x, found):
    assert c.clip(x, 2.0) == found


@pytest.mark.parametrize("seed", range(5))
def test_all_actuators_brake_together_within_their_rates(c, seed):
    rng = np.random.default_rng(seed)
    law, numbers = law_of(rng)
    q, pace = eight(rng, -1.0, 0.5, 3.0), eight(rng, -2.0, -1.0, 0.5, 4.0, 0.0, nan, inf, -inf)
    h = HoldOf(integral=Eight(*range(1, 9)))
    c.begin(ctypes.byref(h), ctypes.byref(law), Eight(*q), Eight(*pace))
    rate = [x if isfinite(x) else 0.0 for x in pace]
    span = max(abs(x) / a for x, a in zip(rate, numbers["brake"], strict=True))
    assert row(h, "place") == q
    assert row(h, "rate") == rate
    assert row(h, "integral") == 8 * [0.0]
    assert row(h, "slower") == pytest.approx([x / span for x in rate], rel=1e-15)
    for _ in range(round(span / DT) + 3):
        before = row(h, "place"), row(h, "rate")
        c.brake(ctypes.byref(h), DT)
        for k, (place, x, slower) in enumerate(zip(*before, row(h, "slower"), strict=True)):
            after = x - slower * DT if abs(x) > abs(slower * DT) else 0.0
            assert h.rate[k] == after
            assert h.place[k] == place + 0.5 * DT * (x + after)
    assert row(h, "rate") == 8 * [0.0]


def test_a_hold_at_rest_stays_at_rest(c):
    law, _ = law_of(np.random.default_rng(0))
    h = HoldOf()
    c.begin(ctypes.byref(h), ctypes.byref(law), Eight(*range(8)), Eight())
    c.brake(ctypes.byref(h), DT)
    assert (row(h, "place"), row(h, "rate"), row(h, "slower")) == ([float(k) for k in range(8)], 8 * [0.0], 8 * [0.0])


@pytest.mark.parametrize("seed", range(5))
def test_forces_hold_the_weight_and_integrate_only_within_their_ends(c, seed):
    rng = np.random.default_rng(seed)
    law, numbers = law_of(rng)
    rows = [eight(rng, -1.0, 0.0, 0.5, 2.0) for _ in range(5)]
    push = eight(rng, 0.5, 2.0, 4.0, 16.0)
    place, rate, integral, q, pace = rows
    h, found = HoldOf(place=Eight(*place), rate=Eight(*rate), integral=Eight(*integral)), Eight()
    c.forces(ctypes.byref(h), ctypes.byref(law), Eight(*push), Eight(*q), Eight(*pace), DT, found)
    for k in range(8):
        stiffness, damping, reset, weight = (numbers[name][k] for name in ("stiffness", "damping", "reset", "weight"))
        e = place[k] - q[k]
        asked = stiffness * (e + reset * integral[k]) + damping * (rate[k] - pace[k])
        assert found[k] == weight + min(max(asked, -push[k]), push[k])
        assert h.integral[k] == integral[k] + (DT * e if abs(asked) <= push[k] else 0.0)
