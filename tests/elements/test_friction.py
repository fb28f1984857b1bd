"""Friction laws as formulas: continuous at rest, on their printed curves, with books of energy that balance.

Tests of friction_static.py, friction_bristle.py, friction_reset.py.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slides import LOAD, drawn, each, moved

import symbody as sb
from symbody.elements.attach import on_joint
from symbody.elements.friction import (
    FRICTION,
    REST,
    SEAL,
    BengisuAkay,
    BrownMcPhee,
    Coulomb,
    Dahl,
    Efficiency,
    LuGre,
    ModifiedLuGre,
    ResetIntegrator,
    evaluate_friction,
)
from symbody.elements.friction_bristle import speed_power
from symbody.elements.friction_reset import SLIP
from symbody.expr.derive import derivative
from symbody.expr.graph import evaluate
from symbody.expr.node import variable
from symbody.expr.node_table import fresh_graph

FC, FS, VS, S0, S1, S2 = SEAL.Fc, SEAL.Fs, SEAL.vs, SEAL.sigma0, SEAL.sigma1, SEAL.sigma2
Z = FS / S0  # m, as far as bristles bend
ROUNDING = 1e-15 * FS
MOST_BENDING = 1.0 + 0.5 * FS / 776.0  # |dż/dv| = 1 + σ₀|z|/g below 0.1 mm/s, where g > 776 N
STEEPEST = {  # largest |dF/dv| (N s/m) below 0.1 mm/s, by hand, bristles bent by half of what they bear
    "efficiency": (1 - SEAL.eta) * LOAD / SEAL.v0,
    "coulomb": FC / SEAL.v0 + S2,
    "bengisu-akay": 2 * FS / VS + S2,
    "brown-mcphee": 4 * FC / VS + (FS - FC) / VS / 0.75**2 + S2,
    "dahl": S2,
    "lugre": MOST_BENDING * S1 + S2,
    "modified-lugre": MOST_BENDING * S1 + S2,
    "reset-integrator": S1 + S2,
}
velocities = st.builds(lambda e, s: s * 10.0**e, st.floats(-9, 0.5), st.sampled_from((-1.0, 1.0)))
shares = st.floats(-1.0, 1.0)


def test_the_numbers_are_those_printed():
    assert (FC, FS, VS, S2, SEAL.xi, SEAL.n, SEAL.vb) == (210, 830, 0.0125, 330, 50, 0.5, 0.70)
    assert (SEAL.tau_hp, SEAL.tau_hn, SEAL.tau_h0) == (0.25, 1.5, 40.0)
    assert pytest.approx((7.348e6, 3.162e4), rel=1e-4) == (S0, S1)


@pytest.mark.parametrize(("name", "law"), each())
@pytest.mark.parametrize("bent", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize("e", [1e-9, 1e-6, 1e-4])
def test_force_and_rates_are_continuous_at_rest(name, law, bent, e):
    z = [bent * law.scales[0], 0.0][: len(law.states)] if law.states else []
    before, at, after = (evaluate_friction(law, v, z, LOAD) for v in (-e, 0.0, e))
    # one run: one law that increases
    assert before.force < at.force < after.force
    assert max(after.force - at.force, at.force - before.force) <= STEEPEST[name] * e + ROUNDING
    steepest = {"z": MOST_BENDING * e, "h": (e / SEAL.vb) ** (2 / 3) / SEAL.tau_hp}
    for state, low, middle, high in zip(law.states, before.rates, at.rates, after.rates, strict=True):
        assert max(abs(low - middle), abs(high - middle)) <= steepest[state]


@pytest.mark.parametrize(("name", "law"), each())
def test_the_bounds_above_are_no_wider_than_needed(name, law):
    z = [-0.5 * Z, 0.0][: len(law.states)]
    slope = (evaluate_friction(law, 1e-7, z, LOAD).force - evaluate_friction(law, 0.0, z, LOAD).force) / 1e-7
    assert slope == pytest.approx(STEEPEST[name], rel=0.03)


def test_the_film_goes_over_from_motion_to_rest_without_a_jump():
    """h > h_ss shrinks with τ_hn in motion and τ_h0 at rest; in between by the share 1/(1 + (v/REST)²) at rest."""
    rates = {
        v: evaluate_friction(ModifiedLuGre(), v, (0.0, 0.1)).rates[1] for v in (0.0, 1e-3 * REST, REST, 1e3 * REST)
    }
    rest, motion = -0.1 / SEAL.tau_h0, -0.1 / SEAL.tau_hn
    wanted = [rest, rest, (rest + motion) / 2, motion]
    assert list(rates.values()) == pytest.approx(wanted, rel=0.12)  # h_ss(1 mm/s) is a tenth of h
    # one run: a limit of one law
    assert abs(rates[1e-3 * REST] - rest) < 1e-6 * abs(motion)


def test_static_laws_follow_their_printed_curves():
    """At v_s both Stribeck laws peak near F_s; far above it they are F_c + σ₂ v; all are odd."""
    for law in (BengisuAkay(), BrownMcPhee()):
        v = np.geomspace(1e-5, 1.0, 2001)
        force = np.array([evaluate_friction(law, x).force for x in v])
        peak = np.argmax(force - S2 * v)
        assert v[peak] == pytest.approx(VS, rel=0.02)
        assert (force - S2 * v)[peak] == pytest.approx(FS, rel=1e-3)
        assert force[-1] == pytest.approx(FC + S2, rel=1e-2)
        assert evaluate_friction(law, -0.03).force == -evaluate_friction(law, 0.03).force
    r = 0.4  # by hand, Jaiswal (2.42) and (2.44)
    assert evaluate_friction(BengisuAkay(), r * VS).force == pytest.approx(FS * (1 - (1 - r) ** 2) + S2 * r * VS)
    assert evaluate_friction(BengisuAkay(), 2 * VS).force == pytest.approx(FC + 620 * np.exp(-50 * VS) + S2 * 2 * VS)
    printed = 210 * np.tanh(4 * r) + 620 * r / (r**2 / 4 + 0.75) ** 2 + 330 * r * VS * np.tanh(4)
    assert evaluate_friction(BrownMcPhee(), r * VS).force == pytest.approx(printed)
    assert evaluate_friction(Coulomb(), 1.0).force == pytest.approx(FC + S2)
    assert evaluate_friction(Efficiency(), -1.0, load=-500.0).force == pytest.approx(-0.12 * 500)


def test_bengisu_akay_does_not_jump_at_the_stribeck_velocity():
    law = BengisuAkay()
    low, high = (evaluate_friction(law, VS * (1 + e)).force for e in (-1e-9, 1e-9))
    assert abs(high - low) < 1e-5  # as printed: σ₂ v_s = 4.1 N


def test_film_of_the_modified_lugre():
    law = ModifiedLuGre()
    for v, wanted in ((0.1, (1 - FC / FS) * (0.1 / 0.7) ** (2 / 3)), (0.7, 1 - FC / FS), (3.0, 1 - FC / FS)):
        assert float(law.film(v)) == pytest.approx(wanted, rel=1e-9)
        assert evaluate_friction(law, v, (0.0, wanted + 0.1)).rates[1] == pytest.approx(-0.1 / SEAL.tau_hn, rel=1e-6)
        assert evaluate_friction(law, v, (0.0, wanted - 0.1)).rates[1] == pytest.approx(0.1 / SEAL.tau_hp, rel=1e-6)
    assert evaluate_friction(law, 0.0, (0.0, 0.1)).rates[1] == pytest.approx(-0.1 / SEAL.tau_h0)
    assert float(law.breakaway((0.0, 1 - FC / FS))) == pytest.approx(FC)  # a full film leaves no break-away


@given(v=velocities, n=st.floats(0.3, 2.5))
def test_smooth_power_differs_from_the_power_near_rest_only(v, n):
    wanted = abs(v) ** n
    assert speed_power(v, n) == pytest.approx(wanted, rel=1e-12 + abs(1 - n / 2) * (REST / v) ** 2 * 1.5)


# -- energy -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "law"), each())
@given(v=velocities, bent=shares, film=st.floats(0.0, 1 - FC / FS))
def test_energy_is_accounted_for_and_never_lost_backwards(name, law, v, bent, film):
    """F v = Σ ∂stored/∂z ż + dissipated, dissipated ≥ 0, at any state that can be reached."""
    reach = {"dahl": FC / S0, "reset-integrator": (1 + SLIP) * Z * (1 - 1e-9)}.get(name, Z)  # sliding, in the limit
    values = [bent * reach, film][: len(law.states)]
    with fresh_graph():
        z = [variable(state) for state in law.states]
        numbers = dict(zip(law.states, values, strict=True))
        slopes = [float(evaluate([derivative(law.stored(z), x)], numbers)[0]) for x in z]
    at = evaluate_friction(law, v, values, LOAD)
    power = sum(slope * rate for slope, rate in zip(slopes, at.rates, strict=True)) + at.dissipated
    size = abs(at.force * v) + sum(abs(slope * rate) for slope, rate in zip(slopes, at.rates, strict=True))
    assert at.force * v == pytest.approx(power, abs=1e-12 * size)
    assert at.dissipated >= 0.0
    assert at.stored >= 0.0


def test_constant_damping_of_bristles_is_not_passive():
    """Bristles bent as far as they go at rest, then slid at 1 m/s: as printed, σ₁ ż v gives more than rubbing takes."""
    bent, v = (Z,), 1.0
    assert evaluate_friction(LuGre(passive=False), v, bent).dissipated < -1e4
    assert evaluate_friction(LuGre(), v, bent).dissipated > 0.0
    for slow in (1e-5, 1e-4):  # where bristles creep, both are one
        one, other = (evaluate_friction(LuGre(passive=p), slow, (0.9 * Z,)).force for p in (True, False))
        assert one == pytest.approx(other, rel=1e-6)


# -- as elements ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "law"), each())
def test_derivatives_exist_at_rest(name, law):
    """Newton's method starts from rest with unbent bristles: all exact derivatives there are finite."""
    s = drawn(law)
    for matrix in s.linear(0.0, s.x0):
        assert np.all(np.isfinite(matrix))
    s = moved(law)
    for matrix in s.linear(0.0, s.x0):
        assert np.all(np.isfinite(matrix))


