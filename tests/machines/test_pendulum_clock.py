"""The pendulum clock: against an ideal escapement integrated by SciPy, theory, and its own account of energy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symbody as sb
from symbody import machines
from symbody.analysis.balance import energy_balance
from symbody.cli import main
from symbody.machines.pendulum_clock.laws import TEETH, Deadbeat
from symbody.machines.pendulum_clock.measures import (
    amplitudes,
    growth,
    kept_amplitude,
    passages,
    period,
    quality,
    small_swing,
    swing_energies,
    theory_amplitude,
    theory_period,
)
from symbody.machines.pendulum_clock.model import AMPLITUDE, FALL, WEIGHT
from symbody.machines.pendulum_clock.report import DT, RECORDED, swung

UNTIL = 20.0  # s


@pytest.fixture(scope="module")
def clock():
    return sb.system(machines.model("pendulum-clock"), outputs=list(RECORDED))


@pytest.fixture(scope="module")
def runs(clock):
    return {start: swung(clock, start, UNTIL) for start in (0.8, 1.0, 1.2)}


def ideal(until: float) -> tuple[np.ndarray, np.ndarray]:
    """Passages (s) and following ends (rad) of a rod with a lens that is pushed evenly, by a rigid wheel without mass.

    Written from the drawing, not from the model: I θ̈ = −m g d sin θ − c θ̇ ± M g ρ L/2β, the push within ±β, in the
    direction of the motion.
    """
    rod, long, lens, length, radius = 0.2, 1.1, 6.0, 0.99455, 0.09
    inertia = rod * long**2 / 3 + lens * (length**2 + radius**2 / 2)
    lever, beta = rod * long / 2 + lens * length, math.radians(1.0)
    push = 4.0 * 9.81 * 1.6 / (11520 * 2 * math.pi) * 0.8 * math.pi / 30 / (2 * beta)

    def rates(t, x, pushed):
        return [x[1], (-9.81 * lever * math.sin(x[0]) - 0.0123 * x[1] + pushed) / inertia]

    def at(angle, way):
        def event(t, x, pushed):
            return x[0] - angle

        event.terminal, event.direction = True, way
        return event

    t, x, way, times, ends = 0.0, [AMPLITUDE, 0.0], -1.0, [], []
    while t < until:
        for angle, pushed in ((-way * beta, 0.0), (0.0, way * push), (way * beta, way * push)):
            found = solve_ivp(rates, (t, t + 3.0), x, args=(pushed,), events=at(angle, way), rtol=1e-11, atol=1e-13)
            t, x = found.t[-1], found.y[:, -1].tolist()
            if angle == 0.0 and way > 0.0:
                times.append(t)
        if way > 0.0:
            energy = 0.5 * inertia * x[1] ** 2 - 9.81 * lever * math.cos(x[0])
            ends.append((t, energy))
        way = -way
    turn = [math.acos(-energy / 9.81 / lever) for _, energy in ends]  # without the air on the way there
    return np.array(times), np.array(turn)


def test_it_goes_as_an_ideal_escapement_does(runs):
    times, ends = ideal(UNTIL)
    found = passages(runs[1.0])
    count = min(len(times), len(found))
    assert count >= 9
    np.testing.assert_allclose(found[:count], times[:count], atol=5e-5)
    swing = amplitudes(runs[1.0])[1]
    np.testing.assert_allclose(swing[: count - 1], ends[: count - 1], rtol=1e-3)


def test_its_period_is_that_of_the_pendulum(clock, runs):
    assert small_swing(clock) == pytest.approx(2.0, rel=1e-4)  # it beats seconds
    swing = amplitudes(runs[1.0])[1].mean()
    assert period(runs[1.0]) == pytest.approx(
        theory_period(clock, swing), rel=1e-6
    )  # less than a tenth of a second a day
    assert period(runs[1.2]) - period(runs[0.8]) == pytest.approx(
        small_swing(clock) * (1.2**2 - 0.8**2) * AMPLITUDE**2 / 16.0, rel=0.15
    )  # the circular error


def test_a_tooth_passes_in_each_swing(runs):
    wheel = np.interp(passages(runs[1.0]), runs[1.0].t, runs[1.0]["wheel.q"]) * TEETH / (2.0 * np.pi)
    np.testing.assert_allclose(np.diff(wheel), 1.0, atol=2e-3)
    np.testing.assert_allclose(runs[1.0]["weight.q"], -FALL * runs[1.0]["wheel.q"], atol=1e-12)


def test_it_comes_to_the_swing_at_which_air_takes_what_the_weight_gives(clock, runs):
    assert growth(runs[0.8])[1] > 0.0 > growth(runs[1.2])[1]
    assert kept_amplitude(runs[0.8], runs[1.2]) == pytest.approx(theory_amplitude(clock), rel=3e-3)
    assert theory_amplitude(clock) == pytest.approx(AMPLITUDE, rel=0.02)
    assert 1000.0 < quality(clock) < 3000.0
    heavier = sb.system(machines.model("pendulum-clock"), outputs=[])
    heavier.parameters["weight_mass"] *= 4.0
    assert theory_amplitude(heavier) == pytest.approx(2.0 * theory_amplitude(clock))


def test_the_energy_of_a_swing_adds_up(clock, runs):
    swing = swing_energies(runs[1.0])
    tooth = WEIGHT * 9.81 * FALL * 2.0 * math.pi / TEETH
    assert swing["weight_J"] == pytest.approx(tooth, rel=1e-3)
    assert swing["pendulum_J"] == pytest.approx(0.8 * tooth, rel=5e-3)  # the rest is drop
    assert swing["pendulum_J"] + swing["escapement_J"] == pytest.approx(tooth, rel=5e-3)
    assert swing["air_J"] == pytest.approx(swing["pendulum_J"], rel=0.03)  # near the swing that it keeps
    lost = 3e-3 * tooth * UNTIL / 2.0  # what teeth keep that leave an edge
    assert energy_balance(runs[1.0], elements=["*"]).drift < lost


def test_below_a_degree_it_stops(clock):
    run = swung(clock, 0.4, 6.0)
    turned = (run["wheel.q"][-1] - run["wheel.q"][0]) * TEETH / (2.0 * np.pi)
    assert abs(turned) < 0.5
    assert np.abs(run["pendulum.q"][run.t > 4.0]).max() < math.radians(1.0)


def test_both_pallets_push_by_what_they_store():
    law = Deadbeat(damping=0.0)

    def stored(theta, phi):
        return float(sum(x.stored for x in (law.entry(theta, 0.0, phi, 0.0), law.exit(theta, 0.0, phi, 0.0))))

    h, deep = 1e-7, 0.001
    for theta in (-0.03, -0.01, 0.004, 0.012, 0.03):
        for face in (0.0, math.pi / TEETH):
            sense = 1.0 if face == 0.0 else -1.0
            phi = face + law.lift * min(max((sense * theta + law.half_angle) / 2 / law.half_angle, 0.0), 1.0) + deep
            pallets = law.entry(theta, 0.0, phi, 0.0), law.exit(theta, 0.0, phi, 0.0)
            on_pendulum = float(sum(x.hold * x.slope for x in pallets))
            on_wheel = -float(sum(x.hold for x in pallets))
            slopes = [
                (stored(theta + h * a, phi + h * b) - stored(theta - h * a, phi - h * b)) / (2.0 * h)
                for a, b in ((1, 0), (0, 1))
            ]
            assert (on_pendulum, on_wheel) == pytest.approx((-slopes[0], -slopes[1]), abs=1e-6)


def test_its_page_moves_what_is_there():
    shown = machines.entry("pendulum-clock").page()
    s = shown.system
    assert {control.name for control in shown.controls} <= set(s.inputs)
    assert {dial.name for dial in shown.dials} <= set(s.parameters)
    assert set(shown.looks) == set(s.model.bodies)
    assert shown.substeps * DT == pytest.approx(1.0 / shown.rate)
    assert shown.shows({"wheel.q": 2.0 * math.pi * 1.5, "pendulum.q": 0.0})[0] == "1 min 30 s"


@pytest.mark.slow
@pytest.mark.slow
def test_its_page_allows_no_weight_with_which_it_runs_backwards():
    machine = machines.entry("pendulum-clock").page()
    (weight,) = (dial for dial in machine.dials if dial.name == "weight_mass")
    s = machine.system
    s.parameters["weight_mass"] = weight.low + 0.02
    run = sb.simulate(s, 5.0, DT, every=0.1, energy="ignore")
    # one run: one run at two times
    assert run["wheel.q"][-1] > run["wheel.q"][0]


def test_its_report(capsys, tmp_path):
    assert main(["demo", "pendulum-clock", "--until", "8", "--report", str(tmp_path)]) == 0
    assert "theory_s" in capsys.readouterr().out
    assert len(list(tmp_path.glob("*.png"))) == 4
    assert main(["demo", "pendulum-clock", "--until", "1"]) == 2
