"""Energy of conservative runs: told where it drifts, by which number, and with what cure; silent where it is kept."""

import warnings

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.energy_account import exchanger
from symbody.cli import main
from symbody.elements import Damper, Spring, on_joint, on_link


def double_pendulum():
    m = sb.Model("double pendulum")
    joint = {"q0": (2.0,), "v0": (0.0,)}
    upper = m.body("upper", joints=[sb.Joint("a", "R2", **joint)], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.body(
        "lower", upper.point("tip", (0, 0, -1)), [sb.Joint("b", "R2", q0=(0.5,))], 1.0, (0, 0, -0.5), (0.1, 0.1, 0.1)
    )
    return m


@pytest.fixture(scope="module")
def pendulum():
    return sb.system(double_pendulum())


@pytest.fixture(scope="module")
def bare():
    """The same, without records of its energy."""
    return sb.system(double_pendulum(), outputs=["a.q", "b.q"])


def quiet(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return sb.simulate(*arguments, **options)


def test_what_keeps_its_energy_is_silent(pendulum, bare):
    run = quiet(pendulum, 5.0, 1e-3)
    found = run.meta["energy"]
    assert found["conservative"]
    assert found["drift"] == pytest.approx(run.energy_drift)
    assert found["since"] is None
    assert quiet(bare, 5.0, 1e-3).meta["energy"]["drift"] < 1e-6
    assert quiet(bare, 5.0).meta["energy"]["drift"] < 1e-4


@pytest.mark.parametrize("which", ["pendulum", "bare"])
def test_large_steps_are_told_with_number_and_cure(which, request):
    s = request.getfixturevalue(which)
    told = r"changed by \d.* J, \d.* % of the \d.* J .*after t = .*smaller than dt = 0\.02 s, or method='dop853'"
    with pytest.warns(sb.EnergyWarning, match=told):
        run = sb.simulate(s, 20.0, 2e-2, method="semi-implicit")
    found = run.meta["energy"]
    assert found["drift"] > 0.01
    if which == "pendulum":
        total = run.kinetic + run.potential
        assert found["change"] == pytest.approx(np.abs(total - total[0]).max())
        before = run.t < found["since"]
        assert np.all(np.abs(total - total[0])[before] <= 0.01 * found["exchange"])
    with pytest.raises(sb.EnergyError, match=r"changed by") as caught:
        sb.simulate(s, 20.0, 2e-2, method="semi-implicit", energy="error")
    assert caught.value.drift > 0.01
    assert len(caught.value.state) == 1001
    quiet(s, 20.0, 2e-2, method="semi-implicit", energy="ignore")
    quiet(s, 20.0, 2e-2, method="semi-implicit", energy=sb.EnergyCheck(tolerance=10.0))


@pytest.mark.slow
def test_a_million_small_steps_that_lose_most_of_the_energy(bare):
    with pytest.warns(sb.EnergyWarning):
        run = sb.simulate(bare, 1000.0, 1e-3, every=10.0, method="semi-implicit")
    assert run.meta["energy"]["drift"] > 0.1


def test_steps_chosen_by_a_poor_tolerance_are_told(pendulum):
    with pytest.warns(sb.EnergyWarning, match="lower rtol and atol"):
        sb.simulate(pendulum, 20.0, method=sb.VariableStep("rk45", rtol=1e-2, atol=1e-2))


def test_an_error_on_the_way_does_not_hide_the_drift():
    m = sb.Model("top", gravity=(0, 0, 0))
    row = [
        sb.Joint(f"j{k}", f"R{k + 1}", q0=(q,), v0=(v,)) for k, (q, v) in enumerate([(0, 0.02), (0.3, 4.0), (0, 0.5)])
    ]
    m.body("top", joints=row, mass=1.0, inertia=(0.2, 0.2, 0.2))
    with pytest.warns(sb.EnergyWarning), pytest.raises(sb.SymbodyError):
        sb.simulate(m, 5.0, 1e-2, method="semi-implicit", energy=sb.EnergyCheck("error", tolerance=1e-6))


def with_a(part):
    m = double_pendulum()
    part(m)
    return sb.system(m)


def driven(m):
    m.bodies["upper"].joints[0].nature = "driven"
    m.trajectory("a")(lambda t, p: 0.1 * t)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (lambda m: m.input("u"), "the input u"),
        (lambda m: m.state("z")(lambda s, p: -p.z), "the state z"),
        (driven, "the driven joint a"),
        (lambda m: m.joint_force("a")(lambda q, qd, p: -q), "the law of joint a"),
        (lambda m: m.coupling("c", "a")(lambda s, p: -s.q["a"]), "the law of c"),
    ],
)
def test_what_may_exchange_energy_is_named_and_not_accounted(part, why):
    s = with_a(part)
    assert exchanger(s) == why


def test_constraints_do_no_work():
    s = with_a(lambda m: m.constraint("gear")(lambda s, p: s.q["a"] - 4.0 * s.q["b"]))
    assert exchanger(s) is None
    assert quiet(s, 1.0, 1e-3).meta["energy"]["drift"] < 1e-6


def test_springs_that_store_are_accounted_and_dampers_are_not():
    m = double_pendulum()
    on_joint(m, "spring", "b", Spring(2.0))
    on_link(m, "rope", m.ground.point("hook", (4, 0, 0)), m.bodies["lower"], Spring(3.0, 0.5))
    s = sb.system(m)
    assert quiet(s, 2.0, 1e-3).meta["energy"]["drift"] < 1e-6
    with pytest.warns(sb.EnergyWarning):
        sb.simulate(s, 20.0, 2e-2, method="semi-implicit")
    on_joint(m, "damper", "a", Damper(0.1))
    found = quiet(sb.system(m), 2.0, 1e-3).meta["energy"]
    assert found == {"conservative": False, "because": "damper.dissipated"}


def test_impacts_are_no_drift():
    bounce = sb.Event("a.q", crosses=0.0, action=lambda t, at: {"a.qd": -0.5 * at["a.qd"]})
    run = quiet(sb.system(double_pendulum()), 1.0, method=sb.VariableStep(events=[bounce]))
    assert run.meta["energy"] == {"conservative": False, "because": "a reset at an event"}


def test_at_rest_rounding_is_no_drift():
    m = sb.Model("hanging")
    m.body("weight", m.ground.point("far", (0, 0, 1e6)), "R2", 1.0, (0, 0, -1), (0.1, 0.1, 0.1))
    assert quiet(m, 1.0, 1e-2).meta["energy"]["drift"] < 1e-6


def test_wrong_options_are_refused(pendulum):
    with pytest.raises(sb.ModelError, match="one of warn, error, ignore"):
        sb.simulate(pendulum, 1.0, 1e-3, energy="shout")
    with pytest.raises(sb.ModelError, match=r"tolerance: 0\.0 is not positive"):
        sb.simulate(pendulum, 1.0, 1e-3, energy=sb.EnergyCheck(tolerance=0.0))


def test_the_command(tmp_path, capsys):
    steps = ["--until", "20", "--dt", "0.04", "--method", "semi-implicit", "-o", str(tmp_path)]
    assert main(["simulate", "double-pendulum", *steps, "--energy", "error", "--json"]) == 2
    assert "energy should be constant" in capsys.readouterr().err


def test_machines_that_ship_keep_their_energy_or_say_what_exchanges_it():
    run = quiet(machines.model("n-pendulum"), 1.0, 1e-3)
    assert run.meta["energy"]["drift"] < 1e-6