@pytest.mark.parametrize(("name", "law"), each())
def test_numbers_are_live(name, law):
    s = moved(law)
    fields = [f.name for f in dataclasses.fields(law) if f.name != "passive"]
    assert {f"seal_{field}" for field in fields} <= set(s.parameters)
    assert [x for x in s.states if x.startswith("seal")] == [f"seal_{state}" for state in law.states]
    u = np.array([0.0, 0.02, 0.0])
    x = np.array([*([0.4 * Z, 0.1][: len(law.states)]), 0.0, 0.0])
    before = s.at(0.0, x, u)["seal.slide.Q"]
    assert before == pytest.approx(-evaluate_friction(law, 0.02, x[: len(law.states)], LOAD).force)
    kept = dict(s.parameters)
    for field in fields:
        s.parameters[f"seal_{field}"] *= 1.1
    other = dataclasses.replace(law, **{field: 1.1 * getattr(law, field) for field in fields})
    after = s.at(0.0, x, u)["seal.slide.Q"]
    s.parameters.update(kept)
    assert after == pytest.approx(-evaluate_friction(other, 0.02, x[: len(law.states)], LOAD).force)
    assert after != before


def test_a_number_may_be_shared():
    m = sb.Model("two slides", gravity=(0, 0, 0))
    dry = m.parameter("dry", 5.0)
    for name in ("one", "two"):
        m.body(name, m.ground, [sb.Joint(name, "T1", v0=(1.0,))], mass=1.0)
        on_joint(m, f"rub.{name}", name, LuGre(Fc=dry, Fs=2.0 * dry, sigma2=0.0))
    s = sb.system(m, outputs=["rub.*"])
    assert "rub_one_Fc" not in s.parameters
    assert s.model.states["rub_one_z"].scale == pytest.approx(10.0 / S0)
    x = np.array([10.0 / S0 if name.endswith("_z") else value for name, value in zip(s.states, s.x0, strict=True)])
    s.parameters["dry"] = 4.0
    wanted = evaluate_friction(LuGre(Fc=4.0, Fs=8.0, sigma2=0.0), 1.0, (10.0 / S0,)).force
    assert s.at(0.0, x)["rub.one.one.Q"] == s.at(0.0, x)["rub.two.two.Q"] == pytest.approx(-wanted)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (LuGre(sigma0=0.0), "sigma0"),
        (BrownMcPhee(vs=-1.0), "vs"),
        (BengisuAkay(Fc=900.0), "Fc = 900.0 is above Fs"),
        (Coulomb(v0=float("nan")), "v0"),
        (Dahl(Fc=0.0), "Fc"),
        (ModifiedLuGre(tau_h0=0.0), "tau_h0"),
        (ResetIntegrator(sigma1=-1.0), "sigma1"),
        (Efficiency(eta=1.2), "eta"),
        (Efficiency(), "load"),
    ],
)
def test_bad_numbers_are_told(law, words):
    m = sb.Model("bad")
    m.body("slide", m.ground, "T1", mass=1.0)
    with pytest.raises(sb.ModelError, match=words) as told:
        on_joint(m, "seal", "slide", law)
    assert told.value.element == "seal"
    assert told.value.cure


def test_register():
    assert set(FRICTION.values()) == {
        Efficiency, Coulomb, BengisuAkay, BrownMcPhee, Dahl, LuGre, ModifiedLuGre, ResetIntegrator,
    }  # fmt: skip
    assert float(LuGre().force(0.1, (0.0,))) == evaluate_friction(LuGre(), 0.1).force
