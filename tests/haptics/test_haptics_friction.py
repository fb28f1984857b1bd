"""Friction of contacts: the laws for a tick against the elements, and stick and slip (haptic_bench/stick_slip.py)."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.elements.friction import evaluate_friction
from symbody.elements.friction_reset import SLIP, ResetIntegrator
from symbody.haptics.friction import LAWS, friction_functions
from symbody.machines.haptic_bench.stick_slip import LOAD, MODELS, drawn, measures
from symbody_bench.validate.documents.haptic_bench import stuck

NUMBERS = (LOAD, 0.25, 0.2, 1e-5, 1e-4, 118.0, 1.0 / 512.0)  # load, mu_s, mu_k, deflection, v_min, beta, h


def law(name, v, z, mode=0.0, numbers=NUMBERS):
    found = friction_functions()[list(LAWS).index(name)]([v], [z], [mode], numbers)
    return [float(x[0]) for x in found]


@cache
def run(name):
    return measures(drawn(MODELS[name]))


def test_in_stiction_it_is_the_spring_and_damper_of_the_thesis():
    """(1 + a) K_r z + β v with K_r = μ_k f_n/z₀ = 3500 N/m and a = 0.25."""
    h, v, z = NUMBERS[-1], 2e-5, 3e-6
    force, bent, _, by_v, by_z = law("reset-integrator", v, z)
    assert bent == pytest.approx(z + h * v)
    assert force == pytest.approx(1.25 * 3500.0 * bent + 118.0 * v)
    assert by_v == pytest.approx(118.0)
    assert by_z == pytest.approx(1.25 * 3500.0)


@pytest.mark.parametrize("name", LAWS)
def test_sliding_is_resisted_by_the_kinetic_friction(name):
    for way in (-1.0, 1.0):
        z, mode = 0.0, 0.0
        for _ in range(5):
            force, z, mode, _, _ = law(name, way * 0.1, z, mode)
        assert force == pytest.approx(way * 0.2 * LOAD, rel=1e-6)
        assert abs(z) <= (1.0 + SLIP) * 1e-5 * (1 + 1e-12)


def test_short_ticks_follow_the_element():
    """The law for a tick is the element's, up to the width over which its spring gives way."""
    element = ResetIntegrator(Fc=0.2 * LOAD, Fs=0.25 * LOAD, sigma0=0.25 * LOAD / 1e-5, sigma1=118.0, sigma2=0.0)
    h, z, y, slid = 1e-5, 0.0, 0.0, 0
    for k in range(700):
        v = 0.02 * np.sin(0.01 * k)
        _, z, _, _, _ = law("reset-integrator", v, z, numbers=(*NUMBERS[:-1], h))
        y += h * evaluate_friction(element, v, (y,)).rates[0]
        slid += abs(z) > 1e-5
        assert z == pytest.approx(y, abs=0.6 * SLIP * 1e-5)
    assert 100 < slid < 600


def test_the_finger_pad_sticks_slides_and_sticks_again():
    force, z, mode, _, _ = law("finger-pad", 0.0, 0.5e-5)
    assert (mode, force) == (0.0, pytest.approx(0.5 * 0.25 * LOAD))
    force, z, mode, _, _ = law("finger-pad", 1.0, z)
    assert (mode, force) == (1.0, pytest.approx(0.2 * LOAD))
    force, z, mode, _, _ = law("finger-pad", 0.5e-4, z, mode)  # below v_min
    assert mode == 0.0
    assert force == pytest.approx(0.2 * LOAD)


@pytest.mark.slow
def test_all_laws_stick_and_slip():
    for name in MODELS:
        assert run(name).transitions >= 4
        assert 0.2 < run(name).stuck < 0.9


def test_critical_damping_sticks_and_slips_as_recomputed():
    """β = 118: 7 transitions in 20 s, stuck for 51 % of the time."""
    assert run("reset-integrator, β = 118").transitions == 7
    assert run("reset-integrator, β = 118").stuck == pytest.approx(0.51, abs=0.03)


UNDAMPED, CRITICAL = "reset-integrator, β = 0", "reset-integrator, β = 118"


def of(measure):
    return lambda name, seed: float(getattr(stuck(name, seed), measure))


ORDERINGS = [
    Ordering("oscillation in stiction", "reset-integrator, β = 1180", CRITICAL, of("oscillation")),
    *(
        Ordering("oscillation in stiction", CRITICAL, name, of("oscillation"), 0.1)
        for name in (UNDAMPED, "finger-pad", "modified-dahl")
    ),
    Ordering("creep in stiction", CRITICAL, "classical", of("creep"), 0.5),
    Ordering("transitions", "finger-pad", UNDAMPED, of("transitions"), 0.7),
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_laws_differ_in_stiction_as_in_the_thesis(ordering):
    check(ordering)


@pytest.mark.parametrize("name", [UNDAMPED, "finger-pad", "modified-dahl"])
def test_without_damping_it_changes_often_between_stick_and_slip(name):
    assert run(name).transitions > 3 * 7
